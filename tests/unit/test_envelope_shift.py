from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import AudioError
from perturb.measure.envelope_shift import envelope_ratio

RATES_HZ = (8_000, 16_000, 44_100)


def voice(rate, pitch_hz=120.0, scale=1.0, seconds=1.2):
    """Return a voice whose resonances move, all of them `scale` times as high."""
    times_s = np.arange(round(seconds * rate)) / rate
    pitch = pitch_hz * (1.0 + 0.1 * np.sin(2 * np.pi * 1.3 * times_s))
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    sound = np.zeros(times_s.size)
    glide = 1.0 + 0.15 * np.sin(2 * np.pi * 2.1 * times_s)
    for harmonic in range(1, int(0.5 * rate / pitch_hz)):
        frequency = harmonic * pitch / (scale * glide)
        gains = sum(
            gain / (1.0 + ((frequency - centre) / width) ** 2)
            for centre, width, gain in ((600, 90, 1.0), (1500, 120, 0.5), (2600, 160, 0.3))
        )
        sound += gains * np.sin(harmonic * phase)
    return (0.05 * sound).astype(np.float32)


@pytest.mark.parametrize("rate", RATES_HZ)
@pytest.mark.parametrize("scale", [0.84, 0.95, 1.0, 1.1, 1.19])
def test_the_ratio_is_found_whatever_the_pitch_does(rate, scale):
    for pitch_hz in (90.0, 120.0, 200.0):
        found = envelope_ratio(voice(rate), voice(rate, pitch_hz, scale), rate)
        assert found.value == pytest.approx(scale, rel=0.02), pitch_hz


def test_a_level_is_no_shift():
    clip = voice(16_000)
    assert envelope_ratio(clip, 0.01 * clip, 16_000).value == pytest.approx(1.0, abs=1e-6)


def test_what_is_not_alike_has_no_ratio():
    clip = voice(16_000)
    hiss = 0.01 * np.random.default_rng(0).standard_normal(clip.size).astype(np.float32)
    assert "alike" in envelope_ratio(clip, hiss, 16_000).reason


@pytest.mark.parametrize("count", [0, 100, 2_000])
def test_too_short_or_silent_has_a_reason(count):
    silence = np.zeros(count, dtype=np.float32)
    assert "10 are needed" in envelope_ratio(silence, silence, 16_000).reason


def test_shapes_that_differ_are_refused():
    with pytest.raises(AudioError, match="equal shapes"):
        envelope_ratio(np.zeros(10, np.float32), np.zeros(11, np.float32), 16_000)
