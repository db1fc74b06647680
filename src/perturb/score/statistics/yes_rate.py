"""Yes-rate: the share of *yes* among the answers to yes–no questions.

Beside the share of questions whose gold is yes it shows a bias that accuracy hides: a model that
affirms whatever it is asked (Li et al. 2023, POPE). Answers that were not parsed do not count.
Undefined without parsed answers to yes–no questions.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Floats

__all__ = ["says_yes"]


def says_yes(choice: npt.ArrayLike, yes_index: npt.ArrayLike, counts: npt.ArrayLike) -> Floats:
    """Return for each yes–no question whether the answer is yes: 1, 0, or NaN.

    Parameters
    ----------
    choice : array_like of int, shape (items,)
        Place of the chosen option, below 0 where none was. The gold's place gives the rate of
        the golds.
    yes_index : array_like of int, shape (items,)
        Place of *yes*, below 0 where the question is another.
    counts : array_like of bool, shape (items,)
        Items whose row counts.
    """
    chosen, yes = np.asarray(choice), np.asarray(yes_index)
    asked = np.asarray(counts, dtype=np.bool_) & (yes >= 0) & (chosen >= 0)
    return np.where(asked, (chosen == yes).astype(np.float64), np.nan)
