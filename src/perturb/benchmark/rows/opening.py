"""Which store a file of text rows has, and a look at its first rows without reading the rest."""

from __future__ import annotations

import csv
import functools
import itertools
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.benchmark.rows.csv_rows import CSV_SUFFIXES, CsvRows, find_delimiter
from perturb.benchmark.rows.json_rows import BOM, JSON_SUFFIXES, JsonRows
from perturb.benchmark.rows.json_text import decode, iter_parts, skip_space
from perturb.errors import BenchmarkError

__all__ = ["PEEKED_ROWS", "open_rows", "peek"]

PEEKED_ROWS = 100
"""Rows that tell a format."""

_PEEKED_BYTES = 1 << 22


def open_rows(path: Path) -> JsonRows | CsvRows:
    """Return the rows of a JSON or CSV file.

    Raises
    ------
    BenchmarkError
        No such file, another suffix, or a file that its store refuses.
    """
    if not path.is_file():
        raise BenchmarkError(f"{printable_path(path)}: is no file")
    suffix = path.suffix.lower()
    if suffix in JSON_SUFFIXES:
        return JsonRows(path)
    if suffix in CSV_SUFFIXES:
        return CsvRows(path)
    accepted = ", ".join(sorted(JSON_SUFFIXES | CSV_SUFFIXES))
    raise BenchmarkError(f"{printable_path(path)}: accepted: a file that ends in {accepted}")


def peek(path: Path) -> tuple[Mapping[str, Any], ...]:
    """Return the first rows of a JSON or CSV file; none where it is neither.

    What is wrong with a file is said when it is opened, not here.
    """
    if path.suffix.lower() not in JSON_SUFFIXES | CSV_SUFFIXES or not path.is_file():
        return ()
    facts = path.stat()
    return _peek(path, facts.st_size, facts.st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _peek(path: Path, size: int, _: int) -> tuple[Mapping[str, Any], ...]:
    with path.open("rb") as file:
        text = file.read(_PEEKED_BYTES)
    if path.suffix.lower() in CSV_SUFFIXES:
        sources = [_csv_rows(text)]
    elif size <= _PEEKED_BYTES:
        sources = [_all_rows(path)]
    else:  # an object around all rows is told by its end alone
        sources = [_first_rows(text), _all_rows(path)]
    for source in sources:
        found: list[Mapping[str, Any]] = []
        with suppress(ValueError, csv.Error):  # damaged, or cut where the look ends
            found.extend(itertools.islice(source, PEEKED_ROWS))
        if found:
            return tuple(found)
    return ()


def _csv_rows(text: bytes) -> Iterator[Mapping[str, Any]]:
    text = text.removeprefix(BOM)
    delimiter = find_delimiter(text, 0).decode()
    lines = text.decode(errors="replace").splitlines(keepends=True)
    for row in csv.DictReader(lines, delimiter=delimiter, restval=""):
        yield {key: value for key, value in row.items() if key is not None}


def _all_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    rows = JsonRows(path)
    for index in range(len(rows)):
        yield rows.row(index)


def _first_rows(text: bytes) -> Iterator[Mapping[str, Any]]:
    """Yield rows from the beginning of an array or of lines."""
    start = skip_space(text, len(BOM) if text.startswith(BOM) else 0)
    if text[start : start + 1] == b"[":
        for part in iter_parts(text, start):
            yield decode(text[part.value_start : part.stop])
    else:
        for line in text[start:].split(b"\n")[:-1]:
            if line.strip():
                yield decode(line)
