"""`Draw`: the numbers that make one rendering of a sound differ from the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["RATE_HZ", "Draw", "Samples", "times"]

RATE_HZ = 48_000
"""Rate at which sounds are made, in Hz."""

Samples = npt.NDArray[np.float64]
T = TypeVar("T")


def times(duration_s: float) -> Samples:
    """Return the times of the samples of a stretch, in seconds from 0."""
    return np.arange(max(1, round(duration_s * RATE_HZ))) / RATE_HZ


@dataclass(frozen=True)
class Draw:
    """A keyed random generator, in the words of those who make sounds.

    Parameters
    ----------
    generator : numpy.random.Generator
        At the start of its stream.
    """

    generator: np.random.Generator

    def between(self, low: float, high: float) -> float:
        """Return a number from an interval, each equally likely."""
        return float(self.generator.uniform(low, high))

    def near(self, centre: float, share: float) -> float:
        """Return `centre` up or down by at most `share` of it, on a logarithmic scale."""
        return float(centre * (1.0 + share) ** self.between(-1.0, 1.0))

    def several(self, centres: Sequence[float] | Samples, share: float) -> Samples:
        """Return each of `centres` moved as by `near`, independently."""
        moves = self.generator.uniform(-1.0, 1.0, len(centres))
        return np.asarray(centres, dtype=np.float64) * (1.0 + share) ** moves

    def whole(self, low: int, high: int) -> int:
        """Return a whole number, both ends included."""
        return int(self.generator.integers(low, high + 1))

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[int(self.generator.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return bool(self.generator.random() < probability)

    def many(self, count: int, low: float, high: float) -> Samples:
        """Return numbers from an interval, in no order."""
        return self.generator.uniform(low, high, count)

    def normals(self, count: int) -> Samples:
        """Return standard normal numbers."""
        return self.generator.standard_normal(count)

    def steps(self, count: int, spacing_s: float, share: float) -> Samples:
        """Return the times of beats that are `spacing_s` apart, each a `share` early or late.

        The first is at 0.
        """
        jitter = self.generator.uniform(-share, share, count) * spacing_s
        beats = np.arange(count) * spacing_s + jitter
        return np.asarray(np.maximum(beats - beats[0], 0.0))

    def poisson(self, rate_hz: float, duration_s: float) -> Samples:
        """Return the times of independent events of a mean rate, in order, at least one."""
        count = max(1, int(self.generator.poisson(rate_hz * duration_s)))
        return np.sort(self.generator.uniform(0.0, duration_s, count))
