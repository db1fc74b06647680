"""How much higher or lower the resonances of a voice became, whatever its pitch did.

A vocal tract scaled in length moves its whole spectral envelope along a logarithmic axis of
frequency. The envelopes of the same moment before and after are slid along each other there; where
they agree best, all frames together, is the ratio. Power is first smoothed over about 300 Hz, so
that harmonics do not show, and what lies under 700 Hz, where few harmonics are, is left out.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from perturb.errors import AudioError
from perturb.measure.reading import Reading
from perturb.signal import FloatArray, as_channel

__all__ = ["LARGEST_SHIFT", "envelope_ratio"]

FRAME_S = 0.032
LOWEST_HZ, HIGHEST_HZ = 700.0, 7_000.0
SMOOTHING_HZ = 150.0
"""Width of a moving average that is run twice."""

STEP = 0.01
LARGEST_SHIFT = 0.4
"""Natural logarithm of the largest ratio that is looked for."""

ACTIVE_RANGE_DB = 30.0
LEAST_FRAMES = 10
LEAST_LIKENESS = 0.7
_BIN_HZ = 16.0
_BLOCK = 256
_NOTHING = 1e-14
_DEPTH_DB = 40.0

Floats = npt.NDArray[np.float64]


def envelope_ratio(before: FloatArray, after: FloatArray, sample_rate_hz: int) -> Reading:
    """Return the factor on the frequencies of the spectral envelope.

    Parameters
    ----------
    before, after : ndarray of float32, shape (n,)
        One channel of a recording and of its edited copy, in which nothing moved in time.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Returns
    -------
    Reading
        1 where the envelope stayed; up to exp(.4) = 1.49 either way. None where fewer than 10
        frames are within 30 dB of the loudest on both sides, or where no ratio makes them alike
        (r of .7 or more).

    Raises
    ------
    AudioError
        The shapes differ or are not one-dimensional, or the rate is outside the range.

    Examples
    --------
    >>> hiss = np.random.default_rng(0).standard_normal(16_000).astype(np.float32)
    >>> round(envelope_ratio(hiss, 0.5 * hiss, 16_000).value, 3)
    1.0
    """
    if np.shape(before) != np.shape(after):
        raise AudioError(
            f"before has shape {np.shape(before)}, after {np.shape(after)}; accepted: equal shapes"
        )
    sides = [as_channel(side, sample_rate_hz) for side in (before, after)]
    size = round(FRAME_S * sample_rate_hz)
    if sides[0].size < size:
        return _too_few(0)
    frames = [np.lib.stride_tricks.sliding_window_view(s, size)[:: size // 2] for s in sides]
    is_active = _is_loud(frames[0]) & _is_loud(frames[1])
    places = np.flatnonzero(is_active)
    if places.size < LEAST_FRAMES:
        return _too_few(places.size)
    reach = round(LARGEST_SHIFT / STEP)
    sums = np.zeros((3, 2 * reach + 1))
    for first in range(0, places.size, _BLOCK):
        block = places[first : first + _BLOCK]
        one, other = (_envelopes(side[block], sample_rate_hz) for side in frames)
        for index, lag in enumerate(range(-reach, reach + 1)):
            sums[:, index] += _products(one, other, lag)
    likeness = sums[0] / np.sqrt(np.maximum(sums[1] * sums[2], _NOTHING))
    best = int(np.argmax(likeness))
    if likeness[best] < LEAST_LIKENESS or not 0 < best < 2 * reach:
        return Reading(None, "no shift makes the spectral envelopes before and after alike")
    left, here, right = likeness[best - 1 : best + 2]
    bend = left - 2.0 * here + right
    shift = 0.5 * (left - right) / bend if bend < 0.0 else 0.0
    return Reading(math.exp(STEP * (best - reach + shift)))


def _is_loud(frames: FloatArray) -> npt.NDArray[np.bool_]:
    powers = np.concatenate(
        [
            np.square(frames[first : first + _BLOCK], dtype=np.float64).mean(axis=1)
            for first in range(0, len(frames), _BLOCK)
        ]
    )
    is_loud: npt.NDArray[np.bool_] = powers > max(
        float(powers.max()) * 10.0 ** (-ACTIVE_RANGE_DB / 10.0), _NOTHING
    )
    return is_loud


def _envelopes(frames: FloatArray, sample_rate_hz: int) -> Floats:
    """Return smoothed log power along the logarithmic axis, shape (frames, places)."""
    window, size, width, bins = _axis(sample_rate_hz, frames.shape[1])
    spectra = np.fft.rfft(frames * window, size, axis=1)
    power = np.square(spectra.real) + np.square(spectra.imag)
    for _ in range(2):
        total = np.cumsum(np.pad(power, ((0, 0), (width // 2 + 1, width // 2))), axis=1)
        power = (total[:, width:] - total[:, :-width]) / width
    whole = bins.astype(np.int64)
    part = bins - whole
    levels = power[:, whole] * (1.0 - part) + power[:, whole + 1] * part
    # What lies far under the rest is a filter's edge or noise: no part of the voice's shape.
    least = levels.max(axis=1, keepdims=True) * 10.0 ** (-_DEPTH_DB / 10.0)
    logs: Floats = np.log(np.maximum(levels, np.maximum(least, _NOTHING)))
    return logs


@functools.cache
def _axis(sample_rate_hz: int, frame: int) -> tuple[Floats, int, int, Floats]:
    """Return window, size of the transform, bins to average over, and the axis in bins."""
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(frame) + 0.5) / frame)
    size = 1 << math.ceil(math.log2(sample_rate_hz / _BIN_HZ))
    width = 2 * round(0.5 * SMOOTHING_HZ * size / sample_rate_hz) + 1
    top_hz = min(HIGHEST_HZ, 0.475 * sample_rate_hz)
    places = np.arange(math.log(LOWEST_HZ), math.log(top_hz), STEP)
    return window, size, width, np.exp(places) * (size / sample_rate_hz)


def _products(one: Floats, other: Floats, lag: int) -> tuple[float, float, float]:
    """Return covariance and both variances of rows of which the second is read `lag` on."""
    count = one.shape[1] - abs(lag)
    before, after = one[:, max(-lag, 0) :][:, :count], other[:, max(lag, 0) :][:, :count]
    before = before - before.mean(axis=1, keepdims=True)
    after = after - after.mean(axis=1, keepdims=True)
    return (
        float((before * after).sum()),
        float((before * before).sum()),
        float((after * after).sum()),
    )


def _too_few(frames: int) -> Reading:
    return Reading(None, f"{frames} loud frames; {LEAST_FRAMES} are needed")
