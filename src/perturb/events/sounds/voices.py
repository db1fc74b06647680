"""Voices of people and animals: pulses and breath through a throat whose shape moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.events.sounds.curves import wander
from perturb.events.sounds.draw import RATE_HZ, Draw, Samples
from perturb.events.sounds.noise import moving_filter
from perturb.events.sounds.tones import pulses

__all__ = ["Formant", "breath", "voice"]

Formant = tuple[float | Samples, float, float]
"""Centre in Hz (a number, or a curve over the samples), bandwidth in Hz, gain."""


def voice(
    draw: Draw,
    f0_hz: Samples,
    formants: Sequence[Formant],
    *,
    breathiness: float = 0.05,
    roughness: float = 0.02,
    tilt_db: float = -6.0,
    floor: float = 0.02,
) -> Samples:
    """Return a voiced sound of even loudness.

    Parameters
    ----------
    draw : Draw
        Breath and irregularities.
    f0_hz : ndarray of float64, shape (samples,)
        Pitch.
    formants : sequence of Formant
        Resonances of the throat.
    breathiness : float
        RMS of the breath over that of the pulses.
    roughness : float
        Share by which the pitch jitters, from pulse to pulse; from 0.1 on it is hoarse.
    tilt_db : float
        Fall of the source's spectrum in dB per octave above the pitch.
    floor : float
        Gain far from all formants.
    """
    at_s = np.arange(len(f0_hz)) / RATE_HZ
    jitter = wander(draw, at_s, 0.6 * float(np.median(f0_hz)))
    source = pulses(f0_hz * (1.0 + roughness * jitter))
    source /= np.sqrt(np.mean(np.square(source)))
    # A pulse train falls by nothing; what is asked for beyond breath falls as a throat's does.
    source *= 1.0 + 4.0 * roughness * wander(draw, at_s, 0.3 * float(np.median(f0_hz)))
    corner_hz = float(np.median(f0_hz))
    return _through(
        source + breathiness * draw.normals(len(f0_hz)), formants, tilt_db, corner_hz, floor
    )


def breath(
    draw: Draw,
    count: int,
    formants: Sequence[Formant],
    *,
    tilt_db: float = -3.0,
    floor: float = 0.05,
) -> Samples:
    """Return breath through a throat: a voice without pitch, of even loudness."""
    return _through(draw.normals(count), formants, tilt_db, 500.0, floor)


def _through(
    source: Samples, formants: Sequence[Formant], tilt_db: float, corner_hz: float, floor: float
) -> Samples:
    def gains_at(at_s: Samples, bins_hz: Samples) -> Samples:
        places = np.clip((at_s[:, 0] * RATE_HZ).astype(int), 0, len(source) - 1)
        total = np.full((len(at_s), bins_hz.shape[1]), floor)
        for centre, width_hz, gain in formants:
            centres = centre[places, np.newaxis] if isinstance(centre, np.ndarray) else centre
            total += gain / np.sqrt(1.0 + ((bins_hz - centres) / (0.5 * width_hz)) ** 2)
        falling = np.maximum(bins_hz / corner_hz, 1.0) ** (tilt_db / 6.0206)
        return np.asarray(total * falling)

    shaped = moving_filter(source, gains_at)
    return np.asarray(shaped / np.sqrt(np.mean(np.square(shaped))))
