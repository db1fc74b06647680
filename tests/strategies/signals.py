"""Hypothesis strategies for signals: speech-like, silent, offset, clipped, tiny, of any layout."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from perturb.signal import Signal

__all__ = ["RATES_HZ", "signals", "speech_like"]

RATES_HZ = (8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000)


def speech_like(
    duration_s: float, sample_rate_hz: int, *, channels: int = 1, seed: int = 0, level: float = 0.1
) -> Signal:
    """Return syllables: a gliding voice with two formants, pauses, and hiss between.

    Enough of a voice for the speech gate and the pitch trackers; never evidence of anything about
    real speech.
    """
    rng = np.random.default_rng(seed)
    count = max(1, round(duration_s * sample_rate_hz))
    time_s = np.arange(count) / sample_rate_hz
    f0 = 120.0 + 30.0 * np.sin(2 * np.pi * 0.7 * time_s + rng.uniform(0, 6))
    phase = 2 * np.pi * np.cumsum(f0) / sample_rate_hz
    voice = np.zeros(count)
    for harmonic in range(1, 1 + int(min(3500.0, 0.45 * sample_rate_hz) // 160)):
        frequency = harmonic * f0
        formants = sum(
            gain / (1.0 + ((frequency - centre) / width) ** 2)
            for centre, width, gain in ((600.0, 120.0, 1.0), (1400.0, 200.0, 0.5))
        )
        voice += formants * np.sin(harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 2.5 * time_s + rng.uniform(0, 6)) * 2.0, 0.0, 1.0)
    voice = voice * syllables + 0.01 * rng.standard_normal(count)
    voice *= level / max(1e-9, float(np.sqrt(np.mean(voice**2))))
    mix = np.stack([voice * 0.8**channel for channel in range(channels)])
    return Signal.from_array(np.clip(mix, -1.0, 1.0), sample_rate_hz, layout="channels_first")


@st.composite
def signals(
    draw: st.DrawFn,
    *,
    max_duration_s: float = 0.3,
    max_channels: int = 3,
    kinds: tuple[str, ...] = ("speech", "silence", "noise", "dc", "clipped", "tiny", "click"),
) -> Signal:
    """Return signals of every kind that has broken such software."""
    rate = draw(st.sampled_from(RATES_HZ))
    channels = draw(st.integers(1, max_channels))
    kind = draw(st.sampled_from(kinds))
    seed = draw(st.integers(0, 2**16))
    if kind == "tiny":
        count = draw(st.integers(1, 64))
    else:
        count = draw(st.integers(1, max(1, round(max_duration_s * rate))))
    if kind == "speech":
        return speech_like(count / rate, rate, channels=channels, seed=seed)
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((channels, count))
    made = {
        "silence": lambda: np.zeros((channels, count)),
        "noise": lambda: noise * draw(st.sampled_from([1e-5, 0.01, 0.2])),
        "dc": lambda: np.full((channels, count), 0.5),
        "clipped": lambda: np.clip(noise * 4.0, -1.0, 1.0),
        "tiny": lambda: noise * 0.1,
        "click": lambda: np.eye(channels, count, draw(st.integers(0, count - 1))),
    }[kind]()
    return Signal.from_array(made, rate, layout="channels_first")
