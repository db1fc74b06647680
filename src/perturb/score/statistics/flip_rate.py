"""Flip rate: the share of items whose correctness is another than in the arm compared with.

An item flips where it is right (a score of .5 or more) in one arm alone. The flips between
`original` and `repeat` are the noise floor, those of the sham what the edit costs without its
point; `difference` of two such arrays is the excess. Undefined for items that do not count in both
arms.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats, as_values

__all__ = ["flips"]

_RIGHT = 0.5


def flips(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return for each item whether its correctness differs between the arms: 1, 0, or NaN.

    Parameters
    ----------
    first, second : array_like of float, shape (items,)
        Scores from 0 to 1; NaN where an item does not count.
    """
    before, after = as_values("first", first), as_values("second", second)
    changed = ((before >= _RIGHT) != (after >= _RIGHT)).astype(np.float64)
    return np.where(np.isnan(before) | np.isnan(after), np.nan, changed)
