"""`Trace`: the record of one variant. What was asked, what was done, what was measured.

It lies beside the audio and is all that `verify` and `replay` need but the input. Paths in it are
relative to the trace itself, so that a folder can be moved whole.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

import msgspec

from perturb.audio_io import OutputFormat
from perturb.errors import ParameterError, PlanError
from perturb.operators.proof import Measured
from perturb.plan.step import Plan
from perturb.record import Record, bounds
from perturb.signal import MAX_CHANNELS, SAMPLE_RATE_RANGE_HZ
from perturb.span import Span
from perturb.time_map import TimeMap

__all__ = [
    "OUTSIDE_PROOF",
    "TRACE_FORMAT",
    "AudioRecord",
    "Environment",
    "Headroom",
    "Status",
    "StepTrace",
    "Trace",
]

TRACE_FORMAT: Literal["perturb-trace/1"] = "perturb-trace/1"

_SEAL = "record_sha256"

OUTSIDE_PROOF = "outside_difference"
"""Name of the proof that rendering adds: what lies outside the spans is unchanged."""

Status = Literal["ok", "off_target", "inapplicable", "failed"]


class AudioRecord(Record, frozen=True, kw_only=True):
    """One piece of audio on disk or in memory, and how to know it again.

    Parameters
    ----------
    path : str or None
        Relative to the trace, with forward slashes; None for audio that was never a file.
    file_sha256 : str or None
        Hash of the file's bytes.
    audio_sha256 : str
        Hash of the decoded audio (`Signal.audio_sha256`).
    sample_rate_hz, channels, samples : int
        Shape of the decoded audio.
    container, subtype : str or None
        As libsndfile names them.
    clipped_samples : int
        Samples beyond full scale that an integer format had to clip.
    notes : tuple of str
        What the reader or writer had to say.
    """

    path: str | None = None
    file_sha256: str | None = None
    audio_sha256: str
    sample_rate_hz: Annotated[int, bounds(*SAMPLE_RATE_RANGE_HZ, "Hz", "sampling rate")]
    channels: Annotated[int, bounds(1, MAX_CHANNELS, "", "channels")]
    samples: Annotated[int, bounds(1, None, "", "samples per channel")]
    container: str | None = None
    subtype: str | None = None
    clipped_samples: Annotated[int, bounds(0, None, "", "samples clipped on writing")] = 0
    notes: tuple[str, ...] = ()


class Headroom(Record, frozen=True, kw_only=True):
    """The one gain that keeps a variant and its counterpart under the ceiling.

    Parameters
    ----------
    gain_db : float
        Applied to the whole file; 0 or below.
    ceiling_dbtp : float
        -1 dBTP, or the input's own true peak where that is higher.
    needed_db, counterpart_needed_db : float or None
        What this variant, and its counterpart (the sham of a probe, the probe of a sham), need by
        themselves; None where there is no counterpart to render.
    limited : bool
        Whether a limiter was asked for and had to act.
    """

    gain_db: Annotated[float, bounds(None, 0.0, "dB", "gain of the whole file")] = 0.0
    ceiling_dbtp: float
    needed_db: Annotated[float, bounds(None, 0.0, "dB", "what the variant needs")] = 0.0
    counterpart_needed_db: (
        Annotated[float, bounds(None, 0.0, "dB", "what its counterpart needs")] | None
    ) = None
    limited: bool = False


class StepTrace(Record, frozen=True, kw_only=True):
    """What one step did.

    Parameters
    ----------
    spans_original : tuple of Span
        As asked, in the original clip's time; empty for the whole clip.
    spans_before, spans_after : tuple of Span
        In the time of the step's input, and of the variant that was written.
    time_map : TimeMap
        From the step's input to its result.
    stream_key : str
        Key of the step's random streams.
    measured : tuple of Measured
        Its proofs, on the samples as written for the last step, on the chain for the others.
    notes : dict
        Plain facts from the operator: JSON values, kept as JSON gives them back.
    """

    spans_original: tuple[Span, ...]
    spans_before: tuple[Span, ...]
    spans_after: tuple[Span, ...]
    time_map: TimeMap
    stream_key: str
    measured: tuple[Measured, ...] = ()
    notes: dict[str, Any] = msgspec.field(default_factory=dict)

    def check(self) -> None:
        """Refuse notes that JSON cannot hold, a NaN for one."""
        try:
            # Not msgspec, which writes NaN as null.
            text = json.dumps(self.notes, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            raise PlanError(f"step: its notes are not plain finite JSON values: {error}") from error
        msgspec.structs.force_setattr(self, "notes", json.loads(text))


class Environment(Record, frozen=True, kw_only=True):
    """Where the variant was made: same values, same bytes; elsewhere within 1 LSB."""

    versions: dict[str, str]
    processor: str


def missed_proofs(steps: tuple[StepTrace, ...]) -> tuple[Measured, ...]:
    """Return the proofs that keep a variant from being `ok`.

    Those that missed; and all of a step, or of one of its spans, whose edit left nothing that
    could be measured, since what is not shown is not done. (That the outside is unchanged shows
    nothing of the edit; a proof of the whole result shows something of every span.)
    """
    found: list[Measured] = []
    for step in steps:
        own = [proof for proof in step.measured if proof.name != OUTSIDE_PROOF]
        shown = {proof.span for proof in own if proof.verdict != "undefined"}
        if not shown:
            found.extend(own)
        elif None not in shown:
            found.extend(proof for proof in own if proof.span not in {None, *shown})
        found.extend(proof for proof in step.measured if proof.verdict == "off_target")
    return tuple(found)


class Trace(Record, frozen=True, kw_only=True):
    """The record of one variant.

    Parameters
    ----------
    status : {'ok', 'off_target', 'inapplicable', 'failed'}
        Outcome.
    reason : str or None
        Why, for every status but `ok`.
    plan : Plan
        What was to be done.
    input, output : AudioRecord or None
        The source and the variant; no output where there is no edit.
    output_format : OutputFormat or None
        The form in which the variant was written; None for one that was never a file.
    headroom : Headroom or None
        The recorded gain.
    time_map : TimeMap or None
        From the original clip to the variant, all steps composed.
    steps : tuple of StepTrace
        One for each step of the plan, as far as it came.
    references : dict of str to AudioRecord
        Each outside audio by its name; replay refuses other bytes.
    environment : Environment
        Versions and processor.
    """

    format: Literal["perturb-trace/1"] = TRACE_FORMAT
    status: Status
    reason: str | None = None
    plan: Plan
    input: AudioRecord
    output: AudioRecord | None = None
    output_format: OutputFormat | None = None
    headroom: Headroom | None = None
    time_map: TimeMap | None = None
    steps: tuple[StepTrace, ...] = ()
    references: dict[str, AudioRecord] = msgspec.field(default_factory=dict)
    environment: Environment

    def check(self) -> None:
        """Refuse a record whose status its own proofs contradict, or that lacks a part."""
        has_missed = bool(missed_proofs(self.steps))
        has_output = self.output is not None
        if self.status in ("ok", "off_target"):
            if has_missed != (self.status == "off_target") or not has_output:
                raise PlanError(
                    f"trace: the status {self.status!r} contradicts its proofs or lacks an output; "
                    "the record was altered"
                )
            if (
                self.headroom is None
                or self.time_map is None
                or len(self.steps) != len(self.plan.steps)
            ):
                raise PlanError(
                    f"trace: the status {self.status!r} takes a headroom, a time map and a record "
                    "of each step"
                )
        elif has_output or self.reason is None:
            raise PlanError(f"trace: the status {self.status!r} takes a reason and no output")

    @property
    def measured(self) -> tuple[Measured, ...]:
        """Every proof of every step, in order."""
        return tuple(proof for step in self.steps for proof in step.measured)

    @property
    def record_sha256(self) -> str:
        """Hash of everything in the record: what its dump is sealed with."""
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()

    def to_json(self, *, is_compact: bool = False) -> bytes:
        """Return the trace as JSON with a final newline, its hash as the last field.

        Parameters
        ----------
        is_compact : bool
            On one line, for a file of many traces; else indented, for people.
        """
        fields = msgspec.json.decode(msgspec.json.encode(self), type=dict[str, msgspec.Raw])
        fields[_SEAL] = msgspec.Raw(msgspec.json.encode(self.record_sha256))
        text = msgspec.json.encode(fields)
        return (text if is_compact else msgspec.json.format(text, indent=2)) + b"\n"

    @classmethod
    def from_json(cls, text: bytes | str) -> Trace:
        """Read a trace back.

        Raises
        ------
        PlanError
            Not a trace of this format, a record that contradicts itself, or one that is not what
            was written; the path is named.
        """
        try:
            fields = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
            seal = fields.pop(_SEAL, None)
            missing = [name for name in cls.__struct_fields__ if name not in fields]
            if missing:
                raise PlanError(f"{', '.join(missing)} missing; the record was altered")
            trace = msgspec.json.decode(msgspec.json.encode(fields), type=cls)
            found = None if seal is None else msgspec.json.decode(seal)
        except (msgspec.DecodeError, ParameterError, PlanError, RecursionError) as error:
            raise PlanError(f"not a trace of format {TRACE_FORMAT}: {error}") from error
        if found != trace.record_sha256:
            raise PlanError(
                f"the trace is not what was written: {_SEAL} is {found!r}, its content gives "
                f"{trace.record_sha256!r}; the record was altered"
            )
        return trace
