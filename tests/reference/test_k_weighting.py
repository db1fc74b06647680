"""The kernel of the quick loudness meter against its plain twin."""

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.k_weighting import measure_weighted_energies
from tests.reference.k_weighting import weighted_energies

# The filters that BS.1770 prints, for 48 kHz: b0, b1, b2, a1, a2.
SHELF = (1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585)
HIGH_PASS = (1.0, -2.0, 1.0, -1.99004745483398, 0.99007225036621)


def _measure(samples, edges, weights):
    energies = np.empty(len(edges) - 1)
    measure_weighted_energies(
        as_input(samples),
        as_input(edges, np.int64),
        as_input(weights, np.float64),
        as_input(SHELF, np.float64),
        as_input(HIGH_PASS, np.float64),
        energies,
    )
    return energies


@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_energies_equal_those_of_filters_written_out(seed, channels):
    random = np.random.default_rng(seed)
    samples = random.standard_normal((channels, 4_000)).astype(np.float32)
    samples[:, 1_000:2_500] = 0.0
    edges = [0, *np.sort(random.integers(1, 4_000, 7)), 4_000]
    weights = random.uniform(1.0, 2.0, channels)
    expected = weighted_energies(samples, edges, weights, SHELF, HIGH_PASS)
    # Where a sound rings off, rounding goes by what it was.
    rounding = 1e-15 * expected.sum()
    assert _measure(samples, edges, weights) == pytest.approx(expected, rel=1e-10, abs=rounding)


@pytest.mark.parametrize("samples", [np.zeros((2, 40)), np.full((1, 40), 900.0)])
def test_silence_and_a_step(samples):
    weights = np.ones(len(samples))
    expected = weighted_energies(samples, [0, 10, 10, 30], weights, SHELF, HIGH_PASS)
    found = _measure(samples.astype(np.float32), [0, 10, 10, 30], weights)
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-20)


def test_nothing_after_the_last_edge_is_read():
    samples = np.ones((1, 100), dtype=np.float32)
    spoilt = samples.copy()
    spoilt[:, 60:] = np.nan
    assert np.array_equal(_measure(samples, [0, 60], [1.0]), _measure(spoilt, [0, 60], [1.0]))
