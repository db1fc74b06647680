"""`Draft`: a measure before the bootstrap; and what a family of measures is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from perturb.score.arms import ModelArms
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.statistic import Floats, Statistic
from perturb.score.records.measure import Unit

__all__ = ["Draft", "Family", "Found", "fixed", "on_items"]

BY_COUNTING = "follows from the questions alone: there is nothing to sample"
"""Why a floor or a count has no interval."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A measure whose statistics are still to be estimated; fields as in `Measure`.

    Parameters
    ----------
    value : Statistic or Estimate
        What becomes its estimate.
    beside : tuple of (str, Statistic or Estimate)
        What it is to be held against, by its label.
    """

    name: str
    title: str
    unit: Unit
    value: Statistic | Estimate
    condition: str | None = None
    against: str | None = None
    group: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[tuple[str, Statistic | Estimate], ...] = ()


Found = Sequence[Draft] | str
"""The drafts of a family, or the reason why there are none."""


class Family(NamedTuple):
    """A family of measures.

    Parameters
    ----------
    name, title : str
        As in `Measure`.
    drafts : callable
        From a model's arms, and those of all models, to the drafts or the reason why there are
        none.
    """

    name: str
    title: str
    drafts: Callable[[ModelArms, Sequence[ModelArms]], Found]


def fixed(values: Floats | float, unit_reason: str = BY_COUNTING) -> Estimate:
    """Return a number that nothing was sampled for: the mean of the values that are not NaN."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    kept = array[~np.isnan(array)]
    return Estimate(
        value=float(kept.mean()) if kept.size else None,
        n=kept.size,
        clusters=0,
        reason=unit_reason if kept.size else "no item has options",
    )


def on_items(values: Floats, places: Sequence[int], count: int) -> Floats:
    """Return values of pairs or chains at the place of one item of each, NaN at all others.

    The items of a pair or chain lie in one cluster, so it does not matter at which it stands.

    Parameters
    ----------
    values : ndarray, shape (units,)
        One for each pair or chain.
    places : sequence of int
        Its item.
    count : int
        Items.
    """
    spread = np.full(count, np.nan)
    spread[list(places)] = values
    return spread
