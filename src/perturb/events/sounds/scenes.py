"""Scenes: sounds laid side by side in time, and the room around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import scipy.fft

from perturb.events.sounds.curves import decay
from perturb.events.sounds.draw import RATE_HZ, Draw, Samples, times
from perturb.events.sounds.noise import Gains, band, noise

__all__ = ["Laid", "bounces", "lay", "repeat", "room"]

Laid = tuple[float, float, Samples]
"""Start in seconds, gain, sound."""


def lay(sounds: Iterable[Laid], tail_s: float = 0.0) -> Samples:
    """Return sounds added up, each from its start; `tail_s` of silence follows the last."""
    parts = [(round(start_s * RATE_HZ), gain, sound) for start_s, gain, sound in sounds]
    length = max(start + len(sound) for start, _, sound in parts) + round(tail_s * RATE_HZ)
    out = np.zeros(length)
    for start, gain, sound in parts:
        out[start : start + len(sound)] += gain * sound
    return out


def repeat(
    starts_s: Iterable[float], make: Callable[[int], Samples], gains: Iterable[float] | None = None
) -> Samples:
    """Return a sound made anew at each start; it is told its number, from 0."""
    places = list(starts_s)
    levels = [1.0] * len(places) if gains is None else list(gains)
    return lay(
        (start_s, gain, make(number))
        for number, (start_s, gain) in enumerate(zip(places, levels, strict=True))
    )


def room(
    draw: Draw, samples: Samples, t60_s: float, wet: float, colour: Gains | None = None
) -> Samples:
    """Return samples in a room: themselves, and noise that dies away in their wake.

    Parameters
    ----------
    draw : Draw
        Source of the noise.
    samples : ndarray of float64, shape (samples,)
        At `RATE_HZ`.
    t60_s : float
        Reverberation time in seconds; the result is longer by 0.7 of it.
    wet : float
        RMS of the reverberation for a steady sound, relative to the sound itself.
    colour : callable, optional
        Spectrum of the reverberation; by default 100 Hz to 4 kHz.
    """
    at_s = times(0.7 * t60_s)
    response = noise(draw, len(at_s), colour or band(100.0, 4_000.0, 1)) * decay(at_s, t60_s)
    response *= wet / np.sqrt(np.sum(np.square(response)))
    length = len(samples) + len(response)
    size = scipy.fft.next_fast_len(length, real=True)
    out = scipy.fft.irfft(scipy.fft.rfft(samples, size) * scipy.fft.rfft(response, size), size)
    out = np.asarray(out[:length])
    out[: len(samples)] += samples
    return out


def bounces(draw: Draw, first_s: float, keep: float, least_s: float) -> tuple[Samples, Samples]:
    """Return the starts and gains of bounces, each flight a share of the one before."""
    flights = [first_s]
    while flights[-1] > least_s:
        flights.append(flights[-1] * keep * draw.near(1.0, 0.03))
    starts = np.concatenate([[0.0], np.cumsum(flights)])
    gains = np.power(keep, 1.2 * np.arange(len(starts)))
    return np.asarray(starts, dtype=np.float64), np.asarray(gains, dtype=np.float64)
