"""Noise floor: how often two runs on the very same audio disagree.

The probability that two of an item's runs differ in correctness: with k right of r runs,
2 k (r − k) / (r (r − 1)). Two runs, `original` and `repeat`, give their flip rate. A flip rate
under an edit means something only above it. Undefined for items with fewer than two runs that
count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats, quotient

__all__ = ["noise_floor"]

_RIGHT = 0.5


def noise_floor(runs: npt.ArrayLike) -> Floats:
    """Return for each item the probability that two of its runs disagree, or NaN.

    Parameters
    ----------
    runs : array_like of float, shape (runs, items)
        Scores from 0 to 1 on the original's bytes; NaN where a run does not count.
    """
    scores = np.asarray(runs, dtype=np.float64)
    if scores.ndim != 2:
        raise ParameterError(f"runs has shape {scores.shape}; accepted: (runs, items)")
    held = (~np.isnan(scores)).sum(axis=0)
    right = (scores >= _RIGHT).sum(axis=0)
    return quotient(2 * right * (held - right), held * (held - 1))
