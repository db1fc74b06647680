"""Noise and filters: gains over frequency, applied once or changing over time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.fft

from perturb.events.sounds.draw import RATE_HZ, Draw, Samples

__all__ = ["Gains", "band", "both", "filtered", "moving_filter", "noise", "peaks", "tilt"]

Gains = Callable[[Samples], Samples]
"""Returns the gain at frequencies in Hz."""

_FRAME = 1024
_HOP = 256
_LOWEST_HZ = 1.0


def band(low_hz: float, high_hz: float, order: int = 2) -> Gains:
    """Return the gains of a band-pass: 3 dB down at its edges, 6 dB per octave and order beyond."""

    def gains(frequency_hz: Samples) -> Samples:
        above = (low_hz / np.maximum(frequency_hz, _LOWEST_HZ)) ** (2 * order)
        below = (frequency_hz / high_hz) ** (2 * order)
        return np.asarray(1.0 / np.sqrt((1.0 + above) * (1.0 + below)))

    return gains


def tilt(db_per_octave: float, corner_hz: float) -> Gains:
    """Return gains that are level up to a corner and fall (or rise) from there."""
    power = db_per_octave / 6.0206

    def gains(frequency_hz: Samples) -> Samples:
        return np.asarray(np.maximum(frequency_hz / corner_hz, 1.0) ** power)

    return gains


def peaks(*resonances: tuple[float, float, float], floor: float = 0.0) -> Gains:
    """Return the gains of resonances, each ``(centre_hz, bandwidth_hz, gain)``, above a floor."""

    def gains(frequency_hz: Samples) -> Samples:
        total = np.full(frequency_hz.shape, floor)
        for centre_hz, width_hz, gain in resonances:
            total += gain / np.sqrt(1.0 + ((frequency_hz - centre_hz) / (0.5 * width_hz)) ** 2)
        return total

    return gains


def both(first: Gains, second: Gains) -> Gains:
    """Return the product of two gains."""
    return lambda frequency_hz: first(frequency_hz) * second(frequency_hz)


def filtered(samples: Samples, gains: Gains) -> Samples:
    """Return samples with gains applied to their spectrum, without delay.

    The filter rings before an attack as after it: narrow resonances of struck things are made of
    modes instead.
    """
    size = scipy.fft.next_fast_len(len(samples) + RATE_HZ // 20, real=True)
    spectrum = scipy.fft.rfft(samples, size)
    spectrum *= gains(np.arange(len(spectrum)) * (RATE_HZ / size))
    return np.asarray(scipy.fft.irfft(spectrum, size)[: len(samples)])


def noise(draw: Draw, count: int, gains: Gains) -> Samples:
    """Return Gaussian noise of a spectrum, its RMS 1."""
    samples = filtered(draw.normals(count), gains)
    return np.asarray(samples / np.sqrt(np.mean(np.square(samples))))


def moving_filter(samples: Samples, gains_at: Callable[[Samples, Samples], Samples]) -> Samples:
    """Return samples through a filter that changes over time.

    Overlapping Hann frames of 21 ms, a quarter apart, each with its own gains.

    Parameters
    ----------
    samples : ndarray of float64, shape (samples,)
        At `RATE_HZ`.
    gains_at : callable
        Takes times in seconds, shape (frames, 1), and frequencies in Hz, shape (1, bins); returns
        gains, shape (frames, bins).
    """
    frames = len(samples) // _HOP + 4
    padded = np.zeros((frames + 3) * _HOP)
    padded[_FRAME - _HOP : _FRAME - _HOP + len(samples)] = samples
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(_FRAME) + 0.5) / _FRAME)
    blocks = np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::_HOP] * window
    at_s = (np.arange(len(blocks))[:, np.newaxis] * _HOP - _HOP) / RATE_HZ
    bins_hz = np.fft.rfftfreq(_FRAME, 1.0 / RATE_HZ).astype(np.float64)[np.newaxis, :]
    shaped = scipy.fft.irfft(scipy.fft.rfft(blocks, axis=1) * gains_at(at_s, bins_hz), axis=1)
    shaped *= window
    out = np.zeros(len(padded))
    for part in range(_FRAME // _HOP):
        lanes = shaped[:, part * _HOP : (part + 1) * _HOP].reshape(-1)
        out[part * _HOP : part * _HOP + len(lanes)] += lanes
    return out[_FRAME - _HOP : _FRAME - _HOP + len(samples)] / 1.5
