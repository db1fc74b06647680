"""Always the first option: the accuracy of a model that answers A whatever it is asked.

It scores 39.5 % on MMAU-mini, whose golds are not balanced over places: beside it, chance alone
flatters a model. Undefined for items without options.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats

__all__ = ["always_first"]


def always_first(gold_index: npt.ArrayLike, place: int = 0) -> Floats:
    """Return for each item whether the gold stands at one place: 1, 0, or NaN.

    Parameters
    ----------
    gold_index : array_like of int, shape (items,)
        Place of the gold among the options, below 0 where there is none.
    place : int
        Which place, from 0.
    """
    golds = np.asarray(gold_index)
    return np.where(golds < 0, np.nan, (golds == place).astype(np.float64))
