"""`Statistic`: a function of sums over items, and the makers of the common ones.

Whatever is a function of sums can be resampled by clip from the sums of the clips alone, all
statistics of a score in one pass. Values are per item; NaN marks items that do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError

__all__ = [
    "Bools",
    "Floats",
    "Ints",
    "Statistic",
    "as_values",
    "difference",
    "gap",
    "mean",
    "quotient",
    "ratio",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

NO_ITEMS = "no item counts"


@dataclass(frozen=True, eq=False)
class Statistic:
    """A number that is a function of sums over items.

    Parameters
    ----------
    columns : ndarray of float64, shape (items, columns)
        What is summed; rows of items that do not count are zero.
    function : callable
        From sums of shape (…, columns) to values of shape (…); NaN where undefined.
    counts : ndarray of bool, shape (items,)
        Which items it rests on.
    interval : {'wilson', 'bootstrap'}
        `wilson` for shares alone: the columns are then hits and items, 0 or 1 each.
    limits : tuple of float or None
        Lowest and highest value there can be.
    undefined : str
        What it means where the value is NaN.
    """

    columns: Floats
    function: Callable[[Floats], Floats]
    counts: Bools
    interval: Literal["wilson", "bootstrap"] = "bootstrap"
    limits: tuple[float, float] | None = None
    undefined: str = NO_ITEMS

    def __post_init__(self) -> None:
        if self.columns.ndim != 2 or self.counts.shape != self.columns.shape[:1]:
            raise ParameterError(
                f"columns has shape {self.columns.shape} and counts {self.counts.shape}; accepted: "
                "(items, columns) and (items,)"
            )

    def value(self) -> float:
        """Return the value over all items; NaN where undefined."""
        return float(self.function(self.columns.sum(axis=0)))


def quotient(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """Return numerator / denominator, NaN where the denominator is zero."""
    top = np.asarray(numerator, dtype=np.float64)
    bottom = np.asarray(denominator, dtype=np.float64)
    shape = np.broadcast_shapes(top.shape, bottom.shape)
    found: Floats = np.full(shape, np.nan)
    np.divide(top, bottom, out=found, where=bottom != 0.0)
    return found


def as_values(name: str, values: npt.ArrayLike) -> Floats:
    """Return values per item as float64.

    Raises
    ------
    ParameterError
        More than one dimension, or a value that is infinite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.isinf(array).any():
        raise ParameterError(
            f"{name} has shape {array.shape}; accepted: one finite number per item, NaN where the "
            "item does not count"
        )
    return array


def mean(values: npt.ArrayLike, undefined: str = NO_ITEMS) -> Statistic:
    """Return the mean of the values that are not NaN; Wilson's interval where all are 0 or 1."""
    array = as_values("values", values)
    counts = ~np.isnan(array)
    kept = np.where(counts, array, 0.0)
    is_share = bool(np.isin(kept, (0.0, 1.0)).all())
    return Statistic(
        columns=np.column_stack([kept, counts]).astype(np.float64),
        function=_mean_of_sums,
        counts=counts,
        interval="wilson" if is_share else "bootstrap",
        limits=(0.0, 1.0) if kept.size == 0 or 0.0 <= kept.min() <= kept.max() <= 1.0 else None,
        undefined=undefined,
    )


def difference(first: npt.ArrayLike, second: npt.ArrayLike, undefined: str = "") -> Statistic:
    """Return the mean of first − second over the items that count in both, −1 to 1."""
    values = as_values("first", first), as_values("second", second)
    paired = _paired(*values)
    return Statistic(
        columns=np.column_stack([np.where(paired, values[0] - values[1], 0.0), paired]),
        function=_mean_of_sums,
        counts=paired,
        limits=(-1.0, 1.0),
        undefined=undefined or "no item counts in both arms",
    )


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike, undefined: str) -> Statistic:
    """Return the quotient of two sums over the items that count in both."""
    values = as_values("numerator", numerator), as_values("denominator", denominator)
    paired = _paired(*values)
    return Statistic(
        columns=np.column_stack([np.where(paired, part, 0.0) for part in values]),
        function=_mean_of_sums,
        counts=paired,
        undefined=undefined,
    )


def gap(first: npt.ArrayLike, second: npt.ArrayLike, undefined: str) -> Statistic:
    """Return the mean of first minus the mean of second, each over its own items, −1 to 1."""
    parts = []
    for name, values in (("first", first), ("second", second)):
        array = as_values(name, values)
        parts += [np.nan_to_num(array), ~np.isnan(array)]
    if parts[0].shape != parts[2].shape:
        raise ParameterError(f"first has {parts[0].size} items and second {parts[2].size}")
    return Statistic(
        columns=np.column_stack(parts).astype(np.float64),
        function=_gap_of_sums,
        counts=(parts[1] | parts[3]).astype(np.bool_),
        limits=(-1.0, 1.0),
        undefined=undefined,
    )


def _mean_of_sums(sums: Floats) -> Floats:
    return quotient(sums[..., 0], sums[..., 1])


def _gap_of_sums(sums: Floats) -> Floats:
    return quotient(sums[..., 0], sums[..., 1]) - quotient(sums[..., 2], sums[..., 3])


def _paired(first: Floats, second: Floats) -> Bools:
    if first.shape != second.shape:
        raise ParameterError(
            f"the arms have {first.size} and {second.size} items; accepted: the same items, in "
            "the same order"
        )
    paired: Bools = ~(np.isnan(first) | np.isnan(second))
    return paired
