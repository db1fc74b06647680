"""How fast a result runs, and whether its level follows the original's: along a path of time.

The level contours of two recordings are compared where a path of time says that they belong
together. The rate achieved is read from the sound, not from lengths: it is the rate at which the
contours fit best, so that a clip that was cut, slowed instead of hurried, or left alone is found
out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.measure.level import frame_powers
from perturb.signal import FloatArray

__all__ = ["TempoAgreement", "compare_tempo"]

Floats = npt.NDArray[np.float64]

WINDOW_S = 0.025
HOP_S = 0.005
LEVEL_RANGE_DB = 35.0
LEAST_LEVEL_SD_DB = 2.0
"""A level that moves less says nothing of time: the rest is chance."""

LEAST_FRAMES = 40
_BLOCK_S = 0.001
_SILENCE_DB = -200.0
_RATE_FRAMES = 2_000
"""The rate is read from the first 10 s: where the contours fit there, they fit."""

_RATE_STEP = 0.005
_RATE_MARGIN = 0.2
_LEAST_SHARE = 0.25
_LEAST_FIT = 0.5


@dataclass(frozen=True)
class TempoAgreement:
    """What a tempo edit achieved. None where undefined; the reason says why.

    Parameters
    ----------
    level_correlation : float or None
        Pearson's r of the levels in dB before and after, along the path, over frames within 35 dB
        of the loudest before.
    level_reason : str or None
        Why there is none.
    rate : float or None
        Seconds of the original heard in each second of the result, by the best fit.
    rate_reason : str or None
        Why there is none.
    """

    level_correlation: float | None
    level_reason: str | None
    rate: float | None
    rate_reason: str | None


def compare_tempo(
    before: FloatArray,
    after: FloatArray,
    sample_rate_hz: int,
    source_s: npt.ArrayLike,
    target_s: npt.ArrayLike,
) -> TempoAgreement:
    """Compare one channel of a span before and after an edit of its tempo.

    Levels are RMS over 25 ms of whichever of the two runs slower, and the part of the other that
    belongs to it.

    Parameters
    ----------
    before, after : ndarray of float32, shape (n,) and (m,)
        The span in the original and in the result.
    sample_rate_hz : int
        Sampling rate in Hz.
    source_s, target_s : array_like, shape (knots,)
        The path: straight lines between these moments of `before` and `after`, both rising from 0,
        in seconds.

    Returns
    -------
    TempoAgreement

    Raises
    ------
    ParameterError
        An array of another shape, or a path that does not rise.

    Examples
    --------
    >>> ramp = np.repeat(np.array([0.01, 0.1, 0.02, 0.2], dtype=np.float32), 4_000)
    >>> found = compare_tempo(ramp, ramp[::2], 16_000, [0.0, 1.0], [0.0, 0.5])
    >>> round(found.rate, 1), found.level_correlation > 0.99
    (2.0, True)
    """
    source = np.asarray(source_s, dtype=np.float64)
    target = np.asarray(target_s, dtype=np.float64)
    if before.ndim != 1 or after.ndim != 1:
        raise ParameterError(f"shapes {before.shape}, {after.shape}; accepted: one channel each")
    if source.shape != target.shape or (np.diff(source) <= 0).any() or (np.diff(target) <= 0).any():
        raise ParameterError("the path does not rise; accepted: rising moments of both")
    rate = float(source[-1] / target[-1])
    half_s = 0.5 * WINDOW_S * max(1.0, 1.0 / rate)
    frames = 1 + int(target[-1] / HOP_S + 1e-9)
    if frames < LEAST_FRAMES:
        why = f"{frames} frames of {1000 * HOP_S:g} ms; {LEAST_FRAMES} are needed"
        return TempoAgreement(None, why, None, why)
    centres = np.arange(frames) * HOP_S
    edges = np.clip([centres - half_s, centres + half_s], 0.0, target[-1])
    wanted = _levels_db(before, sample_rate_hz, np.interp(edges, target, source))
    found = _levels_db(after, sample_rate_hz, edges)
    if not np.any(before):
        why = "the original is silent"
        return TempoAgreement(None, why, None, why)
    loud = wanted >= wanted.max() - LEVEL_RANGE_DB
    if float(wanted[loud].std()) < LEAST_LEVEL_SD_DB:
        why = f"the original's level moves by less than {LEAST_LEVEL_SD_DB:g} dB"
        return TempoAgreement(None, why, None, why)
    correlation = _correlation(wanted[loud], found[loud])
    factor = _time_factor(_floored(wanted), _floored(found), rate)
    return TempoAgreement(
        # What lies still follows nothing of what moves: that is a miss, and no want of a measure.
        0.0 if correlation is None else correlation,
        "the result's level does not move" if correlation is None else None,
        None if factor is None else rate * factor,
        "the levels fit at no rate" if factor is None else None,
    )


def _levels_db(samples: FloatArray, sample_rate_hz: int, edges_s: Floats) -> Floats:
    """Return the RMS level between pairs of moments, from sums over blocks of 1 ms."""
    block = max(1, round(_BLOCK_S * sample_rate_hz))
    powers = frame_powers(samples, block)
    places = np.minimum(np.arange(powers.size + 1) * block, samples.size).astype(np.float64)
    energy = np.concatenate([[0.0], np.cumsum(powers * np.diff(places))])
    start, stop = edges_s * sample_rate_hz
    sums = np.interp(stop, places, energy) - np.interp(start, places, energy)
    means = sums / np.maximum(stop - start, 1.0)
    levels_db: Floats = 10.0 * np.log10(np.maximum(means, 10.0 ** (_SILENCE_DB / 10.0)))
    return levels_db


def _floored(levels_db: Floats) -> Floats:
    floored: Floats = np.maximum(levels_db, levels_db.max() - LEVEL_RANGE_DB)
    return floored[:_RATE_FRAMES]


def _time_factor(wanted: Floats, found: Floats, rate: float) -> float | None:
    """Return how much faster than on the path `found` runs; None where it fits nowhere.

    Looked for from half as far again as a path that was inverted, to as far the other way.
    """
    reach = 2.0 * abs(math.log(rate)) + _RATE_MARGIN
    steps = math.ceil(reach / _RATE_STEP)
    best, scores = 0, np.full(2 * steps + 1, -np.inf)
    frames = np.arange(found.size, dtype=np.float64)
    for index in range(scores.size):
        places = frames * math.exp((index - steps) * _RATE_STEP)
        count = int(np.searchsorted(places, wanted.size - 1, side="right"))
        if count < max(LEAST_FRAMES, _LEAST_SHARE * found.size):
            continue
        fit = _correlation(np.interp(places[:count], np.arange(wanted.size), wanted), found[:count])
        if fit is not None and fit > -1.0:
            # A good fit of much counts for more than one of little.
            scores[index] = math.atanh(min(fit, 1.0 - 1e-9)) * math.sqrt(count - 3)
            best = index if scores[index] > scores[best] else best
    if scores[best] < math.atanh(_LEAST_FIT) * math.sqrt(LEAST_FRAMES - 3):
        return None
    return math.exp((best - steps + _vertex(scores, best)) * _RATE_STEP)


def _vertex(scores: Floats, best: int) -> float:
    """Return the top of the parabola through the best score and its neighbours, in steps."""
    if not 0 < best < scores.size - 1:
        return 0.0
    left, here, right = scores[best - 1 : best + 2]
    bend = left - 2.0 * here + right
    if not (math.isfinite(bend) and bend < 0.0):
        return 0.0
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))


def _correlation(one: Floats, other: Floats) -> float | None:
    one, other = one - one.mean(), other - other.mean()
    power = float((one**2).sum() * (other**2).sum())
    return float((one * other).sum()) / math.sqrt(power) if power > 0.0 else None
