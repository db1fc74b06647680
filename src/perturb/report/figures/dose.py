"""Dose curves: accuracy by the strength of an edit, the fitted curve and its threshold."""

from __future__ import annotations

import math

from perturb.report.figures.figure import Figure
from perturb.report.svg.axis import PERCENT, SMALL_PX, Axis, dose_axis
from perturb.report.svg.chart import Key
from perturb.report.svg.drawing import Drawing, stack
from perturb.report.svg.layout import NARROW, WIDE
from perturb.report.svg.legend import draw_legend
from perturb.report.svg.markup import element, escape, number
from perturb.report.wording import percent, sentence
from perturb.score.records.dose import DoseCurve

__all__ = ["dose_figure", "threshold_text"]

_HEIGHT = 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 10.0, 44.0
_CURVE_POINTS = 120


def dose_figure(curve: DoseCurve, model: str, name: str) -> Figure:
    """Return one dose curve of one model."""
    return Figure(
        name=name,
        title=f"Dose curve of {curve.series}: {model}",
        caption=f"Accuracy at each strength of {curve.field}. {threshold_text(curve)}",
        wide=_draw(curve, WIDE.width),
        narrow=_draw(curve, NARROW.width),
    )


def threshold_text(curve: DoseCurve) -> str:
    """Return the threshold in a sentence, or the reason why there is none."""
    found = curve.response.threshold
    unit = f" {curve.unit}" if curve.unit else ""
    if found.value is None:
        return f"No threshold: {found.reason}."
    where = f"Threshold {_plain(found.value)}{unit}, midway between floor and ceiling"
    if found.low is None or found.high is None:
        return f"{where}; no interval: {found.reason}."
    ends = f"{_plain(found.low)} to {_plain(found.high)}{unit}"
    return f"{where}; {100.0 * found.confidence:g} % interval {ends}."


def _plain(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _draw(curve: DoseCurve, width: float) -> Drawing:
    response = curve.response
    title = f"{curve.field} ({curve.unit})" if curve.unit else curve.field
    axis = dose_axis(response.doses, title, width - _LEFT - _RIGHT)
    right, bottom = width - _RIGHT, _HEIGHT - _BOTTOM
    parts = [
        _grid(axis, right, bottom, title),
        _level(response.floor, "floor", right, bottom),
        "" if curve.repeat is None else _level(curve.repeat, "unedited-line", right, bottom),
        _threshold(curve, axis, right, bottom),
        _fitted(curve, axis, right, bottom),
        *_points(curve, axis, right, bottom),
    ]
    keys = [
        Key("point", "probe", "accuracy"),
        Key("line", "floor", f"chance {percent(response.floor)}"),
    ]
    if curve.repeat is not None:
        keys.append(Key("line", "unedited-line", f"the audio as it is {percent(curve.repeat)}"))
    if response.threshold.value is not None:
        keys.append(Key("line", "threshold", "threshold"))
    return stack(
        [draw_legend(keys, width), Drawing(width=width, height=_HEIGHT, body="".join(parts))], 10.0
    )


def _height(share: float, bottom: float) -> float:
    return PERCENT.place(share, bottom, _TOP)


def _grid(axis: Axis, right: float, bottom: float, title: str) -> str:
    parts = []
    for share, label in PERCENT.ticks:
        y = _height(share, bottom)
        parts.append(element("line", x1=_LEFT, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(
            element("text", label, x=_LEFT - 8.0, y=y + 4.0, class_="tick", text_anchor="end")
        )
    for value, label in axis.ticks:
        x = axis.place(value, _LEFT, right)
        parts.append(element("line", x1=x, x2=x, y1=bottom, y2=bottom + 4.0, class_="grid"))
        parts.append(
            element("text", label, x=x, y=bottom + 18.0, class_="tick", text_anchor="middle")
        )
    middle = (_LEFT + right) / 2.0
    parts.append(
        element(
            "text",
            escape(title),
            x=middle,
            y=bottom + 18.0 + SMALL_PX + 6.0,
            class_="axis",
            text_anchor="middle",
        )
    )
    return "".join(parts)


def _level(share: float, kind: str, right: float, bottom: float) -> str:
    y = _height(share, bottom)
    return element("line", x1=_LEFT, x2=right, y1=y, y2=y, class_=f"reference {kind}")


def _threshold(curve: DoseCurve, axis: Axis, right: float, bottom: float) -> str:
    found = curve.response.threshold
    if found.value is None:
        return ""
    parts = []
    if found.low is not None and found.high is not None:
        low, high = (axis.place(end, _LEFT, right) for end in (found.low, found.high))
        parts.append(
            element(
                "rect",
                x=low,
                y=_TOP,
                width=high - low,
                height=bottom - _TOP,
                class_="threshold-band",
            )
        )
    x = axis.place(found.value, _LEFT, right)
    parts.append(element("line", x1=x, x2=x, y1=_TOP, y2=bottom, class_="threshold"))
    return element("g", element("title", escape(threshold_text(curve))), *parts)


def _fitted(curve: DoseCurve, axis: Axis, right: float, bottom: float) -> str:
    response = curve.response
    middle, ceiling, width = response.threshold.value, response.ceiling, response.width
    if middle is None or ceiling is None or width is None:
        return ""
    sign = -1.0 if curve.rises else 1.0
    first, last = response.doses[0], response.doses[-1]
    places = []
    for at in range(_CURVE_POINTS + 1):
        dose = first + (last - first) * at / _CURVE_POINTS
        exponent = min(max(sign * (dose - middle) / width, -500.0), 500.0)
        share = response.floor + (ceiling - response.floor) / (1.0 + math.exp(exponent))
        x, y = axis.place(dose, _LEFT, right), _height(share, bottom)
        places.append(f"{number(x)},{number(y)}")
    return element("polyline", points=" ".join(places), class_="curve")


def _points(curve: DoseCurve, axis: Axis, right: float, bottom: float) -> list[str]:
    found = []
    for dose, accuracy, name in zip(
        curve.response.doses, curve.response.accuracies, curve.conditions, strict=True
    ):
        if accuracy.value is None:
            continue
        x, y = axis.place(dose, _LEFT, right), _height(accuracy.value, bottom)
        parts = [element("title", escape(sentence(name, accuracy)))]
        if accuracy.low is not None and accuracy.high is not None:
            low, high = (_height(end, bottom) for end in (accuracy.low, accuracy.high))
            parts.append(element("line", x1=x, x2=x, y1=low, y2=high, class_="interval"))
        kind = "point probe" + ("" if accuracy.low is not None else " bare")
        parts.append(element("circle", cx=x, cy=y, r=4.5, class_="dot"))
        found.append(element("g", *parts, class_=kind))
    return found
