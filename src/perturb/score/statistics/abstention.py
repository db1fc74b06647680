"""Abstention share: how often "cannot be determined from the audio" is chosen, where offered.

SEABED's bait: never right on real audio, and the right answer once the audio is taken away.
Undefined for items that offer no such option.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats

__all__ = ["abstains"]


def abstains(
    choice: npt.ArrayLike, abstention: Sequence[Sequence[int]], counts: npt.ArrayLike
) -> Floats:
    """Return for each item whether an abstaining option was chosen: 1, 0, or NaN.

    Parameters
    ----------
    choice : array_like of int, shape (items,)
        Place of the chosen option, below 0 where none was.
    abstention : sequence of sequence of int
        Places of each item's abstaining options.
    counts : array_like of bool, shape (items,)
        Items whose row counts.
    """
    chosen, held = np.asarray(choice), np.asarray(counts, dtype=np.bool_)
    if not chosen.shape == held.shape == (len(abstention),):
        raise ParameterError(
            f"choice, abstention and counts have {chosen.size}, {len(abstention)} and {held.size} "
            "items"
        )
    hits = np.full(chosen.shape, np.nan)
    for item, places in enumerate(abstention):
        if held[item] and places:
            hits[item] = chosen[item] in places
    return hits
