"""From statistics to estimates: one pass of the bootstrap for all that need it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.resampling import cluster_places, resample_sums, sum_clusters
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, Ints, Statistic
from perturb.score.inference.wilson import effective_items, wilson_interval

__all__ = ["estimate", "estimate_all", "percentile_interval", "sample_all", "summarise"]

_DEFAULT = Settings()
# Samples without a value may be left out only while they cannot shift the ends.
_MAX_UNDEFINED = 0.01


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
    """
    if not statistics:
        return []
    places, n_clusters = cluster_places(clusters, _n_items(statistics))
    resampled = [each for each in statistics if each.interval == "bootstrap"]
    samples = iter(sample_all(resampled, clusters, settings))
    return [
        _share(each, places, n_clusters, settings)
        if each.interval == "wilson"
        else summarise(each, next(samples), clusters, settings)
        for each in statistics
    ]


def sample_all(
    statistics: Sequence[Statistic], clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> list[Floats]:
    """Return the bootstrap samples of statistics of the same items, `n_samples` of each."""
    if not statistics:
        return []
    n_items = _n_items(statistics)
    places, n_clusters = cluster_places(clusters, n_items)
    if n_clusters == 0:
        return [np.full(settings.n_samples, np.nan) for _ in statistics]
    totals = np.hstack([sum_clusters(each.columns, places, n_clusters) for each in statistics])
    sums = resample_sums(totals, settings.n_samples, settings.seed)
    ends = np.cumsum([each.columns.shape[1] for each in statistics])
    parts = np.split(sums, ends[:-1], axis=1)
    return [each.function(part) for each, part in zip(statistics, parts, strict=True)]


def percentile_interval(
    statistic: Statistic,
    value: float,
    samples: Floats,
    n_clusters: int,
    confidence: float,
) -> tuple[float, float] | str:
    """Return the ends of the percentile interval, or the reason why there is none.

    Where all clips agree, resampling shows no spread. Then the interval reaches as far as Tango's
    (1998) does when no pair is discordant, z²/(clips + z²) to both sides.
    """
    defined = samples[~np.isnan(samples)]
    if defined.size < (1.0 - _MAX_UNDEFINED) * samples.size:
        share = 1.0 - defined.size / samples.size
        return f"undefined in {share:.0%} of the bootstrap samples: {statistic.undefined}"
    if np.ptp(defined) > 1e-12:
        tail = (1.0 - confidence) / 2.0
        low, high = np.quantile(defined, [tail, 1.0 - tail])
        return float(low), float(high)
    if statistic.limits is None:
        return "all clips agree: resampling them shows no spread"
    z2 = NormalDist().inv_cdf((1.0 + confidence) / 2.0) ** 2
    reach = z2 / (n_clusters + z2)
    return max(statistic.limits[0], value - reach), min(statistic.limits[1], value + reach)


def summarise(
    statistic: Statistic,
    samples: Floats,
    clusters: npt.ArrayLike,
    settings: Settings = _DEFAULT,
) -> Estimate:
    """Return the estimate that a statistic's bootstrap samples give.

    None and a reason stand where the value is undefined, and no interval and a reason where fewer
    than `settings.min_clusters` clips hold its items or too many samples are undefined.
    """
    value = statistic.value()
    n = int(np.count_nonzero(statistic.counts))
    held = int(np.unique(np.asarray(clusters)[statistic.counts]).size)
    if np.isnan(value):
        return _undefined(statistic, held, settings)
    if held < settings.min_clusters:
        return _no_interval(value, n, held, _few(held, settings), settings)
    found = percentile_interval(statistic, value, samples, held, settings.confidence)
    if isinstance(found, str):
        return _no_interval(value, n, held, found, settings)
    return Estimate(
        value=value,
        low=found[0],
        high=found[1],
        n=n,
        clusters=held,
        confidence=settings.confidence,
        method="bootstrap",
    )


def _n_items(statistics: Sequence[Statistic]) -> int:
    sizes = {each.counts.size for each in statistics}
    if len(sizes) > 1:
        raise ParameterError(f"statistics of {sorted(sizes)} items; accepted: of the same items")
    return sizes.pop()


def _share(statistic: Statistic, places: Ints, n_clusters: int, settings: Settings) -> Estimate:
    totals = sum_clusters(statistic.columns, places, n_clusters)
    hits, items = totals[:, 0], totals[:, 1]
    n, held = round(items.sum()), int(np.count_nonzero(items))
    if n == 0:
        return _undefined(statistic, 0, settings)
    value = statistic.value()
    if held < min(n, settings.min_clusters):
        return _no_interval(value, n, held, _few(held, settings), settings)
    effective = effective_items(hits, items, settings.confidence)
    low, high = wilson_interval(value, effective, settings.confidence)
    return Estimate(
        value=value,
        low=low,
        high=high,
        n=n,
        clusters=held,
        confidence=settings.confidence,
        method="wilson",
    )


def _few(held: int, settings: Settings) -> str:
    return (
        f"{held} clips, fewer than {settings.min_clusters}: an interval from so few would be too "
        "narrow"
    )


def _undefined(statistic: Statistic, held: int, settings: Settings) -> Estimate:
    return Estimate(
        n=int(np.count_nonzero(statistic.counts)),
        clusters=held,
        confidence=settings.confidence,
        reason=statistic.undefined,
    )


def _no_interval(value: float, n: int, held: int, reason: str, settings: Settings) -> Estimate:
    return Estimate(value=value, n=n, clusters=held, confidence=settings.confidence, reason=reason)
