"""The loudness meter that drives edits against the one that judges them, and pyloudnorm alone."""

import numpy as np
import pytest
import soundfile
import soxr
from pyloudnorm import Meter

from perturb.measure.loudness import MAX_LOUDNESS_CHANNELS, loudness_lufs
from perturb.measure.quick_loudness import quick_loudness_lufs
from perturb.signal import Signal

RATES_HZ = [8_000, 8_001, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]
TOLERANCE_LU = 0.01


def _noise(seconds, rate_hz, channels=1, level=0.1, seed=4):
    random = np.random.default_rng(seed)
    return level * random.standard_normal((channels, round(seconds * rate_hz)))


def _clip(samples, rate_hz):
    return Signal.from_array(samples, rate_hz, layout="channels_first")


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_speech_reads_what_the_judge_reads_at_any_rate(clips, rate_hz):
    for path in clips[::5]:
        speech, file_rate_hz = soundfile.read(path)
        clip = Signal.from_array(soxr.resample(speech, file_rate_hz, rate_hz), rate_hz)
        judged = loudness_lufs(clip).value
        assert quick_loudness_lufs(clip).value == pytest.approx(judged, abs=TOLERANCE_LU)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 48_000])
def test_whole_blocks_read_what_pyloudnorm_alone_reads(rate_hz):
    samples = _noise(3.0, rate_hz, channels=2)
    samples[:, rate_hz : 2 * rate_hz] *= 0.01  # under the relative gate
    expected = Meter(rate_hz).integrated_loudness(samples.T)
    found = quick_loudness_lufs(_clip(samples, rate_hz)).value
    assert found == pytest.approx(expected, abs=TOLERANCE_LU)


@pytest.mark.parametrize("channels", range(1, MAX_LOUDNESS_CHANNELS + 1))
@pytest.mark.parametrize("seconds", [0.4, 0.55, 1.37, 5.0])
def test_channels_and_lengths_read_what_the_judge_reads(channels, seconds):
    samples = _noise(seconds, 11_000, channels) * np.arange(1, channels + 1)[:, np.newaxis]
    clip = _clip(samples, 11_000)
    judged = loudness_lufs(clip).value
    assert quick_loudness_lufs(clip).value == pytest.approx(judged, abs=TOLERANCE_LU)


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros((1, 16_000)),
        _noise(1.0, 16_000, level=1e-5),
        _noise(0.39, 16_000),
        _noise(1.0, 16_000, channels=6),
        np.full((1, 16_000), 1e-3),
    ],
    ids=["silence", "under the gate", "short", "six channels", "offset"],
)
def test_where_the_judge_has_no_loudness_neither_has_it(samples):
    reading = loudness_lufs(_clip(samples, 16_000))
    assert reading.value is None
    assert quick_loudness_lufs(_clip(samples, 16_000)) == reading
