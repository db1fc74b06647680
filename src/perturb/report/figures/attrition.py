"""Attrition: what became of the edits of a split, and of a model's answers."""

from __future__ import annotations

from collections.abc import Mapping

from perturb.report.figures.conditions import ordered
from perturb.report.figures.figure import Figure, figure_of_rows
from perturb.report.figures.paired import share_bar
from perturb.report.result import ScoreResult
from perturb.report.svg.axis import percent_axis
from perturb.report.svg.chart import Column, Key, Row, RowChart
from perturb.score.records.overview import ModelScore

__all__ = ["answers_figure", "edits_figure"]

_STATUSES = {
    "ok": "as asked",
    "off_target": "off target: a proof missed",
    "inapplicable": "the edit could not act",
    "failed": "failed",
}
_STATES = {
    "answered": "answered",
    "unparsed": "unparsed",
    "refused": "refused",
    "empty": "empty",
    "missing": "missing",
    "ungraded": "ungraded",
    "invalid": "does not count: not rendered, or not heard",
}


def edits_figure(result: ScoreResult, name: str) -> Figure:
    """Return the rows of a split by condition and status."""
    counts = {one.condition: one.statuses for one in result.conditions}
    return figure_of_rows(
        name,
        "What became of the edits",
        "Every item is a row in every condition, whatever happened to it. Items off target are "
        "left out of accuracies and put back in the sensitivity column of the comparisons.",
        _chart(result, counts, _STATUSES, "share of the rows", "rows"),
    )


def answers_figure(result: ScoreResult, model: ModelScore, name: str) -> Figure:
    """Return the answers of a model by condition and state."""
    counts = {one.condition: one.states for one in model.conditions}
    return figure_of_rows(
        name,
        f"What became of the answers: {model.model}",
        "Unparsed, refused and empty answers count as wrong; missing, ungraded and invalid ones do "
        "not count. All runs of a condition together.",
        _chart(result, counts, _STATES, "share of the rows", "rows"),
    )


def _chart(
    result: ScoreResult,
    counts: Mapping[str, Mapping[str, int]],
    names: dict[str, str],
    axis_title: str,
    value_title: str,
) -> RowChart:
    rows = tuple(
        Row(
            label=name,
            cells=(share_bar({kind: counts[name].get(kind, 0) for kind in names}, names),),
            is_under=is_sham,
        )
        for name, is_sham in ordered(result)
        if name in counts
    )
    seen = {kind for each in counts.values() for kind, held in each.items() if held}
    keys = tuple(Key("segment", kind, text) for kind, text in names.items() if kind in seen)
    column = Column(axis=percent_axis(axis_title), value_title=value_title)
    return RowChart(columns=(column,), rows=rows, keys=keys)
