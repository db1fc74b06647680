"""What a chart of rows shows: plain values, without a place on paper."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from perturb.report.svg.axis import Axis

__all__ = ["Cell", "Column", "Key", "Line", "Link", "Mark", "Point", "Row", "RowChart", "Segment"]

KeyShape = Literal["point", "line", "segment", "band"]


@dataclass(frozen=True)
class Point:
    """A value and its interval.

    Parameters
    ----------
    value : float
        Where the dot stands.
    low, high : float or None
        Ends of the interval; without them the dot is hollow.
    kind : str
        Class of its colour and shape.
    """

    value: float
    low: float | None
    high: float | None
    kind: str


@dataclass(frozen=True)
class Link:
    """A line from one value of a row to another."""

    start: float
    stop: float


@dataclass(frozen=True)
class Segment:
    """A part of a bar.

    Parameters
    ----------
    start, stop : float
        Its ends.
    kind : str
        Class of its colour.
    text : str
        Written inside where there is room.
    """

    start: float
    stop: float
    kind: str
    text: str


Mark = Point | Link | Segment


@dataclass(frozen=True)
class Cell:
    """One row in one column.

    Parameters
    ----------
    marks : tuple of Mark
        In the order of drawing.
    value : str
        The same as text, beside the marks.
    title : str
        All of it in a sentence; shown under the pointer.
    note : str
        What stands in the place of marks that cannot be.
    """

    marks: tuple[Mark, ...] = ()
    value: str = ""
    title: str = ""
    note: str = ""


@dataclass(frozen=True)
class Line:
    """A value to hold all rows of a column against."""

    value: float
    kind: str


@dataclass(frozen=True)
class Column:
    """What the cells of a column share.

    Parameters
    ----------
    axis : Axis
        Of all its marks.
    title : str
        Above it.
    lines : tuple of Line
        Drawn through all rows.
    band : (float, float) or None
        A range that is shaded behind all rows.
    value_title : str
        Above the values as text.
    """

    axis: Axis
    title: str = ""
    lines: tuple[Line, ...] = ()
    band: tuple[float, float] | None = None
    value_title: str = ""


@dataclass(frozen=True)
class Row:
    """A row.

    Parameters
    ----------
    label : str
        Its name.
    cells : tuple of Cell
        One for each column; none makes it a heading.
    detail : str
        A second line of the name, smaller.
    is_under : bool
        Whether it belongs to the row above and is set in.
    """

    label: str
    cells: tuple[Cell, ...]
    detail: str = ""
    is_under: bool = False

    @property
    def is_heading(self) -> bool:
        """Whether it heads the rows below it."""
        return not self.cells


@dataclass(frozen=True)
class Key:
    """An entry of the legend: the class of a mark and what it means."""

    shape: KeyShape
    kind: str
    text: str


@dataclass(frozen=True)
class RowChart:
    """Rows, columns and the legend above them; a row without cells heads those below it."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    keys: tuple[Key, ...] = field(default=())
