"""A second name for a file: a hard link where the file system can, a copy where it cannot."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from perturb.audio_io.paths import errors_named
from perturb.audio_io.pending import PendingFile

__all__ = ["can_be_read", "copy_file", "link_or_copy", "sweep_unfinished"]

_CANNOT_LINK = frozenset({errno.EXDEV, errno.EMLINK, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS})
"""Another file system, too many names already, or a file system or a rule without hard links."""

_BLOCK_BYTES = 1 << 20


def link_or_copy(source: Path, target: Path) -> None:
    """Give the content of `source` the name `target` too.

    The two names are one file where hard links can be had, so whoever changes one in place changes
    both; elsewhere the bytes are copied. `target` appears whole or not at all, and what lies under
    that name is replaced. A link is followed: its file gets the name, not the link.

    Parameters
    ----------
    source : Path
        A file.
    target : Path
        The further name; missing folders above it are made.

    Raises
    ------
    AudioError
        `source` cannot be read, the folder is closed, the disk full, or `target` is no file.
    """
    with errors_named(source):
        original = source.resolve(strict=True) if source.is_symlink() else source
    with errors_named(target):
        try:
            _link(original, target)
        except OSError as error:
            if error.errno not in _CANNOT_LINK:
                with errors_named(source):
                    source.stat()  # whose name is it that is wrong
                raise
            copy_file(original, target)


def copy_file(source: Path, target: Path) -> None:
    """Copy the bytes of a file under another name, atomically; as `link_or_copy` otherwise."""
    target.parent.mkdir(parents=True, exist_ok=True)
    PendingFile(target, _blocks(source)).commit()


def can_be_read(path: Path) -> bool:
    """Whether `path` is a file whose bytes may be had."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            file.read(1)
    except OSError:
        return False
    return True


def sweep_unfinished(folder: Path) -> None:
    """Remove the temporary names that a run left in a folder when it was killed."""
    for path in folder.rglob(".perturb-*.tmp"):
        path.unlink()


def _link(source: Path, target: Path) -> None:
    """Link directly where the name is free; else beside it, to be renamed over it."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(source, target)
    except FileExistsError:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder of this name exists") from None
        _link_over(source, target)


def _link_over(source: Path, target: Path) -> None:
    temporary = target.with_name(f".perturb-{os.getpid()}-{secrets.token_hex(8)}.tmp")
    os.link(source, temporary)
    try:
        temporary.replace(target)
    finally:
        # Renaming a file over another name of itself does nothing and leaves both.
        with suppress(FileNotFoundError):
            temporary.unlink()


def _blocks(source: Path) -> Iterator[bytes]:
    with errors_named(source), source.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block
