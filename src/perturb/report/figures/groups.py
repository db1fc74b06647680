"""Accuracy by task or by language: a column for each, the conditions as rows."""

from __future__ import annotations

from perturb.report.figures.accuracy import accuracy_cell
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
from perturb.report.svg.chart import Column, Row, RowChart
from perturb.report.wording import count
from perturb.score.records.condition import GroupKind
from perturb.score.records.overview import ModelScore

__all__ = ["groups_figure"]


def groups_figure(result: ScoreResult, model: ModelScore, by: GroupKind, name: str) -> Figure:
    """Return accuracy in each group of items, by condition."""
    kinds = kinds_of(result)
    found = {(one.group, one.condition): one.accuracy for one in model.groups if one.by == by}
    groups = tuple(dict.fromkeys(group for group, _ in found))
    baselines = {one.group: one for one in result.group_baselines if one.by == by}
    rows = tuple(
        Row(
            label=condition,
            cells=tuple(
                accuracy_cell(
                    f"{condition}, {group}", found.get((group, condition)), kinds[condition]
                )
                for group in groups
            ),
            is_under=is_sham,
        )
        for condition, is_sham in ordered(result)
        if any((group, condition) in found for group in groups)
    )
    columns = tuple(
        Column(
            axis=percent_axis(),
            title=f"{group} ({count(baselines[group].items)})" if group in baselines else group,
            lines=baseline_lines(baselines[group].baselines) if group in baselines else (),
        )
        for group in groups
    )
    keys = condition_keys(kinds[row.label] for row in rows)
    lines = baseline_keys([one.baselines for one in baselines.values()])
    return figure_of_rows(
        name,
        f"Accuracy by {by}: {model.model}",
        "In brackets the items of the split. Groups are exploratory: nothing here is adjusted for "
        "their number.",
        RowChart(columns=columns, rows=rows, keys=(*keys, *lines)),
    )
