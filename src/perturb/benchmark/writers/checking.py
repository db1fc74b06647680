"""What the verification of every writer needs: files compared, differences named."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

__all__ = ["audio_problems", "text_problems"]

_BLOCK_BYTES = 1 << 20


def audio_problems(folder: Path, files: Mapping[str, Path]) -> list[str]:
    """Return what is wrong with audio that should equal its canonical files.

    Parameters
    ----------
    folder : Path
        Folder that the paths are relative to.
    files : mapping of str to Path
        The canonical file of each path.

    Returns
    -------
    list of str
        One line for each file that is missing or differs; the same file under two names is equal
        unread.
    """
    problems = []
    for place, canonical in files.items():
        problem = _difference(folder / place, canonical)
        if problem is not None:
            problems.append(f"{place}: {problem}")
    return problems


def text_problems(found: Path, expected: Path, name: str) -> list[str]:
    """Return what is wrong with a table of text that should equal another, byte for byte.

    Parameters
    ----------
    found : Path
        The table on disk.
    expected : Path
        The same, written afresh.
    name : str
        What the line calls it.

    Returns
    -------
    list of str
        No line, or one with the first place where they part.
    """
    try:
        with found.open("rb") as ours, expected.open("rb") as theirs:
            pairs = itertools.zip_longest(ours, theirs)
            for number, (is_there, should_be) in enumerate(pairs, 1):
                if is_there is None:
                    return [f"{name}: ends before line {number}"]
                if should_be is None:
                    return [f"{name}: goes on after line {number - 1}, where it should end"]
                if is_there != should_be:
                    return [f"{name}: line {number} is not what the records say"]
    except OSError as error:
        return [f"{name}: {error.strerror}"]
    return []


def _difference(found: Path, canonical: Path) -> str | None:
    try:
        ours, theirs = found.stat(), canonical.stat()
        if (ours.st_dev, ours.st_ino) == (theirs.st_dev, theirs.st_ino):
            return None
        if ours.st_size == theirs.st_size and _have_equal_bytes(found, canonical):
            return None
    except OSError as error:
        return f"{error.strerror}" + ("" if error.filename == str(found) else f": {canonical}")
    return f"differs from {canonical.parent.name}/{canonical.name}"


def _have_equal_bytes(first: Path, second: Path) -> bool:
    with first.open("rb") as ours, second.open("rb") as theirs:
        while True:
            block = ours.read(_BLOCK_BYTES)
            if block != theirs.read(_BLOCK_BYTES):
                return False
            if not block:
                return True
