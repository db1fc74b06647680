"""The screened kernel of the true peak against interpolation of everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.kernels._jit import as_input
from perturb.kernels.true_peak import BLOCK_SAMPLES, find_true_peak
from perturb.measure.true_peak import _interpolation
from tests.reference.true_peak import find_true_peak as find_plainly

ROUNDING = 3e-6
"""Float32 sums of 48 products, relative to the peak."""


def _find(samples: np.ndarray, factor: int, floor: float = 0.0) -> float:
    phases, bound = _interpolation(factor)
    blocks = -(-samples.shape[1] // BLOCK_SAMPLES)
    return find_true_peak(
        as_input(samples),
        phases,
        bound,
        floor,
        np.full(blocks + 4, np.nan, dtype=np.float32),
        np.full(BLOCK_SAMPLES + phases.shape[1] - 1, np.nan, dtype=np.float32),
        np.full(BLOCK_SAMPLES, np.nan, dtype=np.float32),
    )


@pytest.mark.parametrize("count", [1, 2, 19, 20, 21, 39, 63, 64, 65, 127, 128, 129, 700])
@pytest.mark.parametrize("factor", [2, 4])
def test_any_length(factor, count):
    samples = np.random.default_rng(count).standard_normal((2, count)).astype(np.float32)
    expected = find_plainly(samples, _interpolation(factor)[0])
    assert _find(samples, factor) == pytest.approx(expected, rel=ROUNDING)


@st.composite
def uneven_signals(draw):
    """Quiet noise with some loud stretches: what screening has to see through."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 600))
    samples = random.standard_normal((draw(st.integers(1, 2)), count))
    samples *= 10.0 ** draw(st.floats(-5.0, 0.0))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, count - 1))
        stop = start + draw(st.integers(1, 45))
        # Signs that alternate make the interpolated peak as large as it can be.
        samples[:, start:stop] = draw(st.floats(0.1, 1.0))
        samples[:, start:stop:2] *= -1.0
    return samples.astype(np.float32)


@given(uneven_signals())
def test_screening_never_changes_the_answer(samples):
    expected = find_plainly(samples, _interpolation(4)[0])
    assert _find(samples, 4) == pytest.approx(expected, rel=ROUNDING)


@given(uneven_signals(), st.floats(0.5, 2.0))
def test_a_floor_hides_only_what_lies_under_it(samples, share):
    peak = _find(samples, 4)
    floor = peak * share
    assert _find(samples, 4, floor) == (peak if peak > floor else floor)


def test_the_worst_signal_of_the_filter_meets_the_bound():
    phases, bound = _interpolation(4)
    worst = np.sign(phases[1]).astype(np.float32)[np.newaxis] * np.float32(0.5)
    assert _find(worst, 4) == pytest.approx(0.5 * bound, rel=2e-4)
    surrounded = np.zeros((1, 2_000), dtype=np.float32)
    surrounded[0, 1_000:1_048] = worst[0]
    surrounded[0, 100] = 0.5 * bound * 0.99  # a sample peak that nearly screens it away
    assert _find(surrounded, 4) == pytest.approx(0.5 * bound, rel=2e-4)
