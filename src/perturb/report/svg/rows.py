"""Draw a chart of rows: each row a name, marks on shared axes, and the values as text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from perturb.report.svg.axis import SMALL_PX
from perturb.report.svg.chart import Cell, Row, RowChart
from perturb.report.svg.drawing import Drawing, stack
from perturb.report.svg.layout import (
    DETAIL_LINE,
    INDENT,
    LABEL_PX,
    Layout,
    Panel,
    panels_of,
)
from perturb.report.svg.legend import draw_legend
from perturb.report.svg.marks import draw_mark
from perturb.report.svg.markup import element, escape, number
from perturb.report.svg.text import BOLD, shorten, width_of

__all__ = ["draw_rows"]

_HEAD = 20.0
_FOOT = 34.0
_LABEL_LINE = 18.0
_TICKS_ABOVE_FROM = 16


def draw_rows(chart: RowChart, layout: Layout) -> Drawing:
    """Return a chart on paper of a layout.

    Columns that do not fit side by side go below, with the names of the rows again.
    """
    parts = [draw_legend(chart.keys, layout.width)] if chart.keys else []
    layout = layout.fitted(chart.rows)
    blocks = panels_of(chart.columns, chart.rows, layout)
    parts += [_block(chart.rows, panels, layout) for panels in blocks]
    return stack(parts, gap=12.0)


def _block(rows: Sequence[Row], panels: Sequence[Panel], layout: Layout) -> Drawing:
    has_ticks_above = len(rows) >= _TICKS_ABOVE_FROM
    has_head = any(panel.column.title or panel.column.value_title for panel in panels)
    top = (_HEAD if has_head else 4.0) + (SMALL_PX + 6.0 if has_ticks_above else 0.0)
    tops = list(accumulate((layout.height_of(row) for row in rows), initial=top))
    bottom = tops[-1]
    parts = [_rules(tops, layout.width)]
    for panel in panels:
        parts += [_frame(panel, top, bottom), _ticks(panel, bottom + 15.0)]
        if has_ticks_above:
            parts.append(_ticks(panel, top - 6.0))
        if has_head:
            parts.append(_head(panel))
        title = panel.column.axis.title
        parts.append(_text((panel.start + panel.stop) / 2.0, bottom + 30.0, title, "axis"))
    for row, start, stop in zip(rows, tops, tops[1:], strict=False):
        draw = _heading if row.is_heading else _row
        parts.append(draw(row, panels, start, stop - start, layout))
    has_title = any(panel.column.axis.title for panel in panels)
    foot = _FOOT if has_title else _FOOT - 14.0
    return Drawing(width=layout.width, height=bottom + foot, body="".join(parts))


def _rules(places: Sequence[float], width: float) -> str:
    return "".join(element("line", x1=0, x2=width, y1=y, y2=y, class_="rule") for y in places)


def _frame(panel: Panel, top: float, bottom: float) -> str:
    column = panel.column
    parts = []
    if column.band is not None:
        left, right = (column.axis.place(end, panel.start, panel.stop) for end in column.band)
        parts.append(
            element("rect", x=left, y=top, width=right - left, height=bottom - top, class_="band")
        )
    for value, _ in column.axis.ticks:
        is_zero = value == 0.0 and column.axis.low < 0.0
        parts.append(_upright(panel, value, top, bottom, "zero" if is_zero else "grid"))
    for line in column.lines:
        kind = f"reference {line.kind}"
        parts.append(_upright(panel, line.value, top, bottom, kind))
    return "".join(parts)


def _upright(panel: Panel, value: float, top: float, bottom: float, kind: str) -> str:
    x = panel.column.axis.place(value, panel.start, panel.stop)
    return element("line", x1=x, x2=x, y1=top, y2=bottom, class_=kind)


def _ticks(panel: Panel, y: float) -> str:
    """Return the labels of ticks, as many as have room."""
    axis = panel.column.axis
    widest = max(width_of(label, SMALL_PX) for _, label in axis.ticks) + 8.0
    room = (panel.stop - panel.start) / max(1, len(axis.ticks) - 1)
    every = next((each for each in (1, 2, 4) if room * each >= widest), len(axis.ticks) - 1)
    middle = (len(axis.ticks) - 1) // 2 if axis.low < 0.0 else 0
    parts = []
    for at, (value, label) in enumerate(axis.ticks):
        if (at - middle) % every == 0:
            x = axis.place(value, panel.start, panel.stop)
            parts.append(_text(x, y, label, "tick"))
    return element("g", *parts, class_="ticks")


def _head(panel: Panel) -> str:
    title = shorten(panel.column.title, panel.stop - panel.start + 12.0, SMALL_PX * BOLD)
    parts = [_text(panel.start, 13.0, title, "head", "start")] if title else []
    if panel.value_stop > panel.stop:
        parts.append(_text(panel.value_stop, 13.0, panel.column.value_title, "head", "end"))
    return "".join(parts)


def _heading(row: Row, panels: Sequence[Panel], top: float, height: float, layout: Layout) -> str:
    """Return a heading; lines of the axis do not run through it."""
    label = shorten(row.label, layout.width, LABEL_PX * BOLD)
    cover = _cover(top, height, layout.width)
    text = _text(0.0, top + height - 9.0, label, "label heading", "start")
    return element("g", element("title", escape(row.label)), cover, text)


def _cover(top: float, height: float, width: float) -> str:
    return element("rect", x=0, y=top + 0.5, width=width, height=height - 1.0, class_="paper")


def _row(row: Row, panels: Sequence[Panel], top: float, height: float, layout: Layout) -> str:
    """Return a row: name and values beside the marks, or above them on narrow paper."""
    indent = INDENT if row.is_under else 0.0
    values = [(panel.value_stop, row.cells[panel.place].value) for panel in panels]
    lines = _LABEL_LINE + (DETAIL_LINE if row.detail else 0.0)
    if layout.is_narrow:
        baseline = top + 15.0
        middle = top + (lines + height) / 2.0
        values = [(layout.width, values[0][1])] if len(panels) == 1 else []
        taken = max((width_of(text, SMALL_PX) + 12.0 for _, text in values if text), default=0.0)
        room = layout.width - indent - taken
    else:
        middle = top + height / 2.0
        baseline = middle + (4.5 if not row.detail else -1.5)
        room = layout.label_width - indent
    at_value = baseline if layout.is_narrow else middle + 4.0
    detail_room = layout.width if layout.is_narrow else room
    detail = shorten(row.detail, detail_room, SMALL_PX)
    parts = [
        element("title", escape(row.label)),
        # Lines of the axis do not run through names above their row.
        _cover(top, lines, layout.width) if layout.is_narrow else "",
        _text(indent, baseline, shorten(row.label, room, LABEL_PX), "label", "start"),
        _text(indent, baseline + DETAIL_LINE, detail, "detail", "start"),
        *(_text(x, at_value, text, "value", "end") for x, text in values),
        *(_cell(row.cells[panel.place], panel, middle) for panel in panels),
    ]
    return element("g", *parts, class_="row")


def _cell(cell: Cell, panel: Panel, middle: float) -> str:
    parts = [element("title", escape(cell.title))] if cell.title else []
    parts += [
        draw_mark(mark, panel.column.axis, panel.start, panel.stop, middle) for mark in cell.marks
    ]
    if cell.note:
        note = shorten(cell.note, panel.stop - panel.start, SMALL_PX)
        parts.append(_text(panel.start, middle + 4.0, note, "note", "start"))
    return element("g", *parts, class_="cell", data_column=number(panel.place))


def _text(x: float, y: float, text: str, kind: str, anchor: str = "middle") -> str:
    if not text:
        return ""
    return element("text", escape(text), x=x, y=y, class_=kind, text_anchor=anchor)
