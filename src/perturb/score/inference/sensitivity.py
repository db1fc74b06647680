"""What these answers could have shown: the smallest detectable difference, the items needed.

The discordance and the correlation within a clip, which have to be assumed before a run
(`perturb.split.forecasting.power`), are estimated from the differences that were seen.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.score.inference.resampling import cluster_places, sum_clusters
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, Ints, difference
from perturb.split.forecasting.power import DetectableDifference, smallest_difference

__all__ = ["Sensitivity", "intracluster_correlation", "items_needed", "sensitivity"]

_DEFAULT = Settings()


class Sensitivity(Record, frozen=True, kw_only=True):
    """How small a difference a contrast could find.

    Parameters
    ----------
    detectable : DetectableDifference or None
        The smallest difference found with the power asked for, and what it rests on.
    items_needed : int or None
        Items, on as many to a clip as here, that find a difference as large as the margin.
    reason : str or None
        Why either is missing.
    """

    detectable: DetectableDifference | None
    items_needed: Annotated[int, bounds(1, None, "", "items")] | None
    reason: str | None = None


def sensitivity(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike,
    settings: Settings = _DEFAULT,
) -> Sensitivity:
    """Return what a contrast of these two arms can detect.

    Undefined where no item counts in both arms, or none differs.

    Parameters
    ----------
    first, second : array_like of float, shape (items,)
        Scores from 0 to 1; NaN where an item does not count.
    clusters : array_like of int, shape (items,)
        The clip of each item.
    settings : Settings
        Level, power and margin.
    """
    statistic = difference(first, second)
    places, n_clusters = cluster_places(clusters, statistic.counts.size)
    values = statistic.columns[:, 0][statistic.counts]
    if values.size == 0:
        return Sensitivity(detectable=None, items_needed=None, reason=statistic.undefined)
    discordance = float(np.mean(values**2))
    if discordance == 0.0:
        return Sensitivity(
            detectable=None, items_needed=None, reason="no item differs between the arms"
        )
    sizes = sum_clusters(statistic.columns, places, n_clusters)[:, 1]
    sizes = sizes[sizes > 0.0]
    detectable = smallest_difference(
        values.size,
        sizes.size,
        settings.alpha,
        settings.power,
        discordance=discordance,
        icc=intracluster_correlation(values, places[statistic.counts]),
        size_variation=float(sizes.std() / sizes.mean()),
    )
    if discordance < settings.margin:
        return Sensitivity(
            detectable=detectable,
            items_needed=None,
            reason=f"the arms differ in {discordance:.1%} of the items, less than the margin",
        )
    alone = items_needed(settings.margin, discordance, settings.alpha, settings.power)
    return Sensitivity(
        detectable=detectable, items_needed=math.ceil(alone * detectable.design_effect)
    )


def items_needed(difference: float, discordance: float, alpha: float, power: float) -> float:
    """Return how many items, each on its own clip, find a difference with this power.

    n = (z(1 − α/2) √ψ + z(power) √(ψ − d²))² / d² (Connor 1987), ψ the discordance.

    Raises
    ------
    ParameterError
        A difference that is not above 0, or larger than the discordance.
    """
    if not 0.0 < difference <= discordance:
        raise ParameterError(
            f"difference is {difference}; accepted: above 0, at most the discordance {discordance}"
        )
    normal = NormalDist()
    needed = normal.inv_cdf(1.0 - alpha / 2.0) * math.sqrt(discordance)
    needed += normal.inv_cdf(power) * math.sqrt(discordance - difference**2)
    return (needed / difference) ** 2


def intracluster_correlation(values: Floats, places: Ints) -> float:
    """Return the correlation of values within a clip: the ANOVA estimator (Donner 1986), 0 to 1.

    0 where no clip has two items, or there is but one clip.

    Parameters
    ----------
    values : ndarray of float64, shape (items,)
        One finite value per item.
    places : ndarray of int, shape (items,)
        The clip of each item, from 0.
    """
    sizes = np.bincount(places).astype(np.float64)
    sums = np.bincount(places, weights=values)[sizes > 0.0]
    sizes = sizes[sizes > 0.0]
    n, clusters = values.size, sizes.size
    if clusters in (1, n):
        return 0.0
    between = float(np.sum(sums**2 / sizes) - values.sum() ** 2 / n) / (clusters - 1)
    within = float(np.sum(values**2) - np.sum(sums**2 / sizes)) / (n - clusters)
    typical = (n - float(np.sum(sizes**2)) / n) / (clusters - 1)
    total = between + (typical - 1.0) * within
    return float(np.clip((between - within) / total, 0.0, 1.0)) if total > 0.0 else 0.0
