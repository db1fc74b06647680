"""A split made again from its records: plans and hashes are published, the audio is one's own.

What has to be there is the folder of a split without its audio, and the recordings it was made
from. Every plan is rendered as it was recorded, and every file compared with its recorded hash.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perturb.audio_io import (
    AudioFile,
    file_sha256,
    find_audio,
    read_audio,
    write_audio,
    write_bytes_atomic,
)
from perturb.errors import AudioError, BenchmarkError, OutputError, PerturbError
from perturb.execution.local import run_jobs
from perturb.measure.analysis import Analysis
from perturb.plan.trace import Trace
from perturb.render.chain import ChainStore
from perturb.render.references import References
from perturb.render.rendering import render
from perturb.split.records.manifest import ClipRow
from perturb.split.work.tasks import AUDIO_FOLDER, TRACE_FOLDER

__all__ = ["RegenerationJob", "RegenerationReport", "find_clips", "regenerate"]


@dataclass(frozen=True)
class RegenerationJob:
    """One file of traces whose variants are made again.

    Parameters
    ----------
    source, target : Path
        The published split, and the new one.
    name : str
        The file of traces, relative to either.
    files : mapping of str to Path
        Where each clip is now.
    keys : mapping of str to str
        Key of the clip that lay at each path, relative to the published split.
    """

    source: Path
    target: Path
    name: str
    files: Mapping[str, Path]
    keys: Mapping[str, str]


class RegenerationReport(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one file of traces.

    Parameters
    ----------
    made : int
        Variants that have the recorded bytes.
    problems : tuple of str
        Variants that have not, and why.
    stopped : str or None
        Why the run cannot go on.
    """

    made: int = 0
    problems: tuple[str, ...] = ()
    stopped: str | None = None


@dataclass
class Regeneration:
    """What came of all of them."""

    made: int = 0
    problems: list[str] = field(default_factory=list)


def find_clips(rows: Mapping[str, ClipRow], audio_root: Path) -> dict[str, Path]:
    """Return where each clip of a split lies below a folder.

    By its name in the benchmark; else by the bytes of its file, under whatever name.

    Raises
    ------
    BenchmarkError
        Some clips are nowhere; a clip that could not be read then is not looked for.
    """
    found: dict[str, Path] = {}
    missing: list[ClipRow] = []
    for key, row in rows.items():
        if row.file_sha256 is None:
            continue
        if (audio_root / key).is_file():
            found[key] = audio_root / key
        else:
            missing.append(row)
    if missing:
        by_hash = {file_sha256(path): path for path in find_audio(audio_root)}
        for row in missing:
            path = by_hash.get(str(row.file_sha256))
            if path is not None:
                found[row.clip_id] = path
    lost = [row.clip_id for row in missing if row.clip_id not in found]
    if lost:
        raise BenchmarkError(
            f"{audio_root}: {len(lost)} of {len(rows)} clips are not there, neither by name nor by "
            f"content: {', '.join(lost[:3])}{', …' if len(lost) > 3 else ''}"
        )
    return found


def regenerate(
    jobs: list[RegenerationJob],
    workers: int = 1,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Regeneration:
    """Make the variants of every file of traces again.

    Raises
    ------
    OutputError
        The new folder cannot be written to.
    """
    total = Regeneration()
    for done, outcome in enumerate(run_jobs(_regenerate_file, jobs, workers), 1):
        if outcome.result is None:
            total.problems.append(f"{jobs[outcome.index].name}: {outcome.reason}")
        elif outcome.result.stopped is not None:
            raise OutputError(outcome.result.stopped)
        else:
            total.made += outcome.result.made
            total.problems.extend(outcome.result.problems)
        advance(done, len(jobs))
    return total


def _regenerate_file(job: RegenerationJob) -> RegenerationReport:
    lines: list[bytes] = []
    problems: list[str] = []
    made = 0
    try:
        traces = [Trace.from_json(line) for line in _lines(job.source / job.name)]
        for _, group in itertools.groupby(traces, key=lambda trace: str(trace.input.path)):
            for trace, problem in _Clip(job, list(group)).variants():
                lines.append(trace.to_json(is_compact=True))
                if problem is not None:
                    problems.append(problem)
                elif trace.output is not None:
                    made += 1
        write_bytes_atomic(job.target / job.name, b"".join(lines))
    except OutputError as error:
        return RegenerationReport(stopped=str(error))
    return RegenerationReport(made=made, problems=tuple(problems))


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError as error:
        raise AudioError(f"{path}: cannot be read: {error.strerror}") from None


class _Clip:
    """One clip and the traces that were made of it."""

    def __init__(self, job: RegenerationJob, traces: list[Trace]) -> None:
        self.job = job
        self.traces = traces
        recorded = os.path.normpath(Path(TRACE_FOLDER, str(traces[0].input.path)))
        self.key = job.keys.get(Path(recorded).as_posix())
        self.folder = job.target / TRACE_FOLDER

    def variants(self) -> Iterator[tuple[Trace, str | None]]:
        """Yield each trace as it is to be written, and why its variant is not what it was."""
        try:
            source, analysis = self._read()
        except PerturbError as error:
            for trace in self.traces:
                yield trace, str(error)
            return

        def family(trace: Trace) -> tuple[str, tuple[str, ...]]:
            return trace.plan.stream, tuple(trace.references)

        made: dict[str, tuple[Trace, str | None]] = {}
        for _, members in itertools.groupby(sorted(self.traces, key=family), key=family):
            made.update(self._family(list(members), source, analysis))
        for trace in self.traces:
            yield made[trace.record_sha256]

    def _read(self) -> tuple[AudioFile, Analysis]:
        if self.key is None or self.key not in self.job.files:
            raise AudioError(f"{self.traces[0].input.path}: no clip of the records has this file")
        source = read_audio(self.job.files[self.key])
        expected = self.traces[0].input.audio_sha256
        if source.signal.audio_sha256 != expected:
            raise AudioError(
                f"{source.path}: other audio than the split was made from (sha256 "
                f"{source.signal.audio_sha256[:12]}…, recorded {expected[:12]}…)"
            )
        return source, Analysis(source.signal)

    def _family(
        self, traces: list[Trace], source: AudioFile, analysis: Analysis
    ) -> Iterator[tuple[str, tuple[Trace, str | None]]]:
        """Yield the variants that share references and streams: a probe and its sham."""
        moved = [self._moved(trace, source) for trace in traces]
        references = References(self.folder, expected=moved[0].references)
        chains = ChainStore(analysis, references)
        for before, trace in zip(traces, moved, strict=True):
            problem = None
            if trace.output is not None:
                problem = self._make(trace, analysis, references, chains)
            yield before.record_sha256, (trace, problem)

    def _moved(self, trace: Trace, source: AudioFile) -> Trace:
        """Return the trace with paths that lead from the new split to the audio here."""
        references = {}
        for name, record in trace.references.items():
            scheme, _, key = name.partition(":")
            path = record.path
            if scheme == "item" and key in self.job.files:
                path = self._relative(self.job.files[key])
            elif path is not None:
                path = self._relative(self.job.source / TRACE_FOLDER / path)
            references[name] = msgspec.structs.replace(record, path=path)
        return msgspec.structs.replace(
            trace,
            input=msgspec.structs.replace(trace.input, path=self._relative(source.path)),
            references=references,
        )

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(path.resolve(), self.folder.resolve())).as_posix()

    def _make(
        self, trace: Trace, analysis: Analysis, references: References, chains: ChainStore
    ) -> str | None:
        """Write a variant; return why it has not the recorded bytes, or None."""
        output, form = trace.output, trace.output_format
        if output is None or form is None:
            return None
        path = Path(os.path.normpath(self.folder / str(output.path)))
        if not path.is_relative_to(os.path.normpath(self.job.target / AUDIO_FOLDER)):
            return f"{output.path}: lies outside {AUDIO_FOLDER}/, where the files of a split are"
        if _has_bytes(path, str(output.file_sha256)):
            return None
        try:
            rendering = render(trace.plan, analysis, references, chains)
            written = write_audio(path, rendering.finished(), form)
        except OutputError:
            raise
        except PerturbError as error:
            return f"{output.path}: {error}"
        if written.file_sha256 != output.file_sha256:
            return (
                f"{output.path}: other bytes than recorded; they were made on "
                f"{trace.environment.processor}, with versions that the trace names"
            )
        return None


def _has_bytes(path: Path, sha256: str) -> bool:
    try:
        return file_sha256(path) == sha256
    except AudioError:
        return False
