"""Verify: is what lies on disk what the trace says?

Checks hashes, replays the chain, and measures again: the earlier steps on the replay, the last on
the file. A finding is a disagreement between disk and record; an honestly recorded miss is not
one.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from perturb.audio_io import OUTPUT_SUFFIXES, AudioFile, read_audio
from perturb.errors import InapplicableError, PerturbError, PlanError
from perturb.measure.analysis import Analysis
from perturb.plan.trace import AudioRecord, StepTrace, Trace, missed_proofs
from perturb.render.agreement import (
    differing_fields,
    encoded_sha256,
    headroom_agrees,
    largest_difference,
    lsb_of,
    proof_differences,
    record_of_reading,
    record_of_writing,
)
from perturb.render.environment import current_environment
from perturb.render.files import is_same_file
from perturb.render.findings import Finding, Kind, Verification
from perturb.render.references import References
from perturb.render.rendering import prove, render
from perturb.render.replay import Replay, find_input, load_trace, rebuild
from perturb.signal import Signal

__all__ = ["Finding", "Verification", "verify_record", "verify_trace"]


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
    audio_name = None
    if trace_path.suffix.lower() != ".json":
        audio_name = trace_path.name
        trace_path = trace_path.with_suffix(".json")
    try:
        trace = load_trace(trace_path)
    except PerturbError as error:
        finding = Finding(kind="trace", path=str(trace_path), message=str(error))
        return Verification(path=str(trace_path), status=None, findings=(finding,))
    checker = _Checker(trace, trace_path.parent, str(trace_path))
    described = None if trace.output is None else trace.output.path
    if audio_name is not None and described not in (None, audio_name):
        checker.find("output", f"{trace_path} describes {described}, not {audio_name}")
    if trace.output is None:
        checker.check_no_file(trace_path)
    checker.run(instead)
    return checker.verification


def verify_record(trace: Trace, folder: Path, name: str) -> Verification:
    """Check a trace that lies among others in one file.

    Parameters
    ----------
    trace : Trace
        The record.
    folder : Path
        What its paths are relative to.
    name : str
        What it is called in findings.
    """
    checker = _Checker(trace, folder, name)
    checker.run()
    return checker.verification


class _Checker:
    def __init__(self, trace: Trace, folder: Path, name: str) -> None:
        self.trace = trace
        self.folder = folder
        self.name = name
        self.is_same_place = trace.environment == current_environment()
        self.checks: list[str] = []
        self.findings: list[Finding] = []

    @property
    def verification(self) -> Verification:
        """What was found so far."""
        return Verification(
            path=self.name,
            status=self.trace.status,
            checks=tuple(self.checks),
            findings=tuple(self.findings),
            missed=len(missed_proofs(self.trace.steps)),
        )

    def run(self, instead: Path | None = None) -> None:
        """Check everything that the trace names."""
        trace = self.trace
        output = self._check_output(trace)
        try:
            source = find_input(trace, self.folder, instead)
        except PlanError as error:
            self.find("input", str(error))
            return
        is_same_file = source.file_sha256 == trace.input.file_sha256
        self._check_reading("input", trace.input, source)
        self.checks.append("input: same file" if is_same_file else "input: same audio")
        if trace.output is None:
            self._check_absence(trace, source)
            return
        try:
            replay = rebuild(trace, self.folder, source)
        except PerturbError as error:
            self.find("replay", f"the plan cannot be rendered again: {error}")
            return
        self._check_references(trace, replay)
        self._check_replay(trace, replay, output)
        self._check_proofs(trace, replay, output)

    def find(self, kind: Kind, text: str) -> None:
        """Note a disagreement."""
        self.findings.append(Finding(kind=kind, path=self.name, message=text))

    def _check_reading(self, what: str, recorded: AudioRecord, found: AudioFile) -> None:
        difference = differing_fields(recorded, record_of_reading(recorded, found))
        if difference:
            self.find("trace", f"{what}: recorded {difference}")

    def _check_references(self, trace: Trace, replay: Replay) -> None:
        if set(trace.references) != set(replay.references.used):
            self.find(
                "trace",
                f"references recorded: {sorted(trace.references)}, used: "
                f"{sorted(replay.references.used)}",
            )
        for name, found in replay.references.used.items():
            recorded = trace.references[name]
            again = msgspec.structs.replace(
                recorded,
                sample_rate_hz=found.sample_rate_hz,
                channels=found.channels,
                samples=found.samples,
            )
            if difference := differing_fields(recorded, again):
                self.find("trace", f"reference {name!r}: recorded {difference}")
        if trace.references:
            self.checks.append(f"references: {len(trace.references)} with the recorded audio")

    def _check_output(self, trace: Trace) -> Signal | None:
        if trace.output is None:
            return None
        path = self.folder / str(trace.output.path)
        try:
            found = read_audio(path)
        except PerturbError as error:
            self.find("output", str(error))
            return None
        if found.file_sha256 != trace.output.file_sha256:
            self.find(
                "output",
                f"{path} is another file than was recorded (sha256 {found.file_sha256[:12]}…, "
                f"recorded {str(trace.output.file_sha256)[:12]}…)",
            )
        elif found.signal.audio_sha256 != trace.output.audio_sha256:
            self.find("output", f"{path} decodes to other audio than was recorded")
        else:
            self.checks.append("output: hash")
        return found.signal

    def check_no_file(self, trace_path: Path) -> None:
        """Find fault with audio that lies where the trace says there is none."""
        recorded = self.folder / str(self.trace.input.path)
        for suffix in OUTPUT_SUFFIXES:
            audio = trace_path.with_suffix(suffix)
            if audio.exists() and not is_same_file(audio, recorded):
                self.find("output", f"{audio} exists, yet the trace says {self.trace.status}")

    def _check_absence(self, trace: Trace, source: AudioFile) -> None:
        if not trace.plan.steps:
            self.checks.append("replay: nothing was planned for this clip")
            return
        references = References(self.folder, expected=trace.references)
        try:
            render(trace.plan, Analysis(source.signal), references)
        except InapplicableError as error:
            if self.is_same_place and str(error) != trace.reason:
                self.find("replay", f"inapplicable: {error}; recorded: {trace.reason}")
        except PerturbError as error:
            self.find("replay", f"the plan cannot be rendered again: {error}")
        else:
            self.find("replay", f"the plan renders, yet the trace says {trace.status}")
        if not self.findings:
            self.checks.append(f"no variant, as recorded: {trace.status}")

    def _check_replay(self, trace: Trace, replay: Replay, output: Signal | None) -> None:
        rendering, file_format = replay.rendering, replay.file_format
        result = rendering.finished()
        again = replay.as_written(result)
        if trace.headroom is None or trace.output is None:  # the record itself forbids it
            return
        if not headroom_agrees(
            trace.headroom, rendering.headroom, is_same_place=self.is_same_place
        ):
            difference = differing_fields(trace.headroom, rendering.headroom)
            self.find("replay", f"headroom: recorded {difference}")
        if self.is_same_place and rendering.chain.time_map != trace.time_map:
            self.find("trace", "the time map of the whole edit is another than its steps give")
        form = record_of_writing(trace.output, result, again, file_format)
        if difference := differing_fields(trace.output, form):
            self.find("trace", f"output: recorded {difference}")
        if again.audio_sha256 == trace.output.audio_sha256:
            self._check_bytes(trace.output, encoded_sha256(result, file_format))
            return
        if output is None:
            return
        worst, lsb = largest_difference(again, output), lsb_of(file_format)
        if self.is_same_place:
            self.find("replay", "rendering the plan again gives other samples than recorded")
        elif worst is None:
            self.find("replay", "rendering the plan again gives another length or layout")
        elif worst > lsb:
            self.find(
                "replay",
                f"rendering the plan again differs by up to {worst:.3g} of full scale; accepted on "
                f"another machine: 1 LSB ({lsb:.3g})",
            )
        else:
            self.checks.append("replay: within 1 LSB (other versions or processor)")

    def _check_bytes(self, recorded: AudioRecord, found_sha256: str) -> None:
        if found_sha256 == recorded.file_sha256:
            self.checks.append("replay: same bytes")
        elif self.is_same_place:
            self.find(
                "replay",
                "rendering the plan again gives the recorded samples in a file of other bytes",
            )
        else:
            self.checks.append("replay: same samples (other versions or processor)")

    def _check_proofs(self, trace: Trace, replay: Replay, output: Signal | None) -> None:
        if output is None:
            return
        if output.samples.shape != replay.rendering.chain.result.samples.shape:
            self.find("proof", "the file has another length or layout than its plan gives")
            return
        steps = prove(replay.rendering, output, replay.references, replay.as_written)
        for index, (recorded, again) in enumerate(zip(trace.steps, steps, strict=True)):
            where = f"step {index + 1} ({trace.plan.steps[index].name})"
            if self.is_same_place and _without_proof(recorded) != _without_proof(again):
                self.find("trace", f"{where}: its spans, time map, streams or notes were altered")
            for line in proof_differences(recorded, again, is_same_place=self.is_same_place):
                self.find("proof", f"{where}: {line}")
        self.checks.append(f"proof: {len(trace.measured)} values measured again")


def _without_proof(step: StepTrace) -> StepTrace:
    return msgspec.structs.replace(step, measured=())
