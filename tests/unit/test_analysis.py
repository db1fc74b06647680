"""The lazy analysis: right values, each measured once, nothing imported before it is needed."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import soundfile

from perturb.measure import active_level, activity, loudness, quick_loudness, spectrum, true_peak
from perturb.measure.analysis import Analysis
from perturb.measure.level import rms_dbfs
from perturb.signal import Signal

MEASUREMENTS = [
    "activity",
    "active_level",
    "f0",
    "f0_judge",
    "level_contour_db",
    "loudness_lufs",
    "quick_loudness_lufs",
    "rms_dbfs",
    "room",
    "strongest_channel",
    "true_peak_dbtp",
]


@pytest.fixture
def clip(sentence):
    """Return a stereo clip whose right channel is the speech and whose left is 20 dB down."""
    speech, rate_hz = soundfile.read(sentence, dtype="float32")
    both = np.stack([0.1 * speech[::-1], speech])
    return Signal.from_array(both, rate_hz, layout="channels_first")


def test_an_offset_that_hides_speech_is_named_beside_the_reason(sentence):
    speech, rate_hz = soundfile.read(sentence, dtype="float32")
    hidden = Signal.from_array(0.2 * speech + 0.4, rate_hz)
    reason = Analysis(hidden).speech_gate(0.0, hidden.duration_s)
    assert reason.startswith("no speech in 0 to ")
    assert reason.endswith(
        " needed (the recording has an offset of 0.40 of full scale; remove it first)"
    )


def test_an_offset_smaller_than_the_sound_is_not_spoken_of(sentence):
    speech, rate_hz = soundfile.read(sentence, dtype="float32")
    beside = Signal.from_array(speech + 0.002, rate_hz)
    assert Analysis(beside).speech_gate(0.0, beside.duration_s) is None
    noise = np.random.default_rng(3).normal(0.09, 0.1, 2 * rate_hz)
    reason = Analysis(Signal.from_array(noise, rate_hz)).speech_gate(0.0, 2.0)
    assert reason.endswith(" needed")


def test_every_value_is_the_instruments_own(clip):
    analysis = Analysis(clip)
    assert analysis.signal is clip
    assert analysis.strongest_channel == 1
    assert np.array_equal(analysis.mono, clip.samples[1])
    assert np.shares_memory(analysis.mono, clip.samples)
    assert analysis.rms_dbfs == rms_dbfs(clip.samples)
    assert analysis.active_level == active_level.active_speech_level(clip)
    assert analysis.loudness_lufs == loudness.loudness_lufs(clip)
    assert analysis.quick_loudness_lufs == quick_loudness.quick_loudness_lufs(clip)
    assert analysis.true_peak_dbtp == true_peak.true_peak_dbtp(clip)
    assert np.array_equal(analysis.room.power, spectrum.room_tone(clip).power)
    expected = activity.speech_activity(clip.samples[1], clip.sample_rate_hz)
    assert np.array_equal(analysis.activity.mask, expected.mask)
    tracked_hz, judged_hz = analysis.f0.at(analysis.f0_judge.times_s), analysis.f0_judge.f0_hz
    both = (tracked_hz > 0) & (judged_hz > 0)
    assert 0.3 < both.mean() < 0.9
    ratio = tracked_hz[both] / judged_hz[both]
    assert np.median(ratio) == pytest.approx(1.0, abs=0.01)
    assert analysis.level_contour_db.max() == pytest.approx(rms_dbfs(clip.samples[1]).value, abs=15)
    assert analysis.speech_gate(0.0, clip.duration_s) is None


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_everything_is_measured_once(clip, name):
    analysis = Analysis(clip)
    assert getattr(analysis, name) is getattr(analysis, name)


@pytest.mark.parametrize("samples", [np.zeros(16_000), np.zeros(1), np.full(479, 0.5)])
@pytest.mark.parametrize("rate_hz", [8_000, 192_000])
def test_clips_without_speech_have_an_analysis(samples, rate_hz):
    analysis = Analysis(Signal.from_array(samples, rate_hz))
    for name in MEASUREMENTS:
        getattr(analysis, name)
    assert not analysis.f0.is_voiced.any()
    assert analysis.loudness_lufs.value is None
    assert analysis.speech_gate(0.0, len(samples) / rate_hz).startswith("no speech in")


def test_threads_get_equal_results(clip):
    analysis = Analysis(clip)
    with ThreadPoolExecutor(4) as pool:
        readings = list(pool.map(lambda _: analysis.active_level, range(8)))
    assert all(reading == readings[0] for reading in readings)


def test_a_level_imports_no_compiler_and_no_detector():
    script = (
        "import sys, numpy as np\n"
        "from perturb.measure.analysis import Analysis\n"
        "from perturb.signal import Signal\n"
        "print(Analysis(Signal.from_array(np.full(800, .1), 8000)).rms_dbfs.value)\n"
        "heavy = {'numba', 'scipy', 'soxr', 'webrtcvad', 'pyloudnorm'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(-20.0, abs=1e-5)


def test_only_loudness_imports_the_loudness_meter():
    script = (
        "import sys, numpy as np\n"
        "from perturb.measure.analysis import Analysis\n"
        "from perturb.signal import Signal\n"
        "a = Analysis(Signal.from_array(np.sin(np.arange(16000) / 9), 16000))\n"
        "a.rms_dbfs, a.active_level, a.true_peak_dbtp, a.activity, a.room\n"
        "heavy = {'scipy.signal', 'pyloudnorm'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
