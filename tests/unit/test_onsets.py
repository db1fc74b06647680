"""Onsets of sounds whose beginnings are known."""

import numpy as np
import pytest
import soundfile

from perturb.errors import ParameterError
from perturb.measure.onsets import find_onsets

RATES_HZ = [8_000, 11_025, 16_000, 44_100, 192_000]
TIMES_S = np.array([0.25, 0.731, 1.2, 1.55, 1.94])
TONES_HZ = [100, 300, 1_000, 2_000, 440]


def _places(rate_hz):
    return np.round(TIMES_S * rate_hz).astype(int)


def _bursts(rate_hz, fade_s=0.0, seconds=0.12):
    clip = np.zeros(round(2.5 * rate_hz))
    count = round(seconds * rate_hz)
    time_s = np.arange(count) / rate_hz
    fade = np.ones(count)
    if fade_s:
        fade = np.minimum(1.0, np.minimum(time_s, time_s[::-1]) / fade_s)
    for place, tone_hz in zip(_places(rate_hz), TONES_HZ, strict=True):
        clip[place : place + count] = 0.2 * fade * np.sin(2 * np.pi * tone_hz * time_s)
    return clip


def _noise(rate_hz, rms, seconds=2.5):
    return np.random.default_rng(rate_hz).standard_normal(round(seconds * rate_hz)) * rms


def _find(clip, rate_hz):
    return find_onsets(clip.astype(np.float32), rate_hz)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("amplitude", [1.0, 1e-3])
def test_impulses_are_found_to_the_sample(rate_hz, amplitude):
    clip = np.zeros(round(2.5 * rate_hz))
    clip[_places(rate_hz)] = amplitude
    assert _find(clip, rate_hz).tolist() == (_places(rate_hz) / rate_hz).tolist()


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_impulses_in_noise_are_found_within_a_millisecond(rate_hz):
    clip = _noise(rate_hz, 0.005)
    clip[_places(rate_hz)] += 0.5
    found = _find(clip, rate_hz)
    assert found[0] < 0.001  # the noise itself begins
    assert found[1:] == pytest.approx(TIMES_S, abs=0.001)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("fade_s", [0.0, 0.005, 0.01])
def test_tone_bursts_are_found_within_5_ms_and_their_ends_are_no_onsets(rate_hz, fade_s):
    assert _find(_bursts(rate_hz, fade_s), rate_hz) == pytest.approx(TIMES_S, abs=0.005)
    assert _find(_bursts(rate_hz), rate_hz) == pytest.approx(TIMES_S, abs=0.001)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_tone_bursts_in_noise_are_found_within_5_ms(rate_hz):
    found = _find(_bursts(rate_hz) + _noise(rate_hz, 0.005), rate_hz)
    assert found[1:] == pytest.approx(TIMES_S, abs=0.005)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_notes_of_one_level_are_found_within_5_ms(rate_hz):
    """No level rises here: the spectrum alone changes."""
    at_hz = np.full(round(2.5 * rate_hz), 440.0)
    for place, tone_hz in zip(_places(rate_hz), [660, 330, 880, 500, 1_000], strict=True):
        at_hz[place:] = tone_hz
    found = _find(0.2 * np.sin(2 * np.pi * np.cumsum(at_hz) / rate_hz), rate_hz)
    assert found[0] < 0.001
    assert found[1:] == pytest.approx(TIMES_S, abs=0.005)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_silence_has_no_onset_and_steady_sound_only_its_beginning(rate_hz):
    count = 2 * rate_hz
    assert _find(np.zeros(count), rate_hz).size == 0
    tone = np.sin(2 * np.pi * 100 * np.arange(count) / rate_hz)
    for steady in (np.full(count, 0.5), tone, _noise(rate_hz, 0.1, 2.0)):
        found = _find(steady, rate_hz)
        assert len(found) == 1
        assert found[0] < 0.001


def test_pulses_of_a_voice_are_one_onset():
    clip = np.zeros(16_000)
    clip[4_000:12_000:160] = 0.5  # 100 Hz
    assert _find(clip, 16_000) == pytest.approx([0.25], abs=0.001)


@pytest.mark.parametrize("count", [1, 2, 3, 20, 479])
def test_short_clips(count):
    assert _find(np.full(count, 0.5), 16_000).tolist() == [0.0]
    assert _find(np.zeros(count), 16_000).size == 0


def test_real_speech_has_onsets_at_least_30_ms_apart(clips):
    for path in clips[::3]:
        speech, rate_hz = soundfile.read(path, dtype="float32")
        found = find_onsets(speech, rate_hz)
        assert 2 < len(found) * rate_hz / len(speech) < 8  # about as many as syllables
        assert np.diff(found).min() >= 0.03 - 1e-9
        assert np.array_equal(found, find_onsets(speech, rate_hz))


def test_onsets_move_with_the_sound(prompt):
    speech, rate_hz = soundfile.read(prompt, dtype="float32")
    later = np.concatenate([np.zeros(rate_hz, dtype=np.float32), speech])
    assert find_onsets(later, rate_hz) == pytest.approx(find_onsets(speech, rate_hz) + 1, abs=1e-9)


def test_two_dimensions_are_refused():
    with pytest.raises(ParameterError, match=r"shape \(1, 9\); accepted: one channel"):
        find_onsets(np.zeros((1, 9), dtype=np.float32), 8_000)
