"""Verify: is what lies on disk what the trace says?

Checks hashes, replays the chain, and measures again: the earlier steps on the replay, the last on
the file. A finding is a disagreement between disk and record; an honestly recorded miss is not
one.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from perturb.audio_io import AudioFile, read_audio
from perturb.errors import PerturbError, PlanError
from perturb.operators.proof import Measured
from perturb.plan.trace import AudioRecord, StepTrace, Trace
from perturb.record import Record
from perturb.render.environment import current_environment
from perturb.render.rendering import prove
from perturb.render.replay import Replay, find_input, load_trace, rebuild
from perturb.signal import Signal

__all__ = ["Finding", "Verification", "verify_trace"]

_SAME_PLACE_TOLERANCE = 1e-6
"""Relative and absolute: rounding of the JSON text, nothing more."""

_ELSEWHERE_TOLERANCE = 1e-2
"""On other versions or another processor, where the audio itself may differ by 1 LSB."""


Kind = Literal["trace", "input", "output", "replay", "proof"]


class Finding(Record, frozen=True, kw_only=True):
    """One disagreement between what is on disk and what is recorded.

    Parameters
    ----------
    kind : str
        What disagrees.
    path : str
        The trace concerned.
    message : str
        Recorded and found.
    """

    kind: Kind
    path: str
    message: str


class Verification(Record, frozen=True, kw_only=True):
    """The outcome of checking one trace.

    Parameters
    ----------
    path : str
        The trace.
    status : str or None
        As recorded; None where the trace cannot be read.
    checks : tuple of str
        What was checked and agreed.
    findings : tuple of Finding
        What disagreed.
    missed : int
        Proofs that are honestly recorded as off target.
    """

    path: str
    status: str | None
    checks: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    missed: int = 0


def verify_trace(trace_path: Path, instead: Path | None = None) -> Verification:
    """Check one trace against the files that it names.

    Parameters
    ----------
    trace_path : Path
        The trace, or the audio file beside it.
    instead : Path, optional
        Where the input is now, if it moved.

    Returns
    -------
    Verification
        Never raises for what is wrong with the files: that is what it is there to find.
    """
    if trace_path.suffix.lower() != ".json":
        trace_path = trace_path.with_suffix(".json")
    checker = _Checker(trace_path)
    checker.run(instead)
    trace = checker.trace
    return Verification(
        path=str(trace_path),
        status=None if trace is None else trace.status,
        checks=tuple(checker.checks),
        findings=tuple(checker.findings),
        missed=0
        if trace is None
        else sum(proof.verdict == "off_target" for proof in trace.measured),
    )


class _Checker:
    def __init__(self, trace_path: Path) -> None:
        self.trace_path = trace_path
        self.trace: Trace | None = None
        self.checks: list[str] = []
        self.findings: list[Finding] = []

    def run(self, instead: Path | None) -> None:
        try:
            trace = self.trace = load_trace(self.trace_path)
        except PerturbError as error:
            self._find("trace", str(error))
            return
        output = self._check_output(trace)
        try:
            source = find_input(trace, self.trace_path.parent, instead)
        except PlanError as error:
            self._find("input", str(error))
            return
        self._check_input(trace.input, source)
        if trace.output is None:
            self._check_absence(trace)
            return
        try:
            replay = rebuild(trace, self.trace_path.parent, source)
        except PerturbError as error:
            self._find("replay", f"the plan cannot be rendered again: {error}")
            return
        self._check_replay(trace, replay, output)
        self._check_proofs(trace, replay, output)

    def _find(
        self, kind: Literal["trace", "input", "output", "replay", "proof"], text: str
    ) -> None:
        self.findings.append(Finding(kind=kind, path=str(self.trace_path), message=text))

    def _check_input(self, recorded: AudioRecord, source: AudioFile) -> None:
        # Equal audio in another container is the same input: only the audio has to agree.
        is_same_file = source.file_sha256 == recorded.file_sha256
        self.checks.append("input: same file" if is_same_file else "input: same audio")

    def _check_output(self, trace: Trace) -> Signal | None:
        if trace.output is None:
            return None
        path = self.trace_path.parent / str(trace.output.path)
        try:
            found = read_audio(path)
        except PerturbError as error:
            self._find("output", str(error))
            return None
        if found.file_sha256 != trace.output.file_sha256:
            self._find(
                "output",
                f"{path} is another file than was recorded (sha256 {found.file_sha256[:12]}…, "
                f"recorded {str(trace.output.file_sha256)[:12]}…)",
            )
        elif found.signal.audio_sha256 != trace.output.audio_sha256:
            self._find("output", f"{path} decodes to other audio than was recorded")
        else:
            self.checks.append("output: hash")
        return found.signal

    def _check_absence(self, trace: Trace) -> None:
        wav = self.trace_path.with_suffix(".wav")
        if wav.exists():
            self._find("output", f"{wav} exists, yet the trace says {trace.status}")
        else:
            self.checks.append(f"no variant, as recorded: {trace.status}")

    def _check_replay(self, trace: Trace, replay: Replay, output: Signal | None) -> None:
        again = replay.as_written(replay.rendering.signal)
        recorded = trace.headroom
        if recorded is not None and replay.rendering.headroom.gain_db != recorded.gain_db:
            self._find(
                "replay",
                f"headroom gain {replay.rendering.headroom.gain_db} dB, recorded "
                f"{recorded.gain_db} dB",
            )
        if trace.output is not None and again.audio_sha256 == trace.output.audio_sha256:
            self.checks.append("replay: same samples")
            return
        if output is None:
            return
        if current_environment() == trace.environment:
            self._find("replay", "rendering the plan again gives other samples than recorded")
        elif (worst := _largest_difference(again, output)) is None:
            self._find("replay", "rendering the plan again gives another length or layout")
        elif worst > _lsb(replay):
            self._find(
                "replay",
                f"rendering the plan again differs by up to {worst:.3g} of full scale; accepted on "
                f"another machine: 1 LSB ({_lsb(replay):.3g})",
            )
        else:
            self.checks.append("replay: within 1 LSB (other versions or processor)")

    def _check_proofs(self, trace: Trace, replay: Replay, output: Signal | None) -> None:
        if output is None:
            return
        expected = replay.rendering.signal
        if output.samples.shape != expected.samples.shape:
            self._find("proof", "the file has another length or layout than its plan gives")
            return
        steps = prove(replay.rendering, output, replay.references, replay.as_written)
        is_same_place = current_environment() == trace.environment
        tolerance = _SAME_PLACE_TOLERANCE if is_same_place else _ELSEWHERE_TOLERANCE
        checked = 0
        for index, (recorded, again) in enumerate(zip(trace.steps, steps, strict=False)):
            where = f"step {index + 1} ({trace.plan.steps[index].name})"
            if is_same_place and _without_proof(recorded) != _without_proof(again):
                self._find("trace", f"{where}: its spans, time map, streams or notes were altered")
            for old, new in _paired(recorded.measured, again.measured):
                checked += 1
                if old is None or new is None or not _agrees(old, new, tolerance):
                    self._find(
                        "proof", f"{where}: {_describe(old)}, measured again {_describe(new)}"
                    )
        if len(trace.steps) != len(steps):
            self._find("proof", f"{len(trace.steps)} steps recorded, {len(steps)} in the plan")
        self.checks.append(f"proof: {checked} values measured again")


def _largest_difference(left: Signal, right: Signal) -> float | None:
    if left.samples.shape != right.samples.shape:
        return None
    return float(np.max(np.abs(left.samples - right.samples)))


def _lsb(replay: Replay) -> float:
    """Return one step of the variant's form; a float is allowed the step of 24 bits."""
    return 2.0 ** (1 - (replay.file_format.full_scale_bits or 24))


def _paired(
    recorded: tuple[Measured, ...], again: tuple[Measured, ...]
) -> list[tuple[Measured | None, Measured | None]]:
    """Pair proofs by what they measure and where."""
    old = {(proof.name, proof.span): proof for proof in recorded}
    new = {(proof.name, proof.span): proof for proof in again}
    return [(old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]


def _without_proof(step: StepTrace) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(step, measured=()))


def _agrees(old: Measured, new: Measured, tolerance: float) -> bool:
    if (old.requested, old.tolerance, old.bound, old.unit) != (
        new.requested,
        new.tolerance,
        new.bound,
        new.unit,
    ):
        return False
    if old.achieved is None or new.achieved is None:
        return old.achieved == new.achieved
    return old.verdict == new.verdict and math.isclose(
        old.achieved, new.achieved, rel_tol=tolerance, abs_tol=tolerance
    )


def _describe(proof: Measured | None) -> str:
    if proof is None:
        return "not there"
    where = "" if proof.span is None else f" of span {proof.span + 1}"
    value = "undefined" if proof.achieved is None else f"{proof.achieved:.6g} {proof.unit}".strip()
    return f"{proof.name}{where} {value} ({proof.verdict})"
