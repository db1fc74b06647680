"""The smallest difference that a benchmark of this size can be expected to show."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Annotated

from perturb.record import Record, bounds

__all__ = ["DetectableDifference", "smallest_difference"]

_SOURCE = (
    "paired proportions, McNemar's test: Miettinen 1968, Connor 1987; design effect: Kish 1965, "
    "unequal clusters: Eldridge et al. 2006"
)


class DetectableDifference(Record, frozen=True, kw_only=True):
    """A difference in accuracy between probe and sham, and what it rests on.

    Parameters
    ----------
    difference : float or None
        Smallest difference of two accuracies that is found with this power, 0 to 1. None where
        not even the largest possible one, the discordance itself, is.
    n_items, n_clusters : int
        Items in both arms, and the clips that they share.
    effective_items : float
        Items of their own clip that would tell as much.
    design_effect : float
        `n_items` over `effective_items`.
    discordance : float
        Assumed share of items that are right in one arm alone.
    icc : float
        Assumed correlation of the differences within a clip.
    alpha, power : float
        Of the two-sided test.
    source : str
        Of the formula.
    """

    difference: float | None
    n_items: Annotated[int, bounds(1, None, "", "items")]
    n_clusters: Annotated[int, bounds(1, None, "", "clips")]
    effective_items: float
    design_effect: float
    discordance: Annotated[float, bounds(0.0, 1.0, "", "share of items", open_low=True)]
    icc: Annotated[float, bounds(0.0, 1.0, "", "intracluster correlation")]
    alpha: Annotated[float, bounds(1e-12, 0.5, "", "level of the test")]
    power: Annotated[float, bounds(0.5, 1.0 - 1e-12, "", "power of the test")]
    source: str = _SOURCE

    def sentence(self) -> str:
        """Return it as one line for people, with its assumptions."""
        if self.difference is None:
            found = "no difference can be detected"
        else:
            found = f"differences from {100.0 * self.difference:.1f} points can be detected"
        return (
            f"{self.n_items} items of {self.n_clusters} clips: {found} (probe − sham, two-sided "
            f"{self.alpha:g}, power {self.power:g}), if {100.0 * self.discordance:g} % of the "
            f"items are right in one of the two alone and differences correlate by {self.icc:g} "
            "within a clip"
        )


def smallest_difference(
    n_items: int,
    n_clusters: int,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    discordance: float = 0.3,
    icc: float = 0.1,
    size_variation: float = 0.0,
) -> DetectableDifference:
    """Return the smallest difference between two paired accuracies that can be detected.

    With d the difference, ψ the discordance and n the effective number of items, the test needs
    √n d = z(1 − α/2) √ψ + z(power) √(ψ − d²), solved here for d. The effective number is that of
    the items over the design effect 1 + ((c² + 1) m − 1) ICC, with m items to a clip on average
    and c the coefficient of variation of that number.

    Parameters
    ----------
    n_items : int
        Items in both arms.
    n_clusters : int
        Source clips that they come from.
    alpha, power : float
        Of a two-sided test.
    discordance : float
        Assumed share of items that are answered right in one arm alone, 0 to 1. The larger, the
        less can be detected: .3 is cautious for a model that hears.
    icc : float
        Assumed correlation of the differences within a clip, 0 to 1.
    size_variation : float
        Coefficient of variation of items per clip; 0 where all clips have as many.

    Returns
    -------
    DetectableDifference

    Raises
    ------
    ParameterError
        A number out of range.
    """
    checked = DetectableDifference(
        difference=None,
        n_items=n_items,
        n_clusters=n_clusters,
        effective_items=0.0,
        design_effect=1.0,
        discordance=discordance,
        icc=icc,
        alpha=alpha,
        power=power,
    )
    items_per_clip = n_items / n_clusters
    design_effect = max(1.0, 1.0 + ((size_variation**2 + 1.0) * items_per_clip - 1.0) * icc)
    effective = n_items / design_effect
    return DetectableDifference(
        difference=_solve(effective, discordance, alpha, power),
        n_items=n_items,
        n_clusters=n_clusters,
        effective_items=effective,
        design_effect=design_effect,
        discordance=checked.discordance,
        icc=checked.icc,
        alpha=alpha,
        power=power,
    )


def _solve(n: float, discordance: float, alpha: float, power: float) -> float | None:
    """Return the larger root d of the quadratic that squaring leaves, or None where there is none.

    (n + b²) d² − 2 a √(n ψ) d + ψ (a² − b²) = 0, with a = z(1 − α/2) and b = z(power).
    """
    a = NormalDist().inv_cdf(1.0 - alpha / 2.0)
    b = NormalDist().inv_cdf(power)
    if n + b**2 < a**2:
        return None
    difference = (
        math.sqrt(discordance) * (a * math.sqrt(n) + b * math.sqrt(n + b**2 - a**2)) / (n + b**2)
    )
    return difference if difference <= discordance else None
