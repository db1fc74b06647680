"""From statistics to estimates: one pass of the bootstrap for all that need it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.resampling import cluster_places, resample_sums, sum_clusters
from perturb.score.inference.settings import Settings
from perturb.score.inference.sign_flip import Test, sign_flip_test
from perturb.score.inference.statistic import Floats, Statistic, difference
from perturb.score.inference.summarising import (
    Outline,
    outline,
    percentile_interval,
    summarise,
    summarise_share,
)

__all__ = ["Estimator", "PairFound", "estimate", "estimate_all", "sample_all"]

_DEFAULT = Settings()


class PairFound(NamedTuple):
    """What an `Estimator` finds of two arms.

    Parameters
    ----------
    difference : Estimate
        First − second, with its interval.
    inner : pair of float or None
        Ends of the interval at confidence 1 − 2 α.
    test : Test
        Of the difference against zero.
    """

    difference: Estimate
    inner: tuple[float, float] | None
    test: Test


class _Waiting(NamedTuple):
    """A statistic that waits for its bootstrap samples, and the places of its columns."""

    outline: Outline
    columns: list[int]


class Estimator:
    """Statistics of the same items, taken one by one and estimated in one pass of the bootstrap.

    A score has hundreds of statistics of a hundred thousand items. Shares are estimated at once, by
    Wilson's interval on the effective number of items; of all others the sums of the clips are kept
    until `finish` draws the samples. A column that several statistics share is drawn once.

    Parameters
    ----------
    clusters : array_like of int, shape (items,)
        The clip (or recording, or dialogue) of each item.
    settings : Settings
        Confidence, samples and seed.
    """

    def __init__(self, clusters: npt.ArrayLike, settings: Settings = _DEFAULT) -> None:
        self._places, self._n_clusters = cluster_places(clusters, np.size(clusters))
        self._settings = settings
        self._totals: list[Floats] = []
        self._known: dict[bytes, int] = {}
        self._found: list[Estimate | _Waiting] = []
        self._pairs: list[tuple[_Waiting, Test]] = []
        self.estimates: list[Estimate] = []
        self.pairs: list[PairFound] = []

    def add(self, statistic: Statistic) -> int:
        """Take a statistic, and return its place in `estimates`."""
        self._check(statistic)
        if statistic.interval == "wilson":
            self._found.append(summarise_share(statistic, self._places, self._settings))
        else:
            self._found.append(self._wait(statistic))
        return len(self._found) - 1

    def add_pair(self, first: npt.ArrayLike, second: npt.ArrayLike) -> int:
        """Take the scores of the items in two arms, and return their place in `pairs`."""
        statistic = difference(first, second)
        self._check(statistic)
        test = sign_flip_test(first, second, self._places, self._settings)
        self._pairs.append((self._wait(statistic), test))
        return len(self._pairs) - 1

    def finish(self) -> None:
        """Draw the samples, and fill `estimates` and `pairs`."""
        settings = self._settings
        sums = np.empty((settings.n_samples, 0))
        if self._totals and self._n_clusters:
            sums = resample_sums(np.column_stack(self._totals), settings.n_samples, settings.seed)
        self.estimates = [
            one
            if isinstance(one, Estimate)
            else summarise(one.outline, self._samples(one, sums), settings)
            for one in self._found
        ]
        self.pairs = [self._pair(one, test, sums) for one, test in self._pairs]

    def _check(self, statistic: Statistic) -> None:
        if statistic.counts.size != self._places.size:
            raise ParameterError(
                f"clusters has shape {self._places.shape}, and a statistic {statistic.counts.size} "
                "items; accepted: one whole number per item, of the same items throughout"
            )

    def _wait(self, statistic: Statistic) -> _Waiting:
        totals = sum_clusters(statistic.columns, self._places, self._n_clusters)
        columns = [self._column(np.ascontiguousarray(column)) for column in totals.T]
        return _Waiting(outline(statistic, self._places), columns)

    def _column(self, totals: Floats) -> int:
        key = hashlib.blake2b(totals.tobytes(), digest_size=16).digest()
        if key not in self._known:
            self._known[key] = len(self._totals)
            self._totals.append(totals)
        return self._known[key]

    def _samples(self, one: _Waiting, sums: Floats) -> Floats:
        if not self._n_clusters:
            return np.full(self._settings.n_samples, np.nan)
        return one.outline.function(sums[:, one.columns])

    def _pair(self, one: _Waiting, test: Test, sums: Floats) -> PairFound:
        settings = self._settings
        samples = self._samples(one, sums)
        found = summarise(one.outline, samples, settings)
        inner: tuple[float, float] | str = ""
        if found.low is not None:
            inner = percentile_interval(one.outline, samples, 1.0 - 2.0 * settings.alpha)
        return PairFound(found, None if isinstance(inner, str) else inner, test)


def estimate(
    statistic: Statistic, clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> Estimate:
    """Return one statistic with its interval; see `estimate_all`."""
    return estimate_all([statistic], clusters, settings)[0]


def estimate_all(
    statistics: Sequence[Statistic], clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> list[Estimate]:
    """Return statistics of the same items with their intervals, clustered by clip.

    Shares get Wilson's interval on the effective number of items, all else the percentiles of a
    bootstrap of clips, drawn once for all.

    Parameters
    ----------
    statistics : sequence of Statistic
        Of the same items, in the same order.
    clusters : array_like of int, shape (items,)
        The clip (or recording, or dialogue) of each item.
    settings : Settings
        Confidence, samples and seed.

    Returns
    -------
    list of Estimate
        In the order of `statistics`.

    Examples
    --------
    >>> from perturb.score.inference.statistic import mean
    >>> share = estimate_all([mean([1.0] * 81 + [0.0] * 182)], range(263))[0]
    >>> round(share.value, 3), round(share.low, 4), round(share.high, 4), share.method
    (0.308, 0.2553, 0.3662, 'wilson')
    """
    if not statistics:
        return []
    estimator = Estimator(clusters, settings)
    for each in statistics:
        estimator.add(each)
    estimator.finish()
    return estimator.estimates


def sample_all(
    statistics: Sequence[Statistic], clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> list[Floats]:
    """Return the bootstrap samples of statistics of the same items, `n_samples` of each.

    Parameters as in `estimate_all`; a sample is NaN where the statistic is undefined.
    """
    if not statistics:
        return []
    places, n_clusters = cluster_places(clusters, statistics[0].counts.size)
    if n_clusters == 0:
        return [np.full(settings.n_samples, np.nan) for _ in statistics]
    totals = np.hstack([sum_clusters(each.columns, places, n_clusters) for each in statistics])
    sums = resample_sums(totals, settings.n_samples, settings.seed)
    ends = np.cumsum([each.columns.shape[1] for each in statistics])
    parts = np.split(sums, ends[:-1], axis=1)
    return [each.function(part) for each, part in zip(statistics, parts, strict=True)]
