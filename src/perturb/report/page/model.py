"""The section of one model: what it shows, and every figure it rests on."""

from __future__ import annotations

from perturb.report.figures.accuracy import accuracy_figure
from perturb.report.figures.attrition import answers_figure
from perturb.report.figures.beside import beside_figure, is_shown_beside
from perturb.report.figures.dose import dose_figure
from perturb.report.figures.figure import Figure
from perturb.report.figures.groups import groups_figure
from perturb.report.figures.paired import paired_figure
from perturb.report.figures.probe_sham import probe_sham_figure
from perturb.report.page.blocks import claim_list, figure_block, section
from perturb.report.page.numbers import (
    accuracy_table,
    comparison_table,
    dose_table,
    groups_table,
    measures_table,
    paired_table,
)
from perturb.report.page.tables import Table, draw_table
from perturb.report.result import ScoreResult
from perturb.report.svg.markup import element
from perturb.score.records.overview import ModelScore

__all__ = ["model_figures", "model_section"]

Illustrated = list[tuple[Figure, Table | None]]


def model_figures(result: ScoreResult, model: ModelScore, anchor: str) -> Illustrated:
    """Return the figures of a model that there is something to draw for, with their numbers."""
    found: Illustrated = [
        (accuracy_figure(result, model, f"{anchor}-accuracy"), accuracy_table(model))
    ]
    if model.comparisons:
        figure = probe_sham_figure(result, model, f"{anchor}-probe-sham")
        found.append((figure, comparison_table(model.comparisons)))
    if model.paired:
        found.append((paired_figure(model, f"{anchor}-paired"), paired_table(model.paired)))
    beside = [one for one in model.measures if is_shown_beside(one)]
    found.append((beside_figure(model, f"{anchor}-noise"), measures_table(beside)))
    for by in ("task", "language"):
        groups = [one for one in model.groups if one.by == by]
        if groups:
            figure = groups_figure(result, model, by, f"{anchor}-{by}")
            found.append((figure, groups_table(groups)))
    for at, curve in enumerate(model.dose, start=1):
        found.append((dose_figure(curve, model.model, f"{anchor}-dose-{at}"), dose_table(curve)))
    found.append((answers_figure(result, model, f"{anchor}-answers"), None))
    return found


def model_section(model: ModelScore, figures: Illustrated, anchor: str) -> str:
    """Return the section of a model."""
    measures = ""
    if model.measures:
        summary = element("summary", "All measures")
        table = draw_table(measures_table(model.measures), f"All measures: {model.model}")
        measures = element("details", summary, table, class_="all")
    return section(
        anchor,
        model.model,
        claim_list(model.claims),
        *(figure_block(figure, table) for figure, table in figures),
        measures,
    )
