"""Weighted average of the accuracies of groups: tasks, languages, axes.

Σ w(g) accuracy(g) / Σ w(g). With the groups' items as weights it is the accuracy over all items,
SEABED's headline; HEAR weighs its three axes by their units; equal weights give the macro average.
Undefined where a group with weight has no item that counts: leaving it out would change what the
average is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.score.inference.statistic import Floats, Statistic, as_values, quotient

__all__ = ["weighted_average"]


def weighted_average(
    correct: npt.ArrayLike,
    groups: npt.ArrayLike,
    weights: Mapping[str, float] | Literal["items", "equal"] = "items",
) -> Statistic:
    """Return the weighted average of the groups' accuracies.

    Parameters
    ----------
    correct : array_like of float, shape (items,)
        0 to 1; NaN where an item does not count.
    groups : array_like of str, shape (items,)
        The group of each item.
    weights : mapping of str to float, 'items' or 'equal'
        Weight of each group, at least 0. `items` takes the number of each group's items that
        count, held fixed under resampling.

    Raises
    ------
    ParameterError
        A group without a weight, a negative weight, or weights without a sum.
    """
    values = as_values("correct", correct)
    names, places = np.unique(np.asarray(groups), return_inverse=True)
    if places.shape != values.shape:
        raise ParameterError(f"groups has {places.size} items and correct {values.size}")
    counts = ~np.isnan(values)
    factors = _factors(names.tolist(), np.bincount(places[counts], minlength=names.size), weights)
    members = places[:, np.newaxis] == np.arange(names.size)
    weighty = factors > 0.0
    empty = [str(name) for name in names[weighty & ~(members & counts[:, np.newaxis]).any(axis=0)]]
    sums = np.where(counts, values, 0.0)[:, np.newaxis] * members
    kept = (counts[:, np.newaxis] & members).astype(np.float64)
    n_kept = int(np.count_nonzero(weighty))

    def average(totals: Floats) -> Floats:
        shares = quotient(totals[..., :n_kept], totals[..., n_kept:])
        return np.asarray(shares @ factors[weighty])

    return Statistic(
        columns=np.hstack([sums[:, weighty], kept[:, weighty]]),
        function=average if n_kept else _nothing,
        counts=counts & weighty[places],
        limits=(0.0, 1.0),
        undefined=f"no item of {', '.join(empty)} counts" if empty else "no item counts",
    )


def _nothing(totals: Floats) -> Floats:
    return np.full(totals.shape[:-1], np.nan)


def _factors(
    names: list[str],
    sizes: npt.NDArray[np.int64],
    weights: Mapping[str, float] | Literal["items", "equal"],
) -> Floats:
    if weights == "items":
        chosen = sizes.astype(np.float64)
    elif weights == "equal":
        chosen = np.ones(len(names))
    elif isinstance(weights, str):
        raise ParameterError(f"weights is {weights!r}; accepted: 'items', 'equal' or a table")
    else:
        missing = [name for name in names if name not in weights]
        if missing:
            raise ParameterError(f"weights has none for {', '.join(map(str, missing))}")
        chosen = np.array([weights[name] for name in names], dtype=np.float64)
        if not (np.isfinite(chosen).all() and (chosen >= 0.0).all() and chosen.sum() > 0.0):
            raise ParameterError(f"weights are {dict(weights)}; accepted: at least 0, not all 0")
    total = chosen.sum()
    return chosen / total if total > 0.0 else chosen
