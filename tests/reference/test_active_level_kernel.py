"""The kernel of the active speech level against its plain twin."""

import math

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.active_level import count_active_samples
from tests.reference.active_level import count_active_samples as count_plainly

RATE_HZ = 8_000
SMOOTHING = math.exp(-1.0 / (0.03 * RATE_HZ))
THRESHOLDS = 2.0 ** (np.arange(-48, 17) / 2.0)


def _bursts(seed: int, channels: int, count: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    envelope = 10.0 ** (random.uniform(-5.0, 0.5, 12).repeat(count // 12 + 1)[:count])
    envelope[count // 3 : count // 2] = 0.0
    return (random.standard_normal((channels, count)) * envelope).astype(np.float32)


@pytest.mark.parametrize("hangover_samples", [0, 1, 57, 400])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_those_of_one_counter_per_threshold(seed, channels, hangover_samples):
    samples = _bursts(seed, channels, 1_600)
    active = np.empty(len(THRESHOLDS), dtype=np.int64)
    energy = count_active_samples(
        as_input(samples),
        as_input(THRESHOLDS, np.float64),
        SMOOTHING,
        hangover_samples,
        np.empty(len(THRESHOLDS) + 1, dtype=np.int64),
        active,
    )
    expected_energy, expected = count_plainly(samples, THRESHOLDS, SMOOTHING, hangover_samples)
    assert active.tolist() == expected
    assert energy == pytest.approx(expected_energy, rel=1e-12)


@pytest.mark.parametrize("samples", [np.zeros((2, 40)), np.full((1, 1), 900.0), np.ones((1, 2))])
def test_edges(samples):
    samples = samples.astype(np.float32)
    active = np.empty(len(THRESHOLDS), dtype=np.int64)
    scratch = np.empty(len(THRESHOLDS) + 1, dtype=np.int64)
    thresholds = as_input(THRESHOLDS, np.float64)
    energy = count_active_samples(as_input(samples), thresholds, SMOOTHING, 9, scratch, active)
    expected_energy, expected = count_plainly(samples, THRESHOLDS, SMOOTHING, 9)
    assert active.tolist() == expected
    assert energy == pytest.approx(expected_energy, rel=1e-12)
