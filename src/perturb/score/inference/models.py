"""Several models on the same items: paired differences, and how sure their order is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.score.inference.contrasts import Contrast, contrast_all
from perturb.score.inference.estimating import sample_all
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, mean

__all__ = ["RankStability", "Ranking", "compare_models", "rank_models"]

_DEFAULT = Settings()


class Ranking(Record, frozen=True, kw_only=True):
    """Where one model stands.

    Parameters
    ----------
    model : str
        Its name.
    score : float
        Its mean over the items that count for all models.
    rank : float
        1 for the best; models that tie share the mean of their ranks.
    low, high : float
        Percentile interval of the rank over bootstrap samples of clips.
    share_first : float
        Share of the samples in which it is the best, or shares that place.
    """

    model: str
    score: float
    rank: float
    low: float
    high: float
    share_first: Annotated[float, bounds(0.0, 1.0, "", "share of samples")]


class RankStability(Record, frozen=True, kw_only=True):
    """How sure the order of several models is.

    Parameters
    ----------
    rankings : tuple of Ranking
        In the order of the models given; empty where there is no order.
    same_order : float or None
        Share of the bootstrap samples that put all models in the order of the answers.
    n : int
        Items that count for all models.
    reason : str or None
        Why there is no order.
    """

    rankings: tuple[Ranking, ...] = ()
    same_order: Annotated[float, bounds(0.0, 1.0, "", "share of samples")] | None = None
    n: Annotated[int, bounds(0, None, "", "items")]
    reason: str | None = None


def compare_models(
    scores: npt.ArrayLike, clusters: npt.ArrayLike, settings: Settings = _DEFAULT
) -> dict[tuple[int, int], Contrast]:
    """Return the contrast of each pair of models, first − second, by their places.

    Parameters
    ----------
    scores : array_like of float, shape (models, items)
        Scores of the same items; NaN where an item does not count for a model.
    clusters : array_like of int, shape (items,)
        The clip of each item.
    settings : Settings
        Confidence, margin, samples and seed.
    """
    table = _table(scores)
    pairs = list(combinations(range(table.shape[0]), 2))
    found = contrast_all([(table[a], table[b]) for a, b in pairs], clusters, settings)
    return dict(zip(pairs, found, strict=True))


def rank_models(
    names: Sequence[str],
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike,
    settings: Settings = _DEFAULT,
) -> RankStability:
    """Return the rank of each model on the items that count for all, and how stable it is.

    The rank's interval is that of a percentile bootstrap of clips; it is known to be optimistic
    where models nearly tie (Goldstein & Spiegelhalter 1996), so read it with `compare_models`.

    Parameters
    ----------
    names : sequence of str
        Of the models.
    scores : array_like of float, shape (models, items)
        Scores of the same items; NaN where an item does not count for a model.
    clusters : array_like of int, shape (items,)
        The clip of each item.
    settings : Settings
        Confidence, samples and seed, fewest clips.
    """
    from scipy import stats

    table = _table(scores)
    if len(names) != table.shape[0]:
        raise ParameterError(f"names has {len(names)} and scores has {table.shape[0]} models")
    shared = ~np.isnan(table).any(axis=0)
    n = int(np.count_nonzero(shared))
    held = np.unique(np.asarray(clusters)[shared]).size
    if n == 0 or held < settings.min_clusters:
        return RankStability(n=n, reason=f"the items that count for all models have {held} clips")
    kept = np.where(shared, table, np.nan)
    values = np.nanmean(kept, axis=1)
    samples = np.stack(sample_all([mean(row) for row in kept], clusters, settings), axis=1)
    samples = samples[~np.isnan(samples).any(axis=1)]
    ranks = stats.rankdata(-values)
    drawn = stats.rankdata(-samples, axis=1)
    tail = settings.alpha / 2.0
    low, high = np.quantile(drawn, [tail, 1.0 - tail], axis=0, method="nearest")
    best = samples >= samples.max(axis=1, keepdims=True)
    return RankStability(
        rankings=tuple(
            Ranking(
                model=name,
                score=float(values[place]),
                rank=float(ranks[place]),
                low=float(low[place]),
                high=float(high[place]),
                share_first=float(best[:, place].mean()),
            )
            for place, name in enumerate(names)
        ),
        same_order=float((drawn == ranks).all(axis=1).mean()),
        n=n,
    )


def _table(scores: npt.ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] == 0:
        raise ParameterError(f"scores has shape {table.shape}; accepted: (models, items)")
    return table
