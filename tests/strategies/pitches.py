"""Sounds of known pitch, and sounds that have none, for the tests of both pitch trackers."""

from __future__ import annotations

import numpy as np

__all__ = [
    "DURATION_S",
    "PITCHES_HZ",
    "RATES_HZ",
    "cents_off",
    "glide",
    "pulses",
    "sine",
    "voiceless",
]

RATES_HZ = (8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000)
PITCHES_HZ = (60.0, 61.3, 75.0, 100.0, 133.7, 200.0, 251.3, 333.0, 440.0, 480.0)
DURATION_S = 0.4


def sine(pitch_hz, rate_hz, duration_s=DURATION_S, phase=0.4):
    times_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    return (0.5 * np.sin(2 * np.pi * pitch_hz * times_s + phase)).astype(np.float32)


def pulses(pitch_hz, rate_hz, duration_s=DURATION_S, tilt=1.0):
    """A band-limited pulse train, dispersed; `tilt` is the power of 1/h."""
    times_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    buzz = np.zeros(times_s.size)
    for h in range(1, int(min(0.45 * rate_hz, 6_000) / pitch_hz) + 1):
        buzz += np.cos(2 * np.pi * h * pitch_hz * times_s + 0.3 * h * h) * h**-tilt
    return (0.5 * buzz / np.abs(buzz).max()).astype(np.float32)


def glide(rate_hz):
    """A buzz that rises from 120 Hz by two octaves a second; its pitch at t is 120 * 4**t."""
    times_s = np.arange(round(DURATION_S * rate_hz)) / rate_hz
    phase = 2 * np.pi * np.cumsum(120 * 2 ** (2.0 * times_s)) / rate_hz
    buzz = sum(np.cos(h * phase + h * h) / h for h in range(1, 16))
    return (0.1 * buzz).astype(np.float32)


def voiceless(rate_hz):
    """Silence, an offset, noise and a click, of a second and of less."""
    noise = 0.1 * np.random.default_rng(7).standard_normal(rate_hz).astype(np.float32)
    click = np.zeros(rate_hz, dtype=np.float32)
    click[rate_hz // 2] = 0.9
    return [
        np.zeros(rate_hz, dtype=np.float32),
        np.full(rate_hz, 0.5, dtype=np.float32),
        noise,
        click,
        noise[: rate_hz // 50],
        noise[:479],
        noise[:1],
        noise[:0],
    ]


def cents_off(track, pitch_hz, margin_s=0.05):
    """Deviation in the frames whose window is inside the clip and past the filter's onset."""
    is_inside = (track.times_s >= margin_s) & (track.times_s <= DURATION_S - margin_s)
    assert track.is_voiced[is_inside].all()
    truth_hz = np.broadcast_to(pitch_hz, track.times_s.shape)[is_inside]
    return np.abs(1_200 * np.log2(track.f0_hz[is_inside].astype(np.float64) / truth_hz))
