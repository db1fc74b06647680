"""Read values back out of a drawing, by its own ticks, as an eye does."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

from perturb.report.svg.drawing import Drawing, inline


@dataclass(frozen=True)
class Seen:
    """A mark: its class and the values where it stands, begins and ends."""

    kind: str
    value: float | None
    low: float | None
    high: float | None


class Scale:
    """A line through two ticks: from a place on paper to a value."""

    def __init__(self, ticks: list[tuple[float, float]]):
        (self._x, self._value), (other_x, other_value) = ticks[0], ticks[-1]
        self._slope = (other_value - self._value) / (other_x - self._x)

    def __call__(self, x: float) -> float:
        return self._value + (x - self._x) * self._slope


def parse(drawing: Drawing) -> ElementTree.Element:
    """Return a drawing as a tree; it has to be well-formed."""
    return ElementTree.fromstring(inline(drawing, "drawing", "title", "description"))


def tick_value(label: str) -> float:
    """Return the value that a tick's label states, shares and points as shares."""
    return float(label.removesuffix(" %").replace("−", "-")) / 100.0


def scales(tree: ElementTree.Element) -> list[Scale]:
    """Return the scale of each column, by the ticks below it."""
    return [
        Scale([(float(text.get("x")), tick_value(text.text)) for text in group])
        for group in tree.iter("g")
        if group.get("class") == "ticks"
    ]


def rows_of(tree: ElementTree.Element) -> list[tuple[str, list[list[Seen]]]]:
    """Return the name of each row and the marks in each of its columns."""
    columns = scales(tree)
    found = []
    for row in tree.iter("g"):
        if row.get("class") == "row":
            cells = [cell for cell in row if cell.get("class") == "cell"]
            marks = [_marks(cell, columns[int(cell.get("data-column"))]) for cell in cells]
            found.append((row.find("title").text, marks))
    return found


def _marks(cell: ElementTree.Element, scale: Scale) -> list[Seen]:
    found = []
    for mark in cell:
        kind = mark.get("class", "")
        if kind.startswith("point"):
            found.append(_point(mark, kind, scale))
        elif kind.startswith("segment"):
            left, width = float(mark.get("x")), float(mark.get("width"))
            found.append(Seen(kind, None, scale(left), scale(left + width)))
    return found


def _point(mark: ElementTree.Element, kind: str, scale: Scale) -> Seen:
    dot = next(part for part in mark if part.get("class") == "dot")
    interval = next((part for part in mark if part.get("class") == "interval"), None)
    ends = [None, None] if interval is None else [float(interval.get(key)) for key in ("x1", "x2")]
    low, high = (None if end is None else scale(end) for end in ends)
    return Seen(kind, scale(_centre(dot)), low, high)


def _centre(dot: ElementTree.Element) -> float:
    if dot.tag == "circle":
        return float(dot.get("cx"))
    if dot.tag == "rect":
        return float(dot.get("x")) + float(dot.get("width")) / 2.0
    if dot.tag == "line":
        return float(dot.get("x1"))
    xs = [float(point.split(",")[0]) for point in dot.get("points").split()]
    return (min(xs) + max(xs)) / 2.0


def texts(tree: ElementTree.Element, kind: str) -> list[str]:
    """Return all texts of a class."""
    return [text.text for text in tree.iter("text") if kind in text.get("class", "").split()]
