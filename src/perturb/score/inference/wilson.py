"""Wilson's interval of a share, on as many items as the clustered ones are worth.

Wilson 1927; for clustered samples on the effective number of items, with Korn & Graubard's
correction for few clusters (Korn & Graubard 1998; Franco, Little, Louis & Slud 2019). With one
item a clip it is Wilson's own.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from perturb.score.inference.statistic import Floats

__all__ = ["effective_items", "wilson_interval"]


def wilson_interval(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the ends of Wilson's score interval, without continuity correction.

    Parameters
    ----------
    share : float
        Observed share, 0 to 1.
    n : float
        Items, above 0; need not be whole.
    confidence : float
        Of the interval, 0 to 1.
    """
    z2 = NormalDist().inv_cdf((1.0 + confidence) / 2.0) ** 2
    centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n)
    spread = math.sqrt(z2 * (share * (1.0 - share) / n + z2 / (4.0 * n * n))) / (1.0 + z2 / n)
    return max(0.0, min(share, centre - spread)), min(1.0, max(share, centre + spread))


def effective_items(hits: Floats, items: Floats, confidence: float) -> float:
    """Return how many items of their own clip would tell as much as these.

    The variance of the share between clips over that of independent items is the design effect,
    taken as 1 where it is less. Where all items agree it cannot be seen: each clip counts once.

    Parameters
    ----------
    hits, items : ndarray of float64, shape (clusters,)
        Items that hit and items, for each clip; clips without items do not count.
    confidence : float
        Of the interval that it is for.
    """
    held = items > 0.0
    hits, items = hits[held], items[held]
    n, clusters = float(items.sum()), items.size
    if clusters == n:
        return n
    if clusters < 2:
        return 1.0
    share = float(hits.sum()) / n
    if share in (0.0, 1.0):
        return float(clusters)
    residuals = hits - share * items
    variance = clusters / (clusters - 1.0) * float(np.sum(residuals**2)) / n**2
    design_effect = max(1.0, variance * (n - 1.0) / (share * (1.0 - share)))
    return n / design_effect * _few_clusters(n, clusters, confidence)


def _few_clusters(n: float, clusters: int, confidence: float) -> float:
    from scipy import stats

    level = (1.0 + confidence) / 2.0
    return float((stats.t.ppf(level, n - 1.0) / stats.t.ppf(level, clusters - 1.0)) ** 2)
