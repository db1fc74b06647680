"""Retained ratio: accuracy under a condition over accuracy on `repeat`, on the same items.

`repeat` is the original's bytes again, so that the ratio's denominator carries the noise of a
sampled model as its numerator does. 1 keeps everything; it is not corrected for chance.
Undefined where no item counts in both, or none is right on `repeat`.
"""

from __future__ import annotations

import numpy.typing as npt

from perturb.score.inference.statistic import Statistic, ratio

__all__ = ["retained_ratio"]


def retained_ratio(condition: npt.ArrayLike, repeat: npt.ArrayLike) -> Statistic:
    """Return the share of the accuracy on `repeat` that a condition retains.

    Parameters
    ----------
    condition, repeat : array_like of float, shape (items,)
        Scores from 0 to 1; NaN where an item does not count.
    """
    return ratio(condition, repeat, "no item that counts in both is right on repeat")
