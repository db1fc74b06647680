"""The level contour of one signal, imposed on another."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["impose_level"]

SILENCE_RMS = 1e-6
"""A target under −120 dBFS is silence, and the result exact zeros."""
LARGEST_GAIN = 10.0


@kernel
def impose_level(
    target: npt.NDArray[np.float32],
    is_open: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64],
    block_samples: float,
    nominal_rms: float,
    passes: int,
    inout: npt.NDArray[np.float32],
) -> None:
    """Scale `inout`, smoothly, until its level follows that of `target`.

    Levels are RMS about the mean, of blocks smoothed by `weights`; gains are linear between the
    blocks' centres. A block's level depends on its neighbours' gains, hence several passes.

    Parameters
    ----------
    target : ndarray of float32, shape (n,)
        The signal whose contour is wanted.
    is_open : ndarray of bool, shape (blocks,)
        Blocks that count; in the others the result is silence. ``ceil(n / block_samples)``.
    weights : ndarray of float64, shape (odd,)
        The smoothing window, in blocks.
    block_samples : float
        Length of a block; block k starts at sample ``floor(k * block_samples + .5)``.
    nominal_rms : float
        RMS that `inout` is meant to come with; 0 = about that of `target`. The first gain stays
        within 20 dB of what this would need, and later ones within 20 dB: where `inout` has
        next to nothing to amplify, nothing is what remains.
    passes : int
        Number of corrections.
    inout : ndarray of float32, shape (n,)
        The signal that is scaled.
    """
    blocks = is_open.size
    sums = np.empty(blocks)
    energies = np.empty(blocks)
    counts = np.empty(blocks)
    wanted = np.empty(blocks)
    gains = np.empty(blocks)
    _measure(target, block_samples, sums, energies, counts)
    _smooth(sums, energies, counts, is_open, weights, wanted)
    for number in range(passes):
        _measure(inout, block_samples, sums, energies, counts)
        _smooth(sums, energies, counts, is_open, weights, gains)
        for block in range(blocks):
            limit = LARGEST_GAIN
            if number == 0 and nominal_rms > 0.0:
                limit *= wanted[block] / nominal_rms
            if wanted[block] < SILENCE_RMS or not is_open[block]:
                gains[block] = 0.0
            elif limit * gains[block] <= wanted[block]:
                gains[block] = limit
            else:
                gains[block] = wanted[block] / gains[block]
        _scale(gains, block_samples, inout)


@kernel
def _measure(
    samples: npt.NDArray[np.float32],
    block_samples: float,
    sums_out: npt.NDArray[np.float64],
    energies_out: npt.NDArray[np.float64],
    counts_out: npt.NDArray[np.float64],
) -> None:
    stop = 0
    for block in range(sums_out.size):
        start = stop
        stop = min(math.floor((block + 1) * block_samples + 0.5), samples.size)
        total = 0.0
        energy = 0.0
        for index in range(start, stop):
            value = np.float64(samples[index])
            total += value
            energy += value * value
        sums_out[block] = total
        energies_out[block] = energy
        counts_out[block] = stop - start


@kernel
def _smooth(
    sums: npt.NDArray[np.float64],
    energies: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    is_open: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64],
    rms_out: npt.NDArray[np.float64],
) -> None:
    half = weights.size // 2
    for block in range(sums.size):
        count = 0.0
        total = 0.0
        energy = 0.0
        for tap in range(weights.size):
            other = block + tap - half
            if 0 <= other < sums.size and is_open[other]:
                count += weights[tap] * counts[other]
                total += weights[tap] * sums[other]
                energy += weights[tap] * energies[other]
        rms_out[block] = 0.0
        if count > 0.0:
            mean = total / count
            variance = energy / count - mean * mean
            rms_out[block] = math.sqrt(max(variance, 0.0))


@kernel
def _scale(
    gains: npt.NDArray[np.float64],
    block_samples: float,
    inout: npt.NDArray[np.float32],
) -> None:
    # Segment k runs from the centre of block k - 1 to that of block k.
    stop = 0
    for segment in range(gains.size + 1):
        start = stop
        centre = (segment + 0.5) * block_samples
        stop = min(math.ceil(centre), inout.size)
        before = gains[max(segment - 1, 0)]
        after = gains[min(segment, gains.size - 1)]
        slope = np.float32((after - before) / block_samples)
        first = np.float32(before)
        offset = np.float32(start - (centre - block_samples))
        for index in range(start, stop):
            gain = first + slope * (offset + np.float32(index - start))
            inout[index] *= gain
