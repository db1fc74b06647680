"""Paired 2×2 tables as bars: right in both conditions, in one alone, in neither."""

from __future__ import annotations

from perturb.report.figures.figure import Figure, figure_of_rows
from perturb.report.svg.axis import percent_axis
from perturb.report.svg.chart import Cell, Column, Key, Row, RowChart, Segment
from perturb.report.wording import count
from perturb.score.records.comparison import PairedTable
from perturb.score.records.overview import ModelScore

__all__ = ["paired_figure", "share_bar"]

_PARTS = {
    "both": "right in both",
    "only_first": "only in the first",
    "only_second": "only in the second",
    "neither": "in neither",
}


def paired_figure(model: ModelScore, name: str) -> Figure:
    """Return the 2×2 tables of a model, a bar each."""
    rows: list[Row] = []
    for second in dict.fromkeys(one.second for one in model.paired):
        rows.append(Row(f"against {second}", ()))
        rows += [Row(one.first, (_cell(one),)) for one in model.paired if one.second == second]
    keys = tuple(Key("segment", kind, text) for kind, text in _PARTS.items())
    column = Column(axis=percent_axis("share of the items that count in both"), value_title="items")
    return figure_of_rows(
        name,
        f"The same items in two conditions: {model.model}",
        "Whoever hears no difference changes few answers. Right in one condition alone is where "
        "the two disagree; equal parts of either are what noise looks like.",
        RowChart(columns=(column,), rows=tuple(rows), keys=keys),
    )


def _cell(one: PairedTable) -> Cell:
    return share_bar({kind: getattr(one, kind) for kind in _PARTS}, _PARTS)


def share_bar(counts: dict[str, int], names: dict[str, str]) -> Cell:
    """Return counts as the parts of one bar, each labelled with its count."""
    total = sum(counts.values())
    if total == 0:
        return Cell(note="no items", value="0", title="no items")
    parts, start = [], 0
    for kind, held in counts.items():
        parts.append(Segment(start / total, (start + held) / total, kind, count(held)))
        start += held
    title = ", ".join(f"{names[kind]} {count(held)}" for kind, held in counts.items() if held)
    return Cell(marks=tuple(parts), value=count(total), title=f"{title} of {count(total)}")
