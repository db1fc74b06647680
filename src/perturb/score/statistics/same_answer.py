"""Same-answer rate: the share of pairs whose members get one answer (HEAR); lower is better.

The answer to a pair flips by construction, so a model that keeps its answer did not hear what
differs. An independent guesser keeps it with 1/k: 20 % with five options. A member without an
answer is not the same as one with; undefined for pairs without an answer in either.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats, quotient
from perturb.score.statistics.influence_rate import influenced

__all__ = ["same_answer", "same_answer_floor"]


def same_answer(first: npt.ArrayLike, second: npt.ArrayLike, counts: npt.ArrayLike) -> Floats:
    """Return for each pair whether both members got the same answer: 1, 0, or NaN.

    Parameters
    ----------
    first, second : array_like of int, shape (pairs,)
        A number for each answer, coded alike for both members; below 0 where none was given.
    counts : array_like of bool, shape (pairs,)
        Pairs whose members both count.
    """
    return 1.0 - influenced(first, second, counts)


def same_answer_floor(n_options: npt.ArrayLike) -> Floats:
    """Return for each pair the probability that a guesser among the same options keeps its answer.

    Parameters
    ----------
    n_options : array_like of int, shape (pairs,)
        Options that both members offer.
    """
    return quotient(1.0, np.asarray(n_options, dtype=np.float64))
