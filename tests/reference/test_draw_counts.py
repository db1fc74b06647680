"""The kernel of the bootstrap against numpy's count."""

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.draw_counts import count_draws


@pytest.mark.parametrize(("samples", "draws", "places"), [(1, 1, 1), (3, 50, 7), (5, 20, 400)])
def test_counts_equal_numpys(samples, draws, places):
    drawn = np.random.default_rng(draws).integers(0, places, (samples, draws), dtype=np.uint32)
    counts = np.full((samples, places), np.nan)
    count_draws(as_input(drawn, np.uint32), counts)
    expected = [np.bincount(row, minlength=places) for row in drawn]
    np.testing.assert_array_equal(counts, expected)
