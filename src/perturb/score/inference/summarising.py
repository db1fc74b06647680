"""From a statistic and its bootstrap samples to an estimate: value, interval, or why not."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from perturb.score.inference.estimate import Estimate
from perturb.score.inference.resampling import sum_clusters
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, Ints, Statistic
from perturb.score.inference.wilson import effective_items, wilson_interval

__all__ = ["Outline", "outline", "percentile_interval", "summarise", "summarise_share"]

# Samples without a value may be left out only while they cannot shift the ends.
_MAX_UNDEFINED = 0.01


class Outline(NamedTuple):
    """What is left of a statistic once its items are summed.

    Parameters
    ----------
    value : float
        Over all items; NaN where undefined.
    n, clusters : int
        Items that count, and the clips that they come from.
    function, limits, undefined
        As in `Statistic`.
    """

    value: float
    n: int
    clusters: int
    function: Callable[[Floats], Floats]
    limits: tuple[float, float] | None
    undefined: str


def outline(statistic: Statistic, places: Ints) -> Outline:
    """Return a statistic without its items; `places` are the clips of these, from 0."""
    return Outline(
        value=statistic.value(),
        n=int(np.count_nonzero(statistic.counts)),
        clusters=int(np.count_nonzero(np.bincount(places[statistic.counts]))),
        function=statistic.function,
        limits=statistic.limits,
        undefined=statistic.undefined,
    )


def summarise(one: Outline, samples: Floats, settings: Settings) -> Estimate:
    """Return the estimate of a statistic from its bootstrap samples.

    None and a reason stand where the value is undefined; no interval and a reason where fewer than
    `settings.min_clusters` clips share its items, or too many samples are undefined.
    """
    ends: tuple[float, float] | str
    if np.isnan(one.value):
        ends = one.undefined
    elif one.clusters < settings.min_clusters:
        ends = _few(one.clusters, settings)
    else:
        ends = percentile_interval(one, samples, settings.confidence)
    return _estimate(one, ends, settings, is_share=False)


def summarise_share(statistic: Statistic, places: Ints, settings: Settings) -> Estimate:
    """Return the estimate of a share: Wilson's interval, which needs no samples."""
    one = outline(statistic, places)
    ends = one.undefined if np.isnan(one.value) else _wilson(statistic, one.value, places, settings)
    return _estimate(one, ends, settings, is_share=True)


def percentile_interval(
    one: Outline, samples: Floats, confidence: float
) -> tuple[float, float] | str:
    """Return the ends of the percentile interval, or the reason why there is none.

    Where all clips agree, resampling shows no spread. Then the interval reaches as far as Tango's
    (1998) does when no pair is discordant, z²/(clips + z²) to both sides.
    """
    defined = samples[~np.isnan(samples)]
    if defined.size < (1.0 - _MAX_UNDEFINED) * samples.size:
        share = 1.0 - defined.size / samples.size
        return f"undefined in {share:.0%} of the bootstrap samples: {one.undefined}"
    if np.ptp(defined) > 1e-12:
        tail = (1.0 - confidence) / 2.0
        low, high = np.quantile(defined, [tail, 1.0 - tail])
        return float(low), float(high)
    if one.limits is None:
        return "all clips agree: resampling them shows no spread"
    z2 = NormalDist().inv_cdf((1.0 + confidence) / 2.0) ** 2
    reach = z2 / (one.clusters + z2)
    return max(one.limits[0], one.value - reach), min(one.limits[1], one.value + reach)


def _estimate(
    one: Outline, ends: tuple[float, float] | str, settings: Settings, *, is_share: bool
) -> Estimate:
    low, high = (None, None) if isinstance(ends, str) else ends
    method = "wilson" if is_share else "bootstrap"
    return Estimate(
        value=None if np.isnan(one.value) else one.value,
        low=low,
        high=high,
        n=one.n,
        clusters=one.clusters,
        confidence=settings.confidence,
        method="none" if low is None else method,  # type: ignore[arg-type]
        reason=ends if isinstance(ends, str) else None,
    )


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
