"""Probe against sham: both accuracies, and their difference beside the margin."""

from __future__ import annotations

from collections.abc import Mapping

from perturb.report.figures.conditions import condition_keys, kinds_of
from perturb.report.figures.figure import Figure, figure_of_rows
from perturb.report.result import ScoreResult
from perturb.report.svg.axis import percent_axis, points_axis
from perturb.report.svg.chart import Cell, Column, Key, Link, Point, Row, RowChart
from perturb.report.wording import amount, count, points, sentence
from perturb.score.inference.estimate import Estimate
from perturb.score.records.comparison import Comparison
from perturb.score.records.overview import ModelScore

__all__ = ["comparison_detail", "difference_cell", "probe_sham_figure", "verdict_keys"]

_VERDICTS = {"differs": "differs", "equivalent": "equivalent", "undecided": "undecided"}
_ROLES = {"primary": "Primary", "exploratory": "Exploratory"}


def probe_sham_figure(result: ScoreResult, model: ModelScore, name: str) -> Figure:
    """Return each comparison of a model: two accuracies and their difference."""
    kinds = kinds_of(result)
    accuracies = {one.condition: one.accuracy for one in model.conditions}
    margin = result.settings.margin
    rows: list[Row] = []
    for role, heading in _ROLES.items():
        held = [one for one in model.comparisons if one.role == role]
        rows += [Row(heading, ())] if held else []
        rows += [_row(one, accuracies, kinds) for one in held]
    differences = [one.contrast.difference for one in model.comparisons]
    ends = [end for each in differences for end in (each.value, each.low, each.high)]
    columns = (
        Column(axis=percent_axis(), title="accuracy of both"),
        Column(
            axis=points_axis(ends, margin, "points, first − second"),
            title="difference",
            band=(-margin, margin),
            value_title="points (interval), verdict",
        ),
    )
    seen = [kinds[each] for one in model.comparisons for each in (one.first, one.second)]
    keys = (*condition_keys(seen), *verdict_keys(margin))
    return figure_of_rows(
        name,
        f"Probe against sham: {model.model}",
        "Left: the accuracy of either condition, over the items that count in it. Right: their "
        "difference, over the items that count in both, with its "
        f"{100.0 * result.settings.confidence:g} % interval. A probe without a sham stands against "
        "the unedited audio. Holm's method adjusts the primary p-values over all of them and all "
        "models, and leaves the exploratory ones alone.",
        RowChart(columns=columns, rows=tuple(rows), keys=keys),
    )


def comparison_detail(one: Comparison) -> str:
    """Return what a condition is compared with, and on how many items."""
    against = "its sham" if one.against == "sham" else one.second
    return f"against {against}, n = {count(one.contrast.difference.n)}"


def verdict_keys(margin: float) -> tuple[Key, ...]:
    """Return the legend of verdicts and of the margin."""
    keys = tuple(Key("point", kind, text) for kind, text in _VERDICTS.items())
    return (*keys, Key("band", "band", f"does not matter: ± {points(margin).lstrip('+')} points"))


def _row(one: Comparison, accuracies: Mapping[str, Estimate], kinds: Mapping[str, str]) -> Row:
    difference = difference_cell(
        f"{one.first} − {one.second}", one.contrast.difference, one.verdict.verdict
    )
    cells = (_arms_cell(one, accuracies, kinds), difference)
    return Row(label=one.first, detail=comparison_detail(one), cells=cells)


def _arms_cell(
    one: Comparison, accuracies: Mapping[str, Estimate], kinds: Mapping[str, str]
) -> Cell:
    found = [(name, accuracies.get(name)) for name in (one.second, one.first)]
    titles = [sentence(name, each) for name, each in found if each is not None]
    values = [(name, each.value) for name, each in found if each is not None]
    known = [(name, value) for name, value in values if value is not None]
    link = [Link(known[0][1], known[1][1])] if len(known) == 2 else []
    dots = [Point(value, value, value, kinds[name]) for name, value in known]
    return Cell(marks=(*link, *dots), title=". ".join(titles), note="" if known else "no accuracy")


def difference_cell(name: str, found: Estimate, verdict: str) -> Cell:
    """Return a difference: its dot and interval in the colour of its verdict."""
    title = f"{sentence(name, found, 'difference')}: {verdict}"
    if found.value is None:
        return Cell(note=found.reason or "undefined", title=title, value=verdict)
    point = Point(found.value, found.low, found.high, verdict)
    value = f"{amount(found, 'difference')}, {verdict}"
    return Cell(marks=(point,), value=value, title=title)
