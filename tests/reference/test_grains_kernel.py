from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.grains import lay_grains
from perturb.synthesis.psola import fractional_reader
from tests.reference import grains as twin


def scattered(seed=0, number=12):
    """Return grains at random places of 400 samples, some beyond either end."""
    rng = np.random.default_rng(seed)
    targets = np.sort(rng.uniform(-20.0, 420.0, number))
    gaps = np.concatenate([[30.0], np.diff(targets), [30.0]])
    sources = targets + rng.uniform(-15.0, 15.0, number)
    return [as_input(field, np.float64) for field in (sources, targets, gaps[:-1], gaps[1:])]


def lay(samples, grains, ratio, table, origin, length):
    out = np.zeros((samples.shape[0], length), dtype=np.float32)
    lay_grains(as_input(samples), *grains, ratio, table, origin, out)
    return out


@pytest.mark.parametrize("ratio", [0.84, 1.0, 1.19])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("origin", [0, 37])
def test_grains_are_the_twins(ratio, channels, origin):
    samples = as_input(np.random.default_rng(1).standard_normal((channels, 400)))
    table = fractional_reader(64, min(1.0, 1.0 / ratio))
    grains = scattered()
    expected = twin.lay_grains(samples, *grains, ratio, table, origin, 350)
    np.testing.assert_allclose(lay(samples, grains, ratio, table, origin, 350), expected, atol=1e-5)


def test_grains_side_by_side_give_the_recording_back():
    samples = as_input(np.random.default_rng(2).standard_normal((1, 400)))
    _, targets, rises, falls = scattered(3, 40)
    found = lay(samples, (targets, targets, rises, falls), 1.0, fractional_reader(), 0, 400)
    first, last = int(targets[0]) + 1, int(targets[-1])
    inside = slice(max(first, 0), min(last, 400))
    np.testing.assert_allclose(found[:, inside], samples[:, inside], atol=1e-5)


@pytest.mark.parametrize("ratio", [0.84, 1.19])
def test_a_grain_of_a_tone_is_a_tone_at_the_ratio(ratio):
    tone = np.sin(2 * np.pi * 0.05 * np.arange(2_000))[np.newaxis]
    grain = [as_input([value], np.float64) for value in (1_000.0, 1_000.0, 900.0, 900.0)]
    table = fractional_reader(512, min(1.0, 1.0 / ratio))
    found = lay(tone, grain, ratio, table, 0, 2_000)[0]
    spectrum = np.abs(np.fft.rfft(found, 1 << 16))
    assert np.argmax(spectrum) / (1 << 16) == pytest.approx(0.05 * ratio, rel=1e-3)


def test_what_would_pass_half_the_rate_is_left_out():
    hiss = np.random.default_rng(4).standard_normal((1, 4_000))
    spacing, ratio = 40.0, 1.3
    targets = np.arange(0.0, 4_000.0, spacing)
    grains = [as_input(f, np.float64) for f in (targets, targets, *[np.full(100, spacing)] * 2)]
    plain, limited = (
        lay(hiss, grains, ratio, fractional_reader(512, cutoff), 0, 4_000)
        for cutoff in (1.0, 1.0 / ratio)
    )
    assert np.square(limited).mean() < 0.9 * np.square(plain).mean()
