from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import AudioError, ParameterError
from perturb.measure import f0
from perturb.measure.f0 import track_f0, track_signal_f0
from perturb.signal import Signal
from tests.strategies.pitches import (
    DURATION_S,
    PITCHES_HZ,
    RATES_HZ,
    cents_off,
    glide,
    pulses,
    sine,
    voiceless,
)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_pulse_trains_are_placed_within_two_cents(rate_hz):
    for pitch_hz in PITCHES_HZ:
        for tilt in (0.0, 1.0):
            track = track_f0(pulses(pitch_hz, rate_hz, tilt=tilt), rate_hz)
            assert cents_off(track, pitch_hz).max() <= 2.0, (pitch_hz, tilt)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_sines_are_placed_within_two_cents(rate_hz):
    for pitch_hz in PITCHES_HZ:
        off = cents_off(track_f0(sine(pitch_hz, rate_hz), rate_hz), pitch_hz)
        assert np.median(off) <= 2.0, pitch_hz
        # Three periods of a tone beat with its mirror at negative frequencies: a small ripple.
        assert off.max() <= (2.0 if pitch_hz >= 65 else 3.0), pitch_hz


def test_every_pitch_of_a_flat_spectrum_keeps_its_octave():
    # A peak half-way between lags is the lowest in samples, and must not lose to its double.
    for pitch_hz in np.arange(300.0, 490.0, 7.3):
        track = track_f0(pulses(pitch_hz, 8_000, 0.2, tilt=0.0), 8_000)
        assert track.median_hz == pytest.approx(pitch_hz, rel=1e-3)


def test_frames_are_centred_on_the_hop():
    track = track_f0(sine(200, 22_050, 0.5033), 22_050)
    assert track.hop_s == 0.005
    np.testing.assert_array_equal(track.times_s, np.arange(101) * 0.005)


def test_a_glide_is_followed_without_delay():
    track = track_f0(glide(16_000), 16_000)
    assert cents_off(track, 120 * 2 ** (2.0 * track.times_s)).max() <= 3.0


def test_a_strong_second_harmonic_is_no_octave():
    tone = 0.1 * sine(120, 16_000) + sine(240, 16_000, phase=1.0) + 0.06 * sine(360, 16_000)
    assert cents_off(track_f0(0.5 * tone, 16_000), 120).max() <= 3.0


def test_a_missing_fundamental_is_heard():
    buzz = sum(sine(110 * h, 16_000, phase=h) for h in range(3, 9))
    assert cents_off(track_f0(0.2 * buzz, 16_000), 110).max() <= 2.0


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_no_voice_is_invented(rate_hz):
    step = np.zeros(rate_hz, dtype=np.float32)
    step[rate_hz // 2 :] = 0.5
    for samples in (*voiceless(rate_hz), step):
        track = track_f0(samples, rate_hz)
        assert track.voiced_share == 0.0
        assert track.median_hz is None
        assert track.f0_hz.size == 1 + samples.size * 200 // rate_hz
        assert np.isfinite(track.strength).all()
        assert ((track.strength >= 0) & (track.strength <= 1)).all()


def test_a_clip_shorter_than_the_window_is_unvoiced():
    assert track_f0(sine(200, 16_000, 0.049), 16_000).voiced_share == 0.0
    assert track_f0(sine(200, 16_000, 0.08), 16_000).voiced_share > 0.8


def test_gain_changes_nothing():
    samples = pulses(140, 16_000) + np.float32(1e-3) * np.random.default_rng(0).standard_normal(
        round(DURATION_S * 16_000)
    ).astype(np.float32)
    whole, faint = track_f0(samples, 16_000), track_f0(samples * np.float32(2.0**-10), 16_000)
    np.testing.assert_array_equal(whole.f0_hz, faint.f0_hz)
    np.testing.assert_array_equal(whole.strength, faint.strength)


def test_sixteen_bit_material_at_minus_90_dbfs():
    tone = (np.round(1.03 * np.sin(2 * np.pi * 150 * np.arange(8_000) / 16_000)) / 32_768).astype(
        np.float32
    )
    track = track_f0(tone, 16_000)
    assert track.voiced_share > 0.95
    assert track.median_hz == pytest.approx(150, abs=0.2)
    hiss = np.round(0.6 * np.random.default_rng(0).standard_normal(16_000)) / 32_768
    assert track_f0(hiss.astype(np.float32), 16_000).voiced_share == 0.0


@pytest.mark.parametrize("burst_s", [0.0, 0.005, 0.03])
def test_a_loud_click_does_not_silence_quiet_speech(burst_s):
    voice = 0.005 * np.tile(np.concatenate([pulses(140, 16_000), np.zeros(3_200)]), 5)
    quiet = track_f0(voice.astype(np.float32), 16_000)
    voice[3_000 : 3_001 + round(burst_s * 16_000)] = 0.95
    clicked = track_f0(voice.astype(np.float32), 16_000)
    assert clicked.voiced_share > 0.9 * quiet.voiced_share > 0.5


def test_long_silence_around_speech_changes_no_frame_of_it():
    voice = np.concatenate([np.zeros(8_000), pulses(140, 8_000), np.zeros(8_000)])
    alone = track_f0(voice.astype(np.float32), 8_000)
    around = np.concatenate([np.zeros(80_000), voice, np.zeros(80_000)])
    embedded = track_f0(around.astype(np.float32), 8_000).slice(10.0, 12.4)
    np.testing.assert_array_equal(embedded.f0_hz[:480], alone.f0_hz[:480])


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 48_000])
def test_the_size_of_chunks_changes_no_bit(rate_hz, monkeypatch):
    samples = pulses(140, rate_hz)
    whole = track_f0(samples, rate_hz)
    monkeypatch.setattr(f0, "CHUNK_SAMPLES", 997)
    pieces = track_f0(samples, rate_hz)
    np.testing.assert_array_equal(whole.f0_hz, pieces.f0_hz)
    np.testing.assert_array_equal(whole.strength, pieces.strength)


def test_the_strongest_channel_is_tracked_and_the_first_of_equals():
    low, high = pulses(100, 16_000), pulses(300, 16_000)
    pair = Signal.from_array(np.stack([0.5 * low, high]), 16_000, layout="channels_first")
    assert track_signal_f0(pair).median_hz == pytest.approx(300, abs=0.3)
    level = np.sqrt(np.mean(low**2) / np.mean(high**2))
    first = Signal.from_array(np.stack([low, level * high * 0.99]), 16_000, layout="channels_first")
    assert track_signal_f0(first).median_hz == pytest.approx(100, abs=0.1)
    same = Signal.from_array(np.stack([low, -low]), 16_000, layout="channels_first")
    np.testing.assert_array_equal(track_signal_f0(same).f0_hz, track_f0(low, 16_000).f0_hz)


def test_floor_and_ceiling_bound_the_search():
    tone = pulses(220, 16_000)
    narrow = track_f0(tone, 16_000, floor_hz=60, ceiling_hz=200)
    assert narrow.median_hz == pytest.approx(110, abs=0.1)
    high = track_f0(pulses(700, 16_000), 16_000, floor_hz=100, ceiling_hz=800)
    assert high.median_hz == pytest.approx(700, abs=1.0)


@pytest.mark.parametrize(
    ("floor_hz", "ceiling_hz"), [(30, 500), (60, 900), (300, 400), (float("nan"), 500)]
)
def test_bad_ranges_are_refused(floor_hz, ceiling_hz):
    with pytest.raises(ParameterError, match="floor of at least 40 Hz"):
        track_f0(sine(200, 16_000), 16_000, floor_hz=floor_hz, ceiling_hz=ceiling_hz)


def test_bad_samples_and_rates_are_refused():
    with pytest.raises(AudioError, match=r"shape \(2, 10\)"):
        track_f0(np.zeros((2, 10), dtype=np.float32), 16_000)
    with pytest.raises(AudioError, match="4000; accepted: 8000 to 192000 Hz"):
        track_f0(sine(200, 16_000), 4_000)


def test_leaps_at_the_edges_of_a_run_are_dropped():
    from perturb.measure.f0 import _drop_leaps_at_edges

    run = [80.0] * 20
    periods = np.array([0, 40, 42, *run, 50, 130, 0, *run, 0], dtype=np.float32)
    _drop_leaps_at_edges(periods)
    assert not periods[:3].any()
    assert np.array_equal(periods[3:23], run)
    assert not periods[23:26].any()
    assert np.array_equal(periods[26:46], run)
    # A leap in the middle is the path's business, and a short run has no middle.
    inside = np.array([0, *run, *[40.0] * 20, 0, 80, 40, 80, 0], dtype=np.float32)
    before = inside.copy()
    _drop_leaps_at_edges(inside)
    assert np.array_equal(inside, before)
