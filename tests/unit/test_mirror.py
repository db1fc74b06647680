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
