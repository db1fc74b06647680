from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import AudioError, InapplicableError
from perturb.measure.level_spread import level_spread
from perturb.operators.flat_intensity import FlatIntensity
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.synthesis.flat_level import flatten_level
from perturb.testing.strategies import RATES_HZ, speech_like

RATE = 16_000
CLIP = speech_like(2.4, RATE, channels=2, seed=1, level=0.05)


def _level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-30)


@pytest.mark.parametrize("rate", RATES_HZ)
def test_any_rate(rate):
    variant = apply(speech_like(1.6, rate, channels=2, seed=2, level=0.05), FlatIntensity())
    proofs = {proof.name: proof for proof in variant.trace.measured}
    assert variant.trace.status == "ok", variant.trace.reason
    assert proofs["level_sd"].achieved < 1.6


def test_the_level_moved_before():
    result = apply(CLIP, FlatIntensity()).signal
    spread = level_spread(CLIP.samples[0], result.samples[0], RATE)
    assert spread.before_db.value > 5.0
    assert spread.after_db.value < 1.6


def test_pauses_stay_low():
    rng = np.random.default_rng(0)
    samples = np.array(CLIP.samples[:1])
    samples[:, 16_000:24_000] = 10 ** (-75 / 20) * rng.standard_normal(8_000)
    result = flatten_level(samples, RATE)
    assert _level_db(result[:, 17_000:23_000]) == pytest.approx(-75.0, abs=0.5)


def test_rumble_and_offset_are_not_raised_with_a_quiet_moment():
    times_s = np.arange(CLIP.sample_count) / RATE
    rumble = (0.02 + 0.05 * np.sin(2 * np.pi * 8 * times_s)).astype(np.float32)
    clean = flatten_level(CLIP.samples[:1], RATE)
    found = flatten_level(CLIP.samples[:1] + rumble, RATE) - clean
    assert _level_db(found) == pytest.approx(_level_db(rumble), abs=1.5)


def test_channels_share_the_gain():
    one = CLIP.samples[0]
    result = flatten_level(np.stack([0.3 * one, one]), RATE)
    np.testing.assert_allclose(result[0], 0.3 * result[1], atol=1e-6)


def test_its_sham_is_the_clip():
    assert apply(CLIP, FlatIntensity(), sham=True).signal.is_equal(CLIP)


@pytest.mark.parametrize("count", [0, 1, 30, 200])
def test_any_length(count):
    assert flatten_level(CLIP.samples[:, 5_000 : 5_000 + count], RATE).shape == (2, count)


def test_no_speech_is_inapplicable():
    for made in (np.zeros(RATE), 0.1 * np.random.default_rng(0).standard_normal(RATE)):
        with pytest.raises(InapplicableError, match="no speech"):
            apply(Signal.from_array(made, RATE), FlatIntensity())


def test_the_spread_of_silence_is_undefined_and_shapes_must_agree():
    silence = np.zeros(8_000, dtype=np.float32)
    assert level_spread(silence, silence, RATE).after_db.reason
    with pytest.raises(AudioError, match="equal shapes"):
        level_spread(silence, silence[1:], RATE)
