"""Outside audio at the clip's rate and channels."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.signal import Signal
from perturb.synthesis.conform import conform
from tests.strategies.sounds import tone


@pytest.mark.parametrize("rate", [8_000, 22_050, 48_000, 192_000])
def test_a_tone_keeps_its_frequency_level_and_moment(rate):
    samples = np.concatenate([np.zeros(rate), tone(1.0, rate, 900.0, -20.0), np.zeros(rate)])
    found = conform(Signal.from_array(samples, rate), 16_000, 1)[0]
    assert found.size == 48_000
    middle = found[20_000:28_000]
    assert 10 * np.log10(np.mean(middle**2)) == pytest.approx(-20.0, abs=0.02)
    assert np.argmax(np.abs(np.fft.rfft(middle))) * 2 == pytest.approx(900, abs=2)
    onset = np.argmax(np.abs(found) > 0.07)
    assert onset == pytest.approx(16_000 + 16_000 / 900 / 8, abs=8)


@pytest.mark.parametrize(("channels", "wanted"), [(1, 3), (3, 3), (2, 1), (2, 3), (4, 2)])
def test_channels(channels, wanted):
    samples = np.random.default_rng(0).standard_normal((channels, 100)).astype(np.float32)
    found = conform(Signal.from_array(samples, 8_000, layout="channels_first"), 8_000, wanted)
    expected = (
        samples
        if channels == wanted
        else np.repeat(samples.mean(axis=0, keepdims=True), wanted, axis=0)
    )
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_sample_too_few_is_no_sample():
    assert conform(Signal.from_array([0.5], 44_100), 8_000, 2).shape == (2, 0)
