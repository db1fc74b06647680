"""Where the parts of a chart of rows lie: names beside their rows, or above on narrow paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perturb.report.svg.axis import SMALL_PX
from perturb.report.svg.chart import Column, Row
from perturb.report.svg.text import BOLD, width_of

__all__ = ["DETAIL_LINE", "INDENT", "LABEL_PX", "NARROW", "WIDE", "Layout", "Panel", "panels_of"]

LABEL_PX = 13.0

DETAIL_LINE = 14.0
INDENT = 14.0

_GAP = 44.0
_LABEL_GAP = 20.0
_VALUE_GAP = 14.0
_EDGE = 20.0  # room for half of the label of the outermost tick
_HEADING = 30.0
_MIN_PLOT = 60.0
_MIN_LABEL = 130.0


@dataclass(frozen=True)
class Layout:
    """Paper for a chart.

    Parameters
    ----------
    width : float
        Of the paper.
    label_width : float
        The most that names beside the rows may take; 0 puts each above its row.
    row_height : float
        Of one row.
    """

    width: float
    label_width: float
    row_height: float

    def height_of(self, row: Row) -> float:
        """Return the height of a row: more where its name has a second line."""
        if row.is_heading:
            return _HEADING
        return self.row_height + (DETAIL_LINE if row.detail else 0.0)

    def fitted(self, rows: Sequence[Row]) -> Layout:
        """Return this layout with no more room for names than those of these rows take."""
        names = [row for row in rows if not row.is_heading]
        needed = [width_of(row.label, LABEL_PX) + INDENT * row.is_under for row in names]
        needed += [width_of(row.detail, SMALL_PX) + INDENT * row.is_under for row in names]
        return replace(self, label_width=min(self.label_width, max([_MIN_LABEL, *needed])))

    @property
    def is_narrow(self) -> bool:
        """Whether names stand above their rows."""
        return self.label_width == 0.0


WIDE = Layout(width=880.0, label_width=250.0, row_height=26.0)
NARROW = Layout(width=360.0, label_width=0.0, row_height=42.0)


@dataclass(frozen=True)
class Panel:
    """One column on paper: its plot from `start` to `stop`, its values up to `value_stop`."""

    column: Column
    place: int
    start: float
    stop: float
    value_stop: float


def panels_of(columns: Sequence[Column], rows: Sequence[Row], layout: Layout) -> list[list[Panel]]:
    """Return columns in blocks, each as many as stand side by side."""
    values = [_value_width(column, place, rows) for place, column in enumerate(columns)]
    has_values = any(values)
    side_by_side = _side_by_side(len(columns), has_values, layout)
    blocks = []
    for first in range(0, len(columns), side_by_side):
        places = range(first, min(first + side_by_side, len(columns)))
        shown = [0.0 if layout.is_narrow else values[place] for place in places]
        left = layout.label_width + (_EDGE if layout.is_narrow else _LABEL_GAP)
        room = layout.width - left - _EDGE - sum(shown) - _GAP * (side_by_side - 1)
        # A last block that is not full keeps the width of the others.
        width = max(_MIN_PLOT, room / side_by_side)
        block = []
        for place, value_width in zip(places, shown, strict=True):
            stop = left + width
            value_stop = stop + value_width
            block.append(Panel(columns[place], place, left, stop, value_stop))
            left = value_stop + _GAP
        blocks.append(block)
    return blocks


def _side_by_side(count: int, has_values: bool, layout: Layout) -> int:
    if layout.is_narrow:
        return 1 if has_values or count == 1 else 2
    return min(count, 2 if has_values else 4)


def _value_width(column: Column, place: int, rows: Sequence[Row]) -> float:
    widths = [width_of(row.cells[place].value, SMALL_PX) for row in rows if row.cells]
    width = max([*widths, width_of(column.value_title, SMALL_PX * BOLD)])
    return width + _VALUE_GAP if width else 0.0
