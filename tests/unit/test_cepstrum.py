from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

from perturb.errors import AudioError
from perturb.measure import cepstrum
from perturb.measure.cepstrum import cepstral_variance_ratio, mel_cepstra

RATES_HZ = (8_000, 11_025, 16_000, 44_100, 192_000)


def noise(seconds, rate_hz, seed=0):
    return (0.1 * np.random.default_rng(seed).standard_normal(round(seconds * rate_hz))).astype(
        np.float32
    )


def alternating(rate_hz=16_000):
    """Two tones in turn, 100 ms each: an envelope that moves."""
    times_s = np.arange(rate_hz) / rate_hz
    low, high = np.sin(2 * np.pi * 400 * times_s), np.sin(2 * np.pi * 2_500 * times_s)
    is_low = (times_s * 10).astype(int) % 2 == 0
    return (0.1 * np.where(is_low, low, high)).astype(np.float32) + 0.01 * noise(1, rate_hz)


def plain_cepstra(samples, rate_hz):
    """The definition, frame by frame, with the triangles written out."""
    width = int(np.floor(0.025 * rate_hz + 0.5))
    window = np.sin(np.pi * (np.arange(width) + 0.5) / width) ** 2
    size = int(scipy.fft.next_fast_len(max(width, int(rate_hz / 20.0)), real=True))
    top = 2_595 * np.log10(1 + min(8_000, rate_hz / 2) / 700)
    edges = np.linspace(2_595 * np.log10(1 + 100 / 700), top, 22)
    mel = 2_595 * np.log10(1 + np.fft.rfftfreq(size, 1 / rate_hz) / 700)
    rows = [np.interp(mel, edges[m : m + 3], [0, 1, 0], left=0, right=0) for m in range(20)]
    bands = []
    for k in range(1 + int(samples.size / (0.01 * rate_hz) + 1e-9)):
        start = int(np.floor(k * 0.01 * rate_hz + 0.5)) - width // 2
        frame = np.array(
            [samples[i] if 0 <= i < samples.size else 0 for i in range(start, start + width)]
        )
        power = np.abs(np.fft.rfft(frame * window, size)) ** 2
        bands.append(np.array(rows) @ power)
    bands = np.array(bands)
    logs = 0.5 * np.log(np.maximum(bands, bands.max() * 1e-8))
    return scipy.fft.dct(logs, axis=1, norm="ortho")[:, 1:13]


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_cepstra_are_those_of_the_definition(rate_hz):
    samples = noise(0.08, rate_hz)
    found = mel_cepstra(samples, rate_hz)
    assert found.shape == (9, 12)
    np.testing.assert_allclose(found, plain_cepstra(samples, rate_hz), atol=2e-3)


def test_level_does_not_matter():
    samples = alternating()
    np.testing.assert_allclose(
        mel_cepstra(samples * np.float32(0.01), 16_000), mel_cepstra(samples, 16_000), atol=1e-4
    )


@pytest.mark.parametrize("rate_hz", [8_000, 22_050])
def test_blocks_change_nothing(rate_hz, monkeypatch):
    samples = noise(0.5, rate_hz)
    whole = mel_cepstra(samples, rate_hz)
    monkeypatch.setattr(cepstrum, "BLOCK_FRAMES", 7)
    np.testing.assert_allclose(mel_cepstra(samples, rate_hz), whole, atol=1e-5)


@pytest.mark.parametrize("count", [0, 1, 79, 479])
def test_tiny_and_silent_clips(count):
    assert not mel_cepstra(np.zeros(count, dtype=np.float32), 16_000).any()
    assert np.isfinite(mel_cepstra(noise(1, 16_000)[:count], 16_000)).all()


def test_the_ratio_of_a_clip_to_itself_is_one():
    result = cepstral_variance_ratio(alternating(), alternating(), 16_000)
    assert result.ratio == pytest.approx(1.0)
    assert result.active_frames == 97
    assert result.reason is None


def test_a_steady_sound_with_the_same_level_has_little_movement_left():
    assert cepstral_variance_ratio(alternating(), noise(1, 16_000), 16_000).ratio < 0.05
    assert cepstral_variance_ratio(noise(1, 16_000), alternating(), 16_000).ratio > 20


def test_only_active_frames_count():
    steady = np.concatenate([noise(1, 16_000), np.zeros(16_000, dtype=np.float32)])
    moving_when_quiet = steady.copy()
    moving_when_quiet[17_000:] = 1e-3 * alternating()[:15_000]
    result = cepstral_variance_ratio(moving_when_quiet, steady, 16_000)
    assert result.active_frames == pytest.approx(99, abs=2)
    assert result.ratio == pytest.approx(1.0, abs=0.05)


def test_undefined_ratios_have_a_reason():
    silent = np.zeros(16_000, dtype=np.float32)
    result = cepstral_variance_ratio(silent, noise(1, 16_000), 16_000)
    assert (result.ratio, result.reason) == (None, "0 active frames; 10 are needed")
    short = noise(0.03, 16_000)
    assert cepstral_variance_ratio(short, short, 16_000).ratio is None
    buzz = np.tile(noise(0.01, 16_000), 100)  # every frame is the same
    still = cepstral_variance_ratio(buzz, alternating(), 16_000)
    assert (still.ratio, still.reason) == (None, "the original's spectrum does not move")


def test_bad_input_is_refused():
    with pytest.raises(AudioError, match="equal shapes"):
        cepstral_variance_ratio(noise(1, 8_000), noise(0.5, 8_000), 8_000)
    with pytest.raises(AudioError, match="one channel"):
        mel_cepstra(np.zeros((2, 9), dtype=np.float32), 8_000)
    with pytest.raises(AudioError, match="accepted: 8000 to 192000 Hz"):
        mel_cepstra(noise(1, 8_000), 200_000)


def test_what_was_silenced_has_no_envelope_to_move():
    rate_hz = 16_000
    noise = np.random.default_rng(3).standard_normal(rate_hz).astype(np.float32) * np.float32(0.1)
    half = noise.copy()
    half[rate_hz // 2 :] = 0.0
    found = cepstral_variance_ratio(noise, half, rate_hz)
    whole = cepstral_variance_ratio(noise, noise, rate_hz)
    assert found.active_frames == pytest.approx(whole.active_frames / 2, abs=6)
    assert found.ratio == pytest.approx(1.0, abs=0.25)


@pytest.mark.parametrize("exponent", range(-140, -20, 8))
def test_the_faintest_sounds_beside_silence_have_finite_cepstra(exponent):
    noise = np.random.default_rng(0).standard_normal(8_000).astype(np.float32)
    noise[4_000:] = 0.0
    assert np.isfinite(mel_cepstra(np.ldexp(noise, exponent), 16_000)).all()
