"""Axes: a range of values, where it has ticks, and where on a line each value lies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from perturb.report.svg.text import width_of

__all__ = ["PERCENT", "SMALL_PX", "Axis", "dose_axis", "percent_axis", "points_axis"]

SMALL_PX = 11.5
"""Size of the text of ticks, values and legends."""


@dataclass(frozen=True)
class Axis:
    """A range of values and its ticks.

    Parameters
    ----------
    low, high : float
        Ends; low < high.
    ticks : tuple of (float, str)
        Values and what is written at them, in ascending order.
    title : str
        What is measured, with its unit.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str = ""

    def place(self, value: float, start: float, stop: float) -> float:
        """Return where a value lies on a line from `start` to `stop`, held to its ends."""
        share = (value - self.low) / (self.high - self.low)
        return start + min(max(share, 0.0), 1.0) * (stop - start)


def percent_axis(title: str = "accuracy") -> Axis:
    """Return the axis of shares from 0 to 1, written as 0 to 100 %."""
    ticks = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %"))
    return Axis(low=0.0, high=1.0, ticks=ticks, title=title)


PERCENT = percent_axis()


def points_axis(values: Iterable[float | None], margin: float, title: str = "points") -> Axis:
    """Return an axis around zero that holds differences of shares and the margin, in points.

    Examples
    --------
    >>> points_axis([-0.31, 0.04], 0.03).ticks[0]
    (-0.4, '−40')
    """
    held = [100.0 * abs(value) for value in values if value is not None]
    reach = max([*held, 300.0 * margin])
    step = next(
        (each for each in (1.0, 2.0, 5.0, 10.0, 20.0, 25.0) if reach <= 3.0 * each + 1e-9), 50.0
    )
    count = max(1, math.ceil(reach / step - 1e-9))
    ticks = tuple((step * at / 100.0, _signed(step * at)) for at in range(-count, count + 1))
    return Axis(low=ticks[0][0], high=ticks[-1][0], ticks=ticks, title=title)


def dose_axis(doses: Sequence[float], title: str, room_px: float) -> Axis:
    """Return an axis that holds doses in ascending order, with ticks at as many as have room.

    Examples
    --------
    >>> axis = dose_axis([-12.0, -6.0, 0.0, 6.0], "SNR (dB)", 300.0)
    >>> [label for _, label in axis.ticks]
    ['−12', '−6', '0', '6']
    """
    low, high = doses[0], doses[-1]
    if low == high:
        low, high = low - 1.0, high + 1.0
    pad = 0.06 * (high - low)
    axis = Axis(low=low - pad, high=high + pad, ticks=(), title=title)
    ticks: list[tuple[float, str]] = []
    taken = -math.inf
    for dose in doses:
        label = _plain(dose)
        half = width_of(label, SMALL_PX) / 2.0
        x = axis.place(dose, 0.0, room_px)
        if x - half >= taken:
            ticks.append((dose, label))
            taken = x + half + 6.0
    return replace(axis, ticks=tuple(ticks))


def _signed(value: float) -> str:
    return "0" if value == 0.0 else f"{value:+g}".replace("-", "−")


def _plain(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
