"""Influence rate: the share of items that get another answer than in the arm compared with.

It sees what the flip rate does not: a wrong answer that becomes another wrong one. An answer that
was given in one arm and not in the other counts as another; items without an answer in both arms
are undefined, since two failures are not the same answer. Answers must be coded alike in both arms:
places of options only where the options are the same and in the same order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats

__all__ = ["influenced"]


def influenced(first: npt.ArrayLike, second: npt.ArrayLike, counts: npt.ArrayLike) -> Floats:
    """Return for each item whether its answer differs between the arms: 1, 0, or NaN.

    Parameters
    ----------
    first, second : array_like of int, shape (items,)
        A number for each answer; below 0 where none was given.
    counts : array_like of bool, shape (items,)
        Items that count in both arms.
    """
    before, after, held = np.asarray(first), np.asarray(second), np.asarray(counts, dtype=np.bool_)
    if not before.shape == after.shape == held.shape:
        raise ParameterError(
            f"first, second and counts have {before.size}, {after.size} and {held.size} items"
        )
    answered = held & ((before >= 0) | (after >= 0))
    return np.where(answered, (before != after).astype(np.float64), np.nan)
