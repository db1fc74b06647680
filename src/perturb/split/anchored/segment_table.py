"""Segments that are given beside a benchmark: lines with times, words, speakers, relations.

One row for each segment, named by its clip (or item): `start_s`, `stop_s`, and as far as known
`text`, `speaker`, `weight`. Relations take a name in `segment` and either the columns `relation_to`
and `relation`, or a list `relations` of objects ``{"to": …, "kind": …, "text": …}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from perturb.anchors.segment import Relation, Segment
from perturb.benchmark.item import Benchmark
from perturb.errors import ParameterError
from perturb.split.questions.side_table import SideTable, TableRow, finite_number, shown

__all__ = ["GivenSegments", "load_segments"]

_TEXTS = ("text", "transcript", "words")
_STARTS = ("start_s", "start")
_STOPS = ("stop_s", "stop", "end_s", "end")
_WEIGHTS = "a number, 0 or 1e-06 to 1e+06"


class GivenSegments(msgspec.Struct, frozen=True, kw_only=True):
    """Segments by clip.

    Parameters
    ----------
    by_clip : dict of str to tuple of Segment
        In order of time; they may still overlap, or run past the end.
    notes : tuple of str
        Names that are not in the benchmark, and how many items have none here.
    """

    by_clip: dict[str, tuple[Segment, ...]]
    notes: tuple[str, ...] = ()


class _Line(msgspec.Struct, frozen=True):
    row: TableRow
    start_s: float
    stop_s: float


def load_segments(path: Path, benchmark: Benchmark) -> GivenSegments:
    """Read segments from CSV, TSV, JSONL or JSON.

    Parameters
    ----------
    path : Path
        The table.
    benchmark : Benchmark
        Whose clips or items it names.

    Raises
    ------
    BenchmarkError
        Every row that cannot be used, with file and row; or no row is about this benchmark.
    """
    table = SideTable(path, benchmark)
    clips = {item.pair_id: audio.clip for item in benchmark.items if (audio := item.audio())}
    lines: dict[str, list[_Line]] = {}
    for row in table.rows:
        named = {clips[pair] for pair in table.pairs_of(row) if pair in clips}
        line = _line(table, row)
        if line is not None:
            for clip in sorted(named):
                lines.setdefault(clip, []).append(line)
    found = {clip: tuple(_segments(table, rows)) for clip, rows in lines.items()}
    by_pair = {pair: found[clip] for pair, clip in clips.items() if clip in found}
    return GivenSegments(by_clip=found, notes=table.finish(by_pair))


def _line(table: SideTable, row: TableRow) -> _Line | None:
    values = [row.first(_STARTS), row.first(_STOPS)]
    times = [finite_number(value) for value in values]
    if times[0] is None or times[1] is None or not 0.0 <= times[0] < times[1]:
        table.add(
            row,
            f"times are {shown(values[0])} and {shown(values[1])}; accepted: start_s before "
            "stop_s, in s",
        )
        return None
    return _Line(row, times[0], times[1])


def _segments(table: SideTable, lines: list[_Line]) -> Iterator[Segment]:
    """Yield the segments of a clip in order of time, their relations by index."""
    ordered = sorted(lines, key=lambda line: (line.start_s, line.stop_s))
    names = _names(table, lines, ordered)
    for index, line in enumerate(ordered):
        fields = line.row.fields
        weight = finite_number(fields.get("weight", 1.0))
        if weight is None:
            table.add(line.row, f"weight is {shown(fields['weight'])}; accepted: {_WEIGHTS}")
            continue
        try:
            yield Segment(
                start_s=line.start_s,
                stop_s=line.stop_s,
                text=_text(line.row.first(_TEXTS)),
                speaker=_text(fields.get("speaker")),
                weight=weight,
                relations=tuple(_relations(fields, names, index)),
            )
        except ParameterError as error:
            table.add(line.row, str(error))


def _names(table: SideTable, lines: list[_Line], ordered: list[_Line]) -> dict[str, int]:
    """Return the index of each segment of a clip by its name; without one, by its place."""
    unnamed = {str(i): i for i, line in enumerate(ordered) if "segment" not in line.row.fields}
    named: dict[str, _Line] = {}
    for line in lines:
        if "segment" not in line.row.fields:
            continue
        name = str(line.row.fields["segment"])
        # Items that share a clip may each name its segments: then times and name are the same, and
        # the first is kept (`perturb.anchors.segmenting`).
        first = named.setdefault(name, line)
        if (first.start_s, first.stop_s) != (line.start_s, line.stop_s):
            table.add(
                line.row,
                f"segment is {shown(name)}, as in {first.row.where.rpartition(', ')[2]}; "
                "accepted: each name for one segment of a clip",
            )
    places = {id(line): index for index, line in enumerate(ordered)}
    return unnamed | {name: places[id(line)] for name, line in named.items()}


def _relations(fields: Mapping[str, Any], names: Mapping[str, int], own: int) -> Iterator[Relation]:
    given = fields.get("relations") or []
    if isinstance(given, str):
        try:
            given = msgspec.json.decode(given)
        except msgspec.DecodeError:
            given = [given]
    if not isinstance(given, list):
        given = [given]
    if "relation_to" in fields:
        given = [*given, {"to": fields["relation_to"], "text": fields.get("relation", "")}]
    for entry in given:
        if not isinstance(entry, dict) or str(entry.get("to")) not in names:
            raise ParameterError(
                f"relation {shown(entry)}; accepted: {{'to': a segment of this clip, 'kind': a "
                "word, 'text': a sentence}"
            )
        to = names[str(entry["to"])]
        if to == own:
            raise ParameterError(f"relation {shown(entry)} leads to the segment itself")
        kind, text = entry.get("kind") or "relates to", entry.get("text") or ""
        yield Relation(to=to, kind=str(kind), text=str(text))


def _text(value: Any) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None
