"""`perturb split --from`: a published split, regenerated whole: audio, records, writers' forms."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from perturb.audio_io import file_sha256, write_bytes_atomic
from perturb.audio_io.paths import errors_named
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.writers.registry import find_writer
from perturb.errors import BenchmarkError, OutputError, PlanError
from perturb.split.checking.form_check import RecordedRows
from perturb.split.checking.verification import read_split
from perturb.split.folder import Mode, check_folder, opened
from perturb.split.presentation import ORIGINAL
from perturb.split.records.manifest import ClipRow, ManifestRow, SplitRecord
from perturb.split.records.recording import (
    CLIPS_FILE,
    MANIFEST_FILE,
    SEALED_FILES,
    SPLIT_FILE,
    items_sha256,
    read_lines,
    record_hashes,
    write_json,
    write_lines,
)
from perturb.split.republishing.regenerating import (
    Regeneration,
    RegenerationJob,
    find_clips,
    regenerate,
)
from perturb.split.work.tasks import TRACE_FOLDER

__all__ = ["republish"]

_AS_THEY_ARE = tuple(name for name in SEALED_FILES if name != CLIPS_FILE)


@dataclass(frozen=True)
class _Published:
    folder: Path
    record: SplitRecord
    clips: dict[str, ClipRow]


def republish(
    manifest: Path,
    audio_root: Path,
    target: Path,
    *,
    benchmark: Path | None = None,
    reader: str = "auto",
    writers: tuple[str, ...] = (),
    workers: int = 1,
    mode: Mode = "new",
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Regeneration:
    """Make a published split again.

    Parameters
    ----------
    manifest : Path
        ``manifest.jsonl`` of the published split; its other records and traces lie beside it.
    audio_root : Path
        Folder of the source's recordings.
    target : Path
        The new split.
    benchmark : Path, optional
        The source, for writers that put its rows down.
    reader, writers
        As for a new split; without a benchmark there are no writers.
    workers : int
        Processes.
    mode : {'new', 'resume', 'overwrite'}
        What becomes of a split that lies there already.
    advance : callable
        Told how many files of traces are done, and of how many.

    Returns
    -------
    Regeneration
        With problems the new split has no ``split.json``: it is not finished.

    Raises
    ------
    PlanError, BenchmarkError, ParameterError
        Records, clips or the benchmark are not what is needed; nothing was written.
    OutputError
        The new folder cannot be written to.
    """
    published = _read(manifest)
    files = {key: path.resolve() for key, path in find_clips(published.clips, audio_root).items()}
    source = _source(published.record, benchmark, reader, audio_root) if writers else None
    request = {"manifest_sha256": file_sha256(manifest), "suite": published.record.suite}
    if target.resolve() == published.folder.resolve():
        raise BenchmarkError(f"output {target} is the published split itself; name another folder")
    check_folder(target, request, mode)
    keys = {str(row.path): key for key, row in published.clips.items() if row.path is not None}
    jobs = [
        RegenerationJob(
            published.folder, target, path.relative_to(published.folder).as_posix(), files, keys
        )
        for path in sorted((published.folder / TRACE_FOLDER).glob("*.jsonl"))
    ]
    with opened(target, request, _folders(published.folder), writers=writers, mode=mode):
        result = regenerate(jobs, workers, advance)
        _write_records(published, files, target)
        record = msgspec.structs.replace(
            published.record,
            writers=writers,
            source=_moved_source(published, target, audio_root),
            files=record_hashes(target),
        )
        if source is not None and not result.problems:
            record.source["path"] = _relative(source.benchmark.path, target)
            for name in writers:
                with errors_named(target / name, OutputError):
                    shutil.rmtree(target / name, ignore_errors=True)
                rows = RecordedRows(target, record, source.benchmark)
                find_writer(name).write(target / name, source, rows)
        if not result.problems:
            write_json(target / SPLIT_FILE, record)
    return result


def _read(manifest: Path) -> _Published:
    folder = manifest.parent
    if manifest.name != MANIFEST_FILE or not manifest.is_file():
        raise PlanError(f"{manifest}: accepted: the {MANIFEST_FILE} of a split")
    clips = {row.clip_id: row for row in read_lines(folder / CLIPS_FILE, ClipRow)}
    if not any((folder / TRACE_FOLDER).glob("*.jsonl")):
        raise PlanError(f"{folder / TRACE_FOLDER}: no traces; a split is made again from them")
    return _Published(folder, read_split(folder), clips)


def _source(
    record: SplitRecord, benchmark: Path | None, reader: str, audio_root: Path
) -> SplitSource:
    if benchmark is None:
        raise BenchmarkError("--writer needs the benchmark, whose rows it puts down: name it first")
    found, _ = find_reader(benchmark, record.source["reader"] if reader == "auto" else reader)
    read = found.read(benchmark, audio_root)
    if items_sha256(read) != record.source["items_sha256"]:
        raise BenchmarkError(f"{benchmark} holds other items than the split was made from")
    return SplitSource(read, found)


def _folders(folder: Path) -> tuple[str, ...]:
    """Return the names of the folders below ``audio/``, from the traces."""
    names: set[str] = set()
    for row in read_lines(folder / MANIFEST_FILE, ManifestRow):
        names.update(Path(audio.path).parts[1] for audio in row.audios if audio.path is not None)
    return tuple(sorted(names | {ORIGINAL}))


def _write_records(published: _Published, files: dict[str, Path], target: Path) -> None:
    for name in _AS_THEY_ARE:
        path = published.folder / name
        if path.exists():
            write_bytes_atomic(target / name, path.read_bytes())
    write_lines(
        target / CLIPS_FILE,
        (
            msgspec.structs.replace(row, path=_relative(files[key], target))
            if key in files
            else row
            for key, row in published.clips.items()
        ),
    )


def _moved_source(published: _Published, target: Path, audio_root: Path) -> dict[str, object]:
    return {**published.record.source, "audio_root": _relative(audio_root, target)}


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
