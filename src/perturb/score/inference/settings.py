"""`Settings`: what is decided about inference before any answer is seen."""

from __future__ import annotations

from typing import Annotated

from perturb.record import Record, bounds
from perturb.streams import SEED_RANGE

__all__ = ["Settings"]


class Settings(Record, frozen=True, kw_only=True):
    """Choices of all intervals, tests and verdicts of one score.

    Parameters
    ----------
    confidence : float
        Of intervals. Tests are made at the level 1 − confidence.
    n_samples : int
        Bootstrap samples, and sign flips where the test is not exact.
    margin : float
        Differences in accuracy below it do not matter: .03 is three points.
    power : float
        Of the smallest detectable difference.
    min_clusters : int
        Fewer clips that share items get no interval from resampling: it would be too narrow.
    seed : int
        Of the bootstrap and the sign flips.
    """

    confidence: Annotated[float, bounds(0.5, 1.0 - 1e-9, "", "confidence level")] = 0.95
    n_samples: Annotated[int, bounds(100, 1_000_000, "", "bootstrap samples")] = 10_000
    margin: Annotated[float, bounds(0.0, 1.0, "", "share of items", open_low=True)] = 0.03
    power: Annotated[float, bounds(0.5, 1.0 - 1e-9, "", "power of the test")] = 0.8
    min_clusters: Annotated[int, bounds(2, None, "", "clips")] = 10
    seed: Annotated[int, bounds(*SEED_RANGE, "", "seed")] = 0

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1.0 - self.confidence
