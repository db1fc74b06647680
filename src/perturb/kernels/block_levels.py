"""Mean magnitude of blocks and energy of a signal, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["measure_blocks"]

Array = npt.NDArray[Any]


@kernel
def measure_blocks(samples: Array, block: int, magnitudes_out: Array) -> float:
    """Measure the mean magnitude of each block, and return the energy of all.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        The signal.
    block : int
        Samples per block; the last may be shorter and is averaged over its own length.
    magnitudes_out : ndarray of float32, shape (ceil(n / block),)
        Mean of ``|x|``.

    Returns
    -------
    float
        Sum of the squares.
    """
    total = 0.0
    for k in range(magnitudes_out.shape[0]):
        part = samples[k * block : min((k + 1) * block, samples.shape[0])]
        length = part.shape[0]
        # Four sums of each side by side: one alone would wait for itself.
        sum0, sum1, sum2, sum3 = 0.0, 0.0, 0.0, 0.0
        power0, power1, power2, power3 = 0.0, 0.0, 0.0, 0.0
        fours = length // 4
        for j in range(fours):
            x0, x1 = np.float64(part[4 * j]), np.float64(part[4 * j + 1])
            x2, x3 = np.float64(part[4 * j + 2]), np.float64(part[4 * j + 3])
            sum0 += abs(x0)
            sum1 += abs(x1)
            sum2 += abs(x2)
            sum3 += abs(x3)
            power0 += x0 * x0
            power1 += x1 * x1
            power2 += x2 * x2
            power3 += x3 * x3
        for j in range(4 * fours, length):
            value = np.float64(part[j])
            sum0 += abs(value)
            power0 += value * value
        magnitudes_out[k] = ((sum0 + sum1) + (sum2 + sum3)) / length
        total += (power0 + power1) + (power2 + power3)
    return total
