"""Numbers in words: one way of writing shares, differences, ratios and their intervals."""

from __future__ import annotations

from perturb.score.inference.estimate import Estimate
from perturb.score.records.measure import Unit

__all__ = ["NONE", "amount", "count", "interval", "percent", "points", "quantity", "sentence"]

NONE = "–"
_MINUS = "−"


def percent(value: float | None) -> str:
    """Return a share as a percentage.

    Examples
    --------
    >>> percent(0.4167), percent(None)
    ('41.7 %', '–')
    """
    return NONE if value is None else f"{100.0 * value:.1f} %"


def points(value: float | None) -> str:
    """Return a difference of shares in points.

    Examples
    --------
    >>> points(-0.234), points(0.0001)
    ('−23.4', '0.0')
    """
    if value is None:
        return NONE
    text = f"{100.0 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", _MINUS)


def count(value: float) -> str:
    r"""Return a number of items, thousands set apart.

    Examples
    --------
    >>> count(12345.0) == "12\u202f345"
    True
    """
    return f"{value:,.0f}".replace(",", "\u202f")


def quantity(value: float | None, unit: Unit) -> str:
    """Return a value in its unit."""
    if value is None:
        return NONE
    if unit == "share":
        return percent(value)
    if unit == "difference":
        return f"{points(value)} points"
    if unit == "count":
        return count(value)
    return f"{value:.2f}".replace("-", _MINUS)


def interval(found: Estimate, unit: Unit = "share") -> str:
    """Return an interval without its value: '36.9 to 45.6'."""
    if found.low is None or found.high is None:
        return "no interval"
    return " to ".join(_bare(end, unit) for end in (found.low, found.high))


def _bare(value: float, unit: Unit) -> str:
    if unit == "difference":
        return points(value)
    return quantity(value, unit).removesuffix(" %")


def amount(found: Estimate, unit: Unit = "share") -> str:
    """Return a value with its interval: '41.2 % (36.9 to 45.6)'."""
    if found.value is None:
        return "undefined"
    shown = points(found.value) if unit == "difference" else quantity(found.value, unit)
    return f"{shown} ({interval(found, unit)})"


def sentence(name: str, found: Estimate, unit: Unit = "share") -> str:
    """Return an estimate with all that it rests on, in one line."""
    if found.value is None:
        return f"{name}: undefined, {found.reason} (n = {found.n})"
    why = f"; {found.reason}" if found.low is None else f", {100.0 * found.confidence:g} % interval"
    rests = f"n = {count(found.n)} of {count(found.clusters)} clips"
    return f"{name}: {amount(found, unit)}{why}, {rests}"
