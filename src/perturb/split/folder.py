"""The folder of a split: whose it is, who may write, and what an interrupted run left there."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from perturb.audio_io import is_litter, write_bytes_atomic
from perturb.audio_io.paths import errors_named
from perturb.errors import OutputError, ParameterError
from perturb.split.recording import (
    CLIPS_FILE,
    DONORS_FILE,
    ITEMS_FILE,
    MANIFEST_FILE,
    QUESTIONS_FILE,
    SPLIT_FILE,
)
from perturb.split.shards import JOURNAL_FOLDER
from perturb.split.tasks import AUDIO_FOLDER, TRACE_FOLDER

__all__ = ["SOURCES_FOLDER", "Mode", "check_folder", "clear", "opened", "request_path"]

Mode = Literal["new", "resume", "overwrite"]

SOURCES_FOLDER = "sources"
"""Where audio that was embedded in a table is kept, as it was."""

_FILES = (SPLIT_FILE, MANIFEST_FILE, ITEMS_FILE, QUESTIONS_FILE, CLIPS_FILE, DONORS_FILE)
_FOLDERS = (AUDIO_FOLDER, TRACE_FOLDER, JOURNAL_FOLDER, SOURCES_FOLDER)


def request_path(folder: Path) -> Path:
    """Return where a split says what was asked of it, from its first moment on."""
    return folder / JOURNAL_FOLDER / "request.json"


def check_folder(folder: Path, request: dict[str, Any], mode: Mode) -> None:
    """Refuse a folder that is not ours to write to, before anything is written.

    Parameters
    ----------
    folder : Path
        Where the split goes.
    request : dict
        What the run would write to `request_path`.
    mode : {'new', 'resume', 'overwrite'}
        What the user asked for.

    Raises
    ------
    ParameterError
        A file, a foreign folder, a split without `mode`, or one of another request.
    """
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"output {folder} is a file; a split needs a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    try:
        before = msgspec.json.decode(request_path(folder).read_bytes())
    except (OSError, msgspec.DecodeError):
        if _is_only_ours(folder):  # killed before the request was on disk
            return
        raise ParameterError(
            f"output {folder} holds other files and no split; name an empty folder"
        ) from None
    if mode == "new":
        raise ParameterError(
            f"output {folder} holds a split already: --resume goes on with it, --overwrite makes "
            "it again"
        )
    if mode == "resume" and before != msgspec.json.decode(msgspec.json.encode(request)):
        differing = [key for key in request if before.get(key) != _plain(request[key])]
        raise ParameterError(
            f"output {folder} is the split of another request ({', '.join(differing) or 'format'} "
            "differ); resume with what was asked then, name another folder, or --overwrite"
        )


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def _is_only_ours(folder: Path) -> bool:
    """Whether nothing lies there but our empty folders and the litter of a run that was killed."""
    for path in folder.rglob("*"):
        if path.is_file() and not is_litter(path) and path.name != "lock":
            return False
        if path.is_dir() and path.relative_to(folder).parts[0] not in _FOLDERS:
            return False
    return True


@contextmanager
def opened(folder: Path, request: dict[str, Any], conditions: tuple[str, ...]) -> Iterator[None]:
    """Make the folders of a split and hold its lock.

    Raises
    ------
    OutputError
        Folders cannot be made.
    ParameterError
        Another run is writing there.
    """
    with errors_named(folder, OutputError):
        for name in _FOLDERS[:-1]:
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name in conditions:
            (folder / AUDIO_FOLDER / name).mkdir(exist_ok=True)
        lock = os.open(folder / JOURNAL_FOLDER / "lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError(f"output {folder}: another run is writing there") from None
        _sweep(folder)
        # What says "finished" goes first and comes last.
        with errors_named(folder, OutputError):
            (folder / SPLIT_FILE).unlink(missing_ok=True)
        write_bytes_atomic(
            request_path(folder), msgspec.json.format(msgspec.json.encode(request)) + b"\n"
        )
        yield
    finally:
        os.close(lock)


def _sweep(folder: Path) -> None:
    """Remove the unfinished files of a run that was killed."""
    with errors_named(folder, OutputError):
        for path in folder.rglob(".perturb-*.tmp"):
            path.unlink(missing_ok=True)


def clear(folder: Path, writers: tuple[str, ...]) -> None:
    """Remove a split that is to be made again: what is ours, and nothing else."""
    with errors_named(folder, OutputError):
        for name in (*_FOLDERS, *writers):
            shutil.rmtree(folder / name, ignore_errors=True)
        for name in _FILES:
            (folder / name).unlink(missing_ok=True)
