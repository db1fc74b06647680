"""Dose–response: how accuracy changes with the strength of an edit, and where it is half lost.

A logistic curve with the floor at chance, acc(x) = floor + range / (1 + exp(∓(x − t) / s)), fitted
by least squares weighted by items; t is the threshold, the dose midway between floor and ceiling
(Wichmann & Hill 2001, with a free ceiling). The fit searches a grid of thresholds over the doses
and of widths, with the best range in closed form: it cannot miss the optimum, and finds a threshold
to 1/200 of the span of doses. The interval refits each bootstrap sample of clips.
Undefined with fewer than four doses; where the ends do not differ by more than chance; where the
threshold lies outside the doses.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.estimating import estimate, estimate_all, sample_all
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, difference, mean, quotient

__all__ = ["DoseResponse", "dose_response"]

_DEFAULT = Settings()
_N_THRESHOLDS = 201
_N_WIDTHS = 60
_MIN_DOSES = 4
_BLOCK_SAMPLES = 256


class DoseResponse(Record, frozen=True, kw_only=True):
    """Accuracy by dose and the threshold fitted to it.

    Parameters
    ----------
    doses : tuple of float
        In ascending order, in the unit of the edit's field.
    accuracies : tuple of Estimate
        Accuracy at each dose.
    threshold : Estimate
        Dose midway between floor and ceiling.
    floor : float
        Accuracy of a guesser.
    ceiling, width : float or None
        Upper end of the fitted curve, and its s in the unit of the doses; None without a threshold.
    """

    doses: tuple[float, ...]
    accuracies: tuple[Estimate, ...]
    threshold: Estimate
    floor: Annotated[float, bounds(0.0, 1.0, "", "accuracy")]
    ceiling: float | None = None
    width: float | None = None


def dose_response(
    doses: npt.ArrayLike,
    correct: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    floor: float,
    rises: bool,
    settings: Settings = _DEFAULT,
) -> DoseResponse:
    """Return accuracy by dose and the fitted threshold.

    Parameters
    ----------
    doses : array_like of float, shape (doses,)
        Strength of the edit in each condition, all different.
    correct : array_like of float, shape (doses, items)
        Scores from 0 to 1 in each condition; NaN where an item does not count.
    clusters : array_like of int, shape (items,)
        The clip of each item.
    floor : float
        Accuracy of a guesser, 0 to 1.
    rises : bool
        Whether accuracy is expected to rise with the dose (an SNR) or to fall (a share removed).
    settings : Settings
        Confidence, samples and seed.
    """
    order = np.argsort(np.asarray(doses, dtype=np.float64))
    levels = np.asarray(doses, dtype=np.float64)[order]
    scores = np.asarray(correct, dtype=np.float64)
    if scores.ndim != 2 or scores.shape[0] != levels.size or np.unique(levels).size < levels.size:
        raise ParameterError(
            f"doses are {levels.tolist()} and correct has shape {scores.shape}; accepted: doses "
            "that differ, and (doses, items)"
        )
    scores = scores[order]
    accuracies = tuple(estimate_all([mean(row) for row in scores], clusters, settings))
    reason = _why_not(scores, accuracies, clusters, rises, settings)
    if reason is not None:
        return DoseResponse(
            doses=tuple(levels.tolist()),
            accuracies=accuracies,
            threshold=_missing(None, accuracies, reason, settings),
            floor=floor,
        )
    sizes = (~np.isnan(scores)).sum(axis=1).astype(np.float64)
    seen = np.nanmean(scores, axis=1)[np.newaxis]
    found, ceiling, width = _fit(levels, seen, sizes, floor, rises)
    samples = np.stack(sample_all([mean(row) for row in scores], clusters, settings), axis=1)
    samples = samples[~np.isnan(samples).any(axis=1)]
    drawn, _, _ = _fit(levels, samples, sizes, floor, rises)
    is_inside = bool(levels[0] < found[0] < levels[-1])
    return DoseResponse(
        doses=tuple(levels.tolist()),
        accuracies=accuracies,
        threshold=_threshold(float(found[0]), drawn, levels, accuracies, settings),
        floor=floor,
        ceiling=float(ceiling[0]) if is_inside else None,
        width=float(width[0]) if is_inside else None,
    )


def _why_not(
    scores: Floats,
    accuracies: tuple[Estimate, ...],
    clusters: npt.ArrayLike,
    rises: bool,
    settings: Settings,
) -> str | None:
    if len(accuracies) < _MIN_DOSES:
        return f"{len(accuracies)} doses; a threshold needs {_MIN_DOSES}"
    if any(each.value is None for each in accuracies):
        return "no item counts at one of the doses"
    ends = (scores[-1], scores[0]) if rises else (scores[0], scores[-1])
    change = estimate(difference(*ends), clusters, settings)
    if change.low is None:
        return f"the change over the doses has no interval: {change.reason}"
    if change.low <= 0.0:
        return "accuracy does not change over the doses by more than chance"
    return None


def _fit(
    doses: Floats, accuracies: Floats, weights: Floats, floor: float, rises: bool
) -> tuple[Floats, Floats, Floats]:
    """Return threshold, ceiling and width for each row of accuracies, shape (rows, doses)."""
    span = doses[-1] - doses[0]
    thresholds = np.linspace(doses[0], doses[-1], _N_THRESHOLDS)
    widths = np.geomspace(span / 100.0, span / 2.0, _N_WIDTHS)
    distances = (doses - thresholds[:, np.newaxis])[:, np.newaxis] / widths[:, np.newaxis]
    exponents = np.clip(-distances if rises else distances, -500.0, 500.0)
    curves = (1.0 / (1.0 + np.exp(exponents))).reshape(-1, doses.size)
    powers = curves**2 @ weights
    best = np.empty(accuracies.shape[0], dtype=np.int64)
    ranges = np.empty(accuracies.shape[0])
    for start in range(0, best.size, _BLOCK_SAMPLES):
        rows = slice(start, start + _BLOCK_SAMPLES)
        excess = (accuracies[rows] - floor) * weights
        products = np.einsum("sd,cd->sc", excess, curves)
        heights = np.clip(quotient(products, powers), 0.0, 1.0 - floor)
        # The residual without its constant: Σ w (y − h g)² − Σ w y².
        losses = heights * (heights * powers - 2.0 * products)
        best[rows] = losses.argmin(axis=1)
        ranges[rows] = heights[np.arange(len(losses)), best[rows]]
    return thresholds[best // _N_WIDTHS], floor + ranges, widths[best % _N_WIDTHS]


def _threshold(
    value: float,
    drawn: Floats,
    doses: Floats,
    accuracies: tuple[Estimate, ...],
    settings: Settings,
) -> Estimate:
    if not doses[0] < value < doses[-1]:
        return _missing(None, accuracies, "the threshold lies outside the doses", settings)
    low, high = np.quantile(drawn, [settings.alpha / 2.0, 1.0 - settings.alpha / 2.0])
    if low <= doses[0] or high >= doses[-1]:
        reason = "the threshold's interval reaches outside the doses"
        return _missing(value, accuracies, reason, settings)
    return Estimate(
        value=value,
        low=float(low),
        high=float(high),
        n=min(each.n for each in accuracies),
        clusters=min(each.clusters for each in accuracies),
        confidence=settings.confidence,
        method="bootstrap",
    )


def _missing(
    value: float | None, accuracies: tuple[Estimate, ...], reason: str, settings: Settings
) -> Estimate:
    return Estimate(
        value=value,
        n=min((each.n for each in accuracies), default=0),
        clusters=min((each.clusters for each in accuracies), default=0),
        confidence=settings.confidence,
        reason=reason,
    )
