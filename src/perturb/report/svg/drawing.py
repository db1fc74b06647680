"""A drawing: its size and its marks; put into a page, or a file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from perturb.report.svg.markup import element, escape, number

__all__ = ["Drawing", "inline", "stack", "standalone", "stylesheet"]

_NAMESPACE = "http://www.w3.org/2000/svg"
_MARGIN = 16.0
_MARGIN = 16.0


@dataclass(frozen=True)
class Drawing:
    """Marks on a rectangle.

    Parameters
    ----------
    width, height : float
        In pixels, at the size for which its text is set.
    body : str
        Elements of SVG.
    """

    width: float
    height: float
    body: str


def stack(drawings: Sequence[Drawing], gap: float = 20.0) -> Drawing:
    """Return drawings one below the other."""
    top, parts = 0.0, []
    for drawing in drawings:
        parts.append(element("g", drawing.body, transform=f"translate(0 {number(top)})"))
        top += drawing.height + gap
    width = max((drawing.width for drawing in drawings), default=0.0)
    return Drawing(width=width, height=max(0.0, top - gap), body="".join(parts))


def inline(drawing: Drawing, name: str, title: str, description: str) -> str:
    """Return a drawing as a page holds it.

    Parameters
    ----------
    drawing : Drawing
        What is drawn.
    name : str
        Unique in the page; the ids of title and description are made of it.
    title, description : str
        What it is, and what it shows, for those who do not see it.
    """
    return _svg(drawing, name, title, description, xmlns=None)


def standalone(drawing: Drawing, name: str, title: str, description: str) -> str:
    """Return a drawing as a file of its own, with its style."""
    width, height = drawing.width + 2.0 * _MARGIN, drawing.height + 2.0 * _MARGIN
    paper = element("rect", width=width, height=height, class_="paper")
    offset = number(_MARGIN)
    body = element("g", drawing.body, transform=f"translate({offset} {offset})")
    framed = Drawing(width, height, element("style", stylesheet()) + paper + body)
    svg = _svg(framed, name, title, description, xmlns=_NAMESPACE)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def _svg(drawing: Drawing, name: str, title: str, description: str, *, xmlns: str | None) -> str:
    size = f"{number(drawing.width)} {number(drawing.height)}"
    return element(
        "svg",
        element("title", escape(title), id=f"{name}-title"),
        element("desc", escape(description), id=f"{name}-desc"),
        drawing.body,
        xmlns=xmlns,
        class_="figure",
        width=drawing.width,
        height=drawing.height,
        viewBox=f"0 0 {size}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


@cache
def stylesheet() -> str:
    """Return the style of all drawings."""
    return files("perturb.report.svg").joinpath("figure.css").read_text("utf-8")
