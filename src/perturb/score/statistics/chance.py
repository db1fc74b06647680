"""Chance: the accuracy expected of a guesser that takes each option alike.

The mean over items of (options that are right) / (options). Options may repeat: MMAU has
duplicates in 27 of 1,000 items, and each copy of the gold is right. Undefined for items without
options.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats, Statistic, difference, quotient

__all__ = ["above_chance", "chance"]


def chance(n_options: npt.ArrayLike, n_right: npt.ArrayLike = 1) -> Floats:
    """Return for each item the probability that a guess is right; NaN without options.

    Parameters
    ----------
    n_options : array_like of int, shape (items,)
        Options offered; 0 for an open-ended item.
    n_right : array_like of int, shape (items,) or a number
        How many of them are the gold.
    """
    options = np.asarray(n_options, dtype=np.float64)
    return quotient(np.broadcast_to(n_right, options.shape), options)


def above_chance(correct: npt.ArrayLike, n_options: npt.ArrayLike) -> Statistic:
    """Return accuracy minus chance over the items that count and have options."""
    return difference(correct, chance(n_options), "no item with options counts")
