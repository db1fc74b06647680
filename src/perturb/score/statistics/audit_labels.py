"""Shares of audit labels: how a person judged the answers of a sample.

SEABED's audits call a right answer *genuine*, *partial* or *lucky*, and name the type of a failure.
Each label's share is over the labelled items alone. The sample is stratified, so shares of the
whole need weights: the items of a stratum over those of it that were labelled. Undefined where no
item is labelled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Statistic, as_values, mean, ratio

__all__ = ["label_shares"]


def label_shares(
    labels: Sequence[str | None], weights: npt.ArrayLike | None = None
) -> dict[str, Statistic]:
    """Return the share of each label that occurs, in order of the labels.

    Parameters
    ----------
    labels : sequence of str or None
        The label of each item; None where it was not audited.
    weights : array_like of float, shape (items,), optional
        How many items each stands for, above 0; 1 by default.
    """
    audited = np.array([label is not None for label in labels], dtype=np.bool_)
    shares = {}
    for name in sorted({label for label in labels if label is not None}):
        hits = np.array([label == name for label in labels], dtype=np.float64)
        hits = np.where(audited, hits, np.nan)
        shares[name] = mean(hits) if weights is None else _weighted(hits, weights)
    return shares


def _weighted(hits: npt.NDArray[np.float64], weights: npt.ArrayLike) -> Statistic:
    factors = as_values("weights", weights)
    if factors.shape != hits.shape or not (factors > 0.0).all():
        raise ParameterError("weights: accepted: one number above 0 for each item")
    return ratio(hits * factors, factors, "no item is labelled")
