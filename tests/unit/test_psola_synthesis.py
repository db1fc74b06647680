"""`repitch` on voices whose periods are known."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.measure.f0 import track_f0
from perturb.synthesis.psola import repitch, run_extents
from perturb.testing.strategies import RATES_HZ, speech_like


def voice(seconds=1.0, rate=16_000, low=100.0, high=140.0, offset=0.0):
    """Return a buzz that glides, silent in its middle tenth."""
    count = round(seconds * rate)
    phase = np.cumsum(np.linspace(low, high, count)) / rate
    sound = np.exp(-9.0 * (phase % 1.0)) * np.sin(2 * np.pi * 600 / 120 * (phase % 1.0))
    sound[int(0.45 * count) : int(0.55 * count)] = 0.0
    return (0.3 * sound + offset).astype(np.float32)


def edit(samples, rate, wanted):
    f0 = track_f0(samples[0], rate)
    return repitch(samples, rate, f0, wanted(f0)), f0


def flat(pitch_hz):
    return lambda f0: np.full(f0.f0_hz.size, pitch_hz, dtype=np.float32)


def own(f0):
    return f0.f0_hz


@pytest.mark.parametrize("rate", RATES_HZ)
def test_any_rate(rate):
    samples = voice(rate=rate)[np.newaxis]
    result, _ = edit(samples, rate, flat(120.0))
    found = track_f0(result[0], rate).f0_hz
    cents = 1_200 * np.log2(found[found > 0] / 120.0)
    assert np.percentile(np.abs(cents), 90) < 15.0


@pytest.mark.parametrize("pitch_hz", [60.0, 90.0, 120.0, 200.0, 300.0, 480.0])
def test_pitch_is_the_one_asked_for(pitch_hz):
    result, _ = edit(voice()[np.newaxis], 16_000, flat(pitch_hz))
    found = track_f0(result[0], 16_000, floor_hz=50.0).median_hz
    assert found == pytest.approx(pitch_hz, rel=0.004)


def test_between_the_runs_nothing_changes():
    samples = speech_like(2.0, 16_000, seed=4).samples
    result, f0 = edit(samples, 16_000, flat(150.0))
    is_voiced = np.zeros(samples.shape[1], dtype=bool)
    extents = run_extents(f0, 16_000, samples.shape[1])
    for start, stop in extents:
        is_voiced[start:stop] = True
    assert len(extents) > 2
    assert 0.1 < is_voiced.mean() < 0.9
    assert np.array_equal(result[:, ~is_voiced], samples[:, ~is_voiced])
    assert not np.array_equal(result[:, is_voiced], samples[:, is_voiced])


def test_its_own_pitch_gives_nearly_the_recording():
    samples = voice()[np.newaxis]
    result, _ = edit(samples, 16_000, own)
    assert np.corrcoef(result[0], samples[0])[0, 1] > 0.95
    assert not np.array_equal(result, samples)


def test_level_stays_where_the_pitch_moves_far():
    samples = voice()[np.newaxis]
    for pitch_hz in (75.0, 240.0):
        result, _ = edit(samples, 16_000, flat(pitch_hz))
        for part in (slice(2_000, 6_500), slice(9_500, 14_000)):
            levels = [np.sqrt(np.mean(np.square(x[0, part]))) for x in (samples, result)]
            assert 20 * np.log10(levels[1] / levels[0]) == pytest.approx(0.0, abs=0.7)


def test_an_offset_stays_and_makes_no_tone():
    plain, moved = (
        edit(voice(offset=offset)[np.newaxis], 16_000, flat(200.0))[0] for offset in (0.0, 0.4)
    )
    np.testing.assert_allclose(moved - np.float32(0.4), plain, atol=2e-2)


def test_channels_share_marks_and_gains():
    one = voice()
    samples = np.stack([0.5 * one, one, -one])
    result, _ = edit(samples, 16_000, flat(150.0))
    np.testing.assert_allclose(result[0], 0.5 * result[1], atol=1e-6)
    np.testing.assert_allclose(result[2], -result[1], atol=1e-6)


def test_a_delay_between_channels_stays():
    one = voice()
    samples = np.stack([one, np.roll(one, 7)])
    result, _ = edit(samples, 16_000, flat(150.0))
    lags = range(-15, 16)
    inner = slice(100, -100)
    likeness = [np.dot(result[0, inner], np.roll(result[1], -lag)[inner]) for lag in lags]
    assert lags[int(np.argmax(likeness))] == 7


@pytest.mark.parametrize("count", [0, 1, 10, 500])
def test_short_segments_come_back(count):
    samples = voice()[np.newaxis, :count]
    result, _ = edit(samples, 16_000, flat(150.0))
    assert np.array_equal(result, samples)


def test_wanted_pitches_that_do_not_fit_are_refused():
    samples = voice()[np.newaxis]
    f0 = track_f0(samples[0], 16_000)
    for wanted in (np.full(3, 100.0), np.zeros(f0.f0_hz.size)):
        with pytest.raises(ParameterError, match="wanted_hz"):
            repitch(samples, 16_000, f0, wanted)
