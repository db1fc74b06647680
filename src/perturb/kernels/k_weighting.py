"""Kernel of the loudness meter that drives edits: K-weighted energy, step by step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["measure_weighted_energies"]

_OFFSET = 1e-25


@kernel
def measure_weighted_energies(
    samples: npt.NDArray[np.float32],
    edges: npt.NDArray[np.int64],
    channel_weights: npt.NDArray[np.float64],
    shelf: npt.NDArray[np.float64],
    high_pass: npt.NDArray[np.float64],
    energies_out: npt.NDArray[np.float64],
) -> None:
    """Filter each channel by two biquads and sum its squares between the edges.

    Each biquad keeps two numbers: ``y = b0 x + s1``, ``s1' = s2 - a1 s1 + (b1 - a1 b0) x``,
    ``s2' = (b2 - a2 b0) x - a2 s1``, which is transposed direct form II with the output put into
    the states, so that a sample waits for one product and one sum of the sample before it.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes, finite.
    edges : ndarray of int64, shape (steps + 1,)
        Where the steps begin, and where the last one ends; rising, the first 0.
    channel_weights : ndarray of float64, shape (channels,)
        Weight of each channel's energy.
    shelf, high_pass : ndarray of float64, shape (5,)
        ``b0, b1, b2, a1, a2`` of the biquads, in order; a0 is 1.
    energies_out : ndarray of float64, shape (steps,)
        Sum of the squares of each step, over all channels, weighted.
    """
    shelf_0, high_0 = shelf[0], high_pass[0]
    shelf_1, shelf_2 = shelf[1] - shelf[3] * shelf_0, shelf[2] - shelf[4] * shelf_0
    high_1, high_2 = high_pass[1] - high_pass[3] * high_0, high_pass[2] - high_pass[4] * high_0
    for step in range(energies_out.size):
        energies_out[step] = 0.0
    for channel in range(samples.shape[0]):
        row = samples[channel]
        first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
        for step in range(energies_out.size):
            energy = 0.0
            for i in range(edges[step], edges[step + 1]):
                # The offset, which the high-pass takes out, keeps the states out of denormal
                # numbers, which would cost fifty times the time.
                value = np.float64(row[i]) + _OFFSET
                shelved = shelf_0 * value + first
                first, second = (
                    (second + shelf_1 * value) - shelf[3] * first,
                    shelf_2 * value - shelf[4] * first,
                )
                passed = high_0 * shelved + third
                third, fourth = (
                    (fourth + high_1 * shelved) - high_pass[3] * third,
                    high_2 * shelved - high_pass[4] * third,
                )
                energy += passed * passed
            energies_out[step] += channel_weights[channel] * energy
