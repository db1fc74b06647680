"""The traces of one shard against the files they describe, and some of them replayed."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from perturb.audio_io import file_sha256
from perturb.errors import AudioError, PlanError
from perturb.plan.trace import Status, Trace
from perturb.render.findings import Finding
from perturb.render.verify import verify_record
from perturb.split.work.tasks import TRACE_FOLDER

__all__ = ["TraceFacts", "TraceJob", "TraceReport", "check_traces"]


@dataclass(frozen=True)
class TraceJob:
    """One file of traces to check.

    Parameters
    ----------
    folder : Path
        The split.
    name : str
        The file, relative to the split.
    replay_share : float
        Which part of its variants is rendered and measured again, 0 to 1.
    """

    folder: Path
    name: str
    replay_share: float


class TraceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a trace says that the manifest says too, or that a probe and its sham must share.

    Parameters
    ----------
    status : str
        As recorded.
    seed : int
        Of its random streams.
    path, sha256_out : str or None
        The variant, relative to the split, and the hash of the file as it lies there now.
    sha256_in : str
        Hash of the source's decoded audio.
    gain_db : float or None
        Headroom.
    shared : str
        Hash of seed, clip, stream, and each step's parameters and spans.
    references : tuple of str
        What the edit was made from.
    """

    status: Status
    seed: int
    path: str | None
    sha256_out: str | None
    sha256_in: str
    gain_db: float | None
    shared: str
    references: tuple[str, ...]


class TraceReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of traces says and what is wrong with it.

    Parameters
    ----------
    facts : dict of str to TraceFacts
        By pointer, as in the manifest.
    findings : tuple of Finding
        Disagreements.
    replayed : int
        Variants that were rendered and measured again.
    missed : int
        Proofs that are honestly recorded as off target, among these.
    """

    facts: dict[str, TraceFacts]
    findings: tuple[Finding, ...]
    replayed: int
    missed: int


def check_traces(job: TraceJob) -> TraceReport:
    """Check one file of traces; see `TraceReport`."""
    facts: dict[str, TraceFacts] = {}
    findings: list[Finding] = []
    replayed = missed = 0
    try:
        lines = (job.folder / job.name).read_bytes().splitlines()
    except OSError as error:
        return TraceReport(
            facts={},
            findings=(_finding("trace", job.name, f"cannot be read: {error.strerror}"),),
            replayed=0,
            missed=0,
        )
    for number, line in enumerate(lines, 1):
        pointer = f"{job.name}#{number}"
        try:
            trace = Trace.from_json(line)
        except PlanError as error:
            findings.append(_finding("trace", pointer, str(error)))
            continue
        facts[pointer] = _facts(job.folder, pointer, trace, findings)
        if _is_chosen(trace, job.replay_share):
            replayed += 1
            result = verify_record(trace, job.folder / TRACE_FOLDER, pointer)
            findings.extend(result.findings)
            missed += result.missed
    return TraceReport(facts=facts, findings=tuple(findings), replayed=replayed, missed=missed)


def _finding(kind: str, path: str, message: str) -> Finding:
    return Finding(kind=kind, path=path, message=message)  # type: ignore[arg-type]


def _facts(folder: Path, pointer: str, trace: Trace, findings: list[Finding]) -> TraceFacts:
    path = found = None
    if trace.output is not None:
        path = os.path.normpath(Path(TRACE_FOLDER, str(trace.output.path)))
        try:
            found = file_sha256(folder / path)
        except AudioError as error:
            findings.append(_finding("output", pointer, str(error)))
        if found is not None and found != trace.output.file_sha256:
            findings.append(
                _finding("output", pointer, f"{path} is another file than was recorded")
            )
    return TraceFacts(
        status=trace.status,
        seed=trace.plan.seed,
        path=path,
        sha256_out=found,
        sha256_in=trace.input.audio_sha256,
        gain_db=None if trace.headroom is None else trace.headroom.gain_db,
        shared=_shared(trace),
        references=tuple(sorted(trace.references)),
    )


def _shared(trace: Trace) -> str:
    plan = trace.plan
    steps = [(step.operator, step.spans) for step in plan.steps]
    described = msgspec.json.encode([plan.seed, plan.clip_id, plan.stream, steps], order="sorted")
    return hashlib.sha256(described).hexdigest()


def _is_chosen(trace: Trace, share: float) -> bool:
    """Whether a variant belongs to the sample: by its own hash, so that anybody picks the same."""
    return int(trace.record_sha256[:8], 16) < share * 2**32
