"""The active speech level against material whose active time can be computed."""

import math

import msgspec
import numpy as np
import pytest
import soundfile

from perturb.errors import ParameterError
from perturb.measure.active_level import MARGIN_DB, ActiveLevel, active_speech_level
from perturb.measure.level import DIGITAL_SILENCE, rms_dbfs
from perturb.signal import Signal


def _tone(seconds: float, amplitude: float = 0.1, rate_hz: int = 8_000) -> np.ndarray:
    time_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return amplitude * np.sin(2 * np.pi * 400 * time_s)


def _level(samples: np.ndarray, rate_hz: int = 8_000) -> float:
    return active_speech_level(Signal.from_array(samples, rate_hz)).level_dbfs


def _speech(path) -> tuple[np.ndarray, int]:
    samples, rate_hz = soundfile.read(path, dtype="float32")
    return samples, rate_hz


def _predict(on_s: float, amplitude: float) -> tuple[float, float]:
    """Return level and active seconds of one burst of a tone, from the two smoothers' formulas.

    The envelope rises as ``1 - e(1 + t/T)`` and falls as ``e(1 + t/T)``, ``e = exp(-t/T)``.
    """
    tone_db = 20 * math.log10(amplitude / math.sqrt(2))
    mean_magnitude = 2 * amplitude / math.pi
    level = tone_db
    times = np.arange(0, 0.6, 1e-5)
    rest = np.exp(-times / 0.03) * (1 + times / 0.03)
    for _ in range(50):
        share = 10 ** ((level - MARGIN_DB) / 20) / mean_magnitude
        attack_s = times[np.argmax(1 - rest >= share)]
        decay_s = times[np.argmax(rest < share)]
        active_s = on_s - attack_s + decay_s + 0.2
        level = tone_db - 10 * math.log10(active_s / on_s)
    return level, active_s


@pytest.mark.parametrize("on_s", [0.5, 1.0, 2.0])
def test_a_gated_tone_has_the_active_time_that_the_formulas_give(on_s):
    bursts = np.tile(np.concatenate([_tone(on_s), np.zeros(round(on_s * 8_000))]), 4)
    bursts = np.append(bursts, 1e-9)  # something after the last pause, so that its hangover counts
    reading = active_speech_level(Signal.from_array(bursts, 8_000))
    level, active_s = _predict(on_s, 0.1)
    assert reading.level_dbfs == pytest.approx(level, abs=0.02)
    assert reading.activity_ratio == pytest.approx(active_s / (2 * on_s), abs=0.005)


def test_a_tone_on_half_the_time_reads_its_own_level():
    bursts = np.tile(np.concatenate([_tone(10.0), np.zeros(80_000)]), 3)
    reading = active_speech_level(Signal.from_array(bursts, 8_000))
    assert reading.level_dbfs == pytest.approx(-23.01, abs=0.2)
    # Half, and in 2 of 3 pauses the hangover of .3 s; the zeros after the last are not counted.
    assert reading.activity_ratio == pytest.approx(0.5 + 2 * 0.28 / 60, abs=0.005)


def test_zeros_around_speech_do_not_move_it(sentence, prompt):
    for path in (sentence, prompt):
        speech, rate_hz = _speech(path)
        level = _level(speech, rate_hz)
        minute = np.zeros(60 * rate_hz, dtype=np.float32)
        assert _level(np.concatenate([speech, minute]), rate_hz) == pytest.approx(level, abs=1e-9)
        both = np.concatenate([minute[:rate_hz], speech, minute])
        assert _level(both, rate_hz) == pytest.approx(level, abs=1e-9)


def test_half_a_second_of_speech_in_ten_of_zeros(prompt):
    speech, rate_hz = _speech(prompt)
    speech = speech[rate_hz : rate_hz * 3 // 2]
    level = _level(speech, rate_hz)
    padded = np.zeros(10 * rate_hz, dtype=np.float32)
    padded[4 * rate_hz : 4 * rate_hz + len(speech)] = speech
    assert _level(padded, rate_hz) == pytest.approx(level, abs=0.05)
    assert rms_dbfs(padded).value < level - 10  # what a naive meter would take


@pytest.mark.parametrize("gain_db", [-80.0, -60.0, -40.5, -7.0, -3.3, 12.0, 40.0])
def test_the_level_follows_a_gain(sentence, gain_db):
    speech, rate_hz = _speech(sentence)
    moved = speech.astype(np.float64) * 10 ** (gain_db / 20)
    assert _level(moved, rate_hz) - _level(speech, rate_hz) == pytest.approx(gain_db, abs=0.01)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 44_100, 48_000, 192_000])
def test_time_constants_are_seconds(rate_hz):
    clip = np.concatenate([_tone(0.5, 0.1, rate_hz), np.zeros(rate_hz), _tone(0.5, 0.1, rate_hz)])
    assert _level(clip, rate_hz) == pytest.approx(
        _level(np.concatenate([_tone(0.5), np.zeros(8_000), _tone(0.5)])), abs=0.01
    )


def test_level_and_activity_add_up_to_the_rms_level(clips):
    for path in clips[::3]:
        speech, rate_hz = _speech(path)
        reading = active_speech_level(Signal.from_array(speech, rate_hz))
        together = reading.level_dbfs + 10 * math.log10(reading.activity_ratio)
        assert together == pytest.approx(rms_dbfs(speech).value, abs=1e-6)
        assert 0.5 < reading.activity_ratio <= 1.0


def test_channels_are_one_signal(prompt):
    speech, rate_hz = _speech(prompt)
    mono = _level(speech, rate_hz)
    dual = Signal.from_array(np.stack([speech, speech]), rate_hz, layout="channels_first")
    assert active_speech_level(dual).level_dbfs == pytest.approx(mono, abs=1e-6)
    left = np.stack([speech, np.zeros_like(speech)])
    left_only = Signal.from_array(left, rate_hz, layout="channels_first")
    assert active_speech_level(left_only).level_dbfs == pytest.approx(mono - 3.0103, abs=0.01)


@pytest.mark.parametrize("count", [1, 479, 8_000])
def test_silence_has_no_active_level(count):
    assert active_speech_level(Signal.from_array(np.zeros(count), 8_000)) == ActiveLevel(
        reason=DIGITAL_SILENCE
    )


@pytest.mark.parametrize(
    "samples", [_tone(0.02), np.ones(1), np.eye(1, 4_000)[0]], ids=["20 ms", "1 sample", "click"]
)
def test_what_the_envelope_cannot_follow_has_none(samples):
    reading = active_speech_level(Signal.from_array(samples, 8_000))
    assert reading.level_dbfs is None
    assert reading.activity_ratio is None
    assert "too short or too impulsive" in reading.reason


def test_300_ms_and_a_constant_have_one():
    assert _level(_tone(0.3)) == pytest.approx(-23.01, abs=0.5)
    assert _level(np.full(16_000, 0.5)) == pytest.approx(-6.02, abs=0.1)


def test_stationary_noise_reads_its_rms_level_down_to_the_end_of_the_range():
    noise = np.random.default_rng(2).standard_normal(32_000)
    noise /= np.sqrt(np.mean(noise**2))
    assert _level(noise * 1e-5) == pytest.approx(-100.0, abs=0.05)
    faint = active_speech_level(Signal.from_array(noise * 1e-7, 8_000))
    assert "below the range" in faint.reason


def test_the_record_survives_json_and_refuses_contradictions():
    for record in (ActiveLevel(level_dbfs=-26.0, activity_ratio=0.5), ActiveLevel(reason="none")):
        assert msgspec.json.decode(msgspec.json.encode(record), type=ActiveLevel) == record
    for fields in ({}, {"level_dbfs": -26.0}, {"activity_ratio": 0.5, "reason": "none"}):
        with pytest.raises(ParameterError, match="level and activity, or the reason"):
            ActiveLevel(**fields)
