"""Tables that go beside a benchmark: CSV, TSV, JSONL or JSON, one row for an item or a clip."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.benchmark.item import Benchmark
from perturb.benchmark.rows.json_text import decode, with_whole_characters
from perturb.errors import BenchmarkError

__all__ = ["SideTable", "TableRow", "finite_number", "shown"]

_IDS = ("pair_id", "id", "item_id")
_CLIPS = ("clip_id", "clip", "audio", "audio_path", "path", "file")
_SHOWN = 5
_NAMED = 5
_SHOWN_CHARACTERS = 60


class TableRow(msgspec.Struct, frozen=True):
    """One row: where it stands in its file, and its fields by lower-case name.

    Parameters
    ----------
    where : str
        File and row, for messages.
    fields : dict
        Values as they stand there; an empty text is left out.
    """

    where: str
    fields: dict[str, Any]

    def first(self, names: Sequence[str]) -> Any:
        """Return the first field of several names that is there, or None."""
        return next((self.fields[name] for name in names if name in self.fields), None)


class SideTable:
    """A table being read: its rows, what they belong to, and everything that is wrong with it.

    Parameters
    ----------
    path : Path
        The file.
    benchmark : Benchmark
        Whose items and clips its rows name.

    Raises
    ------
    BenchmarkError
        The file cannot be read as a table at all.
    """

    def __init__(self, path: Path, benchmark: Benchmark) -> None:
        self.path = path
        self.problems: list[str] = []
        self.notes: list[str] = []
        self._unknown: dict[str, None] = {}
        self._pairs = {item.pair_id for item in benchmark.items}
        self._pairs_of_clip: dict[str, list[str]] = {}
        for item in benchmark.items:
            audio = item.audio()
            for name in {audio.clip, _plain_path(audio.source)} if audio else ():
                self._pairs_of_clip.setdefault(name, []).append(item.pair_id)
        self.rows = self._read()

    def add(self, row: TableRow, message: str) -> None:
        """Note one problem."""
        self.problems.append(f"{row.where}: {message}")

    def pairs_of(self, row: TableRow) -> list[str]:
        """Return the pair ids of the items that a row is about; unknown ones are remembered."""
        name = row.first(_IDS)
        if name is not None:
            pairs = [str(name)] if str(name) in self._pairs else []
        else:
            name = row.first(_CLIPS)
            if name is None:
                self.add(row, f"names no item; accepted: one of {', '.join((*_IDS, *_CLIPS))}")
                return []
            pairs = self._pairs_of_clip.get(_plain_path(str(name)), [])
        if not pairs:
            self._unknown[str(name)] = None
        return pairs

    def finish(self, found: Mapping[str, object]) -> tuple[str, ...]:
        """Raise every problem together, or return what is odd but harmless.

        Parameters
        ----------
        found : mapping
            What was read, by pair id.

        Raises
        ------
        BenchmarkError
            Rows that cannot be used, or none that belongs to this benchmark.
        """
        unknown = list(self._unknown)
        named = ", ".join(unknown[:_NAMED]) + (", …" if len(unknown) > _NAMED else "")
        if not self.problems and not found:
            about = f": it names {named}" if unknown else ""
            self.problems.append(f"{self.path}: no row belongs to an item of the benchmark{about}")
        if self.problems:
            # A row of a clip that several items share is read once for each of them.
            problems = list(dict.fromkeys(self.problems))
            more = len(problems) - _SHOWN
            lines = problems[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])
            raise BenchmarkError("\n".join(lines))
        if unknown:
            self.notes.append(f"{self.path.name}: {len(unknown)} not in the benchmark: {named}")
        missing = len(self._pairs - set(found))
        if missing:
            self.notes.append(
                f"{self.path.name}: {missing} of {len(self._pairs)} items are not in it"
            )
        return tuple(self.notes)

    def _read(self) -> list[TableRow]:
        try:
            text = self.path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise BenchmarkError(f"{self.path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise BenchmarkError(f"{self.path}: not UTF-8 at byte {error.start}") from None
        readers = {".csv": self._csv, ".tsv": self._tsv, ".jsonl": self._jsonl, ".json": self._json}
        read = readers.get(self.path.suffix.lower())
        if read is None:
            raise BenchmarkError(f"{self.path}: accepted: a table as {', '.join(readers)}")
        return list(read(text))

    def _csv(self, text: str) -> Iterator[TableRow]:
        return self._delimited(text, ",")

    def _tsv(self, text: str) -> Iterator[TableRow]:
        return self._delimited(text, "\t")

    def _delimited(self, text: str, delimiter: str) -> Iterator[TableRow]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            names = [name.strip() for name in next(reader, [])]
            if not names or len({name.casefold() for name in names}) < len(names):
                raise BenchmarkError(f"{self.path}: accepted: a first row of names, each once")
            for values in reader:
                row = TableRow(f"{self.path}, line {reader.line_num}", {})
                if not values:
                    continue
                if len(values) != len(names):
                    self.add(row, f"{len(values)} fields; the first row names {len(names)}")
                    continue
                row.fields.update(_fields(zip(names, values, strict=True)))
                yield row
        except csv.Error as error:
            self.problems.append(f"{self.path}, line {reader.line_num}: {error}")

    def _jsonl(self, text: str) -> Iterator[TableRow]:
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            where = f"{self.path}, line {number}"
            try:
                yield from self._object(_decode(line), where)
            except ValueError as error:
                self.problems.append(f"{where}: not JSON: {error}")

    def _json(self, text: str) -> Iterator[TableRow]:
        try:
            items = _decode(text)
        except ValueError as error:
            raise BenchmarkError(f"{self.path}: not JSON: {error}") from None
        if not isinstance(items, list):
            raise BenchmarkError(f"{self.path}: accepted: a list of objects")
        for number, item in enumerate(items, start=1):
            yield from self._object(item, f"{self.path}, item {number}")

    def _object(self, value: Any, where: str) -> Iterator[TableRow]:
        if isinstance(value, dict):
            yield TableRow(where, _fields(value.items()))
        else:
            self.problems.append(f"{where}: accepted: an object of fields")


def finite_number(value: Any) -> float | None:
    """Return a field as a number, or None where it is none that a double can hold.

    Examples
    --------
    >>> finite_number("1.5"), finite_number(10**400), finite_number("nan"), finite_number(True)
    (1.5, None, None, None)
    """
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def shown(value: Any) -> str:
    """Return a field as messages show it: as Python writes it, a long one cut."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"


def _decode(text: str) -> Any:
    return with_whole_characters(decode(text.encode()))


def _fields(pairs: Any) -> dict[str, Any]:
    return {name.casefold(): value for name, value in pairs if value is not None and value != ""}


def _plain_path(name: str) -> str:
    return name.replace("\\", "/").removeprefix("./")
