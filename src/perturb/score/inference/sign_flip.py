"""The cluster sign-flip test: is the difference between two arms more than chance?

Under the null hypothesis the two arms of a clip could be exchanged, so that each clip's difference
could as well have the other sign (Fisher 1935; Winkler et al. 2015 for blocks). The clip flips as a
whole, so questions on it may depend on each other in any way. With one question a clip and answers
that are right or wrong it is the exact McNemar test.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.score.inference.resampling import cluster_places, sum_clusters
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, difference
from perturb.streams import Streams

__all__ = ["Test", "sign_flip_test"]

_DEFAULT = Settings()
_BLOCK_SAMPLES = 64
# What is left of a probability after the rounding of the transform.
_SMALLEST_P = 1e-15


class Test(Record, frozen=True, kw_only=True):
    """The result of a two-sided test.

    Parameters
    ----------
    p_value : float or None
        Probability of a difference at least as large, if there is none; None where undefined.
    method : {'sign-flip exact', 'sign-flip sampled', 'McNemar exact', 'none'}
        Which test.
    n, clusters : int
        Items in both arms and the clips that they come from.
    reason : str or None
        Why there is no p-value.
    """

    __test__ = False  # not a test of pytest's

    p_value: Annotated[float, bounds(0.0, 1.0, "", "probability")] | None = None
    method: Literal["sign-flip exact", "sign-flip sampled", "McNemar exact", "none"]
    n: Annotated[int, bounds(0, None, "", "items")]
    clusters: Annotated[int, bounds(0, None, "", "clips")]
    reason: str | None = None

    def check(self) -> None:
        """Check that a missing p-value has a reason."""
        if (self.p_value is None) == (self.reason is None):
            raise ParameterError("Test: either a p_value or the reason why there is none")


def sign_flip_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike,
    settings: Settings = _DEFAULT,
) -> Test:
    """Test whether the mean of first − second differs from zero, clips flipped as a whole.

    Exact where the differences of the clips are whole or half numbers, as those of right and wrong
    are; else over `settings.n_samples` drawn flips, (1 + exceeded) / (1 + drawn).

    Parameters
    ----------
    first, second : array_like of float, shape (items,)
        Scores of the same items in two arms; NaN where an item does not count.
    clusters : array_like of int, shape (items,)
        The clip of each item.
    settings : Settings
        Flips and seed, where they are drawn.
    """
    statistic = difference(first, second)
    places, n_clusters = cluster_places(clusters, statistic.counts.size)
    totals = sum_clusters(statistic.columns, places, n_clusters)
    totals = totals[totals[:, 1] > 0.0]
    n = round(totals[:, 1].sum())
    if n == 0:
        return Test(n=0, clusters=0, method="none", reason=statistic.undefined)
    differences = totals[:, 0]
    halves = np.rint(2.0 * differences)
    if np.allclose(halves, 2.0 * differences, rtol=0.0, atol=1e-9):
        return Test(
            p_value=_exact(halves.astype(np.int64)),
            method="sign-flip exact",
            n=n,
            clusters=totals.shape[0],
        )
    return Test(
        p_value=_sampled(differences, settings),
        method="sign-flip sampled",
        n=n,
        clusters=totals.shape[0],
    )


def _exact(differences: npt.NDArray[np.int64]) -> float:
    """Return the p-value over all flips of whole numbers, by the transform of their sum.

    With D the absolute differences and N their sum, the flipped sum is 2 Σ B D − N with fair coins
    B. The transform of Σ B D is a product over clips, a power for each distinct D.
    """
    observed = abs(int(differences.sum()))
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    if observed == 0:
        return 1.0
    unit = np.gcd.reduce(sizes)
    sizes, observed = sizes // unit, observed // unit
    total = int(np.sum(sizes * counts))
    points = total + 1
    frequency = np.arange(points // 2 + 1)
    transform = np.ones(frequency.size, dtype=np.complex128)
    for size, count in zip(sizes, counts, strict=True):
        # (1 + e^(−2ia)) / 2 = cos(a) e^(−ia), to the power of the count.
        turn = (frequency * size) % points
        angle = ((turn * count) % (2 * points)) * (np.pi / points)
        transform *= np.cos(turn * (np.pi / points)) ** count * np.exp(-1j * angle)
    probabilities = np.fft.irfft(transform, points)
    reached = np.abs(2 * np.arange(points) - total) >= observed
    return float(np.clip(probabilities[reached].sum(), _SMALLEST_P, 1.0))


def _sampled(differences: Floats, settings: Settings) -> float:
    observed = abs(float(differences.sum()))
    slack = 1e-9 * float(np.abs(differences).sum())
    generator = Streams(settings.seed, "score", "sign flip").generator("signs")
    exceeded = 0
    for start in range(0, settings.n_samples, _BLOCK_SAMPLES):
        shape = (min(_BLOCK_SAMPLES, settings.n_samples - start), differences.size)
        signs = 2.0 * generator.integers(0, 2, shape, dtype=np.int8) - 1.0
        flipped = np.einsum("sc,c->s", signs, differences)
        exceeded += int(np.count_nonzero(np.abs(flipped) >= observed - slack))
    return (1 + exceeded) / (1 + settings.n_samples)
