"""Share correct on silence: how much of a benchmark needs no audio.

Of all items the share that is right with the audio silenced (49.8 % of MMAU in the study that
SEABED cites), and of the items that are right with the audio the share that stays right without
it. Undefined where no item counts in both conditions, the second also where none is right with
the audio.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Statistic, as_values, mean

__all__ = ["correct_on_silence", "still_correct_on_silence"]

_RIGHT = 0.5


def correct_on_silence(silenced: npt.ArrayLike) -> Statistic:
    """Return the share of items that are answered right without the audio."""
    return mean(silenced, "no row on silence counts")


def still_correct_on_silence(original: npt.ArrayLike, silenced: npt.ArrayLike) -> Statistic:
    """Return, of the items that are right with the audio, the share that is right without it.

    Parameters
    ----------
    original, silenced : array_like of float, shape (items,)
        Scores from 0 to 1; NaN where an item does not count.
    """
    heard, without = as_values("original", original), as_values("silenced", silenced)
    return mean(
        np.where(heard >= _RIGHT, without, np.nan),
        "no item that is right with the audio counts without it",
    )
