"""Accuracy by condition: of one model with its numbers, of several models side by side."""

from __future__ import annotations

from perturb.report.figures.conditions import (
    baseline_keys,
    baseline_lines,
    condition_keys,
    kinds_of,
    ordered,
)
from perturb.report.figures.figure import Figure, figure_of_rows
from perturb.report.result import ScoreResult
from perturb.report.svg.axis import percent_axis
from perturb.report.svg.chart import Cell, Column, Point, Row, RowChart
from perturb.report.wording import amount, count, sentence
from perturb.score.inference.estimate import Estimate
from perturb.score.records.overview import ModelScore

__all__ = ["accuracy_cell", "accuracy_figure", "models_figure"]

_CAPTION = (
    "Share of right answers with its {confidence:g} % interval, clips resampled as a whole. Dashed "
    "lines need no audio: a guesser, the commonest answer of each task, always the first option."
)


def accuracy_figure(result: ScoreResult, model: ModelScore, name: str) -> Figure:
    """Return accuracy by condition of one model."""
    return figure_of_rows(
        name,
        f"Accuracy by condition: {model.model}",
        _CAPTION.format(confidence=100.0 * result.settings.confidence),
        _chart(result, [model], has_values=True),
    )


def models_figure(result: ScoreResult, name: str) -> Figure:
    """Return accuracy by condition, a column for each model."""
    return figure_of_rows(
        name,
        "Models side by side",
        _CAPTION.format(confidence=100.0 * result.settings.confidence)
        + " Numbers stand with each model below.",
        _chart(result, result.models, has_values=False),
    )


def _chart(
    result: ScoreResult, models: tuple[ModelScore, ...] | list[ModelScore], *, has_values: bool
) -> RowChart:
    kinds = kinds_of(result)
    found = [{one.condition: one.accuracy for one in model.conditions} for model in models]
    rows = tuple(
        Row(
            label=name,
            cells=tuple(
                accuracy_cell(name, scores.get(name), kinds[name], has_value=has_values)
                for scores in found
            ),
            is_under=is_sham,
        )
        for name, is_sham in ordered(result)
        if any(name in scores for scores in found)
    )
    lines = baseline_lines(result.baselines)
    columns = tuple(
        Column(
            axis=percent_axis(),
            title="" if has_values else model.model,
            lines=lines,
            value_title="accuracy (interval), items" if has_values else "",
        )
        for model in models
    )
    keys = condition_keys(kinds[row.label] for row in rows)
    return RowChart(columns=columns, rows=rows, keys=(*keys, *baseline_keys([result.baselines])))


def accuracy_cell(name: str, found: Estimate | None, kind: str, *, has_value: bool = False) -> Cell:
    """Return one accuracy: its dot, or the reason why there is none."""
    if found is None:
        return Cell(note="not run", title=f"{name}: not run")
    title = sentence(name, found)
    if found.value is None:
        value = f"n = {count(found.n)}" if has_value else ""
        return Cell(note=found.reason or "undefined", title=title, value=value)
    point = Point(found.value, found.low, found.high, kind)
    value = f"{amount(found)}, n = {count(found.n)}" if has_value else ""
    return Cell(marks=(point,), value=value, title=title)
