"""Audio contribution: what accuracy the audio adds, and what it costs.

Over the items that count with the audio and without it: *gained* are right only with it, *lost*
right only without it, net = gained − lost = accuracy with − accuracy without. A small net can hide
two large halves. Graded scores split by the sign of their difference.
Undefined where no item counts in both conditions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.score.inference.statistic import Statistic, as_values, difference, mean

__all__ = ["Contribution", "contribution"]


class Contribution(NamedTuple):
    """The net contribution and its halves, net = gained − lost."""

    net: Statistic
    gained: Statistic
    lost: Statistic


def contribution(with_audio: npt.ArrayLike, without_audio: npt.ArrayLike) -> Contribution:
    """Return the audio's net contribution and its halves.

    Parameters
    ----------
    with_audio, without_audio : array_like of float, shape (items,)
        Scores from 0 to 1 under the original audio and under a control (silence, noise, another
        clip); NaN where an item does not count.
    """
    undefined = "no item counts with and without the audio"
    net = difference(with_audio, without_audio, undefined)
    change = as_values("with_audio", with_audio) - as_values("without_audio", without_audio)
    return Contribution(
        net=net,
        gained=mean(np.maximum(change, 0.0), undefined),
        lost=mean(np.maximum(-change, 0.0), undefined),
    )
