"""How often each place was drawn, for many draws with replacement at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["count_draws"]


@kernel
def count_draws(draws: npt.NDArray[np.uint32], counts_out: npt.NDArray[np.float64]) -> None:
    """Count the draws of each place, sample by sample.

    Parameters
    ----------
    draws : ndarray of uint32, shape (samples, draws)
        Places, below the number of columns of `counts_out`.
    counts_out : ndarray of float64, shape (samples, places)
        Whole numbers; floats because they are multiplied next.
    """
    for sample in range(draws.shape[0]):
        for place in range(counts_out.shape[1]):
            counts_out[sample, place] = 0.0
        for draw in range(draws.shape[1]):
            counts_out[sample, draws[sample, draw]] += 1.0
