"""Some fields of a table as columns: JSON, JSON Lines or CSV, a hundred thousand rows in a second.

A file of predictions repeats the benchmark, and hardly any of that is needed: only the fields asked
for are decoded. What the fast decoder refuses (NaN, half a surrogate pair, rows inside an object)
is read row by row.
"""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.benchmark.rows.csv_rows import CSV_SUFFIXES, find_delimiter
from perturb.benchmark.rows.json_rows import BOM, JSON_SUFFIXES, JsonRows
from perturb.benchmark.rows.json_text import skip_space
from perturb.errors import BenchmarkError, ScoreError

__all__ = [
    "ID_FIELDS",
    "Columns",
    "as_id",
    "as_text",
    "first_field",
    "read_columns",
]

ID_FIELDS = (
    "perturb_pair_id",
    "pair_id",
    "id",
    "item_id",
    "uniq_id",
    "question_id",
    "sample_id",
    "uid",
    "uuid",
    "index",
    "idx",
)
"""Fields that may say which item a row is about, the surest first."""

_MAX_FIELD = 1 << 30


class Columns(NamedTuple):
    """Columns of a table.

    Parameters
    ----------
    values : dict of str to list
        Each field that some row has, in the order asked for; None where a row lacks it.
    length : int
        How many rows.
    form : str
        Of the file, in words.
    """

    values: dict[str, list[Any]]
    length: int
    form: str


def read_columns(path: Path, names: Sequence[str]) -> Columns:
    """Return the fields asked for of every row.

    Parameters
    ----------
    path : Path
        A JSON array, an object of rows, JSON Lines, or a CSV or TSV file with a header.
    names : sequence of str
        Fields.

    Raises
    ------
    ScoreError
        The file cannot be read, or is damaged; with the line where that is known.
    """
    suffix = path.suffix.lower()
    if suffix not in JSON_SUFFIXES | CSV_SUFFIXES:
        accepted = ", ".join(sorted(JSON_SUFFIXES | CSV_SUFFIXES))
        raise ScoreError(f"{printable_path(path)}: accepted: a file that ends in {accepted}")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ScoreError(f"{printable_path(path)}: {error.strerror}") from None
    if suffix in CSV_SUFFIXES:
        return _csv_columns(path, text, names)
    start = skip_space(text, len(BOM) if text.startswith(BOM) else 0)
    if start == len(text):
        return Columns({}, 0, "an empty file")
    kind = _row_kind(tuple(names))
    try:
        if text[start : start + 1] == b"[":
            rows = msgspec.json.decode(memoryview(text)[start:], type=list[kind])  # type: ignore[valid-type]
            return _struct_columns(rows, names, "a JSON array")
        if suffix != ".json":
            rows = msgspec.json.Decoder(kind).decode_lines(memoryview(text)[start:])
            return _struct_columns(rows, names, "JSON Lines")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass  # slower, and more lenient; what is really wrong is said there
    return _row_columns(path, names)


def _struct_columns(rows: Iterable[Any], names: Sequence[str], form: str) -> Columns:
    found = list(rows)
    values = {}
    for place, name in enumerate(names):
        column: list[Any] = list(map(attrgetter(f"f{place}"), found))
        lacking = column.count(msgspec.UNSET)
        if lacking == 0 and found:
            values[name] = column
        elif lacking < len(found):
            values[name] = [None if value is msgspec.UNSET else value for value in column]
    return Columns(values, len(found), form)


@functools.lru_cache(maxsize=32)
def _row_kind(names: tuple[str, ...]) -> type[msgspec.Struct]:
    """Return a struct of these fields; the decoder passes over all others."""
    fields = [(f"f{place}", Any, msgspec.UNSET) for place in range(len(names))]
    renamed = {f"f{place}": name for place, name in enumerate(names)}
    return msgspec.defstruct("Row", fields, rename=renamed, gc=False)


def _row_columns(path: Path, names: Sequence[str]) -> Columns:
    try:
        rows = JsonRows(path)
        decoded = [(rows.key(index), rows.row(index)) for index in range(len(rows))]
    except BenchmarkError as error:
        raise ScoreError(str(error)) from None
    present = [name for name in names if any(name in row for _, row in decoded)]
    values = {name: [row.get(name) for _, row in decoded] for name in present}
    if not any(name in values for name in ID_FIELDS) and decoded[0][0] is not None:
        values["id"] = [key for key, _ in decoded]
    return Columns(values, len(decoded), rows.form)


def _csv_columns(path: Path, text: bytes, names: Sequence[str]) -> Columns:
    text = text.removeprefix(BOM)
    try:
        lines = io.StringIO(text.decode(), newline="")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ScoreError(f"{printable_path(path)}: line {line}: no UTF-8: {error.reason}") from None
    csv.field_size_limit(_MAX_FIELD)
    reader = csv.reader(lines, delimiter=find_delimiter(text, 0).decode(), strict=True)
    try:
        header = next(reader, [])
        rows = []
        for row in reader:
            if row and len(row) != len(header):
                raise ScoreError(
                    f"{printable_path(path)}: line {reader.line_num}: {len(row)} fields, where the "
                    f"header has {len(header)}"
                )
            if row:
                rows.append(row)
    except csv.Error as error:
        raise ScoreError(f"{printable_path(path)}: line {reader.line_num}: {error}") from None
    places = {name: header.index(name) for name in names if name in header}
    values = {name: [row[place] for row in rows] for name, place in places.items()}
    return Columns(values, len(rows), "CSV")


def first_field(values: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the first of some names that there is a column for."""
    return next((name for name in names if name in values), None)


def as_id(value: Any) -> str | None:
    """Return an id as the split writes it, or None where there is none.

    Examples
    --------
    >>> as_id(7), as_id(7.0), as_id(" x ")
    ('7', '7', ' x ')
    """
    if type(value) is str:
        return value or None
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else None


def as_text(value: Any) -> str | None:
    """Return an answer as text; lists of one text are that text, other values are JSON.

    Examples
    --------
    >>> as_text("B"), as_text(["B"]), as_text(2), as_text(None)
    ('B', 'B', '2', None)
    """
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
