"""The segments of a recording: those that were given, mended, or what lies between its pauses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from perturb.anchors.segment import Segment, Segmentation
from perturb.measure.analysis import Analysis
from perturb.measure.detectors import HOP_S
from perturb.measure.held_pitch import held_pitch_share
from perturb.measure.level import frame_powers
from perturb.span import Span

__all__ = ["find_segments"]

_PAUSE_S = 0.3
"""Shorter gaps are part of an utterance: stops and breaths."""

_STEADY_DB = 4.0
"""Standard deviation of frame levels under which a stretch is no speech: that of real sentences is
6.8 dB and more, of plucked notes three a second 3.2 dB, of a chord under 1 dB."""

_HELD_SHARE = 0.3
"""Share of a stretch that its pitch may hold still: of speech in a ringing room it is .22 at most,
of notes .70 and more (`perturb.measure.held_pitch`)."""

_FRAME_S = 0.025
_FLOOR = 1e-10


def find_segments(analysis: Analysis, given: Sequence[Segment] | None) -> Segmentation:
    """Return the segments of a recording, in order and apart.

    Segments that were given may run past the end or overlap: they are cut at the end, and at the
    stop of the one before; what has nothing left goes. Each time a note says so.

    Parameters
    ----------
    analysis : Analysis
        Of the clip.
    given : sequence of Segment or None
        In any order; None to find them by pauses of at least .3 s.
    """
    if given is None:
        found = _between_pauses(analysis)
        speech = tuple(segment for segment in found if _is_speech(analysis, segment))
        others = len(found) - len(speech)
        what = "1 stretch is" if others == 1 else f"{others} stretches are"
        note = f"{what} left out, since music, noise or another sound is heard there, no speech"
        return Segmentation(source="pauses", segments=speech, notes=(note,) if others else ())
    has_text = any(segment.text for segment in given)
    segments, notes = _mended(given, analysis.signal.duration_s)
    return Segmentation(
        source="transcript" if has_text else "turns", segments=segments, notes=notes
    )


def _between_pauses(analysis: Analysis) -> tuple[Segment, ...]:
    active = np.flatnonzero(analysis.detections.by_level & analysis.detections.by_voice)
    if not active.size:
        return ()
    breaks = np.flatnonzero(np.diff(active) * HOP_S > _PAUSE_S)
    starts = active[np.r_[0, breaks + 1]]
    stops = active[np.r_[breaks, active.size - 1]] + 1
    duration_s = analysis.signal.duration_s
    return tuple(
        Segment(
            start_s=round(float(start) * HOP_S, 2),
            stop_s=min(round(float(stop) * HOP_S, 2), duration_s),
        )
        for start, stop in zip(starts, stops, strict=True)
        if start * HOP_S < duration_s
    )


def _is_speech(analysis: Analysis, segment: Segment) -> bool:
    """Whether a stretch that the detectors take for speech is: by its level, voice and pitch."""
    start_s, stop_s = segment.start_s, segment.stop_s
    if not _varies(analysis, segment) or analysis.speech_gate(start_s, stop_s) is not None:
        return False
    held = held_pitch_share(analysis.f0, start_s, stop_s).value
    return held is not None and held <= _HELD_SHARE


def _varies(analysis: Analysis, segment: Segment) -> bool:
    """Whether the level of a stretch goes up and down as that of syllables."""
    rate = analysis.signal.sample_rate_hz
    start, stop = Span(segment.start_s, segment.stop_s).to_samples(rate)
    powers = frame_powers(analysis.mono[start:stop], round(_FRAME_S * rate))
    return bool(np.std(10.0 * np.log10(np.maximum(powers, _FLOOR))) >= _STEADY_DB)


def _mended(
    given: Sequence[Segment], duration_s: float
) -> tuple[tuple[Segment, ...], tuple[str, ...]]:
    order = sorted(range(len(given)), key=lambda at: (given[at].start_s, given[at].stop_s))
    kept: list[tuple[int, Segment]] = []
    notes = []
    at_s = 0.0
    for index in order:
        segment = given[index]
        start_s, stop_s = max(segment.start_s, at_s), min(segment.stop_s, duration_s)
        name = f"the segment from {segment.start_s:g} to {segment.stop_s:g} s"
        if stop_s - start_s < HOP_S:
            cause = "lies past the end" if segment.start_s >= duration_s else "lies in another"
            notes.append(f"{name} {cause} and is left out")
            continue
        if stop_s < segment.stop_s:
            notes.append(f"{name} runs past the end, {duration_s:g} s, and is cut there")
        if start_s > segment.start_s:
            notes.append(f"{name} overlaps the one before it and begins at {start_s:g} s instead")
        kept.append((index, replace(segment, start_s=start_s, stop_s=stop_s)))
        at_s = stop_s
    places = {index: place for place, (index, _) in enumerate(kept)}
    segments = tuple(
        replace(
            segment,
            relations=tuple(
                replace(relation, to=places[relation.to])
                for relation in segment.relations
                if relation.to in places
            ),
        )
        for _, segment in kept
    )
    return segments, tuple(notes)
