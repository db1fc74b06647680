"""Rows of a JSON file: an array, one object a line, or an object that holds the rows.

The file is kept as it was read. A row that is written back differs in the changed and added fields
alone; every other byte, between the rows too, is the source's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.audio_io.pending import PendingFile
from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.rows.json_text import (
    Encoding,
    JsonTextError,
    Part,
    decode,
    parts,
    rewrite,
    skip_space,
    with_whole_characters,
)
from perturb.benchmark.rows.splicing import Place, spliced
from perturb.errors import BenchmarkError

__all__ = ["BOM", "JSON_SUFFIXES", "JsonRows"]

JSON_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})
"""Suffixes of files that `JsonRows` reads, in lower case."""

BOM = b"\xef\xbb\xbf"
"""The byte-order mark of UTF-8."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class JsonRows:
    """The rows of a JSON file, decoded on demand.

    Parameters
    ----------
    path : Path
        A file in UTF-8, with or without a byte-order mark. Its form is told by its content: an
        array of objects; an object whose values are all objects, or whose only list holds them; one
        object a line.

    Raises
    ------
    BenchmarkError
        The file cannot be read, is no JSON, or holds no rows; with the line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._text = path.read_bytes()
        except OSError as error:
            raise BenchmarkError(f"{printable_path(path)}: {error.strerror}") from error
        try:
            self.form, found = _find_rows(self._text, path.suffix.lower() != ".json")
        except JsonTextError as error:
            line = self._text.count(b"\n", 0, error.position) + 1
            raise BenchmarkError(f"{printable_path(path)}: line {line}: {error}") from None
        if not found:
            raise BenchmarkError(f"{printable_path(path)}: holds no rows")
        self._places = [Place(part.start, part.stop) for part in found]
        self._value_offsets = [part.value_start - part.start for part in found]
        self._encoding = self._find_encoding()

    @property
    def file_name(self) -> str:
        """The source's own name."""
        return self._path.name

    def __len__(self) -> int:
        return len(self._places)

    def key(self, index: int) -> str | None:
        """Return the key under which a row stands, where the file is an object of rows."""
        start, offset = self._places[index].start, self._value_offsets[index]
        lead = self._text[start : start + offset].rstrip()
        return str(decode(lead.removesuffix(b":"))) if lead else None

    def row(self, index: int) -> Mapping[str, Any]:
        """Return one row, decoded; halves of surrogate pairs are U+FFFD.

        Raises
        ------
        BenchmarkError
            It is no JSON, or no UTF-8.
        """
        start, stop = self._places[index]
        try:
            text = self._text[start + self._value_offsets[index] : stop]
            row = decode(text)
        except ValueError as error:
            raise BenchmarkError(f"{printable_path(self._path)}: row {index}: {error}") from None
        return dict(with_whole_characters(row) if _SURROGATE.search(text) else row)

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write rows in the order given; see `RowStore`.

        A changed or added field that stands in the row is replaced there; others follow its last
        field, written as the row writes its own.
        """
        rows = ((edit.row, self._edited(edit)) for edit in edits)
        separator = b"\n" if self.form == "JSONL" else b",\n"
        head = self._text[: self._places[0].start]
        PendingFile(target, spliced(head, self._text, self._places, rows, separator)).commit()

    def _edited(self, edit: RowEdit) -> bytes:
        start, stop = self._places[edit.row]
        text = self._text[start:stop]
        new = {**edit.changed, **edit.added}
        if not new:
            return text
        fields, end = parts(text, self._value_offsets[edit.row])
        last_of_key = {decode(text[part.start : part.key_stop]): part for part in fields}
        missing = {key: value for key, value in new.items() if key not in last_of_key}
        pieces, at = [], 0
        for key, part in sorted(last_of_key.items(), key=lambda item: item[1].start):
            if key in new:
                pieces.append(text[at : part.value_start])
                old = text[part.value_start : part.stop]
                pieces.append(rewrite(old, new[key], self._encoding))
                at = part.stop
        end_of_fields = fields[-1].stop if fields else end - 1
        pieces.append(text[at:end_of_fields])
        pieces.extend(self._further(text, fields, missing))
        pieces.append(text[end_of_fields:])
        return b"".join(pieces)

    def _further(
        self, text: bytes, fields: list[Part], added: Mapping[str, Any]
    ) -> Iterator[bytes]:
        comma, colon = (b",", b":") if self._encoding.is_compact else (b", ", b": ")
        if len(fields) > 1:
            comma = text[fields[-2].stop : fields[-1].start]
        if fields:
            colon = text[fields[-1].key_stop : fields[-1].value_start]
        for count, (key, value) in enumerate(added.items()):
            if count or fields:
                yield comma
            yield self._encoding.encode(key) + colon + self._encoding.encode(value)

    def _find_encoding(self) -> Encoding:
        """Tell by the file whether it escapes, and by its first key whether it saves spaces."""
        colon = self._text.find(b'":')
        after = self._text[colon + 2 : colon + 3]
        return Encoding(
            is_ascii=b"\\u" in self._text and self._text.removeprefix(BOM).isascii(),
            is_compact=colon >= 0 and not after.isspace(),
        )


def _find_rows(text: bytes, is_lines: bool) -> tuple[str, list[Part]]:
    """Return the form of a file in words, and where its rows are."""
    start = skip_space(text, len(BOM) if text.startswith(BOM) else 0)
    if text[start : start + 1] == b"[":
        found, stop = parts(text, start)
        rest = skip_space(text, stop)
        if rest != len(text):
            raise JsonTextError("something follows the array", rest)
        for part in found:
            if not _begins(text, part, b"{"):
                raise JsonTextError("expected an object with fields in braces", part.start)
        return "a JSON array", found
    if not is_lines and text[start : start + 1] == b"{":
        whole = _find_in_object(text, start)
        if whole is not None:
            return whole
    return "JSONL", _find_lines(text, start)


def _find_in_object(text: bytes, start: int) -> tuple[str, list[Part]] | None:
    """Return the rows of a file that is one object; None where more follows it."""
    members, stop = parts(text, start)
    if skip_space(text, stop) != len(text):
        return None
    if members and all(_begins(text, part, b"{") for part in members):
        return "an object of rows", members
    lists = [part for part in members if _begins(text, part, b"[")]
    if len(lists) == 1:
        found, _ = parts(text, lists[0].value_start)
        if found and all(_begins(text, part, b"{") for part in found):
            return "a list inside an object", found
    return None


def _find_lines(text: bytes, start: int) -> list[Part]:
    """Return the lines that hold something: each an object, by its first and last sign."""
    found = []
    while start < len(text):
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        at = skip_space(text, start)
        if at < stop:
            end = at + len(text[at:stop].rstrip(b" \t\r"))
            if text[at : at + 1] != b"{":
                raise JsonTextError("expected an object with fields in braces", at)
            if text[end - 1 : end] != b"}":
                raise JsonTextError("the object does not end; accepted: one object a line", at)
            found.append(Part(at, at, at, end))
        start = stop + 1
    return found


def _begins(text: bytes, part: Part, sign: bytes) -> bool:
    return text[part.value_start : part.value_start + 1] == sign
