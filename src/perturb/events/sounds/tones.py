"""Tones: sines, harmonic series and band-limited pulse trains of any pitch curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.events.sounds.draw import RATE_HZ, Samples

__all__ = ["PULSE_TOP_HZ", "TOP_HZ", "harmonics", "phase", "pulses", "saw", "sine", "square"]

TOP_HZ = 15_000.0
"""Highest partial that is made."""

PULSE_TOP_HZ = 20_000.0
"""Where a pulse's harmonics have fallen by 60 dB; past half the rate they fold back unheard."""


def phase(frequency_hz: Samples) -> Samples:
    """Return the running phase of a pitch curve, in radians from 0."""
    turns = np.cumsum(frequency_hz) / RATE_HZ
    return np.asarray(2.0 * np.pi * (turns - turns[0]))


def sine(frequency_hz: Samples) -> Samples:
    """Return a sine along a pitch curve."""
    return np.sin(phase(frequency_hz))


def harmonics(frequency_hz: Samples, amplitudes: Sequence[float]) -> Samples:
    """Return a sum of harmonics; the first amplitude is the fundamental's."""
    angle = phase(frequency_hz)
    highest = TOP_HZ / float(frequency_hz.max())
    out = np.zeros_like(angle)
    for number, amplitude in enumerate(amplitudes, start=1):
        if number <= highest and amplitude:
            out += amplitude * np.sin(number * angle)
    return out


def pulses(frequency_hz: Samples, top_hz: float = PULSE_TOP_HZ) -> Samples:
    """Return a train of pulses whose harmonics fall evenly, by 60 dB from 0 Hz to `top_hz`.

    The closed form of the sum of cosines with geometric weights, scaled to peaks of 1. A train of
    pulses is what a larynx, an engine or a rasp starts from.
    """
    weight = 10.0 ** (-3.0 * frequency_hz / top_hz)
    cosine = np.cos(phase(frequency_hz))
    total = (1.0 - weight * cosine) / (1.0 - 2.0 * weight * cosine + weight**2) - 1.0
    return np.asarray(total * (1.0 - weight) / weight)


def saw(frequency_hz: Samples, count: int = 24) -> Samples:
    """Return a saw-tooth of at most `count` harmonics: reeds, horns, bowed and rubbed things."""
    return harmonics(frequency_hz, [1.0 / number for number in range(1, count + 1)])


def square(frequency_hz: Samples, count: int = 24) -> Samples:
    """Return a square wave of at most `count` harmonics: buzzers, sounders, electric horns."""
    return harmonics(frequency_hz, [number % 2 / number for number in range(1, count + 1)])
