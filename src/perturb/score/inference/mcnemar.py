"""McNemar's exact test, for benchmarks in which each clip carries one question.

McNemar 1947; exact by the binomial distribution of the discordant pairs. Where questions share
clips its false alarms multiply, so it refuses them: `sign_flip_test` is the test there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.score.inference.resampling import cluster_places
from perturb.score.inference.sign_flip import Test
from perturb.score.inference.statistic import difference

__all__ = ["mcnemar_test"]


def mcnemar_test(first: npt.ArrayLike, second: npt.ArrayLike, clusters: npt.ArrayLike) -> Test:
    """Test whether two arms differ in the share of right answers.

    Undefined where no item counts in both arms, where two such items share a clip, and for scores
    that are not 0 or 1.

    Parameters
    ----------
    first, second : array_like of float, shape (items,)
        1 for right, 0 for wrong, NaN where an item does not count.
    clusters : array_like of int, shape (items,)
        The clip of each item.
    """
    statistic = difference(first, second)
    places, _ = cluster_places(clusters, statistic.counts.size)
    n = int(np.count_nonzero(statistic.counts))
    held = int(np.count_nonzero(np.bincount(places[statistic.counts])))
    arms = [np.asarray(arm, dtype=np.float64)[statistic.counts] for arm in (first, second)]
    reason = None
    if n == 0:
        reason = statistic.undefined
    elif held < n:
        reason = f"{n} items share {held} clips: the test is for one question a clip"
    elif not all(np.isin(arm, (0.0, 1.0)).all() for arm in arms):
        reason = "scores between 0 and 1: the test is for right and wrong"
    if reason is not None:
        return Test(n=n, clusters=held, method="none", reason=reason)
    from scipy import stats

    gained = int(np.count_nonzero(arms[0] > arms[1]))
    discordant = int(np.count_nonzero(arms[0] != arms[1]))
    p_value = stats.binomtest(gained, discordant, 0.5).pvalue if discordant else 1.0
    return Test(p_value=float(p_value), method="McNemar exact", n=n, clusters=held)
