"""Marks: dots with their intervals, links, and parts of bars. Colours are those of their class."""

from __future__ import annotations

from perturb.report.svg.axis import SMALL_PX, Axis
from perturb.report.svg.chart import Link, Mark, Point, Segment
from perturb.report.svg.markup import element, escape
from perturb.report.svg.text import width_of

__all__ = ["draw_mark", "draw_symbol"]

_RADIUS = 4.5
_BAR_HEIGHT = 16.0
_SHAPES = {"sham": "diamond", "unedited": "square", "beside": "upright"}


def draw_mark(mark: Mark, axis: Axis, start: float, stop: float, y: float) -> str:
    """Return a mark on a horizontal line from `start` to `stop`."""
    if isinstance(mark, Point):
        return _point(mark, axis, start, stop, y)
    left, right = (axis.place(end, start, stop) for end in (mark.start, mark.stop))
    if isinstance(mark, Link):
        return element("line", x1=left, x2=right, y1=y, y2=y, class_="link")
    return _segment(mark, left, right, y)


def _point(mark: Point, axis: Axis, start: float, stop: float, y: float) -> str:
    parts = []
    if mark.low is not None and mark.high is not None:
        low, high = (axis.place(end, start, stop) for end in (mark.low, mark.high))
        parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_="interval"))
    kind = f"point {mark.kind}" + ("" if parts else " bare")
    parts.append(draw_symbol(mark.kind, axis.place(mark.value, start, stop), y))
    return element("g", *parts, class_=kind)


def draw_symbol(kind: str, x: float, y: float) -> str:
    """Return the symbol of a kind of point: a circle, a square, a diamond or an upright."""
    shape = _SHAPES.get(kind, "circle")
    if shape == "circle":
        return element("circle", cx=x, cy=y, r=_RADIUS, class_="dot")
    if shape == "upright":
        return element("line", x1=x, x2=x, y1=y - 8.0, y2=y + 8.0, class_="dot")
    half = _RADIUS * (0.9 if shape == "square" else 1.3)
    if shape == "square":
        return element(
            "rect", x=x - half, y=y - half, width=2.0 * half, height=2.0 * half, class_="dot"
        )
    corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
    points = " ".join(f"{left:.2f},{top:.2f}" for left, top in corners)
    return element("polygon", points=points, class_="dot")


def _segment(mark: Segment, left: float, right: float, y: float) -> str:
    if right <= left:
        return ""
    bar = element(
        "rect",
        x=left,
        y=y - _BAR_HEIGHT / 2.0,
        width=right - left,
        height=_BAR_HEIGHT,
        class_=f"segment {mark.kind}",
    )
    if width_of(mark.text, SMALL_PX) + 6.0 > right - left:
        return bar
    middle = (left + right) / 2.0
    text = escape(mark.text)
    kind = f"inside on-{mark.kind}"
    return bar + element("text", text, x=middle, y=y + 4.0, class_=kind, text_anchor="middle")
