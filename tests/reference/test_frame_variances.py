"""The kernel of the quietest frames against numpy's variance."""

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.frame_variances import measure_frame_variances


def _measure(samples, frame, hop, frames):
    variances = np.empty(frames)
    measure_frame_variances(as_input(samples), frame, hop, variances)
    return variances


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("frame", "hop"), [(1, 1), (2, 1), (7, 3), (16, 8), (551, 275)])
@pytest.mark.parametrize("offset", [0.0, 900.0])
def test_variances_equal_numpys(channels, frame, hop, offset):
    random = np.random.default_rng(frame)
    samples = offset + random.standard_normal((channels, 1_700)).astype(np.float32)
    samples = samples.astype(np.float32)
    views = np.lib.stride_tricks.sliding_window_view(samples, frame, axis=1)[:, ::hop]
    expected = views.astype(np.float64).var(axis=2).mean(axis=0)
    found = _measure(samples, frame, hop, expected.size)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-15)


def test_a_constant_has_no_variance_and_a_spike_costs_no_digits():
    constant = np.full((1, 100), 0.1, dtype=np.float32)
    assert not _measure(constant, 10, 5, 19).any()
    spike = np.zeros((1, 1_000), dtype=np.float32)
    spike[0, 0] = 1_000.0
    assert _measure(spike, 1_000, 500, 1)[0] == pytest.approx(999.0, rel=1e-12)
