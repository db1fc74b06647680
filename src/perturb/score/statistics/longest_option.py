"""The longest option: the accuracy of a model that takes the option with most characters.

Writers of questions tend to word the right option most fully (a cue of test-wiseness: Millman,
Bishop & Ebel 1965). Options that tie for the longest are taken alike: a gold among k of them counts
1/k. Undefined for items without options.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats

__all__ = ["longest_option"]


def longest_option(choices: Sequence[Sequence[str]], gold_index: npt.ArrayLike) -> Floats:
    """Return for each item the probability that the longest option is right, or NaN.

    Parameters
    ----------
    choices : sequence of sequence of str
        The options of each item.
    gold_index : array_like of int, shape (items,)
        Place of the gold among them, below 0 where there is none.
    """
    golds = np.asarray(gold_index)
    if golds.shape != (len(choices),):
        raise ParameterError(f"gold_index has {golds.size} items and choices {len(choices)}")
    shares = np.full(golds.shape, np.nan)
    for item, (options, gold) in enumerate(zip(choices, golds.tolist(), strict=True)):
        if gold >= 0 and options:
            lengths = [len(option.strip()) for option in options]
            longest = max(lengths)
            shares[item] = (lengths[gold] == longest) / lengths.count(longest)
    return shares
