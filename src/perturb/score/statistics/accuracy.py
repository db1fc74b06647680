"""Accuracy: the mean score over the items that count.

A row that was answered wrongly, not parsed, empty or refused scores 0; rows that are missing or
not valid in the condition are NaN and do not count. Interval: Wilson where scores are 0 or 1, as
SEABED reports it, on the effective number of items; bootstrap of clips for graded scores.
Undefined where no item counts.
"""

from __future__ import annotations

import numpy.typing as npt

from perturb.score.inference.statistic import Statistic, mean

__all__ = ["accuracy"]


def accuracy(correct: npt.ArrayLike) -> Statistic:
    """Return the accuracy.

    Parameters
    ----------
    correct : array_like of float, shape (items,)
        0 to 1; NaN where an item does not count.
    """
    return mean(correct, "no row of this condition counts")
