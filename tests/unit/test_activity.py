"""Speech activity on speech, pauses, noise and nothing; the gate that decides what is speech."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
import soundfile
import soxr

from perturb.errors import ParameterError
from perturb.measure.activity import SpeechActivity, speech_activity, speech_gate
from perturb.measure.f0 import track_f0

RATES_HZ = [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000]


@dataclass
class _Track:
    times_s: np.ndarray
    f0_hz: np.ndarray
    hop_s: float = 0.005


def _track(seconds, voiced_share):
    times_s = np.arange(0, seconds, 0.005)
    # Ten frames, the first so many of them voiced: the share holds in every 50 ms.
    return _Track(times_s, np.where(np.arange(len(times_s)) % 10 < 10 * voiced_share, 120.0, 0.0))


def _read(path):
    return soundfile.read(path, dtype="float32")


def _refusal(samples, rate_hz):
    activity = speech_activity(samples, rate_hz)
    return speech_gate(activity, track_f0(samples, rate_hz), 0.0, len(samples) / rate_hz)


def test_every_real_clip_is_speech_most_of_the_time(clips):
    for path in clips:
        speech, rate_hz = _read(path)
        activity = speech_activity(speech, rate_hz)
        assert activity.hop_s == 0.01
        assert len(activity.mask) == -(-len(speech) * 100 // rate_hz)
        assert 0.75 < activity.active_share < 1.0
        assert activity.active_s == pytest.approx(activity.active_share * len(activity.mask) / 100)
        assert _refusal(speech, rate_hz) is None


@pytest.mark.parametrize("noise_db", [None, -40.0, -20.0])
def test_pauses_are_not_active_and_speech_is(clips, noise_db):
    random = np.random.default_rng(4)
    in_pauses, in_speech = [], []
    for path in clips[::2]:
        speech, rate_hz = _read(path)
        pause = np.zeros(rate_hz, dtype=np.float32)
        clip = np.concatenate([pause, speech, pause, speech, pause])
        level = np.sqrt(np.mean(speech**2))
        if noise_db is not None:
            clip += (random.standard_normal(len(clip)) * level * 10 ** (noise_db / 20)).astype("f4")
        mask = speech_activity(clip, rate_hz).mask
        seconds = len(speech) / rate_hz
        starts_s = (0.3, 1.3 + seconds, 2.3 + 2 * seconds)  # 300 ms of hangover left out
        in_pauses += [mask[round(s * 100) : round(s * 100) + 65].mean() for s in starts_s]
        in_speech.append(mask[100 : round((1 + seconds) * 100)].mean())
    assert np.mean(in_pauses) < 0.01
    assert np.mean(in_speech) > 0.75


@pytest.mark.parametrize("gain_db", [-60.0, -45.0, -20.0, 20.0])
def test_the_level_of_the_clip_does_not_matter(sentence, gain_db):
    speech, rate_hz = _read(sentence)
    moved = speech * np.float32(10 ** (gain_db / 20))
    agreement = speech_activity(moved, rate_hz).mask == speech_activity(speech, rate_hz).mask
    assert agreement.mean() > 0.99


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_every_rate_finds_the_same_speech(sentence, rate_hz):
    speech, file_rate_hz = _read(sentence)
    expected = speech_activity(speech, file_rate_hz).mask
    found = speech_activity(soxr.resample(speech, file_rate_hz, rate_hz), rate_hz).mask
    count = min(len(found), len(expected))
    assert abs(len(found) - len(expected)) <= 1
    assert (found[:count] == expected[:count]).mean() > 0.9
    assert found.mean() == pytest.approx(expected.mean(), abs=0.06)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("what", ["zeros", "constant", "noise", "faint noise", "20 ms", "479", "1"])
def test_what_is_not_speech_is_refused(rate_hz, what):
    noise = np.random.default_rng(5).standard_normal(2 * rate_hz)
    samples = {
        "zeros": np.zeros(rate_hz),
        "constant": np.full(rate_hz, 0.5),
        "noise": 0.1 * noise,
        "faint noise": 1e-5 * noise,
        "20 ms": 0.1 * noise[: rate_hz // 50],
        "479": 0.1 * noise[:479],
        "1": np.ones(1),
    }[what].astype(np.float32)
    assert _refusal(samples, rate_hz).startswith("no speech in 0 to ")
    if what in ("zeros", "faint noise", "1"):
        assert not speech_activity(samples, rate_hz).mask.any()


def test_the_same_samples_give_the_same_frames_without_a_warning(sentence):
    speech, rate_hz = _read(sentence)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = speech_activity(speech, rate_hz)
        speech_activity(speech[::-1].copy(), rate_hz)  # the detector keeps no memory of this
        second = speech_activity(speech, rate_hz)
    assert np.array_equal(first.mask, second.mask)
    assert not first.mask.flags.writeable


def test_blocks_of_the_detector_do_not_show(prompt):
    speech, rate_hz = _read(prompt)
    longer = np.tile(speech, 4)  # more than the 1,000 frames of one block
    mask = speech_activity(longer, rate_hz).mask
    assert mask.mean() == pytest.approx(speech_activity(speech, rate_hz).active_share, abs=0.03)


def test_two_dimensions_are_refused():
    with pytest.raises(ParameterError, match=r"shape \(2, 800\); accepted: one channel"):
        speech_activity(np.zeros((2, 800), dtype=np.float32), 8_000)


def test_a_slice_holds_the_frames_of_its_span():
    activity = SpeechActivity(0.01, np.arange(100) % 2 == 0)
    assert len(activity.slice(0.2, 0.5).mask) == 30
    assert activity.slice(0.2, 0.5).active_s == pytest.approx(0.15)
    assert activity.slice(0.501, 0.504).mask.tolist() == [True]
    assert len(activity.slice(0.995, 5.0).mask) == 1
    for start_s, stop_s in [(0.5, 0.5), (0.6, 0.5), (-0.1, 0.5), (1.0, 2.0), (float("nan"), 1.0)]:
        with pytest.raises(ParameterError, match=r"accepted: a start before the stop and inside"):
            activity.slice(start_s, stop_s)


@pytest.mark.parametrize(
    ("active_s", "voiced_share", "refusal"),
    [
        (0.3, 0.1, None),
        (0.29, 0.5, "0.29 s of speech activity, at least 0.3 s needed"),
        (0.5, 0.0, "0% of the active frames are voiced, at least 10% needed"),
        (0.0, 1.0, "0.00 s of speech activity"),
    ],
)
def test_the_gate_asks_for_activity_and_voice(active_s, voiced_share, refusal):
    activity = SpeechActivity(0.01, np.arange(300) < 100 + round(active_s * 100))
    activity.mask[:100] = False
    found = speech_gate(activity, _track(3.0, voiced_share), 0.5, 2.5)
    if refusal is None:
        assert found is None
    else:
        assert found.startswith("no speech in 0.5 to 2.5 s: ")
        assert refusal in found


def test_voice_outside_the_active_frames_does_not_count():
    activity = SpeechActivity(0.01, np.arange(200) < 100)
    track = _Track(np.arange(400) * 0.005, np.where(np.arange(400) >= 200, 120.0, 0.0))
    assert "0% of the active frames are voiced" in speech_gate(activity, track, 0.0, 2.0)


def test_the_gate_decides_for_the_span_alone(sentence):
    speech, rate_hz = _read(sentence)
    clip = np.concatenate([speech, np.zeros(2 * rate_hz, dtype=np.float32)])
    activity, track = speech_activity(clip, rate_hz), track_f0(clip, rate_hz)
    seconds = len(speech) / rate_hz
    assert speech_gate(activity, track, 0.0, seconds) is None
    assert speech_gate(activity, track, seconds + 0.3, seconds + 2.0) is not None
