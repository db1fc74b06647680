"""Shares of answers that were refused, not parsed, empty or missing, among the rows asked.

They count as wrong (missing ones not at all), so a model that crashes on silence looks like one
that guesses badly: these shares tell them apart. Undefined where no row was asked.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats

__all__ = ["in_state"]


def in_state(states: npt.ArrayLike, wanted: int, asked: npt.ArrayLike) -> Floats:
    """Return for each row whether its answer is in one state: 1, 0, or NaN.

    Parameters
    ----------
    states : array_like of int, shape (items,)
        The state of each row's answer.
    wanted : int
        The state that is counted.
    asked : array_like of bool, shape (items,)
        Rows that were to be answered: all but those not valid in the condition.
    """
    hits = (np.asarray(states) == wanted).astype(np.float64)
    return np.where(np.asarray(asked, dtype=np.bool_), hits, np.nan)
