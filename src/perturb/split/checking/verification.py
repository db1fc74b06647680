"""Is a split on disk what its records say? Hashes, pairs, donors, denominators, forms, replays.

Each file of traces is a job, so that workers share the hashing and the replays. What a job returns
is slim; the manifest is compared with it as it streams by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perturb.audio_io import is_litter
from perturb.errors import PerturbError, PlanError
from perturb.execution.local import run_jobs
from perturb.recipes.suite import Condition
from perturb.render.findings import Finding
from perturb.split.anchored.checking import check_anchors
from perturb.split.checking.form_check import check_forms, read_questions
from perturb.split.checking.manifest_check import ManifestCheck
from perturb.split.checking.source_check import check_sources
from perturb.split.checking.trace_check import TraceFacts, TraceJob, check_traces
from perturb.split.donors.table import DonorTable
from perturb.split.folder import request_before, request_path
from perturb.split.records.manifest import ClipRow, ItemRow, ManifestRow, SplitRecord
from perturb.split.records.recording import (
    CLIPS_FILE,
    DONORS_FILE,
    ITEMS_FILE,
    MANIFEST_FILE,
    SPLIT_FILE,
    read_lines,
    record_hashes,
)
from perturb.split.work.tasks import AUDIO_FOLDER, TRACE_FOLDER

__all__ = ["SplitVerification", "is_split", "read_split", "verify_split"]


@dataclass
class SplitVerification:
    """What was checked and what was found.

    Parameters
    ----------
    folder : Path
        The split.
    rows, variants, replayed, missed : int
        Rows of the manifest, variants whose file was hashed, variants that were rendered and
        measured again, and among these proofs that are honestly recorded as off target.
    findings : list of Finding
        Disagreements.
    unchecked : list of str
        What could not be looked at, and why.
    """

    folder: Path
    rows: int = 0
    variants: int = 0
    replayed: int = 0
    missed: int = 0
    findings: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


class _Source(msgspec.Struct):
    """What is read of the source again."""

    path: str
    audio_root: str
    reader: str
    items_sha256: str


class _Entry(msgspec.Struct):
    """What is read of a condition again."""

    condition: Condition


def is_split(folder: Path) -> bool:
    """Whether a folder holds a split, finished or not; the trace of ``split.wav`` is none."""
    path = folder / SPLIT_FILE
    is_record = path.is_file() and b"perturb-split/" in path.read_bytes()
    return is_record or request_path(folder).is_file()


def read_split(folder: Path) -> SplitRecord:
    """Read ``split.json``.

    Raises
    ------
    PlanError
        It is missing (the run never finished), or not such a record.
    """
    path = folder / SPLIT_FILE
    try:
        record = msgspec.json.decode(path.read_bytes(), type=SplitRecord)
        msgspec.convert(record.source, _Source)
        for entry in record.conditions:
            msgspec.convert(entry, _Entry)
        return record
    except FileNotFoundError:
        raise PlanError(
            f"{path} is missing: the run that made this split never finished; --resume goes on"
        ) from None
    except (OSError, msgspec.DecodeError, PerturbError) as error:
        raise PlanError(f"{path}: {error}") from None


def verify_split(
    folder: Path,
    replay_share: float = 0.02,
    workers: int = 1,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> SplitVerification:
    """Check a split.

    Parameters
    ----------
    folder : Path
        The split.
    replay_share : float
        Which part of the variants is rendered and measured again, 0 to 1; the same ones whoever
        checks.
    workers : int
        Processes.
    advance : callable
        Told how many files of traces are done, and of how many.

    Raises
    ------
    PlanError
        The records cannot be read at all.
    """
    found = SplitVerification(folder)
    record = read_split(folder)
    found.findings.extend(_check_record(folder, record))
    facts = _check_traces(found, replay_share, workers, advance)
    try:
        _check_rows(found, record, facts, workers)
    except PerturbError as error:  # a record that cannot be read is what there is to find
        found.findings.append(Finding(kind="trace", path=SPLIT_FILE, message=str(error)))
        found.unchecked.append("rows and forms: a record of the split cannot be read")
    found.findings.sort(key=lambda finding: (finding.path, finding.kind, finding.message))
    return found


def _check_record(folder: Path, record: SplitRecord) -> Iterator[Finding]:
    """Compare ``split.json`` with the records that it seals, and with what was asked for."""
    hashes = record_hashes(folder)
    for name in sorted({*hashes, *record.files}):
        if hashes.get(name) != record.files.get(name):
            message = f"is not the file whose hash {SPLIT_FILE} records"
            yield Finding(kind="trace", path=name, message=message)
    request = request_before(folder) or {}
    recorded = msgspec.to_builtins(record)
    recorded["source"].pop("reason", None)
    for name in ("source", "suite", "conditions", "seed", "selection"):
        if name in request and request[name] != recorded[name]:
            message = f"{name} is not what {request_path(folder).relative_to(folder)} says"
            yield Finding(kind="trace", path=SPLIT_FILE, message=message)


def _check_traces(
    found: SplitVerification,
    replay_share: float,
    workers: int,
    advance: Callable[[int, int], None],
) -> dict[str, TraceFacts]:
    """Check every file of traces and return what they say."""
    folder = found.folder
    facts: dict[str, TraceFacts] = {}
    names = sorted(
        path.relative_to(folder).as_posix() for path in (folder / TRACE_FOLDER).glob("*.jsonl")
    )
    jobs = [TraceJob(folder, name, replay_share) for name in names]
    for done, outcome in enumerate(run_jobs(check_traces, jobs, workers), 1):
        advance(done, len(jobs))
        if outcome.result is None:
            raise PlanError(f"{names[outcome.index]} cannot be checked: {outcome.reason}")
        facts.update(outcome.result.facts)
        found.findings.extend(outcome.result.findings)
        found.replayed += outcome.result.replayed
        found.missed += outcome.result.missed
    found.variants = sum(fact.path is not None for fact in facts.values())
    return facts


def _check_rows(
    found: SplitVerification, record: SplitRecord, facts: dict[str, TraceFacts], workers: int
) -> None:
    """Check the manifest against all that it is tied to, and the forms against the manifest."""
    folder = found.folder
    items = list(read_lines(folder / ITEMS_FILE, ItemRow))
    check = ManifestCheck(record, items, facts, _donors(folder), read_questions(folder))
    found.findings.extend(check.run(_counted(found)))
    found.findings.extend(_strangers(folder, facts, check.paths))
    clips = list(read_lines(folder / CLIPS_FILE, ClipRow))
    found.findings.extend(check.compare_clips(clips))
    found.findings.extend(check_sources(folder, clips, workers))
    found.findings.extend(check_anchors(folder, record, items, workers))
    try:
        found.findings.extend(check_forms(folder, record, items))
    except PerturbError as error:
        found.unchecked.append(f"forms ({', '.join(record.writers)}): {error}")


def _donors(folder: Path) -> dict[str, DonorTable]:
    path = folder / DONORS_FILE
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, DonorTable])
    except (OSError, msgspec.DecodeError, PerturbError) as error:
        raise PlanError(f"{path}: {error}") from None


def _counted(found: SplitVerification) -> Iterator[ManifestRow]:
    for row in read_lines(found.folder / MANIFEST_FILE, ManifestRow):
        found.rows += 1
        yield row


def _strangers(
    folder: Path, facts: dict[str, TraceFacts], paths: dict[str, str]
) -> Iterator[Finding]:
    """Yield files that no trace or more than one describes, and such as the manifest alone has."""
    known = Counter(fact.path for fact in facts.values() if fact.path is not None)
    for name, count in known.items():
        if count > 1:
            yield Finding(kind="trace", path=name, message=f"{count} traces describe this file")
    for path in sorted((folder / AUDIO_FOLDER).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not is_litter(path) and name not in known:
            yield Finding(kind="output", path=name, message="no trace describes this file")
    for name in sorted(paths.keys() - known.keys()):
        yield Finding(kind="output", path=name, message="the manifest carries it, no trace does")
