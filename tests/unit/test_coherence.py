"""Coherence against signals of which it is known what they share."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from perturb.errors import AudioError
from perturb.measure.coherence import coherence

RATE = 16_000


def _noise(seconds, seed, rate=RATE):
    return np.random.default_rng(seed).standard_normal(round(seconds * rate)).astype(np.float32)


def _speechlike(seconds, seed, rate=RATE):
    """Noise of which few frames are loud, as in speech: where a plain estimate is biased most."""
    count = round(seconds * rate)
    knots = np.arange(0.0, seconds + 0.2, 0.1)
    level_db = 9.0 * np.random.default_rng(1_000).standard_normal(knots.size)
    contour = 10.0 ** (np.interp(np.arange(count) / rate, knots, level_db) / 20.0)
    return (_noise(seconds, seed, rate) * contour).astype(np.float32)


@pytest.mark.parametrize("rate", [8_000, 16_000, 48_000])
@pytest.mark.parametrize("ratio", [0.0, 0.02, 0.05, 0.5, 0.9, 1.0])
def test_a_mixture_of_known_shares(rate, ratio):
    one, other = _noise(20.0, 1, rate), _noise(20.0, 2, rate)
    mixed = np.sqrt(ratio) * one + np.sqrt(1.0 - ratio) * other
    share = coherence(one, mixed.astype(np.float32), rate).explained_share(1_000.0)
    assert share.value == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize("seconds", [0.5, 1.0, 3.0])
def test_unrelated_signals_of_one_contour_share_nothing_on_average(seconds):
    shares = []
    for seed in range(0, 40, 2):
        found = coherence(_speechlike(seconds, seed), _speechlike(seconds, seed + 1), RATE)
        is_high = found.frequencies_hz >= 1_000.0
        shares.append(found.shared_power[is_high].sum() / found.power[is_high].sum())
    # 0.5 s are 30 frames, of which few are loud: a plain estimate finds ten times that.
    assert np.mean(shares) == pytest.approx(0.0, abs=0.01)
    plain = scipy.signal.coherence(
        _speechlike(seconds, 0), _speechlike(seconds, 1), RATE, nperseg=512
    )[1]
    assert plain.mean() > 3.0 * abs(np.mean(shares))


@pytest.mark.parametrize("seconds", [0.2, 0.5, 2.0])
def test_a_filtered_copy_is_all_explained(seconds):
    original = _speechlike(seconds, 3)
    filtered = scipy.signal.lfilter([0.3, -0.5, 0.2], [1.0, -0.4], original).astype(np.float32)
    assert coherence(original, filtered, RATE).explained_share(1_000.0).value > 0.99


def test_only_the_band_asked_for_counts():
    original, other = _noise(5.0, 4), _noise(5.0, 5)
    low = scipy.signal.butter(8, 2_000, "lowpass", fs=RATE, output="sos")
    high = scipy.signal.butter(8, 2_000, "highpass", fs=RATE, output="sos")
    mixed = scipy.signal.sosfilt(low, original) + scipy.signal.sosfilt(high, other)
    found = coherence(original, mixed.astype(np.float32), RATE)
    assert found.explained_share(200.0, 1_500.0).value > 0.97
    assert found.explained_share(2_500.0).value < 0.02


def test_channels_are_compared_with_their_own():
    one, other = _noise(3.0, 6), _noise(3.0, 7)
    before = np.stack([one, other])
    assert coherence(before, before, RATE).explained_share(1_000.0).value == pytest.approx(1.0)
    assert coherence(before, before[::-1], RATE).explained_share(1_000.0).value < 0.02


@pytest.mark.parametrize("count", [1, 2, 100, 511, 512, 900])
def test_what_is_too_short_is_undefined_with_a_reason(count):
    samples = _noise(1.0, 8)[:count]
    reading = coherence(samples, samples[::-1].copy(), RATE).explained_share(1_000.0)
    assert reading.value is None
    assert "too short" in reading.reason or "silent" in reading.reason


@pytest.mark.parametrize("count", [512, 640, 767, 768, 1_024])
def test_a_few_frames_of_unrelated_noise_are_never_said_to_agree(count):
    for seed in range(40):
        one, other = (_noise(count / RATE, 2 * seed + side) for side in (0, 1))
        assert coherence(one, other, RATE).explained_share(1_000.0).value is None


def test_silence_is_undefined_with_a_reason():
    silence, noise = np.zeros(RATE, dtype=np.float32), _noise(1.0, 9)
    for before, after in ((silence, noise), (noise, silence), (silence, silence)):
        reading = coherence(before, after, RATE).explained_share(1_000.0)
        assert reading.value is None
        assert "silent" in reading.reason


def test_shapes_must_agree():
    with pytest.raises(AudioError, match="accepted: equal shapes"):
        coherence(_noise(1.0, 1), _noise(0.5, 1), RATE)


def test_long_audio_is_measured_in_blocks():
    one, other = _noise(60.0, 10), _noise(60.0, 11)
    found = coherence(one, other, RATE).explained_share(1_000.0)
    assert found.value == pytest.approx(0.0, abs=0.002)
