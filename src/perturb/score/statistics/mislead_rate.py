"""Mislead rate: the share of conflict items answered with what the transcript suggests.

ContraTalk: on a conflict item the words point to a trap and the voice decides; on a consistent item
they agree. The trap is counted apart from other errors, and accuracy on conflict and on consistent
items is compared, item against other item. Intervals of both come from the bootstrap of dialogues,
as ContraTalk's do. Undefined without conflict items, the gap also without consistent ones.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats, Statistic, as_values, gap, mean

__all__ = ["conflict_gap", "mislead_rate", "misled", "share_misled"]


def mislead_rate(
    choice: npt.ArrayLike, trap_index: npt.ArrayLike, counts: npt.ArrayLike
) -> Statistic:
    """Return the share of conflict items whose trap was chosen; see `misled`."""
    return share_misled(misled(choice, trap_index, counts))


def share_misled(hits: npt.ArrayLike) -> Statistic:
    """Return the mean of what `misled` gives, or of its averages over repeats."""
    return dataclasses.replace(mean(hits, "no conflict item counts"), interval="bootstrap")


def misled(choice: npt.ArrayLike, trap_index: npt.ArrayLike, counts: npt.ArrayLike) -> Floats:
    """Return for each conflict item whether its trap was chosen: 1, 0, or NaN for all others.

    Parameters
    ----------
    choice : array_like of int, shape (items,)
        Place of the chosen option, below 0 where none was.
    trap_index : array_like of int, shape (items,)
        Place of the trap; below 0 for consistent items.
    counts : array_like of bool, shape (items,)
        Items whose row counts.
    """
    trap = np.asarray(trap_index)
    asked = np.asarray(counts, dtype=np.bool_) & (trap >= 0)
    return np.where(asked, (np.asarray(choice) == trap).astype(np.float64), np.nan)


def conflict_gap(correct: npt.ArrayLike, is_conflict: npt.ArrayLike) -> Statistic:
    """Return accuracy on consistent items minus accuracy on conflict items.

    Parameters
    ----------
    correct : array_like of float, shape (items,)
        Scores from 0 to 1; NaN where an item does not count.
    is_conflict : array_like of bool, shape (items,)
        Whether the transcript points to a trap.
    """
    values, conflict = as_values("correct", correct), np.asarray(is_conflict, dtype=np.bool_)
    return gap(
        np.where(conflict, np.nan, values),
        np.where(conflict, values, np.nan),
        "either no consistent item counts or no conflict item does",
    )
