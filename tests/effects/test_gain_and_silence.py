"""Gain and silence on real speech, measured from the files by instruments of others."""

from __future__ import annotations

import wave

import numpy as np
import parselmouth
import pyloudnorm
import pytest
import scipy.signal
import soundfile

from perturb.operators.gain import Gain
from perturb.operators.silence import Silence
from perturb.span import Span
from tests.conftest import CLIPS
from tests.instruments.edits import edit_file

each_clip = pytest.mark.parametrize("path", CLIPS, ids=lambda path: path.stem)


def _edit(path, folder, operator, *spans, role="probe"):
    return edit_file(path, folder / "variant.wav", operator, *spans, role=role)


def _middle(path, length_s):
    info = soundfile.info(path)
    start = max(0.0, info.duration / 2 - length_s / 2)
    return Span(round(start, 3), round(start + min(length_s, info.duration), 3))


@each_clip
@pytest.mark.parametrize("gain_db", [-12.0, -8.0, 8.0, 12.0])
def test_loudness_of_the_span_changes_by_the_gain(path, gain_db, tmp_path):
    span = _middle(path, 1.0)
    before, after, rate, trace = _edit(path, tmp_path, Gain(gain_db=gain_db), span)
    core = slice(round((span.start_s + 0.02) * rate), round((span.stop_s - 0.02) * rate))
    meter = pyloudnorm.Meter(rate)
    change = meter.integrated_loudness(after[core]) - meter.integrated_loudness(before[core])
    assert change == pytest.approx(gain_db, abs=0.2)
    assert trace.status == "ok"
    assert np.max(np.abs(soundfile.read(tmp_path / "variant.wav")[0])) < 1.0


@each_clip
def test_praat_hears_the_gain_in_the_span_and_nowhere_else(path, tmp_path):
    span = _middle(path, 0.8)
    before, after, rate, _ = _edit(path, tmp_path, Gain(gain_db=9.0), span)
    levels = [
        parselmouth.Sound(samples, rate).to_intensity(minimum_pitch=100.0, time_step=0.01)
        for samples in (before, after)
    ]
    change = levels[1].values[0] - levels[0].values[0]
    times = levels[0].xs()
    loud = levels[0].values[0] > levels[0].values[0].max() - 30.0
    inside = loud & (times > span.start_s + 0.06) & (times < span.stop_s - 0.06)
    outside = loud & ((times < span.start_s - 0.06) | (times > span.stop_s + 0.06))
    assert np.median(change[inside]) == pytest.approx(9.0, abs=0.05)
    assert np.max(np.abs(change[outside])) < 0.05


@each_clip
def test_silence_is_zeros_in_the_file(path, tmp_path):
    span = _middle(path, 0.6)
    _edit(path, tmp_path, Silence(), span)
    with wave.open(str(tmp_path / "variant.wav")) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        rate = file.getframerate()
    with wave.open(str(path)) as file:
        original = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    start, stop = round(span.start_s * rate), round(span.stop_s * rate)
    edge = round(0.01 * rate)
    assert len(samples) == len(original)
    assert not samples[start + edge : stop - edge].any()
    assert np.array_equal(samples[:start], original[:start])
    assert np.array_equal(samples[stop:], original[stop:])


@each_clip
def test_thirty_seconds_of_silence(path, tmp_path):
    _edit(path, tmp_path, Silence(duration_s=30.0))
    with wave.open(str(tmp_path / "variant.wav")) as file:
        assert file.getnframes() == 30 * file.getframerate()
        assert not any(file.readframes(file.getnframes()))


def _third_octaves(frames, rate):
    """Return the mean levels of frames per third octave, by scipy."""
    frequencies, power = scipy.signal.periodogram(frames, rate, window="hann", axis=1)
    # A line on the edge of two bands belongs to both in part.
    edges = np.append(frequencies - frequencies[1] / 2, frequencies[-1] + frequencies[1] / 2)
    below = np.append(0.0, np.cumsum(power.mean(axis=0)))
    levels = {}
    for index in range(-7, 6):
        centre = 1000.0 * 10 ** (index / 10)
        low, high = np.interp([centre * 10**-0.05, centre * 10**0.05], edges, below)
        if centre * 10**0.05 < rate / 2:
            levels[centre] = 10 * np.log10(high - low)
    return levels


def _frames(samples, rate):
    """Return frames of 50 ms that overlap by half."""
    frame = round(0.05 * rate)
    return np.lib.stride_tricks.sliding_window_view(samples, frame)[:: frame // 2]


@pytest.mark.parametrize(
    "path", [path for path in CLIPS if "librivox" in str(path)], ids=lambda path: path.stem
)
def test_room_tone_sounds_like_the_pauses(path, tmp_path):
    before, after, rate, trace = _edit(path, tmp_path, Silence(fill="room"))
    assert trace.status == "ok"
    frames = _frames(before, rate)
    quiet = frames[np.argsort(frames.var(axis=1))[: -(-len(frames) // 10)]]
    wanted = _third_octaves(quiet, rate)
    found = _third_octaves(_frames(after, rate), rate)
    # Only bands of which the pauses say something: bandwidth × duration of 30 and more.
    bands = [band for band in found if 0.23 * band * 0.025 * len(quiet) >= 30.0]
    deviations = [abs(found[band] - wanted[band]) for band in bands]
    assert len(bands) >= 5
    assert max(deviations) < 3.0


@each_clip
def test_noise_is_white_and_as_loud_as_the_span(path, tmp_path):
    before, after, rate, trace = _edit(path, tmp_path, Silence(fill="noise"))
    assert trace.status == "ok"
    level = 10 * np.log10(np.mean(after**2) / np.mean(before**2))
    assert level == pytest.approx(0.0, abs=0.05)
    _, power = scipy.signal.welch(after, rate, nperseg=256)
    assert np.ptp(10 * np.log10(power[4:-4])) < 4.0


@each_clip
def test_shams_are_the_clip_itself(path, tmp_path):
    span = _middle(path, 0.6)
    for operator in (Gain(gain_db=12.0), Silence(), Silence(fill="noise")):
        before, after, _, trace = _edit(path, tmp_path, operator, span, role="sham")
        assert trace.status == "ok"
        gain = trace.headroom.gain_db
        half_a_step = 2**-16 / 10 ** (gain / 20)
        difference = np.max(np.abs(after - before))
        assert difference <= (0.0 if gain == 0.0 else 1.001 * half_a_step)
