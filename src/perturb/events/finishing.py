"""The last step of every event: its rate, clean edges, a calibrated level, no clipping."""

from __future__ import annotations

import math

import numpy as np
import scipy.fft
import soxr

from perturb.events.sounds.draw import RATE_HZ, Samples
from perturb.measure.level import gated_level_dbfs
from perturb.measure.true_peak import true_peak
from perturb.signal import Signal

__all__ = ["ACTIVE_LEVEL_DBFS", "EDGE_S", "PEAK_CEILING_DBTP", "finish"]

ACTIVE_LEVEL_DBFS = -26.0
"""Level of every event: mean power of the 10 ms frames within 20 dB of its loudest."""

PEAK_CEILING_DBTP = -1.0
"""No true peak is above it."""

EDGE_S = 0.02
"""Silence before and after the sound: a fade of 10 ms laid over an event leaves its attack."""

_FADE_IN_S = 0.0015
_FADE_OUT_S = 0.02
_LOWEST_HZ = 25.0
_STEP = 2.0**-15
_KNEE = 0.5
_HARDER = 0.92
_ROUNDS = 30


def finish(samples: Samples, sample_rate_hz: int) -> Signal:
    """Return a made sound as an event: one channel, on the 16-bit grid.

    The grid makes an event the same audio where processors differ in the last bits of a float, so
    that its hash travels.

    Parameters
    ----------
    samples : ndarray of float64, shape (samples,)
        As made, at `RATE_HZ`, at any level.
    sample_rate_hz : int
        Rate wanted, in Hz.
    """
    sound = _without_rumble(samples)
    if sample_rate_hz != RATE_HZ:
        sound = soxr.resample(sound, RATE_HZ, sample_rate_hz, quality="VHQ")
    return _calibrated(_with_edges(sound, sample_rate_hz), sample_rate_hz)


def _without_rumble(samples: Samples) -> Samples:
    """Remove what lies below 25 Hz, and with it any constant."""
    size = scipy.fft.next_fast_len(len(samples) + RATE_HZ // 10, real=True)
    spectrum = scipy.fft.rfft(samples, size)
    frequency_hz = np.arange(len(spectrum)) * (RATE_HZ / size)
    spectrum *= 1.0 / np.sqrt(1.0 + (_LOWEST_HZ / np.maximum(frequency_hz, 1e-3)) ** 8)
    return np.asarray(scipy.fft.irfft(spectrum, size)[: len(samples)])


def _with_edges(samples: Samples, sample_rate_hz: int) -> Samples:
    """Let both ends reach zero by raised cosines, the mean be zero, and add silence beyond."""
    shape = np.ones(len(samples))
    for length_s, side in ((_FADE_IN_S, slice(None)), (_FADE_OUT_S, slice(None, None, -1))):
        count = min(len(samples) // 2, round(length_s * sample_rate_hz))
        shape[side][:count] = 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / count)
    out = samples * shape
    out -= shape * (out.sum() / shape.sum())
    return np.pad(out, round(EDGE_S * sample_rate_hz))


def _calibrated(samples: Samples, sample_rate_hz: int) -> Signal:
    """Bring the active level to its value; peaks that would pass the ceiling are rounded off."""
    ceiling = 10.0 ** (PEAK_CEILING_DBTP / 20.0)
    sound = samples / np.max(np.abs(samples))
    for number in range(_ROUNDS):
        level = gated_level_dbfs(sound, sample_rate_hz).value
        sound = sound * 10.0 ** ((ACTIVE_LEVEL_DBFS - float(level or 0.0)) / 20.0)
        event = Signal.from_array(np.round(sound / _STEP) * _STEP + 0.0, sample_rate_hz)
        if true_peak(event) <= ceiling:
            return event
        sound = _rounded_off(sound, ceiling * _HARDER ** (number + 1))
    raise ArithmeticError(f"an event's peaks stay {20 * math.log10(true_peak(event)):+.1f} dBTP")


def _rounded_off(samples: Samples, limit: float) -> Samples:
    """Bend what lies above a knee so that it stays under `limit`."""
    knee = _KNEE * limit
    over = np.maximum(np.abs(samples) - knee, 0.0)
    bent = knee + (limit - knee) * np.tanh(over / (limit - knee))
    return np.where(over > 0.0, np.sign(samples) * bent, samples)
