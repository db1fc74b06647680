"""What the verification of every writer needs: files compared, differences named."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from perturb.benchmark.arrow_files import TableFile, open_table
from perturb.errors import BenchmarkError

__all__ = ["audio_problems", "folder_problems", "have_equal_rows", "text_problems"]

_BLOCK_BYTES = 1 << 20
_TABLE_SUFFIXES = frozenset({".arrow", ".parquet"})


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


def folder_problems(folder: Path, expected: Path) -> list[str]:
    """Return what is wrong with tables that should equal those of another folder.

    Parameters
    ----------
    folder : Path
        What is on disk; files that `expected` does not have are passed over.
    expected : Path
        The same tables, written afresh. Links in it stand for audio, which is not a table.

    Returns
    -------
    list of str
        For each table no line, or one with the first place where the two part. Text is compared
        byte for byte; parquet and arrow by content, since their bytes change with the library.
    """
    problems = []
    for path in sorted(expected.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(expected)
            compare = _table_problem if path.suffix in _TABLE_SUFFIXES else _text_problem
            problem = compare(folder / name, path)
            problems += [f"{name.as_posix()}: {problem}"] if problem else []
    return problems


def text_problems(found: Path, expected: Path, place: str) -> list[str]:
    """Return no line where two files of text are equal, else one that starts with `place`."""
    problem = _text_problem(found, expected)
    return [] if problem is None else [f"{place}: {problem}"]


def _text_problem(found: Path, expected: Path) -> str | None:
    try:
        with found.open("rb") as ours, expected.open("rb") as theirs:
            for number, (is_there, should_be) in enumerate(itertools.zip_longest(ours, theirs), 1):
                if is_there is None:
                    return f"ends before line {number}"
                if should_be is None:
                    return f"goes on after line {number - 1}, where it should end"
                if is_there != should_be:
                    return f"line {number} is not what the records say"
    except OSError as error:
        return error.strerror
    return None


def _table_problem(found: Path, expected: Path) -> str | None:
    if not found.exists():
        return "No such file or directory"
    try:
        ours, theirs = open_table(found), open_table(expected)
        if not ours.schema.equals(theirs.schema, check_metadata=True):
            return "has other columns than the records say"
        if ours.rows != theirs.rows:
            return f"has {ours.rows} rows; the records have {theirs.rows}"
        for (start, is_there), (_, should_be) in zip(_batches(ours), _batches(theirs), strict=True):
            if not have_equal_rows(is_there, should_be):
                stop = start + is_there.num_rows
                return f"rows {start} to {stop - 1} are not what the records say"
    except (BenchmarkError, ValueError) as error:
        return str(error)
    return None


def have_equal_rows(found: Any, expected: Any) -> bool:
    """Whether two tables or batches of one schema hold the same values, where NaN equals NaN."""
    if found.equals(expected):
        return True
    return found.num_rows == expected.num_rows and all(
        ours.equals(theirs) or all(map(_are_same, ours.to_pylist(), theirs.to_pylist()))
        for ours, theirs in zip(found.columns, expected.columns, strict=True)
    )


def _are_same(found: Any, expected: Any) -> bool:
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            _are_same(found[key], expected[key]) for key in found
        )
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(_are_same, found, expected))
    is_nan = isinstance(found, float) and isinstance(expected, float) and found != found
    return bool(found == expected or (is_nan and expected != expected))


def _batches(table: TableFile) -> Iterator[tuple[int, Any]]:
    return table.batches(table.schema.names, wanted=range(table.rows))


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
