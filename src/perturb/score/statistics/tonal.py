"""Tonal against non-tonal languages, on the labels that both share (SEABED).

Languages differ in which labels occur and how often, so their accuracies compare only under label
control: items whose gold does not occur in both groups are left out, and the difference is taken
label by label, weighted by the items of the label in both groups (direct standardisation). Each
group's own accuracy on the shared labels has Wilson's interval. Undefined where no label is shared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats, Statistic, as_values, mean, quotient

__all__ = ["TonalContrast", "tonal_contrast"]

_UNSHARED = "no gold label occurs in both groups of languages"


class TonalContrast(NamedTuple):
    """Accuracy of both groups on shared labels, their difference by label, and the labels."""

    tonal: Statistic
    non_tonal: Statistic
    difference: Statistic
    labels: tuple[str, ...]


def tonal_contrast(
    correct: npt.ArrayLike, labels: npt.ArrayLike, is_tonal: npt.ArrayLike
) -> TonalContrast:
    """Return how tonal and non-tonal languages compare under label control.

    Parameters
    ----------
    correct : array_like of float, shape (items,)
        Scores from 0 to 1; NaN where an item does not count.
    labels : array_like of str, shape (items,)
        The gold label of each item.
    is_tonal : array_like of bool, shape (items,)
        Whether its language is tonal.
    """
    values = as_values("correct", correct)
    names, places = np.unique(np.asarray(labels, dtype=np.str_), return_inverse=True)
    tonal = np.asarray(is_tonal, dtype=np.bool_)
    if not places.shape == values.shape == tonal.shape:
        raise ParameterError(
            f"correct, labels and is_tonal have {values.size}, {places.size} and {tonal.size} items"
        )
    counts = ~np.isnan(values)
    sizes = np.stack(
        [np.bincount(places[counts & side], minlength=names.size) for side in (tonal, ~tonal)]
    )
    shared = (sizes[0] > 0) & (sizes[1] > 0)
    kept = np.where(shared[places], values, np.nan) if names.size else values
    weights = np.where(shared, sizes.sum(axis=0), 0)[shared].astype(np.float64)
    return TonalContrast(
        tonal=mean(np.where(tonal, kept, np.nan), _UNSHARED),
        non_tonal=mean(np.where(tonal, np.nan, kept), _UNSHARED),
        difference=_standardised(kept, places, np.flatnonzero(shared), tonal, weights),
        labels=tuple(str(name) for name in names[shared]),
    )


def _standardised(
    values: Floats,
    places: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int64],
    tonal: npt.NDArray[np.bool_],
    weights: Floats,
) -> Statistic:
    counts = ~np.isnan(values)
    members = (places[:, np.newaxis] == shared) & counts[:, np.newaxis]
    scores = np.where(counts, values, 0.0)[:, np.newaxis]
    blocks = [members & side[:, np.newaxis] for side in (tonal, ~tonal)]
    columns = [part for block in blocks for part in (block * scores, block.astype(np.float64))]
    n_labels = shared.size

    def apart(sums: Floats) -> Floats:
        hits, items, other_hits, other_items = np.split(sums, 4, axis=-1)
        by_label = quotient(hits, items) - quotient(other_hits, other_items)
        return np.asarray(by_label @ (weights / weights.sum()))

    def nothing(sums: Floats) -> Floats:
        return np.full(sums.shape[:-1], np.nan)

    return Statistic(
        columns=np.hstack(columns),
        function=apart if n_labels else nothing,
        counts=counts,
        limits=(-1.0, 1.0),
        undefined=_UNSHARED if not n_labels else "a shared label has no item in one of the groups",
    )
