"""Level contours: the short-term RMS of a channel, in dB, over time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.signal import FloatArray, as_channel

__all__ = ["SILENCE_DB", "level_contour_db"]

SILENCE_DB = -200.0
"""What digital silence measures: a number, so that contours can be subtracted."""
_BLOCK_FRAMES = 2_048


def level_contour_db(
    samples: FloatArray,
    sample_rate_hz: int,
    window_s: float = 0.025,
    hop_s: float = 0.005,
) -> FloatArray:
    """Measure the RMS level in a rectangular window around each frame's centre.

    Frame k is centred at ``k * hop_s``, as in `perturb.measure.f0.F0Track`. At the edges the mean
    is over the samples that exist.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel, full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.
    window_s, hop_s : float
        Length of the window and distance of frames in seconds, each at least one sample.

    Returns
    -------
    ndarray of float32, shape (1 + floor(duration / hop_s),)
        Levels in dB re full scale; `SILENCE_DB` at the least.

    Raises
    ------
    AudioError
        `samples` is not one-dimensional, or the rate is outside the range.
    ParameterError
        Window or hop shorter than a sample.

    Examples
    --------
    >>> level_contour_db(np.full(80, 0.1, dtype=np.float32), 8_000)
    array([-20., -20., -20.], dtype=float32)
    """
    samples = as_channel(samples, sample_rate_hz)
    for name, value_s in (("window_s", window_s), ("hop_s", hop_s)):
        if not value_s * sample_rate_hz >= 1.0:
            raise ParameterError(
                f"{name} is {value_s:g} s; accepted: one sample or more, "
                f"{1.0 / sample_rate_hz:.3g} s at {sample_rate_hz} Hz"
            )
    # A hop of 5 ms is a whole number of samples at some rates only, and inexact in binary.
    frames = 1 + int(samples.size / (hop_s * sample_rate_hz) + 1e-9)
    levels_db = np.empty(frames, dtype=np.float32)
    for first in range(0, frames, _BLOCK_FRAMES):
        last = min(first + _BLOCK_FRAMES, frames)
        centres_s = np.arange(first, last, dtype=np.float64) * hop_s
        starts = _to_samples(centres_s - 0.5 * window_s, sample_rate_hz, samples.size)
        stops = _to_samples(centres_s + 0.5 * window_s, sample_rate_hz, samples.size)
        power = np.zeros(int(stops[-1] - starts[0]) + 1)
        piece = samples[starts[0] : stops[-1]]
        np.cumsum(np.square(piece, dtype=np.float64), out=power[1:])
        energies = power[stops - starts[0]] - power[starts - starts[0]]
        means = energies / np.maximum(stops - starts, 1)
        levels_db[first : first + centres_s.size] = 10.0 * np.log10(
            np.maximum(means, 10.0 ** (SILENCE_DB / 10.0))
        )
    return levels_db


def _to_samples(
    times_s: npt.NDArray[np.float64], sample_rate_hz: int, size: int
) -> npt.NDArray[np.int64]:
    indices = np.floor(times_s * sample_rate_hz + 0.5).astype(np.int64)
    return np.clip(indices, 0, size)
