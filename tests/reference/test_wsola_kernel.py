"""The splicing kernels against their plain twins, on paths of every kind."""

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.wsola import find_path, overlap_add
from perturb.synthesis.speed import _block_means
from tests.reference.wsola import find_path as find_plainly
from tests.reference.wsola import overlap_add as add_plainly

HOP = 40
SOURCE = 900
PULL = 0.003


def _sound(seed):
    """A gliding voice in noise, with silence in the middle."""
    random = np.random.default_rng(seed)
    phase = np.cumsum(0.15 + 0.05 * np.sin(np.arange(SOURCE) / 200.0))
    sound = sum(np.cos(k * phase + k) / k for k in range(1, 5)) + 0.2 * random.standard_normal(
        SOURCE
    )
    sound[400:520] = 0.0
    return (0.1 * sound).astype(np.float32)


def _frames(count, reach=30, fixed=(), least=0):
    """Evenly placed frames of a path from 900 to `count` samples."""
    centres = np.round(np.linspace(0, count, round(count / HOP) + 1)).astype(np.int64)
    wanted = centres * (SOURCE / count) - centres
    before = np.concatenate([centres[:1], centres[:-1]])
    after = np.concatenate([centres[1:], centres[-1:]])
    low = np.clip(np.floor(wanted - reach), -before, SOURCE - after)
    high = np.clip(np.ceil(wanted + reach), -before, SOURCE - after)
    limits = np.stack([low, high, np.full(low.size, least)]).astype(np.int64)
    for frame in (0, centres.size - 1, *fixed):
        limits[:, frame] = (round(float(np.clip(wanted[frame], low[frame], high[frame]))), 0, 0)
        limits[1, frame] = limits[0, frame]
    return centres, limits, wanted


def _find(mono, factor, centres, limits, wanted):
    shifts = np.full(centres.size, -9999, dtype=np.int64)
    likeness = np.full(centres.size, np.nan)
    coarse = _block_means(mono, factor)
    find_path(as_input(mono), as_input(coarse), centres, limits, wanted, PULL, shifts, likeness)
    return coarse, shifts, likeness


@pytest.mark.parametrize("factor", [1, 4, 7])
@pytest.mark.parametrize(
    ("count", "options"),
    [
        (450, {}),
        (600, {"fixed": (7,)}),
        (300, {"fixed": (3, 4)}),
        (1_800, {}),
        (2_400, {"fixed": (20, 40)}),
        (900, {"least": 5}),
        (880, {}),
    ],
)
def test_the_path_equals_its_twin(factor, count, options):
    mono = _sound(count + factor)
    centres, limits, wanted = _frames(count, **options)
    coarse, shifts, likeness = _find(mono, factor, centres, limits, wanted)
    expected_shifts, expected_likeness = find_plainly(mono, coarse, centres, limits, wanted, PULL)
    np.testing.assert_array_equal(shifts, expected_shifts)
    np.testing.assert_allclose(likeness, expected_likeness, atol=2e-5)
    assert (shifts >= limits[0]).all()
    assert (shifts <= limits[1]).all()


def test_a_frame_that_may_stay_stays():
    centres, limits, wanted = _frames(860)
    _, shifts, likeness = _find(_sound(1), 4, centres, limits, wanted)
    stays = np.diff(shifts) == 0
    assert (likeness[1:][stays] == 1.0).all()
    # 40 samples too many, and a reach of 30: one splice and the fixed end.
    assert 1 <= (~stays).sum() <= 3


def test_a_forced_frame_never_stays():
    centres, limits, wanted = _frames(SOURCE, least=5)
    _, shifts, _ = _find(_sound(2), 4, centres, limits, wanted)
    free = np.diff(shifts)[:-1]
    assert (np.abs(free) >= 5).all()


def test_silence_takes_the_wanted_place():
    centres, limits, wanted = _frames(450)
    _, shifts, likeness = _find(np.zeros(SOURCE, np.float32), 4, centres, limits, wanted)
    assert np.abs(shifts - np.clip(wanted, limits[0], limits[1]))[1:-1].max() <= 1.0
    assert set(likeness.tolist()) <= {0.0, 1.0}


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("count", [450, 1_800])
def test_the_sound_equals_its_twin(channels, count):
    samples = np.stack([_sound(seed) for seed in range(channels)])
    centres, limits, wanted = _frames(count)
    _, shifts, likeness = _find(samples[0], 4, centres, limits, wanted)
    out = np.full((channels, count), np.nan, dtype=np.float32)
    overlap_add(as_input(samples), centres, shifts, likeness, out)
    expected = add_plainly(samples, centres, shifts, likeness)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-6)


def test_equal_shifts_copy():
    samples = _sound(3)[np.newaxis]
    centres = np.array([0, 40, 80], dtype=np.int64)
    out = np.empty((1, 80), dtype=np.float32)
    overlap_add(as_input(samples), centres, np.full(3, 17), np.ones(3), out)
    assert np.array_equal(out[0], samples[0, 17:97])


@pytest.mark.parametrize("rho", [1.0, 0.5, 0.0, -1.0])
def test_a_crossing_keeps_the_power(rho):
    # Two stretches of power 1 and this likeness: constant, and a sign that alternates in part.
    length = 400
    random = np.random.default_rng(0)
    ones = random.choice([-1.0, 1.0], length)
    other = np.where(random.uniform(size=length) < 0.5 + 0.5 * max(rho, 0.0), ones, -ones)
    samples = np.concatenate([ones, other]).astype(np.float32)[np.newaxis]
    out = np.empty((1, length), dtype=np.float32)
    centres, shifts = np.array([0, length]), np.array([0, length])
    overlap_add(as_input(samples), centres, shifts, np.array([1.0, max(rho, 0.0)]), out)
    assert np.mean(out.astype(float) ** 2) == pytest.approx(1.0, abs=0.08)
