"""Level contours, and the gain that gives one signal the contour of another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["apply_gain", "measure_blocks"]


@kernel
def measure_blocks(
    samples: npt.NDArray[np.float32],
    edges: npt.NDArray[np.int64],
    sum_out: npt.NDArray[np.float64],
    energy_out: npt.NDArray[np.float64],
) -> None:
    for block in range(edges.size - 1):
        total = 0.0
        energy = 0.0
        for index in range(edges[block], edges[block + 1]):
            value = float(samples[index])
            total += value
            energy += value * value
        sum_out[block] = total
        energy_out[block] = energy


@kernel
def apply_gain(
    gains: npt.NDArray[np.float64],
    first_sample: float,
    hop_samples: float,
    inout: npt.NDArray[np.float32],
) -> None:
    last = gains.size - 1
    for index in range(inout.size):
        position = (index - first_sample) / hop_samples
        if position <= 0:
            g = gains[0]
        elif position >= last:
            g = gains[last]
        else:
            k = int(position)
            f = position - k
            g = gains[k] + f * (gains[k + 1] - gains[k])
        inout[index] = np.float32(inout[index] * g)
