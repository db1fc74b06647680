"""Paired accuracy: both members of a pair right, each pair one unit (HEAR).

A model that does not hear what differs answers both alike and so gets at most one right. A guesser
with k options is right in both with 1/k²: 4 % with five. Undefined for pairs of which a member is
missing (orphans): they are counted, not scored.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats, as_values, quotient

__all__ = ["both_right", "count_orphans", "paired_floor"]


def both_right(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return for each pair whether both members are right: 1, 0, or NaN.

    Graded scores multiply.

    Parameters
    ----------
    first, second : array_like of float, shape (pairs,)
        Scores of the members from 0 to 1; NaN where one does not count.
    """
    return as_values("first", first) * as_values("second", second)


def count_orphans(first: npt.ArrayLike, second: npt.ArrayLike) -> int:
    """Return how many pairs have one member that counts and one that does not."""
    missing = np.isnan(as_values("first", first)), np.isnan(as_values("second", second))
    return int(np.count_nonzero(missing[0] != missing[1]))


def paired_floor(first_options: npt.ArrayLike, second_options: npt.ArrayLike) -> Floats:
    """Return for each pair the probability that an independent guesser is right in both.

    Parameters
    ----------
    first_options, second_options : array_like of int, shape (pairs,)
        Options of each member; NaN comes where one has none.
    """
    return quotient(1.0, np.asarray(first_options) * np.asarray(second_options, dtype=np.float64))
