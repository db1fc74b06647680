"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from perturb.audio_io.paths import errors_named, printable_path
from perturb.errors import AudioError, OutputError

__all__ = [
    "Pending",
    "PendingFile",
    "file_sha256",
    "prepare_bytes",
    "write_bytes_atomic",
    "write_text_atomic",
]


class Pending:
    """What is discarded where its context is left without a commit."""

    def discard(self) -> None:
        """Leave nothing behind; does nothing after a commit."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.discard()


class PendingFile(Pending):
    """A complete file that does not have its name yet.

    The bytes lie beside the target under a unique name, ``.perturb-….tmp``, flushed to disk.
    `commit` renames it, `discard` removes it; leaving the context without a commit discards. A
    target that is a link is replaced itself, never the file that it points to.

    Parameters
    ----------
    path : path
        The final name. Its folder must exist.
    blocks : iterator of bytes
        The content. If producing or writing it fails, nothing stays behind.
    overwrite : bool
        Whether an existing file may be replaced.

    Raises
    ------
    OutputError
        The folder is missing or closed, the disk is full, the target exists and may not be
        replaced, or is no regular file.
    """

    def __init__(
        self, path: str | os.PathLike[str], blocks: Iterator[bytes], *, overwrite: bool = True
    ) -> None:
        self.path = Path(path)
        self._overwrite = overwrite
        self._is_open = False
        digest = hashlib.sha256()
        with errors_named(self.path, OutputError):
            _check_target(self.path, overwrite)
            self.temporary_path, file = _create_beside(self.path)
            try:
                with file:
                    for block in blocks:
                        digest.update(block)
                        file.write(block)
                    file.flush()
                    os.fsync(file.fileno())
            except BaseException:
                with suppress(OSError):
                    self.temporary_path.unlink()
                raise
        self._is_open = True
        self.file_sha256 = digest.hexdigest()

    def commit(self) -> None:
        """Give the file its name.

        Raises
        ------
        OutputError
            The name cannot be had; the temporary file is removed.
        """
        if not self._is_open:
            raise AudioError(f"{printable_path(self.path)}: already committed or discarded")
        self._is_open = False
        try:
            with errors_named(self.path, OutputError):
                _check_target(self.path, self._overwrite)
                if self._overwrite:
                    self.temporary_path.replace(self.path)
                else:
                    _rename_without_replacing(self.temporary_path, self.path)
        except BaseException:
            with suppress(OSError):
                self.temporary_path.unlink()
            raise

    def discard(self) -> None:
        """Remove the temporary file; does nothing after `commit` or `discard`."""
        if self._is_open:
            self._is_open = False
            with suppress(OSError):
                self.temporary_path.unlink()


def prepare_bytes(
    path: str | os.PathLike[str], data: bytes, *, overwrite: bool = True
) -> PendingFile:
    """Write `data` under a temporary name beside `path`; see `PendingFile`."""
    return PendingFile(path, iter((data,)), overwrite=overwrite)


def write_bytes_atomic(
    path: str | os.PathLike[str], data: bytes, *, overwrite: bool = True
) -> None:
    """Write a file that appears whole or not at all; raises as `PendingFile`."""
    prepare_bytes(path, data, overwrite=overwrite).commit()


def write_text_atomic(path: str | os.PathLike[str], text: str, *, overwrite: bool = True) -> None:
    """Write UTF-8 text, line ends as they are; otherwise as `write_bytes_atomic`."""
    write_bytes_atomic(path, text.encode(), overwrite=overwrite)


def file_sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises
    ------
    AudioError
        The file cannot be read.
    """
    with errors_named(path), Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _create_beside(path: Path) -> tuple[Path, IO[bytes]]:
    # Not tempfile: its files are private to the user, whatever the umask, and would stay so. Not
    # `random` either: its global state is the caller's.
    temporary = path.with_name(f".perturb-{os.getpid()}-{secrets.token_hex(8)}.tmp")
    try:
        return temporary, temporary.open("xb")
    except (FileNotFoundError, NotADirectoryError):
        raise AudioError(f"the folder {printable_path(path.parent)} does not exist") from None


def _check_target(path: Path, overwrite: bool) -> None:
    if not path.name or path.name == "..":
        raise AudioError("a folder, not the name of a file")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if overwrite or not path.is_symlink():
            return
        mode = stat.S_IFREG
    except ValueError as error:
        raise AudioError(f"not a path: {error}") from None
    if stat.S_ISDIR(mode):
        raise AudioError("a folder of this name exists")
    if not stat.S_ISREG(mode):
        raise AudioError("exists and is not a regular file; it is never replaced")
    if not overwrite:
        raise AudioError("the file exists; it was not to be replaced")


def _rename_without_replacing(temporary: Path, path: Path) -> None:
    try:
        path.hardlink_to(temporary)  # unlike a rename, fails where the name is taken
    except FileExistsError:
        raise AudioError("the file exists; it was not to be replaced") from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        _check_target(path, overwrite=False)  # a file system without hard links
        temporary.replace(path)
    else:
        temporary.unlink()
