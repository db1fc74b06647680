"""What was done to a clip, in plain words, from its trace alone.

Each line says where and what, by what was recorded: "From 1.0 to 2.5 s: 10 dB louder." Times are
those of the clip before the edits, as a transcript has them; where the edits moved them, the time
in the edited audio stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from perturb.errors import InapplicableError
from perturb.operators.protocol import Operator
from perturb.plan.step import Step
from perturb.plan.step_text import format_step
from perturb.plan.trace import StepTrace, Trace
from perturb.span import Span
from perturb.time_map import TimeMap

__all__ = ["WORDED_OPERATORS", "describe_edits"]

_Fields = Mapping[str, Any]


def describe_edits(trace: Trace, called: Mapping[str, str] | None = None) -> str:
    """Return what a trace records as lines of plain words, one for each place of each edit.

    Parameters
    ----------
    trace : Trace
        Of the variant whose edits are told.
    called : mapping of str to str, optional
        How outside sounds are called, by reference; by their own names otherwise.

    Raises
    ------
    InapplicableError
        Nothing was edited: the reason is the trace's.
    """
    if trace.time_map is None:
        raise InapplicableError(f"there is no edit to tell: {trace.reason}")
    lines: list[str] = []
    for step, record in zip(trace.plan.steps, trace.steps, strict=True):
        lines += _describe_step(step, record, trace.time_map, called or {})
    return "\n".join(lines)


def _describe_step(
    step: Step, record: StepTrace, whole: TimeMap, called: Mapping[str, str]
) -> list[str]:
    operator: Operator = step.operator
    fields = msgspec.to_builtins(operator)
    fields["called"] = next((called[ref] for ref in operator.references() if ref in called), None)
    words = _WORDS.get(step.name)
    if step.role == "sham":
        what = f"processed like the others, without the edit ({operator.sham_description})"
    elif operator.is_neutral:
        what = "left as it is"
    elif words is None:
        what = f"edited by {format_step(Step(operator=operator))}"
    else:
        what = words(fields, record.notes)
    places = _event_places(record) if step.name == "event" else record.spans_original
    if not places:
        return [f"- The whole audio: {what}."]
    return [f"- {_place(span, whole)}: {what}." for span in places]


def _event_places(record: StepTrace) -> tuple[Span, ...]:
    """Return where events are heard, from start to end, as far as each span holds one."""
    starts = record.spans_original or (Span(0.0),)
    events = record.notes["events"]
    if len(starts) != len(events):
        return starts
    return tuple(
        Span(start.start_s, start.start_s + event["stop_s"] - event["start_s"])
        for start, event in zip(starts, events, strict=True)
    )


def _place(span: Span, whole: TimeMap) -> str:
    place = _times(span)
    heard = whole.map_span(span)
    if whole.is_identity or heard == (span,):
        return place
    if not heard:
        return f"{place} of the audio before the edits"
    times = " and ".join(_times(part).lower() for part in heard)
    return f"{place} of the audio before the edits ({times} of the edited audio)"


def _times(span: Span) -> str:
    if span.stop_s is None:
        return f"At {_seconds(span.start_s)} s"
    return f"From {_seconds(span.start_s)} to {_seconds(span.stop_s)} s"


def _seconds(time_s: float) -> str:
    text = f"{time_s:.2f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _name(reference: str) -> str:
    """Return what a reference calls its sound: the file's name, a bank's category, an item's id."""
    scheme, _, rest = reference.partition(":")
    if scheme == "file":
        return PurePosixPath(rest.replace("\\", "/")).stem
    return rest.partition("#")[0] if scheme == "bank" else rest


def _silence(fields: _Fields, notes: _Fields) -> str:
    fill = {
        "zero": "replaced by silence",
        "room": "replaced by the recording's background noise",
        "noise": "replaced by white noise as loud as what was there",
    }[fields["fill"]]
    length_s = fields.get("duration_s")
    return fill if length_s is None else f"{fill}, {length_s:g} s long"


def _gain(fields: _Fields, notes: _Fields) -> str:
    gain_db = fields.get("gain_db")
    if gain_db is None:
        return f"brought to a loudness of {fields['target_lufs']:g} LUFS"
    return f"{round(abs(gain_db), 1):g} dB {'louder' if gain_db > 0 else 'softer'}"


def _speed(fields: _Fields, notes: _Fields) -> str:
    rate = fields["rate"]
    if rate > 1.0:
        return f"played {rate:.3g} times as fast, at the same pitch"
    return f"played {1.0 / rate:.3g} times as slowly, at the same pitch"


def _event(fields: _Fields, notes: _Fields) -> str:
    ratio_db = fields["snr_db"] if fields["over"] == "event" else -fields["snr_db"]
    relation = f"{round(abs(ratio_db), 1):g} dB {'louder' if ratio_db >= 0 else 'softer'}"
    sound = fields["called"] or _name(fields["ref"])
    return f"another sound laid over ({sound}), {relation} than what is there"


def _vocode(fields: _Fields, notes: _Fields) -> str:
    method = fields["method"]
    if method == "lowpass":
        return "low-passed, so that melody and rhythm stay and words are hard to make out"
    if method == "envelope":
        return "replaced by noise that keeps its loudness and rhythm, without pitch and words"
    return "replaced by a buzz that keeps melody, loudness and rhythm, without words"


def _noise_vocode(fields: _Fields, notes: _Fields) -> str:
    bands = fields["bands"]
    return f"replaced by noise in {bands} frequency band{'s' if bands > 1 else ''} (noise-vocoded)"


def _join(fields: _Fields, notes: _Fields) -> str:
    return (
        f"set as number {notes['position']} among {notes['clips']} recordings in a row, with "
        "silence between them"
    )


def _shuffle(fields: _Fields, notes: _Fields) -> str:
    return f"cut into pieces of {fields['segment_s']:g} s, which are played in another order"


def _crop(fields: _Fields, notes: _Fields) -> str:
    if fields.get("duration_s") is None:
        return "kept, and everything else cut away"
    return f"cut down to {fields['duration_s']:g} s from its {fields['part']}"


def _monotone(fields: _Fields, notes: _Fields) -> str:
    target_hz = fields.get("target_hz")
    place = "its own middle pitch" if target_hz is None else f"{target_hz:g} Hz"
    return f"spoken on one pitch ({place}), the words as they were"


def _exaggerate(fields: _Fields, notes: _Fields) -> str:
    factor = fields["factor"]
    return f"given {factor:g} times the range of its melody, the words as they were"


def _retime(fields: _Fields, notes: _Fields) -> str:
    if fields["what"] == "pauses":
        return f"its pauses made equal, {fields['pause_s']:g} s each"
    return "its syllables made to follow each other evenly"


def _fixed(words: str) -> Callable[[_Fields, _Fields], str]:
    def describe(fields: _Fields, notes: _Fields) -> str:
        return words

    return describe


_WORDS: dict[str, Callable[[_Fields, _Fields], str]] = {
    "contour": _fixed("given another melody, the words as they were"),
    "crop": _crop,
    "event": _event,
    "exaggerate": _exaggerate,
    "flat_intensity": _fixed("made equally loud throughout, the words as they were"),
    "gain": _gain,
    "identity": _fixed("left as it is"),
    "join": _join,
    "mismatch": _fixed("replaced by another recording"),
    "monotone": _monotone,
    "noise_vocode": _noise_vocode,
    "obscure": _fixed("muffled and covered with noise, so that it cannot be made out"),
    "retime": _retime,
    "reverse": _fixed("played backwards"),
    "rotate": _fixed("its spectrum turned upside down, so that words cannot be made out"),
    "shuffle": _shuffle,
    "silence": _silence,
    "speed": _speed,
    "vocode": _vocode,
    "voice": _fixed("spoken in another voice, the words as they were"),
    "voice_file": _fixed("replaced by the same words, spoken anew in another voice (synthetic)"),
    "whisper": _fixed("whispered, the words as they were"),
}

WORDED_OPERATORS = frozenset(_WORDS)
"""Operators that have words of their own; others are told by their step as text."""
