"""Variants as rows of a typed table: the same columns of the same types in every condition.

Loaders of data sets tell types from the first rows and refuse conditions that differ. Types are
therefore decided over all rows of all conditions, before the first is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from perturb.benchmark.item import MAIN_ROLE
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.variant import PERTURB_COLUMNS, VariantRow

__all__ = ["Column", "VariantTable", "audio_column", "audio_roles", "plan_table"]

ColumnKind = Literal["text", "integer", "number", "boolean", "texts", "json"]

_OWN_COLUMNS: dict[str, ColumnKind] = {
    "id": "text",
    "question": "text",
    "choices": "texts",
    "answer": "text",
    "answer_index": "integer",
    "task": "text",
    "language": "text",
}
_INTEGER_LIMIT = 1 << 63
_EXACT_LIMIT = 1 << 53


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the table.

    Parameters
    ----------
    name : str
        As it is written.
    source : str
        Field of the source that it comes from; empty for columns of ours.
    kind : {'text', 'integer', 'number', 'boolean', 'texts', 'json'}
        'texts' is a list of texts; 'json' is text with a value in JSON, for fields that hold more
        than one type.
    has_gaps : bool
        Whether some row of some condition has no value, or an empty list.
    """

    name: str
    source: str = ""
    kind: ColumnKind
    has_gaps: bool

    def value(self, value: Any) -> Any:
        """Return a value as the column holds it."""
        if value is None:
            return None
        if self.kind == "json":
            return msgspec.json.encode(value).decode()
        return float(value) if self.kind == "number" else value


class VariantTable:
    """The columns of a split's rows, audio aside.

    Parameters
    ----------
    source : SplitSource
        The benchmark and its reader.
    columns : sequence of Column
        In order.
    roles : sequence of str
        Every role that an audio has, `main` first.
    """

    def __init__(
        self, source: SplitSource, columns: Sequence[Column], roles: Sequence[str]
    ) -> None:
        self._source = source
        self.columns = tuple(columns)
        self.roles = tuple(roles)

    def row(self, variant: VariantRow) -> dict[str, Any]:
        """Return the values of one row by column."""
        own = _own_values(variant)
        fields = _source_fields(self._source, variant)
        return {
            column.name: column.value(
                fields.get(column.source) if column.source else own[column.name]
            )
            for column in self.columns
        }


def audio_roles(source: SplitSource) -> list[str]:
    """Return every role that an audio of the benchmark has, `main` first."""
    roles = {audio.role: None for item in source.benchmark.items for audio in item.audios}
    return list({MAIN_ROLE: None, **roles})


def audio_column(role: str) -> str:
    """Return the column of a role's audio: ``audio``, ``audio_reference``, …."""
    return "audio" if role == MAIN_ROLE else f"audio_{role}"


def plan_table(
    source: SplitSource,
    rows: Mapping[str, Sequence[VariantRow]],
    reserved: Iterable[str],
    safe_name: Callable[[str], str] = str,
) -> VariantTable:
    """Decide on the columns of a split.

    A field of the source that has the name of a column of ours is left out where it says the same
    in every row, and is written as ``source_NAME`` where it does not.

    Parameters
    ----------
    source : SplitSource
        The benchmark and its reader.
    rows : mapping of str to sequence of VariantRow
        By condition.
    reserved : iterable of str
        Names that the writer keeps for audio.
    safe_name : callable
        Gives a field of the source a name that the writer's form can hold.
    """
    ours = {name: _Seen() for name in (*_OWN_COLUMNS, *PERTURB_COLUMNS)}
    theirs: dict[str, _Seen] = {}
    differing = set(reserved)
    for count, variant in enumerate(variant for part in rows.values() for variant in part):
        own = _own_values(variant)
        for name, seen in ours.items():
            seen.add(own[name])
        fields = _source_fields(source, variant)
        for name, value in fields.items():
            theirs.setdefault(name, _Seen(has_gaps=count > 0)).add(value)
            if name in own and own[name] != value:
                differing.add(name)
        for name in theirs.keys() - fields.keys():
            theirs[name].add(None)
    columns = [
        Column(name=name, kind=_OWN_COLUMNS.get(name, "text"), has_gaps=seen.has_gaps)
        for name, seen in ours.items()
    ]
    taken = {*ours, *reserved, *theirs}
    places = len(_OWN_COLUMNS)
    for name, seen in theirs.items():
        if name in ours and name not in differing:
            continue
        written = safe_name(name)
        if written != name or name in ours or name in differing:
            while written in taken:
                written = f"source_{written}"
            taken.add(written)
        column = Column(name=written, source=name, kind=seen.kind, has_gaps=seen.has_gaps)
        columns.insert(places, column)
        places += 1
    return VariantTable(source, columns, audio_roles(source))


class _Seen:
    """What values of one field were seen."""

    def __init__(self, has_gaps: bool = False) -> None:
        self.has_gaps = has_gaps
        self._kinds: set[ColumnKind] = set()
        self._is_exact = True

    def add(self, value: Any) -> None:
        if value is None or value == [] or value != value:
            self.has_gaps = True
        if value is None:
            return
        self._kinds.add(_kind_of(value))
        if isinstance(value, int) and abs(value) > _EXACT_LIMIT:
            self._is_exact = False

    @property
    def kind(self) -> ColumnKind:
        if not self._kinds:
            return "text"
        if len(self._kinds) == 1:
            return next(iter(self._kinds))
        is_number = self._kinds == {"integer", "number"} and self._is_exact
        return "number" if is_number else "json"


def _kind_of(value: Any) -> ColumnKind:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -_INTEGER_LIMIT <= value < _INTEGER_LIMIT else "json"
    if isinstance(value, float):
        return "number"
    if isinstance(value, list) and all(isinstance(element, str) for element in value):
        return "texts"
    return "json"


def _own_values(variant: VariantRow) -> dict[str, Any]:
    item, question = variant.item, variant.question
    return {
        "id": item.item_id,
        "question": question.question,
        "choices": list(question.choices),
        "answer": question.answer,
        "answer_index": question.answer_index,
        "task": item.task,
        "language": item.language,
        **{name: variant.columns.get(name) for name in PERTURB_COLUMNS},
    }


def _source_fields(source: SplitSource, variant: VariantRow) -> Mapping[str, Any]:
    """Return the source's own row as the variant has it; audio fields name the source's audio."""
    row = source.benchmark.rows.row(variant.item.row)
    has_audio = variant.audios is not None
    audios = {audio.role: audio.source if has_audio else None for audio in variant.item.audios}
    return {**row, **source.reader.express(source.benchmark, variant, audios)}
