"""Sums over clips that are drawn with replacement: the loop of the cluster bootstrap.

One thread, no BLAS: its threads wait for each other on a shared machine, forty times as long.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["sum_draws"]


@kernel
def sum_draws(
    draws: npt.NDArray[np.uint32],
    kinds: npt.NDArray[np.uint32],
    totals: npt.NDArray[np.float64],
    sums_out: npt.NDArray[np.float64],
) -> None:
    """Sum the totals of the clips drawn, sample by sample.

    Parameters
    ----------
    draws : ndarray of uint32, shape (samples, draws)
        Which clips, below the length of `kinds`.
    kinds : ndarray of uint32, shape (clips,)
        Which row of `totals` is each clip's.
    totals : ndarray of float64, shape (kinds, columns)
        Sums of a clip of each kind.
    sums_out : ndarray of float64, shape (samples, columns)
        One row for each sample.
    """
    counts = np.empty(totals.shape[0], dtype=np.int64)
    for sample in range(draws.shape[0]):
        counts[:] = 0
        for draw in range(draws.shape[1]):
            counts[kinds[draws[sample, draw]]] += 1
        for column in range(totals.shape[1]):
            sums_out[sample, column] = 0.0
        for kind in range(totals.shape[0]):
            if counts[kind] > 0:
                times = np.float64(counts[kind])
                for column in range(totals.shape[1]):
                    sums_out[sample, column] += times * totals[kind, column]
