"""Spectra, third-octave levels and room tone of signals whose spectrum is known."""

import tracemalloc

import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.measure.level import rms_dbfs
from perturb.measure.spectrum import (
    power_spectrum,
    quietest_frames,
    room_tone,
    third_octave_levels,
)
from perturb.signal import Signal

RATES_HZ = [8_000, 11_025, 16_000, 44_100, 192_000]


def _noise(seconds, rate_hz, rms, seed=1):
    noise = np.random.default_rng(seed).standard_normal(round(seconds * rate_hz))
    return (noise * rms / np.sqrt(np.mean(noise**2))).astype(np.float32)


def _tone(seconds, rate_hz, tone_hz, amplitude):
    time_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return (amplitude * np.sin(2 * np.pi * tone_hz * time_s)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("frame_samples", [64, 401, 1_600])
def test_the_bins_add_up_to_the_mean_power(rate_hz, frame_samples):
    both = np.stack([_noise(2.0, rate_hz, 0.1), _tone(2.0, rate_hz, 1_000, 0.1)])
    power = power_spectrum(both, frame_samples)
    assert power.shape == (2, frame_samples // 2 + 1)
    assert power.sum(axis=1) == pytest.approx([0.01, 0.005], rel=0.05)


def test_a_tone_stands_in_its_bin():
    power = power_spectrum(_tone(1.0, 8_000, 1_000, 0.5)[np.newaxis], 400)[0]
    assert power.argmax() * 20 == 1_000
    assert power[49:52].sum() == pytest.approx(0.125, rel=1e-5)
    assert power[60:].max() < 1e-12


@pytest.mark.parametrize("frame_samples", [0, 11])
def test_frames_that_do_not_fit_are_refused(frame_samples):
    samples = np.ones((1, 10), dtype=np.float32)
    for measure in (power_spectrum, quietest_frames):
        with pytest.raises(ParameterError, match=r"frame_samples is \d+; accepted: 1 to 10"):
            measure(samples, frame_samples)
    with pytest.raises(ParameterError, match=r"share is 0.0; accepted: above 0, at most 1"):
        quietest_frames(samples, 5, share=0.0)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_bands_of_white_noise_are_as_loud_as_they_are_wide(rate_hz):
    bands = third_octave_levels(_noise(20.0, rate_hz, 0.1), rate_hz)
    assert bands[0].centre_hz == pytest.approx(39.8, abs=0.1)
    assert bands[-1].centre_hz * 1.13 <= rate_hz / 2 < bands[-1].centre_hz * 1.42
    for band in bands:
        expected = -20 + 10 * np.log10(band.bandwidth_hz / (rate_hz / 2))
        # Four standard deviations of a level found from so many independent values.
        scatter = 4 * 4.34 / np.sqrt(band.bandwidth_hz * 20.0)
        assert band.level_dbfs.value == pytest.approx(expected, abs=scatter + 0.2)
        assert band.duration_s == pytest.approx(20.0)


def test_centres_and_edges_are_those_of_the_standard():
    bands = third_octave_levels(_noise(2.0, 44_100, 0.1), 44_100)
    centres = [band.centre_hz for band in bands]
    assert [round(c) for c in centres if 900 < c < 2_100] == [1_000, 1_259, 1_585, 1_995]
    at_1000 = next(band for band in bands if band.centre_hz == 1_000.0)
    assert at_1000.bandwidth_hz == pytest.approx(1_122.02 - 891.25, abs=0.01)


@pytest.mark.parametrize("tone_hz", [125.9, 500, 1_000, 3_162])
def test_a_tone_is_in_its_band_alone(tone_hz):
    bands = third_octave_levels(_tone(2.0, 16_000, tone_hz, 0.1), 16_000)
    levels = np.array([band.level_dbfs.value or -300.0 for band in bands])
    loudest = int(levels.argmax())
    assert bands[loudest].centre_hz == pytest.approx(tone_hz, rel=0.01)
    assert levels[loudest] == pytest.approx(-23.01, abs=0.1)
    assert np.delete(levels, [loudest - 1, loudest, loudest + 1]).max() < -60


def test_only_wide_enough_bands_of_long_enough_audio_are_reliable():
    bands = third_octave_levels(_noise(0.3, 16_000, 0.1), 16_000)
    assert [band.is_reliable for band in bands] == [band.bandwidth_hz >= 100 for band in bands]
    assert 0 < sum(band.is_reliable for band in bands) < len(bands)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 20, 479])
@pytest.mark.parametrize("value", [0.0, 0.3])
def test_short_and_constant_clips(count, value):
    clip = Signal.from_array(np.full(count, value), 16_000)
    for band in third_octave_levels(clip.samples, 16_000):
        assert band.level_dbfs.value is None or value > 0
    room = room_tone(clip)
    assert room.level_dbfs.value is None
    assert room.level_dbfs.reason == "digital silence has no level in dB"
    assert not room.power.any()


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_room_tone_is_what_is_left_in_the_pauses(rate_hz):
    """Speech-like bursts over a tilted floor with hum: the floor comes out, band by band."""
    floor = _noise(10.0, rate_hz, 1.0, seed=3).astype(np.float64)
    spectrum = np.fft.rfft(floor)
    at_hz = np.fft.rfftfreq(len(floor), 1 / rate_hz)
    spectrum /= 1.0 + at_hz / 300.0
    floor = np.fft.irfft(spectrum, len(floor))
    floor *= 10 ** (-55 / 20) / np.sqrt(np.mean(floor**2))
    clip = floor.copy()
    for start in range(8):
        burst = slice(round((start + 0.2) * rate_hz), round((start + 1.0) * rate_hz))
        clip[burst] += _noise(0.8, rate_hz, 0.1, seed=start)[: burst.stop - burst.start]
    room = room_tone(Signal.from_array(clip + 0.05, rate_hz))  # the offset is no room tone
    assert room.level_dbfs.value == pytest.approx(-55.0, abs=1.5)
    assert room.duration_s == pytest.approx(1.0, abs=0.06)
    expected = third_octave_levels(floor.astype(np.float32), rate_hz, frame_s=room.frame_s)
    assert [band.centre_hz for band in room.bands] == [band.centre_hz for band in expected]
    compared = 0
    for found, true in zip(room.bands, expected, strict=True):
        if found.is_reliable:
            compared += 1
            assert found.level_dbfs.value == pytest.approx(true.level_dbfs.value, abs=3.0)
    assert compared >= 8


def test_the_quietest_frames_are_where_it_is_quiet():
    clip = _noise(10.0, 16_000, 0.1)
    clip[48_000:72_000] *= 0.01
    starts = quietest_frames(clip[np.newaxis], 800)
    assert len(starts) == 40
    assert (np.diff(starts) > 0).all()
    assert starts.min() >= 48_000
    assert starts.max() <= 71_200


def test_room_tone_keeps_channels_apart():
    left, right = _noise(3.0, 16_000, 0.01), _noise(3.0, 16_000, 0.001, seed=2)
    room = room_tone(Signal.from_array(np.stack([left, right]), 16_000, layout="channels_first"))
    assert room.power.shape == (2, 401)
    assert 10 * np.log10(room.power.sum(axis=1)) == pytest.approx([-40, -60], abs=1.0)
    assert room.level_dbfs.value == pytest.approx(-43.0, abs=1.0)
    assert room.frequencies_hz[[0, 1, -1]].tolist() == [0.0, 20.0, 8_000.0]
    assert not room.power.flags.writeable


def test_digital_silence_in_the_clip_is_the_room():
    clip = np.concatenate([_noise(2.0, 16_000, 0.1), np.zeros(16_000, dtype=np.float32)])
    assert room_tone(Signal.from_array(clip, 16_000)).level_dbfs.value is None


def test_share_one_is_the_whole_clip():
    clip = _noise(5.0, 16_000, 0.05)
    room = room_tone(Signal.from_array(clip, 16_000), share=1.0)
    assert room.level_dbfs.value == pytest.approx(rms_dbfs(clip).value, abs=0.05)
    assert room.duration_s == pytest.approx(5.0)


def test_memory_does_not_grow_with_the_clip():
    clip = Signal.adopt(np.ones((1, 6_000_000), dtype=np.float32), 16_000)
    tracemalloc.start()
    room_tone(clip)
    third_octave_levels(clip.samples, 16_000)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 12_000_000
