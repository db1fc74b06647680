"""Contrasts of two arms on the same items: difference, interval, test, equivalence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy.typing as npt

from perturb.record import Record, bounds
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.estimating import Estimator, PairFound
from perturb.score.inference.settings import Settings
from perturb.score.inference.sign_flip import Test
from perturb.score.inference.statistic import Statistic

__all__ = ["Contrast", "contrast", "contrast_all", "contrast_of", "infer_all"]

_DEFAULT = Settings()

Arms = tuple[npt.ArrayLike, npt.ArrayLike]


class Contrast(Record, frozen=True, kw_only=True):
    """How far two arms differ, and whether that is more than chance or less than matters.

    Parameters
    ----------
    difference : Estimate
        First − second over the items that count in both, with its interval.
    inner_low, inner_high : float or None
        Ends of the interval at confidence 1 − 2 α: the one that lies within the margin where both
        one-sided tests of equivalence (TOST, Schuirmann 1987) reject. None where there is none.
    test : Test
        Of the difference against zero.
    margin : float
        Differences below it do not matter.
    """

    difference: Estimate
    inner_low: float | None
    inner_high: float | None
    test: Test
    margin: Annotated[float, bounds(0.0, 1.0, "", "share of items", open_low=True)]

    def is_within_margin(self) -> bool:
        """Return whether the two one-sided tests show the arms to be equivalent."""
        if self.inner_low is None or self.inner_high is None:
            return False
        return -self.margin < self.inner_low and self.inner_high < self.margin


def contrast(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike,
    settings: Settings = _DEFAULT,
) -> Contrast:
    """Return one contrast; see `infer_all`.

    Examples
    --------
    >>> probe, sham = [0.0, 0.0, 1.0, 0.0] * 50, [1.0, 1.0, 1.0, 0.0] * 50
    >>> clip_of_item = [item // 2 for item in range(200)]
    >>> found = contrast(probe, sham, clip_of_item)
    >>> found.difference.value, found.difference.clusters, found.test.method
    (-0.5, 100, 'sign-flip exact')
    """
    return contrast_all([(first, second)], clusters, settings)[0]


def contrast_all(
    arms: Sequence[Arms], clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> list[Contrast]:
    """Return the contrasts of pairs of arms on the same items; see `infer_all`."""
    return infer_all([], arms, clusters, settings)[1]


def infer_all(
    statistics: Sequence[Statistic],
    arms: Sequence[Arms],
    clusters: npt.ArrayLike,
    settings: Settings = _DEFAULT,
) -> tuple[list[Estimate], list[Contrast]]:
    """Return estimates and contrasts of the same items, in one pass of the bootstrap.

    Parameters
    ----------
    statistics : sequence of Statistic
        What is estimated, as by `estimate_all`.
    arms : sequence of (array_like, array_like)
        Scores of the items in two arms, shape (items,); NaN where an item does not count. The
        primary contrast is (probe, sham).
    clusters : array_like of int, shape (items,)
        The clip (or recording, or dialogue) of each item.
    settings : Settings
        Confidence, margin, samples and seed.
    """
    if not statistics and not arms:
        return [], []
    estimator = Estimator(clusters, settings)
    for each in statistics:
        estimator.add(each)
    for pair in arms:
        estimator.add_pair(*pair)
    estimator.finish()
    return estimator.estimates, [contrast_of(found, settings) for found in estimator.pairs]


def contrast_of(found: PairFound, settings: Settings = _DEFAULT) -> Contrast:
    """Return what an `Estimator` found of two arms as a contrast."""
    low, high = (None, None) if found.inner is None else found.inner
    return Contrast(
        difference=found.difference,
        inner_low=low,
        inner_high=high,
        test=found.test,
        margin=settings.margin,
    )
