"""Struck things: banks of decaying modes, the noise of the contact, bubbles that a drop leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.events.sounds.curves import decay, strike
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.tones import sine

__all__ = ["BAR", "BELL", "MEMBRANE", "PLATE", "bubble", "click", "modes", "struck", "thud"]

# Frequencies of the modes over the lowest: a free bar, a church bell, a drum's skin, a free plate.
BAR = (1.0, 2.756, 5.404, 8.933)
BELL = (0.5, 1.0, 1.2, 1.5, 2.0, 2.5, 2.67, 3.0, 4.0, 5.3)
MEMBRANE = (1.0, 1.594, 2.136, 2.296, 2.653, 2.918)
PLATE = (1.0, 1.41, 1.73, 2.28, 2.72, 3.54, 3.91, 4.63, 5.2, 6.1, 7.3, 8.8)
_TOP_HZ = 16_000.0


def modes(
    at_s: Samples,
    frequencies_hz: Sequence[float] | Samples,
    t60s_s: Sequence[float] | Samples,
    amplitudes: Sequence[float] | Samples,
) -> Samples:
    """Return a sum of sines that start at 0 and die away, each in its time."""
    out = np.zeros_like(at_s)
    for frequency, t60, amplitude in zip(frequencies_hz, t60s_s, amplitudes, strict=True):
        if frequency < _TOP_HZ:
            sounding = at_s[: int(np.searchsorted(at_s, 1.3 * t60))]
            wave = np.sin((2.0 * np.pi * frequency) * sounding) * decay(sounding, t60)
            out[: len(sounding)] += amplitude * wave
    return out


def struck(
    draw: Draw,
    duration_s: float,
    lowest_hz: float,
    ratios: Sequence[float],
    t60_s: float,
    *,
    damping: float = 0.5,
    detune: float = 0.02,
    hardness: float = 0.7,
) -> Samples:
    """Return one stroke on a body, its modes a little out of tune, each struck at random.

    Parameters
    ----------
    draw : Draw
        Where it is struck, and how the body differs from an ideal one.
    duration_s : float
        Length in seconds.
    lowest_hz : float
        Frequency of the mode whose ratio is 1.
    ratios : sequence of float
        The body's modes.
    t60_s : float
        Decay of the lowest mode in seconds.
    damping : float
        How much faster high modes die: their decay goes as ``ratio ** -damping``.
    detune : float
        Share by which modes are off.
    hardness : float
        Amplitudes go as ``hardness ** number``.
    """
    shares = np.asarray(ratios) / ratios[0]
    amplitudes = hardness ** np.arange(len(ratios)) * draw.many(len(ratios), 0.4, 1.0)
    at_s = times(duration_s)
    return modes(
        at_s,
        draw.several(lowest_hz * np.asarray(ratios), detune),
        t60_s * shares**-damping,
        amplitudes,
    )


def click(draw: Draw, low_hz: float, high_hz: float, t60_s: float = 0.01) -> Samples:
    """Return a burst of noise in a band: the contact itself."""
    at_s = times(1.2 * t60_s)
    return noise(draw, len(at_s), band(low_hz, high_hz)) * strike(at_s, 0.0004, t60_s)


def thud(draw: Draw, frequency_hz: float, t60_s: float, drop: float = 0.5) -> Samples:
    """Return a dull blow: a low tone that falls by a share of its pitch as it dies."""
    at_s = times(1.2 * t60_s)
    bent = frequency_hz * (1.0 + drop * decay(at_s, 0.25 * t60_s))
    tone = np.sin(2.0 * np.pi * np.cumsum(bent) * (at_s[1] if len(at_s) > 1 else 0.0))
    soft = noise(draw, len(at_s), band(0.5 * frequency_hz, 3.0 * frequency_hz))
    return (tone + 0.3 * soft) * strike(at_s, 0.002, t60_s)


def bubble(draw: Draw, pitch_hz: float, t60_s: float, rise: float) -> Samples:
    """Return a bubble: a tone that dies away and rises as the bubble nears the surface.

    K. van den Doel, "Physically based models for liquid sounds", 2005: damped sine of rising pitch.
    """
    at_s = times(1.1 * t60_s)
    return sine(pitch_hz * (1.0 + rise * at_s / t60_s)) * strike(at_s, 0.003, t60_s)
