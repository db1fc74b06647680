"""Worst-case bounds: what a difference could be, whatever the missing rows would have said.

Manski 1990: each missing score may be anything from 0 to 1. No assumption on why rows are missing
is made, so the bounds are wide; where they exclude zero, missing rows cannot explain a difference.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.score.inference.statistic import as_values

__all__ = ["WorstCase", "worst_case"]


class WorstCase(Record, frozen=True, kw_only=True):
    """Bounds of a difference between two arms.

    Parameters
    ----------
    low, high : float or None
        Difference where every missing score speaks against the first arm, and for it; None where
        no item was expected.
    n : int
        Items that were expected in both arms.
    n_missing_first, n_missing_second : int
        How many of them have no score in the arm.
    """

    low: float | None
    high: float | None
    n: Annotated[int, bounds(0, None, "", "items")]
    n_missing_first: Annotated[int, bounds(0, None, "", "items")]
    n_missing_second: Annotated[int, bounds(0, None, "", "items")]


def worst_case(first: npt.ArrayLike, second: npt.ArrayLike, expected: npt.ArrayLike) -> WorstCase:
    """Return the bounds of the mean of first − second over the expected items.

    Parameters
    ----------
    first, second : array_like of float, shape (items,)
        Scores from 0 to 1, NaN where a row is missing.
    expected : array_like of bool, shape (items,)
        Items that are valid in both arms and should have had a row in each.
    """
    asked = np.asarray(expected, dtype=np.bool_)
    arms = [as_values(name, arm) for name, arm in (("first", first), ("second", second))]
    if any(arm.shape != asked.shape for arm in arms):
        raise ParameterError(
            f"first, second and expected have {arms[0].size}, {arms[1].size} and {asked.size} "
            "items; accepted: the same items, in the same order"
        )
    first_kept, second_kept = (arm[asked] for arm in arms)
    if not asked.any():
        return WorstCase(low=None, high=None, n=0, n_missing_first=0, n_missing_second=0)
    low = np.nan_to_num(first_kept, nan=0.0) - np.nan_to_num(second_kept, nan=1.0)
    high = np.nan_to_num(first_kept, nan=1.0) - np.nan_to_num(second_kept, nan=0.0)
    return WorstCase(
        low=float(low.mean()),
        high=float(high.mean()),
        n=int(np.count_nonzero(asked)),
        n_missing_first=int(np.isnan(first_kept).sum()),
        n_missing_second=int(np.isnan(second_kept).sum()),
    )
