"""The legend of a chart: what each mark means, in lines that fit."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.report.svg.axis import SMALL_PX
from perturb.report.svg.chart import Key
from perturb.report.svg.drawing import Drawing
from perturb.report.svg.marks import draw_symbol
from perturb.report.svg.markup import element, escape
from perturb.report.svg.text import shorten, width_of

__all__ = ["draw_legend"]

_SWATCH = 20.0
_GAP = 18.0
_LINE = 19.0


def draw_legend(keys: Sequence[Key], width: float) -> Drawing:
    """Return entries one after the other, in as many lines as they need."""
    x, y, parts = 0.0, 12.0, []
    for key in keys:
        text = shorten(key.text, width - _SWATCH - 4.0, SMALL_PX)
        needed = _SWATCH + 4.0 + width_of(text, SMALL_PX)
        if x > 0.0 and x + needed > width:
            x, y = 0.0, y + _LINE
        parts.append(_swatch(key, x, y - 4.0))
        label = element("text", escape(text), x=x + _SWATCH + 4.0, y=y, class_="key")
        parts.append(label)
        x += needed + _GAP
    return Drawing(width=width, height=y + 6.0, body=element("g", *parts, class_="legend"))


def _swatch(key: Key, x: float, y: float) -> str:
    middle = x + _SWATCH / 2.0
    if key.shape == "point":
        kind = f"point {key.kind}"
        line = element("line", x1=x + 1.0, x2=x + _SWATCH - 1.0, y1=y, y2=y, class_="interval")
        return element("g", line, draw_symbol(key.kind, middle, y), class_=kind)
    if key.shape == "line":
        kind = f"reference {key.kind}"
        return element("line", x1=x, x2=x + _SWATCH, y1=y, y2=y, class_=kind)
    kind = "band" if key.shape == "band" else f"segment {key.kind}"
    return element("rect", x=x + 3.0, y=y - 6.0, width=14, height=12, class_=kind)
