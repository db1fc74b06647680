"""Levels against signals whose level is known."""

import math
import tracemalloc

import msgspec
import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.measure.level import (
    DIGITAL_SILENCE,
    frame_powers,
    gated_frames,
    gated_level_dbfs,
    mean_power,
    rms_dbfs,
    sample_peak,
    sample_peak_dbfs,
    strongest_channel,
)
from perturb.measure.reading import Reading

RATE_HZ = 16_000


def _sine(seconds: float, amplitude: float = 1.0, rate_hz: int = RATE_HZ) -> np.ndarray:
    time_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return (amplitude * np.sin(2 * np.pi * 500 * time_s)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 192_000])
def test_full_scale_square_is_0_dbfs_and_full_scale_sine_is_3_below(rate_hz):
    sine = _sine(1.0, rate_hz=rate_hz)
    square = np.where(sine >= 0, 1.0, -1.0).astype(np.float32)
    assert rms_dbfs(square).value == 0.0
    assert rms_dbfs(sine).value == pytest.approx(-3.0103, abs=1e-4)
    assert sample_peak_dbfs(square).value == 0.0


def test_power_is_averaged_over_channels():
    tone = _sine(0.5)
    assert rms_dbfs(np.stack([tone, tone])).value == pytest.approx(rms_dbfs(tone).value, abs=1e-9)
    one_sided = rms_dbfs(np.stack([tone, np.zeros_like(tone)])).value
    assert one_sided == pytest.approx(rms_dbfs(tone).value - 3.0103, abs=1e-4)


@pytest.mark.parametrize(
    "samples", [np.zeros(800), np.zeros((2, 1)), np.zeros(0), np.zeros((2, 0))]
)
def test_silence_has_no_level(samples):
    samples = samples.astype(np.float32)
    assert rms_dbfs(samples) == Reading(None, DIGITAL_SILENCE)
    assert sample_peak_dbfs(samples) == Reading(None, DIGITAL_SILENCE)
    assert gated_level_dbfs(samples, RATE_HZ) == Reading(None, DIGITAL_SILENCE)
    assert mean_power(samples) == 0.0


def test_noise_at_minus_100_dbfs_reads_minus_100():
    noise = np.random.default_rng(1).standard_normal(160_000)
    noise *= 1e-5 / np.sqrt(np.mean(noise**2))
    assert rms_dbfs(noise.astype(np.float32)).value == pytest.approx(-100.0, abs=1e-4)


@pytest.mark.parametrize("count", [1, 32_767, 32_768, 32_769, 100_001])
def test_power_is_the_exact_sum_at_any_length(count):
    random = np.random.default_rng(count)
    samples = (random.standard_normal(count) * 10.0 ** random.uniform(-6, 2, count)).astype("f4")
    exact = math.fsum(float(x) * float(x) for x in samples) / count
    assert mean_power(samples) == pytest.approx(exact, rel=1e-14)


def test_layout_and_dtype_do_not_matter_and_the_input_is_not_written_to():
    samples = np.random.default_rng(3).standard_normal((2, 5_000)).astype(np.float32)
    expected = mean_power(samples)
    before = samples.tobytes()
    samples.setflags(write=False)
    for view in (np.asfortranarray(samples), samples.astype(">f4"), samples.astype(np.float64)):
        assert mean_power(view) == pytest.approx(expected, rel=1e-12)
        assert frame_powers(view, 160) == pytest.approx(frame_powers(samples, 160), rel=1e-12)
    assert samples.tobytes() == before


def test_no_copy_of_a_long_clip_is_made():
    samples = np.ones((1, 4_000_000), dtype=np.float32)
    tracemalloc.start()
    assert rms_dbfs(samples).value == 0.0
    assert len(frame_powers(samples, 160)) == 25_000
    assert sample_peak(samples) == 1.0
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 2_000_000


def test_the_last_frame_is_averaged_over_its_own_length():
    samples = np.array([[1, 1, 1, 2, 2], [0, 0, 0, 0, 0]], dtype=np.float32)
    assert frame_powers(samples, 3).tolist() == [0.5, 2.0]
    assert frame_powers(samples, 100).tolist() == [pytest.approx(1.1)]


@pytest.mark.parametrize("frame_samples", [0, -3])
def test_frames_without_length_are_refused(frame_samples):
    with pytest.raises(ParameterError, match=r"frame_samples is .*; accepted: at least 1 sample"):
        frame_powers(np.ones(10, dtype=np.float32), frame_samples)


def test_three_dimensions_are_refused():
    with pytest.raises(ParameterError, match=r"shape \(1, 2, 3\); accepted"):
        rms_dbfs(np.ones((1, 2, 3), dtype=np.float32))


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100])
def test_zeros_around_a_tone_do_not_lower_its_gated_level(rate_hz):
    tone = _sine(0.2, 0.1, rate_hz)
    padded = np.concatenate([np.zeros(rate_hz // 5), tone, np.zeros(10 * rate_hz)]).astype("f4")
    assert gated_level_dbfs(tone, rate_hz).value == pytest.approx(-23.0103, abs=0.001)
    assert gated_level_dbfs(padded, rate_hz).value == pytest.approx(-23.0103, abs=0.001)
    assert rms_dbfs(padded).value < -40.0  # what a naive meter says
    assert gated_frames(padded, rate_hz).sum() == 20


def test_the_gate_is_where_it_says():
    loud, soft = np.ones(160, dtype=np.float32), np.full(160, 0.1, dtype=np.float32)
    clip = np.concatenate([loud, soft])
    assert gated_frames(clip, RATE_HZ, gate_db=20.01).tolist() == [True, True]
    assert gated_frames(clip, RATE_HZ, gate_db=19.99).tolist() == [True, False]
    both = gated_level_dbfs(clip, RATE_HZ, gate_db=20.01).value
    assert both == pytest.approx(10 * math.log10(1.01 / 2), abs=1e-6)
    with pytest.raises(ParameterError, match=r"gate_db is -1\.0; accepted: at least 0 dB"):
        gated_frames(clip, RATE_HZ, gate_db=-1.0)


@pytest.mark.parametrize("count", [1, 20, 479])
def test_short_clips_have_a_gated_level(count):
    assert gated_level_dbfs(np.full(count, 0.5, "f4"), RATE_HZ).value == pytest.approx(
        -6.0206, abs=1e-3
    )


def test_the_strongest_channel_is_the_first_of_equals():
    tone = _sine(0.1)
    assert strongest_channel(np.stack([tone, tone])) == 0
    assert strongest_channel(np.stack([0.1 * tone, tone, 0.5 * tone])) == 1
    assert strongest_channel(tone[np.newaxis]) == 0


@pytest.mark.parametrize(
    ("value", "reason"), [(math.nan, None), (math.inf, None), (1.0, "no"), (None, None)]
)
def test_a_reading_is_a_finite_value_or_a_reason(value, reason):
    with pytest.raises(ParameterError, match=r"Reading: value is|either a value or the reason"):
        Reading(value, reason)


@pytest.mark.parametrize("reading", [Reading(-23.5), Reading(None, DIGITAL_SILENCE)])
def test_a_reading_survives_json(reading):
    assert msgspec.json.decode(msgspec.json.encode(reading), type=Reading) == reading


def test_a_difference_with_nothing_is_nothing():
    nothing = Reading(None, DIGITAL_SILENCE)
    assert Reading(-20.0).minus(Reading(-26.0)) == Reading(6.0)
    assert Reading(-20.0).minus(nothing) == nothing
    assert nothing.minus(Reading(-20.0)) == nothing
