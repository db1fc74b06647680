"""Follows the donor: the share of mismatched items answered with the other clip's gold.

Counts items whose donor's gold is among their own options and is not their own gold. A model that
listens to the donor chooses it; one that reads the question alone chooses it no more often than on
the original audio, which is the arm to contrast with. Undefined for all other items.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats

__all__ = ["follows_donor"]


def follows_donor(
    choice: npt.ArrayLike,
    donor_index: npt.ArrayLike,
    gold_index: npt.ArrayLike,
    counts: npt.ArrayLike,
) -> Floats:
    """Return for each item whether the answer is the donor's gold: 1, 0, or NaN.

    Parameters
    ----------
    choice : array_like of int, shape (items,)
        Place of the chosen option, below 0 where none was.
    donor_index : array_like of int, shape (items,)
        Place of the donor's gold among this item's options, below 0 where it is not there.
    gold_index : array_like of int, shape (items,)
        Place of the item's own gold.
    counts : array_like of bool, shape (items,)
        Items whose row counts.
    """
    donor, gold = np.asarray(donor_index), np.asarray(gold_index)
    asked = np.asarray(counts, dtype=np.bool_) & (donor >= 0) & (donor != gold)
    return np.where(asked, (np.asarray(choice) == donor).astype(np.float64), np.nan)
