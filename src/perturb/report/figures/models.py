"""Several models in one condition: their ranks, and the differences of each pair."""

from __future__ import annotations

from perturb.report.figures.figure import Figure, figure_of_rows
from perturb.report.figures.probe_sham import difference_cell, verdict_keys
from perturb.report.svg.axis import Axis, points_axis
from perturb.report.svg.chart import Cell, Column, Point, Row, RowChart
from perturb.report.wording import count, percent
from perturb.score.records.comparison import ModelsCompared

__all__ = ["pairs_figure", "ranks_figure"]


def ranks_figure(found: ModelsCompared, name: str) -> Figure:
    """Return the rank of each model, with its interval; the best first."""
    ranking = sorted(found.ranks.rankings, key=lambda one: (one.rank, one.model))
    n = len(ranking)
    axis = Axis(
        low=0.5,
        high=n + 0.5,
        ticks=tuple((float(at), str(at)) for at in range(1, n + 1)),
        title="rank",
    )
    rows = tuple(
        Row(
            label=one.model,
            cells=(
                Cell(
                    marks=(Point(one.rank, one.low, one.high, "probe"),),
                    value=f"{percent(one.score)}, first in {percent(one.share_first)}",
                    title=f"{one.model}: rank {one.rank:g}, interval {one.low:g} to {one.high:g}",
                ),
            ),
        )
        for one in ranking
    )
    stable = (
        ""
        if found.ranks.same_order is None
        else f" {percent(found.ranks.same_order)} of the samples put all models in this order."
    )
    return figure_of_rows(
        name,
        f"Order of the models: {found.condition}",
        f"Rank by accuracy over the {found.ranks.n} items that count for all, with the interval "
        f"over resampled clips and the share of samples in which each is the best.{stable} It is "
        "optimistic where models nearly tie: read it with the differences of pairs.",
        RowChart(columns=(Column(axis, value_title="accuracy, share of samples"),), rows=rows),
    )


def pairs_figure(found: ModelsCompared, margin: float, name: str) -> Figure:
    """Return the difference of each pair of models."""
    rows = tuple(
        Row(
            label=one.first,
            detail=f"against {one.second}, n = {count(one.contrast.difference.n)}",
            cells=(
                difference_cell(
                    f"{one.first} − {one.second}", one.contrast.difference, one.verdict.verdict
                ),
            ),
        )
        for one in found.pairs
    )
    differences = [one.contrast.difference for one in found.pairs]
    ends = [end for each in differences for end in (each.value, each.low, each.high)]
    column = Column(
        axis=points_axis(ends, margin, "points, first − second"),
        band=(-margin, margin),
        value_title="points (interval), verdict",
    )
    return figure_of_rows(
        name,
        f"Pairs of models: {found.condition}",
        "Difference in accuracy on the same items; p-values are adjusted over the pairs.",
        RowChart(columns=(column,), rows=rows, keys=verdict_keys(margin)),
    )
