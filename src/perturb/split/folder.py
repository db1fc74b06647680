"""The folder of a split: whose it is, who may write, and what an interrupted run left there."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from perturb.audio_io import is_litter, write_bytes_atomic
from perturb.audio_io.paths import errors_named
from perturb.benchmark.item import Benchmark
from perturb.benchmark.writers.registry import writer_names
from perturb.errors import OutputError, ParameterError
from perturb.split.records.recording import SEALED_FILES, SPLIT_FILE
from perturb.split.work.shards import JOURNAL_FOLDER
from perturb.split.work.tasks import AUDIO_FOLDER, TRACE_FOLDER

__all__ = [
    "SOURCES_FOLDER",
    "Mode",
    "check_apart",
    "check_folder",
    "opened",
    "recorded_writers",
    "remove_unknown",
    "request_before",
    "request_path",
    "sweep",
]

Mode = Literal["new", "resume", "overwrite"]

SOURCES_FOLDER = "sources"
"""Where audio that was embedded in a table is kept, as it was."""

_FILES = (SPLIT_FILE, *SEALED_FILES)
_FOLDERS = (AUDIO_FOLDER, TRACE_FOLDER, JOURNAL_FOLDER, SOURCES_FOLDER)
_UNFINISHED = ".perturb-*.tmp"
_WRITERS = "writers"
"""Field of the request that another run may have otherwise."""


def request_path(folder: Path) -> Path:
    """Return where a split says what was asked of it, from its first moment on."""
    return folder / JOURNAL_FOLDER / "request.json"


def recorded_writers(folder: Path) -> tuple[str, ...]:
    """Return the writers that runs have been asked for here; empty where there is no split."""
    return tuple((request_before(folder) or {}).get(_WRITERS, ()))


def request_before(folder: Path) -> dict[str, Any] | None:
    """Return what a run was asked for here; None where there was none, or somebody else's."""
    try:
        found = msgspec.json.decode(request_path(folder).read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return None
    return found if {"suite", _WRITERS} <= found.keys() else None


def check_apart(folder: Path, benchmark: Benchmark) -> None:
    """Refuse a folder whose split would mix with what it is made from.

    Parameters
    ----------
    folder : Path
        Where the split goes.
    benchmark : Benchmark
        What it is made from.

    Raises
    ------
    ParameterError
        It lies inside a benchmark that is a folder, or clips lie where the split has its own files.
    """
    own = folder.resolve()
    if benchmark.path.is_dir() and own.is_relative_to(benchmark.path.resolve()):
        raise ParameterError(
            f"output {folder} lies inside the benchmark {benchmark.path}, which is read whole: the "
            "next run would take the split for a part of it; name a folder beside it"
        )
    clips = benchmark.clips.values()
    places = {clip.path.parent for clip in clips if clip.path is not None}
    ours = [(own / name).resolve() for name in (*_FOLDERS, *writer_names())]
    for place in sorted({benchmark.path, *places}):
        found = place.resolve()
        if any(found.is_relative_to(one) for one in ours):
            raise ParameterError(
                f"output {folder}: {place} lies inside it, where a split has its own files, and "
                "belongs to the benchmark; name another folder"
            )


def check_folder(folder: Path, request: Mapping[str, Any], mode: Mode) -> None:
    """Refuse a folder that is not ours to write to, before anything is written.

    Parameters
    ----------
    folder : Path
        Where the split goes.
    request : mapping
        What the run would write to `request_path`.
    mode : {'new', 'resume', 'overwrite'}
        What the user asked for.

    Raises
    ------
    ParameterError
        A file, a foreign folder, a split without `mode`, or one of another request; files of
        somebody else's among those that would be made again.
    """
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"output {folder} is a file; a split needs a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    before = request_before(folder)
    if before is None:
        if _is_only_ours(folder):  # killed before the request was on disk
            return
        raise ParameterError(
            f"output {folder} holds other files and no split; name an empty folder"
        )
    if mode == "new":
        raise ParameterError(
            f"output {folder} holds a split already: --resume goes on with it, --overwrite makes "
            "it again"
        )
    wanted = msgspec.json.decode(msgspec.json.encode(request))
    differing = [
        key
        for key in sorted({*wanted, *before} - {_WRITERS})
        if (key in wanted, wanted.get(key)) != (key in before, before.get(key))
    ]
    if mode == "resume" and differing:
        raise ParameterError(
            f"output {folder} is the split of another request ({', '.join(differing)} differ); "
            "resume with what was asked then, name another folder, or --overwrite"
        )
    _refuse_added(folder)


def _refuse_added(folder: Path) -> None:
    """Refuse to make forms again where somebody has put files since: results, most likely."""
    try:
        finished_ns = (folder / SPLIT_FILE).stat().st_mtime_ns
    except FileNotFoundError:
        return
    for name in recorded_writers(folder):
        for path in sorted((folder / name).rglob("*")):
            if path.is_file() and not is_litter(path) and path.stat().st_mtime_ns > finished_ns:
                raise ParameterError(
                    f"{path} was put there or changed after the split was made, and would be lost; "
                    "move it away, or name another folder"
                )


def _is_only_ours(folder: Path) -> bool:
    """Whether nothing lies there but our empty folders and the litter of a run that was killed."""
    for path in folder.rglob("*"):
        if path.is_file() and not is_litter(path) and path.name != "lock":
            return False
        if path.is_dir() and path.relative_to(folder).parts[0] not in _FOLDERS:
            return False
    return True


@contextmanager
def opened(
    folder: Path,
    request: Mapping[str, Any],
    conditions: Sequence[str],
    *,
    writers: Sequence[str] = (),
    mode: Mode = "new",
) -> Iterator[None]:
    """Make the folders of a split and hold its lock.

    Parameters
    ----------
    folder, request, mode
        As `check_folder` accepted them; where a split is made again, what is there goes first.
    conditions : sequence of str
        Names of the folders below ``audio/``.
    writers : sequence of str
        Forms that will be written.

    Raises
    ------
    OutputError
        Folders cannot be made.
    ParameterError
        Another run is writing there.
    """
    with errors_named(folder, OutputError):
        (folder / JOURNAL_FOLDER).mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / JOURNAL_FOLDER / "lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError(f"output {folder}: another run is writing there") from None
        with errors_named(folder, OutputError):
            # What says "finished" goes first and comes last.
            (folder / SPLIT_FILE).unlink(missing_ok=True)
            if mode == "overwrite":
                _clear(folder, recorded_writers(folder))
            sweep(folder)
            for name in (TRACE_FOLDER, *(f"{AUDIO_FOLDER}/{name}" for name in conditions)):
                (folder / name).mkdir(parents=True, exist_ok=True)
        described = {**request, _WRITERS: list(writers)}
        write_bytes_atomic(
            request_path(folder), msgspec.json.format(msgspec.json.encode(described)) + b"\n"
        )
        yield
    finally:
        os.close(lock)


def sweep(folder: Path) -> None:
    """Remove the unfinished files of a run that was killed, or of workers that were."""
    for path in folder.glob(_UNFINISHED):
        path.unlink(missing_ok=True)
    for name in (*_FOLDERS, *writer_names()):
        for path in (folder / name).rglob(_UNFINISHED):
            path.unlink(missing_ok=True)


def _clear(folder: Path, writers: Iterable[str]) -> None:
    """Remove a split that is to be made again: what is ours, and nothing else."""
    for name in (AUDIO_FOLDER, TRACE_FOLDER, SOURCES_FOLDER, *writers):
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    for path in (folder / JOURNAL_FOLDER).glob("shard-*.json"):
        path.unlink()
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)


def remove_unknown(folder: Path, known: Iterable[str]) -> None:
    """Remove what workers that died left unfinished, and audio and traces of a run that had other
    donors or shards, as its sources were then.

    Parameters
    ----------
    folder : Path
        The split.
    known : iterable of str
        Files that this run has made, relative to the split.
    """
    kept = set(known)
    with errors_named(folder, OutputError):
        sweep(folder)
        for pattern in (f"{AUDIO_FOLDER}/*/*.wav", f"{TRACE_FOLDER}/shard-*.jsonl"):
            for path in folder.glob(pattern):
                is_linked = path.parent.is_symlink()  # leads to somebody else's files
                if not is_linked and path.relative_to(folder).as_posix() not in kept:
                    path.unlink()
