"""A constant offset (DC), and whether anything sounds beside it.

An offset cannot be heard, but it has power: a level or a ratio taken of it says nothing of the
sound. It is the mean over time of a channel; what remains without it is the sound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.measure.level import mean_power

__all__ = ["LEAST_SOUND_S", "Offset", "measure_offset", "why_no_sound"]

LEAST_SOUND_S = 0.001
"""Shortest recording that is taken for a sound, in seconds: a click has a millisecond or more."""

_LEAST_SHARE = 1e-4
"""Least power of a sound, as a share of its offset's: 40 dB under it, nothing is meant by it."""


class Offset(NamedTuple):
    """The offset of a recording, and its sound.

    Parameters
    ----------
    offset : float
        RMS over channels of their means, re full scale 1.0.
    sound : float
        RMS of what remains without them.
    """

    offset: float
    sound: float


def measure_offset(samples: npt.NDArray[np.floating]) -> Offset:
    """Return offset and sound of samples.

    Parameters
    ----------
    samples : ndarray of float, shape (samples,) or (channels, samples)
        Amplitudes re full scale 1.0.

    Examples
    --------
    >>> measure_offset(np.array([0.75, 0.25]))
    Offset(offset=0.5, sound=0.25)
    """
    if samples.size == 0:
        return Offset(0.0, 0.0)
    means = samples.mean(axis=-1, dtype=np.float64, keepdims=True)
    return Offset(math.sqrt(float(np.square(means).mean())), math.sqrt(mean_power(samples - means)))


def why_no_sound(samples: npt.NDArray[np.floating], sample_rate_hz: int) -> str | None:
    """Return what a recording is instead of a sound, in words that follow 'is'; None for a sound.

    Parameters
    ----------
    samples : ndarray of float, shape (channels, samples)
        Amplitudes re full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    str or None
        The reason: all zeros, under 1 ms long, or an offset with nothing within 40 dB of it.

    Examples
    --------
    >>> why_no_sound(np.full((1, 800), 0.5), 8_000)
    'a constant offset of 0.5 of full scale'
    """
    if not np.any(samples):
        return "digital silence"
    duration_s = samples.shape[1] / sample_rate_hz
    if duration_s < LEAST_SOUND_S:
        return f"{1000.0 * duration_s:.3g} ms long, under {1000.0 * LEAST_SOUND_S:g} ms"
    found = measure_offset(samples)
    if found.sound**2 < _LEAST_SHARE * found.offset**2:
        return f"a constant offset of {found.offset:.3g} of full scale"
    return None
