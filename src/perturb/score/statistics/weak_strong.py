"""Weak and strong items: which can be answered without the audio.

An item is *weak* where at least k of m models answer it without audio, else *strong*: accuracy on
strong items is what a benchmark measures of listening. Guessing makes some strong items look weak,
the more so the smaller k: compare with `expected_weak`. Undefined where answers that are missing
could decide.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats, as_values

__all__ = ["expected_weak", "weak_items"]

_RIGHT = 0.5


def weak_items(without_audio: npt.ArrayLike, k: int) -> Floats:
    """Return for each item whether it is weak: 1, 0, or NaN.

    Parameters
    ----------
    without_audio : array_like of float, shape (models, items)
        Scores of each model without the audio; NaN where an answer does not count.
    k : int
        Models that have to be right, 1 to m.
    """
    scores = np.asarray(without_audio, dtype=np.float64)
    if scores.ndim != 2 or not 1 <= k <= scores.shape[0]:
        raise ParameterError(
            f"k is {k} and without_audio has shape {scores.shape}; accepted: (models, items) and "
            "1 to the number of models"
        )
    right = (scores >= _RIGHT).sum(axis=0)
    missing = np.isnan(scores).sum(axis=0)
    return np.where(right >= k, 1.0, np.where(right + missing < k, 0.0, np.nan))


def expected_weak(chance: npt.ArrayLike, m: int, k: int) -> Floats:
    """Return for each item the probability that k of m independent guessers are right.

    Parameters
    ----------
    chance : array_like of float, shape (items,)
        Probability that a guess is right.
    m, k : int
        Models, and how many of them have to be right.
    """
    from scipy import stats

    return np.asarray(stats.binom.sf(k - 1, m, as_values("chance", chance)))
