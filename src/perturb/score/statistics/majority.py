"""Majority: the accuracy of always giving the commonest gold of a group.

Of each group (a task, a language) the commonest label is taken from the very items that are
scored, so it is an upper bound for a model that knows the distribution alone. Undefined for items
without a label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats

__all__ = ["majority"]


def majority(labels: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> Floats:
    """Return for each item whether its gold is the commonest of its group: 1, 0, or NaN.

    Where labels tie, the first in order is taken: the accuracy is the same.

    Parameters
    ----------
    labels : array_like of int, shape (items,)
        A number for each gold; below 0 where there is none.
    groups : array_like, shape (items,), optional
        The group of each item; all are one group by default.
    """
    golds = np.asarray(labels)
    if groups is None:
        groups = np.zeros(golds.shape, dtype=np.int64)
    _, places = np.unique(np.asarray(groups), return_inverse=True)
    if places.shape != golds.shape:
        raise ParameterError(f"groups has {places.size} items and labels {golds.size}")
    hits = np.full(golds.shape, np.nan)
    for group in range(int(places.max(initial=-1)) + 1):
        held = (places == group) & (golds >= 0)
        if held.any():
            hits[held] = golds[held] == np.bincount(golds[held]).argmax()
    return hits
