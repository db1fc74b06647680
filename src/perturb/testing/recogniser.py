"""How much of what was said a recogniser still hears: whatever recogniser you have.

Bring one that fits the `Recogniser` protocol and had no part in the processing. Words are counted
in order, against those that were spoken; what a random answer would score is given beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = [
    "Recogniser",
    "Words",
    "chance_share",
    "share_heard",
    "share_of_words",
    "which_sentence",
]

Words = Sequence[str]


class Recogniser(Protocol):
    """Whatever can write down words and judge how well a sentence fits."""

    def hear(self, samples: npt.ArrayLike, sample_rate_hz: int) -> tuple[str, ...]:
        """Return the words heard, in order."""
        ...

    def fit(self, samples: npt.ArrayLike, sample_rate_hz: int, words: Words) -> float:
        """Return the log-likelihood of the clip given the sentence; -inf where it cannot fit."""
        ...


def share_of_words(
    recogniser: Recogniser, samples: npt.ArrayLike, sample_rate_hz: int, words: Words
) -> float:
    """Return the share of `words` that the recogniser hears, in their order (0 to 1)."""
    return share_heard(words, recogniser.hear(samples, sample_rate_hz))


def share_heard(words: Words, heard: Words) -> float:
    """Return the share of `words` found in `heard`, in their order (0 to 1)."""
    return _common_in_order(words, heard) / len(words)


def chance_share(heard: Words, others: Sequence[Words]) -> float:
    """Return the mean share of the words of `others`, sentences not spoken, found in `heard`."""
    return float(np.mean([share_heard(words, heard) for words in others]))


def which_sentence(
    recogniser: Recogniser,
    samples: npt.ArrayLike,
    sample_rate_hz: int,
    candidates: Sequence[Words],
) -> int | None:
    """Return the index of the candidate that fits best; None where none can fit."""
    fits = [recogniser.fit(samples, sample_rate_hz, words) for words in candidates]
    best = int(np.argmax(fits))
    return best if math.isfinite(fits[best]) else None


def _common_in_order(words: Words, heard: Words) -> int:
    """Return the length of the longest common subsequence."""
    best = [0] * (len(heard) + 1)
    for word in words:
        diagonal = 0
        for place, other in enumerate(heard, start=1):
            above = best[place]
            best[place] = diagonal + 1 if word == other else max(above, best[place - 1])
            diagonal = above
    return best[-1]
