"""Pairs within one table of answers: which rows belong together, and which are left alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Ints

__all__ = ["Pairs", "pair_up"]


class Pairs(NamedTuple):
    """Rows of the first and second members, and the orphans: rows whose partner is not there."""

    first: Ints
    second: Ints
    orphans: Ints


def pair_up(pair_ids: npt.ArrayLike) -> Pairs:
    """Return the rows of each pair, in order of the first member.

    Parameters
    ----------
    pair_ids : array_like of int or str, shape (rows,)
        The same for both members of a pair.

    Raises
    ------
    ParameterError
        More than two rows of one pair.
    """
    ids = np.asarray(pair_ids)
    order = np.argsort(ids, kind="stable")
    names, starts, sizes = np.unique(ids[order], return_index=True, return_counts=True)
    if sizes.size and sizes.max() > 2:
        crowded = names[sizes > 2]
        raise ParameterError(
            f"{crowded.size} pairs have more than two rows, {crowded[0]!s} the first of them; "
            "accepted: two rows a pair"
        )
    both = starts[sizes == 2]
    by_row = np.argsort(order[both], kind="stable")
    return Pairs(
        first=order[both][by_row],
        second=order[both + 1][by_row],
        orphans=np.sort(order[starts[sizes == 1]]),
    )
