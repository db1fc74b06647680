"""Tempo by splicing: lengths, clicks, tones, channels, silence; the sham; the path for speech."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from perturb.errors import ParameterError
from perturb.synthesis.attacks import find_attacks
from perturb.synthesis.mix import mix_down
from perturb.synthesis.speed import splice_in_place, stretch
from perturb.synthesis.tempo import Tempo, speech_tempo

RATES = [0.25, 0.5, 0.9, 1.5, 2.0, 3.0, 4.0]


def _tempo(samples, rate):
    count = samples.shape[-1]
    return Tempo.uniform(count, round(count / rate))


def _play(samples, sample_rate_hz, rate, act=stretch):
    samples = np.atleast_2d(samples).astype(np.float32)
    return act(samples, mix_down(samples), sample_rate_hz, _tempo(samples, rate))


def _tone(frequency_hz, sample_rate_hz, duration_s=1.0):
    return np.sin(
        2 * np.pi * frequency_hz * np.arange(round(duration_s * sample_rate_hz)) / sample_rate_hz
    )


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("sample_rate_hz", [8_000, 11_025, 44_100, 192_000])
def test_the_length_is_exact_and_nothing_is_left_unwritten(rate, sample_rate_hz):
    samples = np.random.default_rng(0).standard_normal(round(0.31 * sample_rate_hz)) * 0.1
    found = _play(samples, sample_rate_hz, rate).samples
    assert found.shape == (1, round(samples.size / rate))
    assert np.isfinite(found).all()
    assert found.std() == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("count", [400, 401, 799, 1_000])
@pytest.mark.parametrize("new_count", [400, 402, 801])
def test_the_shortest_spans(count, new_count):
    samples = np.random.default_rng(0).standard_normal((2, count)).astype(np.float32)
    tempo = Tempo.uniform(count, new_count)
    assert stretch(samples, mix_down(samples), 8_000, tempo).samples.shape == (2, new_count)
    assert splice_in_place(samples, mix_down(samples), 8_000, tempo).samples.shape == (2, count)


@pytest.mark.parametrize(("count", "new_count"), [(399, 800), (800, 399), (1, 1)])
def test_shorter_ones_are_refused(count, new_count):
    samples = np.zeros((1, count), dtype=np.float32)
    with pytest.raises(ParameterError, match=r"accepted: 400 samples \(0\.05 s\) or more"):
        stretch(samples, samples[0], 8_000, Tempo.uniform(count, new_count))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("sample_rate_hz", [8_000, 48_000])
def test_a_click_is_heard_once_on_time_and_as_loud(rate, sample_rate_hz):
    places = np.array([9_001, 21_003, 34_010, 44_000]) * sample_rate_hz // 48_000
    samples = np.zeros(sample_rate_hz)
    samples[places] = [0.5, -0.25, 0.5, 0.1]
    found = _play(samples, sample_rate_hz, rate).samples[0]
    heard = np.flatnonzero(found)
    assert np.abs(heard - places * (found.size / samples.size)).max() <= 0.5 + 1e-9
    np.testing.assert_allclose(found[heard], samples[places], rtol=1e-6)


@pytest.mark.parametrize("rate", [0.5, 1.5, 2.0, 3.0])
def test_a_burst_in_noise_is_on_time(rate):
    random = np.random.default_rng(1)
    samples = 1e-3 * random.standard_normal(32_000)
    places = [8_000, 16_003, 24_007]
    for place in places:
        samples[place : place + 800] += (
            0.3 * random.standard_normal(800) * np.exp(-np.arange(800) / 160)
        )
    found = np.abs(_play(samples, 16_000, rate).samples[0])
    for place in places:
        due = round(place / rate)
        assert found[max(0, due - 480) : due - 16].max() < 0.02
        assert found[due - 16 : due + 48].max() > 0.1


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("frequency_hz", [80.0, 210.0, 1_000.0])
def test_a_tone_keeps_its_pitch_and_level_without_clicks(rate, frequency_hz):
    offset = 0.2
    found = _play(0.3 * _tone(frequency_hz, 16_000) + offset, 16_000, rate).samples[0]
    core = found.astype(np.float64) - found.mean()
    spectrum = np.abs(np.fft.rfft(core * np.hanning(core.size), 1 << 18))
    peak_hz = spectrum.argmax() * 16_000 / (1 << 18)
    # A line of a second through a Hann window is 2 Hz wide; pitch stays within a quarter-tone.
    assert abs(peak_hz - frequency_hz) < max(0.03 * frequency_hz, 2.0 * rate)
    assert found.mean() == pytest.approx(offset, abs=0.02)
    assert core.std() == pytest.approx(0.3 / np.sqrt(2), rel=0.1)
    # The steepest step of the tone, and of a crossing between its extremes over half a window.
    steepest = 0.3 * 2 * np.pi * frequency_hz / 16_000 + 0.6 * np.pi / 2 / 100
    assert np.abs(np.diff(found)).max() < steepest


@pytest.mark.parametrize("rate", RATES)
def test_the_span_sets_out_from_the_recording_and_comes_back(rate):
    samples = np.random.default_rng(2).uniform(-0.5, 0.5, 8_000)
    found = _play(samples, 16_000, rate).samples[0]
    np.testing.assert_allclose(found[:8], samples[:8], atol=0.01)
    np.testing.assert_allclose(found[-8:], samples[-8:], atol=0.01)


def test_channels_share_one_path():
    random = np.random.default_rng(3)
    left, right = np.zeros(16_000), 0.01 * random.standard_normal(16_000)
    left[[4_000, 11_000]] = 0.5
    right[7_500] = 0.5
    found = _play(np.stack([left, right]), 16_000, 2.0).samples
    assert np.flatnonzero(np.abs(found[0]) > 0.25).tolist() == [2_000, 5_500]
    assert np.flatnonzero(np.abs(found[1]) > 0.25).tolist() == [3_750]


@pytest.mark.parametrize("act", [stretch, splice_in_place])
def test_equal_and_opposed_channels_stay_so(act):
    one = 0.1 * np.random.default_rng(4).standard_normal(16_000)
    alone = _play(one, 16_000, 1.5, act).samples[0]
    found = _play(np.stack([one, one, -one, one]), 16_000, 1.5, act).samples
    for channel, sign in zip(found, (1, 1, -1, 1), strict=True):
        assert np.array_equal(channel, sign * alone)


@pytest.mark.parametrize("act", [stretch, splice_in_place])
@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_silence_stays_silent_and_a_constant_constant(act, rate):
    assert not _play(np.zeros(8_000), 16_000, rate, act).samples.any()
    np.testing.assert_allclose(
        _play(np.full(8_000, 0.5), 16_000, rate, act).samples, 0.5, rtol=1e-6
    )


@pytest.mark.parametrize("rate", [0.5, 1.5, 2.0])
def test_noise_keeps_its_level_through_the_splices(rate):
    samples = 0.1 * np.random.default_rng(5).standard_normal(64_000)
    found = _play(samples, 16_000, rate).samples[0].astype(np.float64)
    blocks = found[: found.size // 200 * 200].reshape(-1, 200).std(axis=1)
    assert found.std() == pytest.approx(0.1, rel=0.03)
    assert np.percentile(blocks, 1) > 0.07


def test_an_input_is_not_written_to():
    samples = np.random.default_rng(6).standard_normal((2, 8_000)).astype(np.float32)
    samples.setflags(write=False)
    tempo = Tempo.uniform(8_000, 5_000)
    one = stretch(samples, mix_down(samples), 16_000, tempo)
    again = stretch(samples, mix_down(samples), 16_000, tempo)
    assert np.array_equal(one.samples, again.samples)


# The sham.


@pytest.mark.parametrize("rate", [0.5, 1.2, 1.5, 2.0])
def test_the_sham_is_spliced_as_often_and_as_well(rate, sentence):
    samples, sample_rate_hz = soundfile.read(sentence, dtype="float32")
    probe = _play(samples, sample_rate_hz, rate)
    sham = _play(samples, sample_rate_hz, rate, splice_in_place)
    assert sham.samples.shape == (1, samples.size)
    density = [found.splices / found.samples.shape[1] for found in (probe, sham)]
    assert density[1] == pytest.approx(density[0], rel=0.1)
    assert sham.likeness == pytest.approx(probe.likeness, abs=0.1)
    changed = np.abs(sham.samples[0] - samples) > 1e-4
    assert changed.mean() > 0.3


def test_the_sham_leaves_clicks_where_they_are():
    samples = 1e-3 * np.random.default_rng(7).standard_normal(16_000)
    samples[[5_000, 11_003]] = 0.5
    found = _play(samples, 16_000, 2.0, splice_in_place).samples[0]
    assert np.flatnonzero(found > 0.25).tolist() == [5_000, 11_003]


# The mix, the attacks.


def test_the_mix():
    one, other = np.random.default_rng(8).standard_normal((2, 1_000)).astype(np.float32)
    np.testing.assert_array_equal(mix_down(one[np.newaxis]), one)
    np.testing.assert_array_equal(mix_down(np.stack([one, -one])), one)
    np.testing.assert_allclose(np.abs(mix_down(np.stack([2 * one, 0 * one]))), np.abs(one))
    assert mix_down(np.stack([3 * one, other])).dtype == np.float32


def test_attacks_by_value():
    samples = np.zeros(16_000, dtype=np.float32)
    samples[3_000:9_000] = 0.1 * _tone(440.0, 16_000)[:6_000]
    samples[6_005] = 0.9
    assert find_attacks(samples, 16_000)[0].tolist() == [3_001, 6_005]


def test_pulses_of_a_voice_are_no_attacks():
    samples = np.zeros(16_000, dtype=np.float32)
    samples[1_600::200] = 0.5
    assert find_attacks(samples, 16_000)[0].tolist() == [1_600]


@pytest.mark.parametrize("samples", [np.zeros(1_000), np.full(1_000, 1e-9), np.ones(5)])
def test_attacks_of_next_to_nothing(samples):
    assert find_attacks(samples.astype(np.float32), 8_000)[0].size <= 1


# The path of time.


def test_a_uniform_path_by_value():
    tempo = Tempo.uniform(1_000, 500)
    assert (tempo.source_length, tempo.target_length) == (1_000, 500)
    assert tempo.to_target(np.array([0.0, 400.0])).tolist() == [0.0, 200.0]
    assert tempo.to_source(np.array([250.0])).tolist() == [500.0]


def _syllables():
    """Half a second of a voice that moves, one of a voice that stands, one of a pause."""
    time_s = np.arange(8_000) / 16_000
    moving = np.sin(2 * np.pi * (300 + 1_500 * np.sin(2 * np.pi * 4 * time_s) ** 2) * time_s)
    steady = sum(np.sin(2 * np.pi * 150 * k * time_s) / k for k in range(1, 9))
    pause = 1e-4 * np.random.default_rng(0).standard_normal(8_000)
    return np.concatenate([0.2 * moving, 0.2 * steady, pause]).astype(np.float32)


@pytest.mark.parametrize("rate", [0.5, 1.5, 2.0, 3.0, 4.0])
def test_pauses_give_way_first_then_steady_sounds(rate):
    samples = _syllables()
    tempo = speech_tempo(samples, 16_000, round(samples.size / rate))
    assert tempo.source[[0, -1]].tolist() == [0.0, samples.size]
    assert tempo.target[[0, -1]].tolist() == [0.0, pytest.approx(round(samples.size / rate))]
    assert (np.diff(tempo.source) > 0).all()
    assert (np.diff(tempo.target) > 0).all()
    edges = np.array([1_600, 6_400, 9_600, 14_400, 17_600, 22_400])
    heard = np.diff(tempo.to_target(edges))[::2] / 4_800
    moving, steady, pause = heard
    if rate > 1.0:
        assert pause < 0.6 * steady < 0.55 * moving
    else:
        assert pause > 1.6 * steady > 1.7 * moving
    local = np.diff(tempo.source) / np.diff(tempo.target)
    assert local.max() < 4.3 * rate
    assert local.min() > rate / 4.3


@pytest.mark.parametrize(
    "samples",
    [np.zeros(8_000), np.full(8_000, 0.5), np.random.default_rng(0).normal(0, 0.1, 8_000)],
)
def test_what_has_no_pauses_is_stretched_all_but_evenly(samples):
    tempo = speech_tempo(samples.astype(np.float32), 16_000, 4_000)
    places = np.linspace(0, 8_000, 33)
    assert np.abs(tempo.to_target(places) - places / 2).max() < 500


@pytest.mark.parametrize("sample_rate_hz", [8_000, 11_025, 48_000])
def test_any_length_has_a_path(sample_rate_hz):
    for count in (round(0.05 * sample_rate_hz), round(0.0811 * sample_rate_hz)):
        samples = np.random.default_rng(count).normal(0, 0.1, count).astype(np.float32)
        tempo = speech_tempo(samples, sample_rate_hz, 2 * count)
        assert (tempo.source_length, tempo.target_length) == (count, 2 * count)
        assert (
            stretch(samples[np.newaxis], samples, sample_rate_hz, tempo).samples.shape[1]
            == 2 * count
        )
