"""Event sounds made for tests: tones, clicks, bursts; and a place on disk for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

__all__ = ["burst", "click", "silence", "square", "store", "tone"]


def tone(duration_s, rate, frequency_hz=1000.0, rms_dbfs=-20.0):
    time_s = np.arange(round(duration_s * rate)) / rate
    return 10 ** (rms_dbfs / 20) * np.sqrt(2) * np.sin(2 * np.pi * frequency_hz * time_s)


def burst(duration_s, rate, rms_dbfs=-20.0, seed=0):
    noise = np.random.default_rng(seed).standard_normal(round(duration_s * rate))
    return noise * 10 ** (rms_dbfs / 20) / np.sqrt(np.mean(noise**2))


def click(rate, at_s=0.0, duration_s=0.05):
    """Return a decaying knock: a sharp onset, then 5 ms of ringing."""
    time_s = np.arange(round(duration_s * rate)) / rate - at_s
    ring = np.exp(-np.clip(time_s, 0, None) / 0.005) * np.cos(2 * np.pi * 2000 * time_s)
    return 0.5 * ring * (time_s >= 0)


def silence(duration_s, rate):
    return np.zeros(round(duration_s * rate))


def square(duration_s, rate, frequency_hz=200.0):
    return np.where(tone(duration_s, rate, frequency_hz) >= 0, 1.0, -1.0)


def store(folder: Path, samples, rate, name="event.wav") -> str:
    """Write (samples,) or (channels, samples) as floats; return its reference."""
    path = folder / name
    soundfile.write(path, np.asarray(samples).T, rate, subtype="FLOAT")
    return f"file:{path}"
