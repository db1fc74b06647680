"""Rows of a CSV or TSV file, written back in the file's own dialect.

The file is kept as it was read: delimiter, line ends, byte-order mark, blank lines and the quoting
of every field that does not change are the source's, byte for byte.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.audio_io.pending import PendingFile
from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.rows.json_rows import BOM
from perturb.benchmark.rows.splicing import Place, spliced
from perturb.errors import BenchmarkError

__all__ = ["CSV_SUFFIXES", "CsvRows", "find_delimiter"]

CSV_SUFFIXES = frozenset({".csv", ".tsv"})
"""Suffixes of files that `CsvRows` reads, in lower case."""

_DELIMITERS = (b",", b"\t", b";", b"|")
_NEWLINE = re.compile(rb"\r\n|\n|\r")


class CsvRows:
    """The rows of a CSV file with a header, decoded on demand.

    Fields are quoted with double quotes, doubled inside; spaces belong to the field, as for
    Python's `csv`. The delimiter is the one of comma, tab, semicolon and bar that parts the header
    most.

    Parameters
    ----------
    path : Path
        A file in UTF-8, with or without a byte-order mark.

    Raises
    ------
    BenchmarkError
        The file cannot be read, a quote is never closed, a row has more or fewer fields than the
        header, there are no rows, or a column's name stands twice; with the line.
    """

    form = "CSV"

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._text = path.read_bytes()
        except OSError as error:
            raise BenchmarkError(f"{printable_path(path)}: {error.strerror}") from error
        start = len(BOM) if self._text.startswith(BOM) else 0
        self._delimiter = find_delimiter(self._text, start)
        lines = self._find_lines(start)
        if len(lines) < 2:
            raise self._error(start, "holds no rows; accepted: a header and one row or more")
        self._header, *self._places = lines
        self.columns = tuple(self._values(self._header))
        self._check_columns()

    @property
    def file_name(self) -> str:
        """The source's own name."""
        return self._path.name

    def __len__(self) -> int:
        return len(self._places)

    def row(self, index: int) -> Mapping[str, str]:
        """Return one row: the text of each column."""
        return dict(zip(self.columns, self._values(self._places[index]), strict=True))

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write rows in the order given; see `RowStore`.

        Nothing (None) is an empty field. A changed field is quoted where it was or where it must
        be; an added one, where all fields of its row are or where it must be.

        Raises
        ------
        BenchmarkError
            A changed field is no column.
        """
        added = list(dict.fromkeys(key for edit in edits for key in edit.added))
        added = [key for key in added if key not in self.columns]
        newline = self._text[self._header.stop : self._places[0].start]
        header = self._edited(self._header, {}, added)
        head = self._text[: self._header.start] + header + newline
        rows = ((edit.row, self._edited_row(edit, added)) for edit in edits)
        PendingFile(target, spliced(head, self._text, self._places, rows, newline)).commit()

    def _edited_row(self, edit: RowEdit, added: Sequence[str]) -> bytes:
        new = {**edit.changed, **edit.added}
        unknown = [key for key in edit.changed if key not in self.columns]
        if unknown:
            raise BenchmarkError(
                f"{printable_path(self._path)}: row {edit.row}: {', '.join(unknown)} is no column; "
                f"accepted: {', '.join(self.columns)}"
            )
        changed = {self.columns.index(key): new[key] for key in new if key in self.columns}
        return self._edited(self._places[edit.row], changed, [new.get(key) for key in added])

    def _edited(self, place: Place, changed: Mapping[int, Any], added: Sequence[Any]) -> bytes:
        """Return a line with the fields of some columns replaced and further ones at its end."""
        fields = self._fields(place)
        was_quoted = [raw.startswith(b'"') for raw in fields]
        if changed:
            for column, value in changed.items():
                if _as_text(value).encode() != _unquoted(fields[column]):
                    fields[column] = self._quoted(value, is_quoted=was_quoted[column])
        fields.extend(self._quoted(value, is_quoted=all(was_quoted)) for value in added)
        return self._delimiter.join(fields) if fields != [b""] else b'""'

    def _quoted(self, value: Any, *, is_quoted: bool) -> bytes:
        text = _as_text(value).encode()
        must = any(sign in text for sign in (self._delimiter, b'"', b"\r", b"\n"))
        return b'"' + text.replace(b'"', b'""') + b'"' if is_quoted or must else text

    def _values(self, place: Place) -> list[str]:
        try:
            return [_unquoted(raw).decode() for raw in self._fields(place)]
        except UnicodeDecodeError as error:
            raise self._error(place.start, f"no UTF-8: {error.reason}") from None

    def _fields(self, place: Place) -> list[bytes]:
        """Return the fields of a line as they are written."""
        pattern, at, fields = _field(self._delimiter), place.start, []
        while True:
            match = pattern.match(self._text, at, place.stop)
            if match is None:
                raise self._error(at, "a quote is never closed")
            fields.append(match[1])
            at = match.end()
            if match[2] != self._delimiter:
                return fields

    def _find_lines(self, start: int) -> list[Place]:
        """Return where the header and the rows are; blank lines are passed over."""
        pattern, at, lines, count, width = _field(self._delimiter), start, [], 0, 0
        while start < len(self._text):
            match = pattern.match(self._text, at)
            if match is None:
                raise self._error(at, "a quote is never closed")
            at, count = match.end(), count + 1
            if match[2] == self._delimiter:
                continue
            stop = match.end(1)
            if stop > start:
                width = width or count
                if count != width:
                    raise self._error(
                        start,
                        f"{count} fields, where the header has {width}; quote a field that "
                        f"holds {self._delimiter.decode()!r}",
                    )
                lines.append(Place(start, stop))
            start, count = at, 0
        return lines

    def _check_columns(self) -> None:
        twice = {name for name in self.columns if self.columns.count(name) > 1}
        if twice:
            raise self._error(0, f"columns named twice: {', '.join(sorted(twice))}")

    def _error(self, position: int, message: str) -> BenchmarkError:
        line = len(_NEWLINE.findall(self._text, 0, position)) + 1
        return BenchmarkError(f"{printable_path(self._path)}: line {line}: {message}")


def find_delimiter(text: bytes, start: int) -> bytes:
    """Return the delimiter that parts the line at `start` most; a comma where none does."""

    def columns(delimiter: bytes) -> int:
        pattern, at, count = _field(delimiter), start, 0
        while (match := pattern.match(text, at)) is not None:
            count, at = count + 1, match.end()
            if match[2] != delimiter:
                break
        return count

    return max(_DELIMITERS, key=columns)


@functools.cache
def _field(delimiter: bytes) -> re.Pattern[bytes]:
    """Return the pattern of one field and what ends it."""
    plain = rb"[^" + re.escape(delimiter) + rb"\r\n]*+"
    quoted = rb'"[^"]*+(?:""[^"]*+)*+"'
    end = re.escape(delimiter) + rb"|\r\n|\n|\r|\Z"
    return re.compile(rb"(" + quoted + plain + rb'|(?!")' + plain + rb")(" + end + rb")")


_QUOTED = re.compile(rb'"([^"]*+(?:""[^"]*+)*+)"(.*)', re.DOTALL)


def _unquoted(raw: bytes) -> bytes:
    match = _QUOTED.fullmatch(raw)
    return raw if match is None else match[1].replace(b'""', b'"') + match[2]


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
