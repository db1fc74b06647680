"""Rumble and offset taken out before a voice is measured: below 40 Hz nothing is prosody."""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.f0 import highpass
from perturb.signal import FloatArray

__all__ = ["HIGHPASS_HZ", "RumbleFilter", "without_rumble"]

HIGHPASS_HZ = 40.0
_CHUNK_SAMPLES = 1 << 16


class RumbleFilter:
    """A second-order Butterworth high-pass at 40 Hz, fed chunk by chunk.

    Parameters
    ----------
    sample_rate_hz : int
        Sampling rate in Hz.
    first : float
        The first sample: the filter starts as if it had stood for ever, so that a constant gives
        zeros, without an onset.
    """

    def __init__(self, sample_rate_hz: int, first: float) -> None:
        self._weights = _highpass_weights(sample_rate_hz)
        self._state = np.array([first, first, 0.0, 0.0], dtype=np.float64)

    def __call__(self, chunk: FloatArray) -> FloatArray:
        """Return the next chunk, filtered, shape (samples,)."""
        filtered = np.empty(chunk.size, dtype=np.float32)
        highpass(as_input(chunk), self._weights, self._state, filtered)
        return filtered


def without_rumble(samples: FloatArray, sample_rate_hz: int) -> FloatArray:
    """Return one channel high-passed at 40 Hz, shape (samples,)."""
    if samples.size == 0:
        return np.zeros(0, dtype=np.float32)
    rumble_filter = RumbleFilter(sample_rate_hz, float(samples[0]))
    filtered = np.empty(samples.size, dtype=np.float32)
    for start in range(0, samples.size, _CHUNK_SAMPLES):
        chunk = samples[start : start + _CHUNK_SAMPLES]
        filtered[start : start + chunk.size] = rumble_filter(chunk)
    return filtered


@functools.cache
def _highpass_weights(sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Return the filter by the bilinear transform, as `highpass` takes it."""
    warped = math.tan(math.pi * HIGHPASS_HZ / sample_rate_hz)
    norm = 1.0 / (1.0 + math.sqrt(2.0) * warped + warped * warped)
    a1 = 2.0 * (warped * warped - 1.0) * norm
    a2 = (1.0 - math.sqrt(2.0) * warped + warped * warped) * norm
    return as_input(np.array([norm, a1, a2]), np.float64)
