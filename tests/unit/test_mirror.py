"""The mirror instrument against spectra that were turned, or not."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import AudioError
from perturb.measure.mirror import mirror_correlation

RATE = 16_000
COUNT = 3 * RATE


def _chord(frequencies_hz):
    """Return tones that rise and fall each at a pace of its own."""
    time_s = np.arange(COUNT) / RATE
    parts = [
        (1.0 + np.sin(2 * np.pi * (1.0 + 0.37 * number) * time_s)) * np.sin(2 * np.pi * hz * time_s)
        for number, hz in enumerate(frequencies_hz)
    ]
    return np.sum(parts, axis=0).astype(np.float32)[np.newaxis]


CENTRES_HZ = np.array([200.0 + 300.0 * (number + 0.5) for number in range(12)])


def test_a_mirrored_chord_is_recognised_and_an_unmirrored_one_is_not():
    before = _chord(CENTRES_HZ)
    mirrored = _chord(4_000.0 - CENTRES_HZ)
    found = mirror_correlation(before, mirrored, RATE, 200.0, 3_800.0)
    assert found.value > 0.99
    assert abs(mirror_correlation(before, before, RATE, 200.0, 3_800.0).value) < 0.3


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 44_100])
def test_what_is_mirrored_bin_by_bin_agrees_wholly(rate):
    noise = np.random.default_rng(0).standard_normal((1, 2 * rate)).astype(np.float32)
    mirrored = noise * np.float32(-1.0) ** np.arange(noise.shape[1], dtype=np.float32)
    found = mirror_correlation(noise, mirrored, rate, 200.0, 0.5 * rate - 200.0)
    assert found.value > 0.999


def test_a_steady_tone_has_no_value_and_the_bands_beside_a_moving_one_do_not_count():
    time_s = np.arange(COUNT) / RATE
    tone = np.sin(2 * np.pi * 1_000.0 * time_s).astype(np.float32)[np.newaxis]
    mirrored = np.sin(2 * np.pi * 3_000.0 * time_s).astype(np.float32)[np.newaxis]
    reading = mirror_correlation(tone, mirrored, RATE, 200.0, 3_800.0)
    assert (reading.value, reading.reason) == (None, "no band's envelope moves")
    beat = (1.0 + 0.5 * np.sin(2 * np.pi * time_s)).astype(np.float32)
    assert mirror_correlation(beat * tone, beat * mirrored, RATE, 200.0, 3_800.0).value > 0.99
    assert mirror_correlation(beat * tone, mirrored, RATE, 200.0, 3_800.0).value < 0.2


def test_the_channel_that_is_strongest_before_is_looked_at():
    before = np.concatenate([0.1 * _chord(CENTRES_HZ[:6]), _chord(CENTRES_HZ)])
    after = np.concatenate([0.1 * _chord(CENTRES_HZ[:6]), _chord(4_000.0 - CENTRES_HZ)])
    assert mirror_correlation(before, after, RATE, 200.0, 3_800.0).value > 0.99


@pytest.mark.parametrize("count", [1, 400, 2_000])
def test_too_short_has_no_value(count):
    samples = _chord(CENTRES_HZ)[:, :count]
    reading = mirror_correlation(samples, samples, RATE, 200.0, 3_800.0)
    assert reading.value is None
    assert "10 are needed" in reading.reason


def test_silence_has_no_value():
    silence = np.zeros((1, COUNT), dtype=np.float32)
    reading = mirror_correlation(silence, silence, RATE, 200.0, 3_800.0)
    assert reading.value is None
    assert "moves" in reading.reason


def test_shapes_must_agree():
    with pytest.raises(AudioError, match="accepted: equal shapes"):
        mirror_correlation(_chord([1_000.0]), _chord([1_000.0])[:, :-1], RATE, 200.0, 3_800.0)
