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

__all__ = [
    "count_items",
    "estimate",
    "estimate_all",
    "percentile_interval",
    "sample_all",
    "sample_needed",
    "summarise",
]

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

    Examples
    --------
    >>> from perturb.score.inference.statistic import mean
    >>> share = estimate_all([mean([1.0] * 81 + [0.0] * 182)], range(263))[0]
    >>> round(share.value, 3), round(share.low, 4), round(share.high, 4), share.method
    (0.308, 0.2553, 0.3662, 'wilson')
    """
    if not statistics:
        return []
    places, _ = cluster_places(clusters, count_items(statistics))
    samples = sample_needed(statistics, places, settings)
    return [
        summarise(each, drawn, places, settings)
        for each, drawn in zip(statistics, samples, strict=True)
    ]


def sample_all(
    statistics: Sequence[Statistic], clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> list[Floats]:
    """Return the bootstrap samples of statistics of the same items, `n_samples` of each.

    Parameters as in `estimate_all`; a sample is NaN where the statistic is undefined.
    """
    if not statistics:
        return []
    places, n_clusters = cluster_places(clusters, count_items(statistics))
    if n_clusters == 0:
        return [np.full(settings.n_samples, np.nan) for _ in statistics]
    totals = np.hstack([sum_clusters(each.columns, places, n_clusters) for each in statistics])
    sums = resample_sums(totals, settings.n_samples, settings.seed)
    ends = np.cumsum([each.columns.shape[1] for each in statistics])
    parts = np.split(sums, ends[:-1], axis=1)
    return [each.function(part) for each, part in zip(statistics, parts, strict=True)]


def sample_needed(
    statistics: Sequence[Statistic], places: Ints, settings: Settings
) -> list[Floats | None]:
    """Return the bootstrap samples of those statistics that need them, None for the others."""
    is_needed = [each.interval == "bootstrap" for each in statistics]
    needed = [each for each, needs in zip(statistics, is_needed, strict=True) if needs]
    samples = iter(sample_all(needed, places, settings))
    return [next(samples) if needs else None for needs in is_needed]


def summarise(
    statistic: Statistic, samples: Floats | None, places: Ints, settings: Settings
) -> Estimate:
    """Return the estimate of one statistic: the step after `sample_needed`.

    None and a reason stand where the value is undefined; no interval and a reason where fewer than
    `settings.min_clusters` clips share its items, or too many samples are undefined.
    """
    value = statistic.value()
    n = int(np.count_nonzero(statistic.counts))
    held = int(np.count_nonzero(np.bincount(places[statistic.counts])))
    ends: tuple[float, float] | str
    if np.isnan(value):
        ends = statistic.undefined
    elif samples is None:
        ends = _wilson(statistic, value, places, settings)
    elif held < settings.min_clusters:
        ends = _few(held, settings)
    else:
        ends = percentile_interval(statistic, value, samples, held, settings.confidence)
    low, high = (None, None) if isinstance(ends, str) else ends
    return Estimate(
        value=None if np.isnan(value) else value,
        low=low,
        high=high,
        n=n,
        clusters=held,
        confidence=settings.confidence,
        method="none" if low is None else statistic.interval,
        reason=ends if isinstance(ends, str) else None,
    )


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


def count_items(statistics: Sequence[Statistic]) -> int:
    """Return the number of items, which must be the same for all statistics."""
    sizes = {each.counts.size for each in statistics}
    if len(sizes) > 1:
        raise ParameterError(f"statistics of {sorted(sizes)} items; accepted: of the same items")
    return sizes.pop()


def _wilson(
    statistic: Statistic, value: float, places: Ints, settings: Settings
) -> tuple[float, float] | str:
    totals = sum_clusters(statistic.columns, places, int(places.max()) + 1)
    items = totals[:, 1]
    held = int(np.count_nonzero(items))
    if held < min(items.sum(), settings.min_clusters):
        return _few(held, settings)
    effective = effective_items(totals[:, 0], items, settings.confidence)
    return wilson_interval(value, effective, settings.confidence)


def _few(held: int, settings: Settings) -> str:
    return (
        f"{held} clips, fewer than {settings.min_clusters}: an interval from so few would be too "
        "narrow"
    )
