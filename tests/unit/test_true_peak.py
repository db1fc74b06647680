"""The true peak against signals whose peak is known and against other interpolators."""

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from scipy.fft import next_fast_len
from scipy.signal import resample_poly

from perturb.errors import ParameterError
from perturb.measure.level import DIGITAL_SILENCE, sample_peak_dbfs
from perturb.measure.reading import Reading
from perturb.measure.true_peak import is_true_peak_within, oversampling, true_peak, true_peak_dbtp
from perturb.signal import Signal


def _signal(samples, rate_hz=48_000):
    layout = "channels_first" if np.ndim(samples) == 2 else None
    return Signal.from_array(np.asarray(samples), rate_hz, layout=layout)


def _faded_tone(cycles_per_sample, phase, count=4_000):
    return np.sin(2 * np.pi * cycles_per_sample * np.arange(count) + phase) * np.hanning(count)


def _peak_by_fft(samples, factor):
    """The peak after ideal interpolation: zeros appended to the spectrum, as dB."""
    count = next_fast_len(len(samples) + 8_192, real=True)
    padded = np.pad(np.asarray(samples, dtype=float), (4_096, count - len(samples) - 4_096))
    spectrum = np.fft.rfft(padded)
    up = np.fft.irfft(spectrum, factor * len(padded)) * factor
    return 20 * np.log10(np.abs(up).max())


def test_a_quarter_rate_sine_at_45_degrees_peaks_3_db_over_its_samples():
    clip = _signal(_faded_tone(0.25, np.pi / 4))
    over = true_peak_dbtp(clip).minus(sample_peak_dbfs(clip.samples)).value
    assert over == pytest.approx(3.0103, abs=0.01)
    assert true_peak_dbtp(clip).value == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("rate_hz", "factor"), [(8_000, 4), (88_200, 4), (96_000, 2), (192_000, 2)]
)
def test_tones_are_found_as_close_as_the_grid_allows(rate_hz, factor):
    assert oversampling(rate_hz) == factor
    for cycles_per_sample in (0.05, 0.1, 0.2, 0.3, 0.4, 0.45):
        worst = 20 * np.log10(np.cos(np.pi * cycles_per_sample / factor))
        for phase in (0.0, 0.4, 0.8, 1.2):
            reading = true_peak_dbtp(_signal(_faded_tone(cycles_per_sample, phase), rate_hz)).value
            assert worst - 0.01 < reading < 0.01


def test_speech_agrees_with_ideal_and_with_polyphase_interpolation(clips):
    for path in clips:
        speech, rate_hz = soundfile.read(path, dtype="float32")
        reading = true_peak_dbtp(_signal(speech, rate_hz)).value
        assert reading == pytest.approx(_peak_by_fft(speech, 4), abs=0.01)
        assert -0.05 < reading - _peak_by_fft(speech, 32) < 0.01  # the continuous peak
        polyphase = resample_poly(speech.astype(float), 4, 1, window=("kaiser", 8.0))
        assert reading == pytest.approx(20 * np.log10(np.abs(polyphase).max()), abs=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_noise_that_an_anti_aliasing_filter_has_seen_is_within_a_tenth(seed):
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(16_000))
    spectrum[int(16_000 * 0.47) :] = 0.0
    noise = (np.fft.irfft(spectrum) * 0.1).astype(np.float32)
    reading = true_peak_dbtp(_signal(noise)).value
    assert reading == pytest.approx(_peak_by_fft(noise, 4), abs=0.1)
    assert -0.35 < reading - _peak_by_fft(noise, 32) < 0.05


@pytest.mark.parametrize("seed", range(6))
def test_noise_flat_up_to_half_the_rate_reads_what_is_documented(seed):
    noise = np.random.default_rng(seed).standard_normal(16_000).astype(np.float32) * np.float32(0.1)
    reading = true_peak_dbtp(_signal(noise)).value
    assert -0.6 < reading - _peak_by_fft(noise, 4) < 0.2


def test_what_rings_outside_the_clip_counts():
    alternating = np.where(np.arange(40) % 2, -0.5, 0.5)
    alternating[20:] *= -1  # half the worst case of the filter, at the clip's middle
    for cut in (alternating, alternating[20:], alternating[:20]):
        padded = np.concatenate([np.zeros(100), cut, np.zeros(100)])
        assert true_peak(_signal(cut)) == pytest.approx(true_peak(_signal(padded)), rel=1e-6)
        assert true_peak(_signal(cut)) > 0.55


def test_a_constant_is_not_raised_inside_the_clip():
    constant = np.full(4_000, 0.5)
    constant[:1_000] *= np.hanning(2_000)[:1_000]
    constant[-1_000:] *= np.hanning(2_000)[1_000:]
    assert true_peak(_signal(constant)) == pytest.approx(0.5, rel=1e-5)


@pytest.mark.parametrize("count", [1, 2, 479, 960])
def test_silence_has_no_true_peak_and_short_clips_have_one(count):
    silence = _signal(np.zeros((2, count)))
    assert true_peak_dbtp(silence) == Reading(None, DIGITAL_SILENCE)
    assert is_true_peak_within(silence, -100.0)
    assert true_peak(silence) == 0.0
    assert true_peak(_signal(np.full(count, -0.5))) >= 0.5


def test_all_channels_count():
    tone = 0.1 * _faded_tone(0.25, np.pi / 4)
    clip = _signal(np.stack([0.01 * tone, tone, 0.1 * tone]))
    assert true_peak_dbtp(clip).value == pytest.approx(-20.0, abs=0.01)


def test_material_beyond_full_scale_is_measured():
    assert true_peak_dbtp(_signal(_faded_tone(0.25, np.pi / 4) * 4.0)).value > 12.0


@st.composite
def clips_and_ceilings(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    samples = random.standard_normal((draw(st.integers(1, 3)), draw(st.integers(1, 900))))
    samples *= 10.0 ** (random.uniform(-6.0, 0.0, samples.shape[1]))
    clip = _signal(samples, draw(st.sampled_from([8_000, 16_000, 96_000])))
    own = true_peak_dbtp(clip).value
    distance = draw(st.one_of(st.just(0.0), st.floats(-12, 12), st.floats(-1e-6, 1e-6)))
    return clip, own + distance


@given(clips_and_ceilings())
def test_the_cheap_question_gets_the_answer_of_the_full_measurement(case):
    clip, ceiling_dbtp = case
    assert is_true_peak_within(clip, ceiling_dbtp) == (true_peak_dbtp(clip).value <= ceiling_dbtp)


def test_impossible_questions_are_refused():
    clip = _signal(np.ones(10))
    with pytest.raises(ParameterError, match=r"ceiling_dbtp is inf; accepted: a finite level"):
        is_true_peak_within(clip, float("inf"))
    with pytest.raises(ParameterError, match=r"floor is -1.0; accepted: a finite amplitude"):
        true_peak(clip, floor=-1.0)
