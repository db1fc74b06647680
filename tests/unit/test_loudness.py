"""BS.1770 loudness: reference signals, and everything that must not reach the meter."""

import tracemalloc

import numpy as np
import pytest
import soundfile
import soxr
from scipy.signal import freqz, lfilter

from perturb.measure import loudness
from perturb.measure.level import DIGITAL_SILENCE
from perturb.measure.loudness import loudness_lufs
from perturb.measure.reading import Reading
from perturb.signal import Signal

# The filter coefficients that the recommendation prints, for 48 kHz.
SHELF = (
    [1.53512485958697, -2.69169618940638, 1.19839281085285],
    [1.0, -1.69065929318241, 0.73248077421585],
)
HIGH_PASS = ([1.0, -2.0, 1.0], [1.0, -1.99004745483398, 0.99007225036621])


def _sine(seconds, peak_dbfs, rate_hz=48_000, tone_hz=997.0):
    time_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return 10 ** (peak_dbfs / 20) * np.sin(2 * np.pi * tone_hz * time_s)


def _stereo(mono, rate_hz=48_000):
    return Signal.from_array(np.stack([mono, mono]), rate_hz, layout="channels_first")


def _mono(samples, rate_hz=48_000):
    return loudness_lufs(Signal.from_array(samples, rate_hz))


def _recommendation(samples):
    """Gated loudness of 48 kHz mono by the printed coefficients, written out."""
    weighted = lfilter(*HIGH_PASS, lfilter(*SHELF, samples))
    starts = range(0, len(samples) - 19_200 + 1, 4_800)
    powers = np.array([np.mean(weighted[start : start + 19_200] ** 2) for start in starts])
    levels = -0.691 + 10 * np.log10(powers)
    above = levels >= -70
    gate = -0.691 + 10 * np.log10(powers[above].mean()) - 10
    return -0.691 + 10 * np.log10(powers[above & (levels > gate)].mean())


@pytest.mark.parametrize("level", [-23.0, -33.0])
def test_997_hz_in_both_channels_reads_its_peak_level(level):
    """EBU Tech 3341, cases 1 and 2: ± .1 LU."""
    assert loudness_lufs(_stereo(_sine(5.0, level))).value == pytest.approx(level, abs=0.1)


def test_full_scale_997_hz_in_one_channel_reads_3_below():
    assert _mono(_sine(2.0, 0.0)).value == pytest.approx(-3.01, abs=0.1)


def test_quiet_stretches_are_gated():
    """EBU Tech 3341, case 3, shortened."""
    parts = [_sine(2.0, -36.0), _sine(30.0, -23.0), _sine(2.0, -36.0)]
    assert loudness_lufs(_stereo(np.concatenate(parts))).value == pytest.approx(-23.0, abs=0.1)
    with_silence = np.concatenate([_sine(20.0, -23.0), np.zeros(480_000)])
    assert loudness_lufs(_stereo(with_silence)).value == pytest.approx(-23.0, abs=0.1)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 22_050, 44_100, 96_000, 192_000])
def test_speech_reads_within_a_tenth_of_the_recommendation_at_any_rate(clips, rate_hz):
    for path in clips[::5]:
        speech, file_rate_hz = soundfile.read(path)
        here = soxr.resample(speech, file_rate_hz, rate_hz, quality="VHQ")
        expected = _recommendation(soxr.resample(here, rate_hz, 48_000, quality="VHQ"))
        assert _mono(here, rate_hz).value == pytest.approx(expected, abs=0.1)


def test_a_full_scale_square_wave_reads_what_its_harmonics_add_up_to():
    square = np.sign(_sine(2.0, 0.0, tone_hz=1_000.0))
    square[square == 0] = 1.0
    bins = np.fft.rfft(square[:48_000]) / 48_000
    at_hz = np.arange(len(bins), dtype=float)
    gain = np.abs(freqz(*SHELF, at_hz, fs=48_000)[1] * freqz(*HIGH_PASS, at_hz, fs=48_000)[1])
    expected = -0.691 + 10 * np.log10(2 * np.sum(np.abs(bins * gain) ** 2))
    assert expected > 0.5
    assert _mono(square).value == pytest.approx(expected, abs=0.1)


def test_mono_is_one_loudspeaker_and_dual_mono_two():
    tone = _sine(1.0, -20.0)
    mono, silent = _mono(tone).value, np.zeros_like(tone)
    assert loudness_lufs(_stereo(tone)).value - mono == pytest.approx(3.01, abs=0.01)
    left = Signal.from_array(np.stack([tone, silent]), 48_000, layout="channels_first")
    assert loudness_lufs(left).value == pytest.approx(mono, abs=1e-9)


def test_surround_channels_weigh_more_and_unknown_layouts_nothing():
    tone, silent = _sine(1.0, -20.0), np.zeros(48_000)
    mono = _mono(tone).value
    for place, extra in [(0, 0.0), (2, 0.0), (3, 1.49), (4, 1.49)]:
        channels = np.stack([tone if channel == place else silent for channel in range(5)])
        reading = loudness_lufs(Signal.from_array(channels, 48_000, layout="channels_first"))
        assert reading.value - mono == pytest.approx(extra, abs=0.01)
    six = Signal.from_array(np.stack([tone] * 6), 48_000, layout="channels_first")
    assert loudness_lufs(six) == Reading(None, "6 channels: loudness weights are known for up to 5")


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 44_100, 48_000, 192_000])
def test_400_ms_is_the_shortest_clip(rate_hz):
    shortest = -(-rate_hz * 4 // 10)
    tone = _sine(1.0, -20.0, rate_hz)
    assert _mono(tone[:shortest], rate_hz).value == pytest.approx(
        _mono(tone, rate_hz).value, abs=0.4
    )
    reading = _mono(tone[: shortest - 1], rate_hz)
    assert reading.value is None
    assert "under the 0.4 s of one loudness block" in reading.reason
    assert _mono(tone[: rate_hz * 3 // 10], rate_hz).value is None


@pytest.mark.parametrize("seconds", [0.44, 0.46, 0.55, 0.96, 1.34, 1.36])
def test_the_part_of_a_block_at_the_end_does_not_count(seconds):
    """A steady tone is as loud at any length; pyloudnorm alone reads up to .3 LU less."""
    one_second = _mono(_sine(1.0, -20.0)).value
    assert _mono(_sine(seconds, -20.0)).value == pytest.approx(one_second, abs=0.02)


@pytest.mark.parametrize("seconds", [0.4, 1.0, 3.0])
def test_silence_and_material_under_the_gate_have_no_loudness(seconds):
    count = round(seconds * 48_000)
    assert _mono(np.zeros(count)) == Reading(None, DIGITAL_SILENCE)
    noise = np.random.default_rng(1).standard_normal(count) * 1e-5
    assert _mono(noise) == Reading(None, "under the absolute gate of -70 LUFS")
    assert _mono(np.full(count, 1e-3)).value is None  # an offset is not heard


def test_either_side_of_the_absolute_gate():
    assert _mono(_sine(1.0, -66.5)).value == pytest.approx(-69.55, abs=0.1)
    assert _mono(_sine(1.0, -67.5)).value is None


def test_a_gain_moves_the_loudness_by_itself(sentence):
    speech, rate_hz = soundfile.read(sentence)
    plain = _mono(speech, rate_hz).value
    assert _mono(speech * 10 ** (-9.5 / 20), rate_hz).value - plain == pytest.approx(-9.5, abs=1e-5)


@pytest.mark.parametrize(("rate_hz", "tolerance"), [(8_000, 1e-6), (11_025, 1e-4), (8_001, 1e-4)])
@pytest.mark.parametrize("seconds", [0.4, 1.0, 1.37, 5.0, 12.34])
def test_stretches_do_not_change_the_result(monkeypatch, rate_hz, tolerance, seconds):
    random = np.random.default_rng(7)
    noise = random.standard_normal((2, -(-round(seconds * 1_000) * rate_hz // 1_000))) * 0.1
    clip = Signal.from_array(noise, rate_hz, layout="channels_first")
    whole = loudness_lufs(clip).value
    monkeypatch.setattr(loudness, "_STRETCH_SAMPLES", 1)
    assert loudness_lufs(clip).value == pytest.approx(whole, abs=tolerance)


def test_memory_does_not_grow_with_the_clip():
    noise = np.random.default_rng(2).standard_normal((1, 8_000_000), dtype=np.float32)
    clip = Signal.adopt(noise, 16_000)
    tracemalloc.start()
    assert loudness_lufs(clip).value is not None
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 90_000_000  # float64 copies of the clip alone would be 128 million
