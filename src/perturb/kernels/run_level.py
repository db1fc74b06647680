"""The level of a stretch of sound brought back to what it was, with one gain for all channels."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["follow_level"]

SILENCE_POWER = 1e-12


@kernel
def follow_level(
    wanted: npt.NDArray[np.float32],
    half: int,
    block: int,
    largest_gain: float,
    passes: int,
    guide: int,
    inout: npt.NDArray[np.float32],
) -> None:
    """Scale all channels alike until the level of one follows that of `wanted`.

    RMS levels within `half` samples of points `block` samples apart; gains are linear between
    them. What a point's gain does to its neighbours' levels takes several passes.

    Parameters
    ----------
    wanted : ndarray of float32, shape (n,)
        The sound whose level is wanted.
    half : int
        Half the width of the window, in samples.
    block : int
        Distance of the points, in samples.
    largest_gain : float
        Each pass stays between this and its inverse, and so does their product.
    passes : int
        Number of corrections.
    guide : int
        The channel whose level is to be that of `wanted`.
    inout : ndarray of float32, shape (channels, n)
        The sound that is scaled.
    """
    count = wanted.size
    points = (count + block - 1) // block + 1
    energies = np.empty(count + 1)
    targets = np.empty(points)
    gains = np.empty(points)
    total = np.ones(points)
    _accumulate(wanted, energies)
    _sum_windows(energies, half, block, targets)
    for _ in range(passes):
        _accumulate(inout[guide], energies)
        _sum_windows(energies, half, block, gains)
        for point in range(points):
            gain = 1.0
            if gains[point] > SILENCE_POWER:
                gain = math.sqrt(targets[point] / gains[point])
            new = min(max(total[point] * gain, 1.0 / largest_gain), largest_gain)
            gains[point] = new / total[point]
            total[point] = new
        for channel in range(inout.shape[0]):
            _scale(gains, block, inout[channel])


@kernel
def _accumulate(samples: npt.NDArray[np.float32], energies_out: npt.NDArray[np.float64]) -> None:
    energy = 0.0
    energies_out[0] = 0.0
    for index in range(samples.size):
        value = np.float64(samples[index])
        energy += value * value
        energies_out[index + 1] = energy


@kernel
def _sum_windows(
    energies: npt.NDArray[np.float64], half: int, block: int, powers_out: npt.NDArray[np.float64]
) -> None:
    count = energies.size - 1
    for point in range(powers_out.size):
        low = min(max(point * block - half, 0), count)
        high = min(point * block + half, count)
        powers_out[point] = (energies[high] - energies[low]) / max(high - low, 1)


@kernel
def _scale(gains: npt.NDArray[np.float64], block: int, inout: npt.NDArray[np.float32]) -> None:
    for point in range(gains.size - 1):
        start = point * block
        slope = (gains[point + 1] - gains[point]) / block
        for index in range(start, min(start + block, inout.size)):
            inout[index] *= np.float32(gains[point] + slope * (index - start))
