from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.pitch_marks import lay_marks, mark_periods
from perturb.kernels.psola import overlap_add
from perturb.kernels.run_level import follow_level
from perturb.synthesis.psola import fractional_reader
from tests.reference import psola as twin

HOP = 40.0


def voice(count=2_000, low=60.0, high=75.0, seed=0):
    """Return damped pulses whose period glides, their places, and the period at each hop."""
    rng = np.random.default_rng(seed)
    period = np.linspace(low, high, count)
    phase = np.cumsum(1.0 / period)
    sound = np.exp(-6.0 * (phase % 1.0)) * np.sin(60.0 * (phase % 1.0))
    sound += 0.01 * rng.standard_normal(count)
    places = np.flatnonzero(np.diff(np.floor(phase))) + 1.0
    return as_input(0.3 * sound), places, as_input(period[:: int(HOP)])


def mark(guide, periods, start=100.0, stop=1_900.0, stride=1):
    marks = np.empty(200)
    first = 0.0
    return marks[: mark_periods(guide, start, stop, periods, first, HOP, stride, marks)]


@pytest.mark.parametrize("seed", range(4))
def test_marks_are_the_twins(seed):
    guide, _, periods = voice(seed=seed)
    expected = twin.mark_periods(guide, 100.0, 1_900.0, periods, 0.0, HOP)
    np.testing.assert_allclose(mark(guide, periods), expected, atol=1e-2)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_marks_keep_their_place_in_each_period(stride):
    # The same voice at one, two and three times the rate.
    guide, places, periods = voice(2_000 * stride, 60.0 * stride, 75.0 * stride)
    marks = mark(guide, periods, stop=2_000.0 * stride - 100.0, stride=stride)
    nearest = places[np.argmin(np.abs(places[:, np.newaxis] - marks), axis=0)]
    late = marks - nearest
    assert marks.size in np.sum((places >= 100) & (places <= guide.size - 100)) + np.arange(-1, 2)
    assert np.ptp(late) < 3.0 * stride


def test_no_octave_slips_whatever_the_likeness():
    rng = np.random.default_rng(1)
    guide = as_input(rng.standard_normal(2_000))
    periods = as_input(np.full(50, 64.0))
    steps = np.diff(mark(guide, periods))
    assert np.all((steps >= 0.8 * 64 - 1) & (steps <= 1.2 * 64 + 1))


def test_a_run_too_short_has_no_mark():
    guide, _, periods = voice()
    assert mark(guide, periods, start=100.6, stop=100.9).size == 0


@pytest.mark.parametrize(("start", "stop"), [(100.0, 1_500.0), (3.5, 3.5), (10.0, 9.0)])
def test_laid_marks_are_the_twins(start, stop):
    _, _, periods = voice()
    marks = np.empty(100)
    count = lay_marks(start, stop, periods, 20.0, HOP, marks)
    np.testing.assert_allclose(marks[:count], twin.lay_marks(start, stop, periods, 20.0, HOP))


@pytest.mark.parametrize("ratio", [0.6, 1.0, 1.7])
@pytest.mark.parametrize("channels", [1, 2])
def test_grains_are_the_twins(ratio, channels):
    guide, _, periods = voice(1_000)
    sources = as_input(mark(guide, periods, 100.0, 900.0), np.float64)
    targets = as_input(np.arange(sources[0], 880.0, 65.3 / ratio), np.float64)
    samples = as_input(np.stack([guide * (1 + channel) for channel in range(channels)]))
    grains, rest = np.zeros((channels, 801), dtype=np.float32), np.empty(801, dtype=np.float32)
    setting = (samples, sources, targets, 100.0, 900.0, fractional_reader())
    overlap_add(*setting, grains, rest)
    expected, expected_rest = twin.overlap_add(*setting)
    np.testing.assert_allclose(grains, expected, atol=2e-6)
    np.testing.assert_allclose(rest, expected_rest, atol=1e-6)


def test_periods_left_in_place_give_the_recording_back():
    guide, _, periods = voice(1_000)
    sources = as_input(mark(guide, periods, 100.0, 900.0), np.float64)
    grains, rest = np.zeros((1, 801), dtype=np.float32), np.empty(801, dtype=np.float32)
    whole = as_input(guide[np.newaxis])
    overlap_add(whole, sources, sources, 100.0, 900.0, fractional_reader(), grains, rest)
    np.testing.assert_allclose(grains[0] + rest * guide[100:901], guide[100:901], atol=1e-6)


@pytest.mark.parametrize("guide", [0, 1])
def test_level_is_the_twins(guide):
    rng = np.random.default_rng(3)
    wanted = as_input(rng.standard_normal(501) * np.linspace(0.1, 1.0, 501))
    sound = rng.standard_normal((2, 501)).astype(np.float32)
    setting = (wanted, 60, 20, 2.8, 2, guide)
    expected = twin.follow_level(*setting, sound)
    follow_level(*setting, sound)
    np.testing.assert_allclose(sound, expected, atol=1e-5)


def test_level_comes_back_within_its_limit():
    tone = np.sin(0.3 * np.arange(2_000)).astype(np.float32)
    for factor, found in ((0.5, 1.0), (0.1, 0.28)):
        sound = (factor * tone)[np.newaxis].copy()
        follow_level(as_input(tone), 200, 40, 2.8, 2, 0, sound)
        np.testing.assert_allclose(sound[0], found * tone, atol=2e-3)
