"""Measures beside what they are to be held against: flips beside the noise floor, and others."""

from __future__ import annotations

from perturb.report.figures.figure import Figure, figure_of_rows
from perturb.report.svg.axis import percent_axis
from perturb.report.svg.chart import Cell, Column, Key, Point, Row, RowChart
from perturb.report.wording import amount, count, sentence
from perturb.score.inference.estimate import Estimate
from perturb.score.records.measure import Beside, Measure
from perturb.score.records.overview import ModelScore

__all__ = ["beside_figure", "is_shown_beside", "measure_detail"]


def is_shown_beside(measure: Measure) -> bool:
    """Return whether a measure is a share of items with something to hold it against."""
    return measure.unit in ("share", "score") and any(
        each.estimate.value is not None for each in measure.beside
    )


def beside_figure(model: ModelScore, name: str) -> Figure:
    """Return shares with what each is to be held against, the noise floor first."""
    floor = _cell("noise floor", model.noise_floor, ())
    rows = [Row("the same bytes twice", (floor,))]
    shown = [one for one in model.measures if is_shown_beside(one)]
    for title in dict.fromkeys(one.title for one in shown):
        rows.append(Row(title, ()))
        rows += [_row(one) for one in shown if one.title == title]
    column = Column(axis=percent_axis("share of items"), value_title="share (interval), items")
    keys = (Key("point", "probe", "measured"), Key("point", "beside", "to be held against"))
    return figure_of_rows(
        name,
        f"Beside the noise floor: {model.model}",
        "A share says something only beside what noise, the sham or a guesser reaches.",
        RowChart(columns=(column,), rows=tuple(rows), keys=keys),
    )


def measure_detail(one: Measure) -> str:
    """Return where a measure was taken."""
    parts = [one.condition or ""]
    if one.against:
        parts.append(f"against {one.against}")
    parts += [f"{key} {value}" for key, value in one.group.items()]
    return ", ".join(part for part in parts if part)


def _row(one: Measure) -> Row:
    parts = measure_detail(one).split(", ", 1)
    cell = _cell(one.title, one.estimate, one.beside)
    return Row(parts[0] or "all", (cell,), parts[1] if len(parts) > 1 else "")


def _cell(name: str, found: Estimate, beside: tuple[Beside, ...]) -> Cell:
    against = [
        Point(each.estimate.value, each.estimate.low, each.estimate.high, "beside")
        for each in beside
        if each.estimate.value is not None
    ]
    titles = [sentence(name, found), *(sentence(each.label, each.estimate) for each in beside)]
    n = f"n = {count(found.n)}"
    if found.value is None:
        return Cell(note=found.reason or "undefined", title=". ".join(titles), value=n)
    point = Point(found.value, found.low, found.high, "probe")
    return Cell(marks=(*against, point), title=". ".join(titles), value=f"{amount(found)}, {n}")
