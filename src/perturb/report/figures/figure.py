"""`Figure`: a drawing for wide and for narrow paper, with what it says in words."""

from __future__ import annotations

from dataclasses import dataclass

from perturb.report.svg.chart import RowChart
from perturb.report.svg.drawing import Drawing
from perturb.report.svg.layout import NARROW, WIDE
from perturb.report.svg.rows import draw_rows

__all__ = ["Figure", "figure_of_rows"]


@dataclass(frozen=True)
class Figure:
    """One figure.

    Parameters
    ----------
    name : str
        Unique in a report, ``[a-z0-9-]+``; the name of its file.
    title : str
        What it is.
    caption : str
        How to read it.
    wide, narrow : Drawing
        The same on two kinds of paper.
    """

    name: str
    title: str
    caption: str
    wide: Drawing
    narrow: Drawing


def figure_of_rows(name: str, title: str, caption: str, chart: RowChart) -> Figure:
    """Return the figure of a chart of rows."""
    return Figure(
        name=name,
        title=title,
        caption=caption,
        wide=draw_rows(chart, WIDE),
        narrow=draw_rows(chart, NARROW),
    )
