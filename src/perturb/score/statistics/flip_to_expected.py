"""Flip to expected: does the answer change into the one that the edit makes right?

Over items whose gold changes by rule, as under a voice swap. *Reached* is the share with the new
gold; of the items that were right on the original, *moved* is the share that now has the new gold
and *stuck* the share that keeps the old one: a model that does not hear the edit stays. Undefined
where no such item counts in both conditions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Statistic, as_values, mean

__all__ = ["FlipToExpected", "flip_to_expected"]

_RIGHT = 0.5


class FlipToExpected(NamedTuple):
    """Shares of items at the new gold, and of those once right at the new and the old gold."""

    reached: Statistic
    moved: Statistic
    stuck: Statistic


def flip_to_expected(
    original: npt.ArrayLike, at_new_gold: npt.ArrayLike, at_old_gold: npt.ArrayLike
) -> FlipToExpected:
    """Return how answers move to the expected ones.

    Parameters
    ----------
    original : array_like of float, shape (items,)
        Score on the original audio, NaN where an item does not count.
    at_new_gold, at_old_gold : array_like of float, shape (items,)
        Score of the answer under the edit, against the new and the old gold; NaN where an item
        does not count or nothing new is expected of it.
    """
    before = as_values("original", original)
    new, old = as_values("at_new_gold", at_new_gold), as_values("at_old_gold", at_old_gold)
    was_right = before >= _RIGHT
    none_right = "no item that is right on the original counts under the edit"
    return FlipToExpected(
        reached=mean(new, "no item with a new gold counts under the edit"),
        moved=mean(np.where(was_right, new, np.nan), none_right),
        stuck=mean(np.where(was_right, old, np.nan), none_right),
    )
