"""Chain score: the longest correct prefix of a chain over its length (AudioSpan).

Perception, understanding, reasoning: a link counts only if all before it are right. A guesser with
four options a link scores (1/4 + 1/16 + 1/64) / 3 = 10.9 %. Understanding and reasoning are also
shown apart for chains whose perception was right and wrong: a model that is as good without having
perceived the edit got there another way. A chain with a missing link is undefined, even where an
earlier link is wrong: counting those alone would lower the score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats, Statistic, mean, quotient

__all__ = ["LinkByPerception", "chain_floor", "chain_scores", "link_by_perception"]

_RIGHT = 0.5


class LinkByPerception(NamedTuple):
    """Accuracy of a later link where perception was right, and where it was wrong."""

    perceived: Statistic
    missed: Statistic


def chain_scores(links: npt.ArrayLike) -> Floats:
    """Return the score of each chain, 0 to 1, NaN where a link is missing.

    Parameters
    ----------
    links : array_like of float, shape (chains, links)
        1 for right, 0 for wrong, in order; NaN where a link does not count.
    """
    table = _links(links)
    prefix = np.cumprod(table >= _RIGHT, axis=1).sum(axis=1) / table.shape[1]
    return np.where(np.isnan(table).any(axis=1), np.nan, prefix)


def chain_floor(n_options: npt.ArrayLike) -> Floats:
    """Return the expected score of a guesser on each chain.

    Parameters
    ----------
    n_options : array_like of int, shape (chains, links)
        Options of each link; NaN comes where a link has none.
    """
    options = _links(n_options)
    reached = np.cumprod(quotient(1.0, options), axis=1)
    return np.asarray(reached.mean(axis=1))


def link_by_perception(links: npt.ArrayLike, link: int) -> LinkByPerception:
    """Return the accuracy of one link apart for chains whose first link is right and wrong.

    Parameters
    ----------
    links : array_like of float, shape (chains, links)
        As in `chain_scores`.
    link : int
        Which link, from 1: the first after perception.
    """
    table = _links(links)
    if not 1 <= link < table.shape[1]:
        raise ParameterError(f"link is {link}; accepted: 1 to {table.shape[1] - 1}")
    first, later = table[:, 0], table[:, link]
    return LinkByPerception(
        perceived=mean(
            np.where(first >= _RIGHT, later, np.nan), "no chain with perception right counts"
        ),
        missed=mean(
            np.where(first < _RIGHT, later, np.nan), "no chain with perception wrong counts"
        ),
    )


def _links(links: npt.ArrayLike) -> Floats:
    table = np.asarray(links, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ParameterError(f"links has shape {table.shape}; accepted: (chains, links)")
    return table
