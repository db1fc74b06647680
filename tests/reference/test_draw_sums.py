"""The kernel of the bootstrap against plain indexing."""

import numpy as np
import pytest

from perturb.kernels._jit import as_input
from perturb.kernels.draw_sums import sum_draws


@pytest.mark.parametrize(
    ("samples", "draws", "clips", "kinds", "columns"),
    [(1, 1, 1, 1, 1), (3, 50, 7, 2, 4), (5, 20, 400, 90, 3), (2, 30, 30, 30, 0)],
)
def test_sums_are_those_of_the_rows_drawn(samples, draws, clips, kinds, columns):
    random = np.random.default_rng(clips)
    drawn = random.integers(0, clips, (samples, draws), dtype=np.uint32)
    kind_of = random.integers(0, kinds, clips, dtype=np.uint32)
    totals = random.standard_normal((kinds, columns))
    sums = np.full((samples, columns), np.nan)
    sum_draws(
        as_input(drawn, np.uint32), as_input(kind_of, np.uint32), as_input(totals, float), sums
    )
    np.testing.assert_allclose(sums, totals[kind_of][drawn].sum(axis=1), rtol=1e-12, atol=1e-12)
