"""Kernel of the true peak: interpolate only where a new maximum is possible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["BLOCK_SAMPLES", "find_true_peak"]

BLOCK_SAMPLES = 64
"""Samples that are screened together; at least half the length of the interpolation filter."""


@kernel
def find_true_peak(
    samples: npt.NDArray[np.float32],
    phases: npt.NDArray[np.float32],
    bound: float,
    floor: float,
    block_peaks_out: npt.NDArray[np.float32],
    window_inout: npt.NDArray[np.float32],
    sums_inout: npt.NDArray[np.float32],
) -> float:
    """Return the largest magnitude of the samples and of the points interpolated between them.

    Point ``p`` of phase ``q`` lies between samples ``p`` and ``p + 1``; the clip is followed and
    preceded by zeros, and the points there count. An interpolated magnitude is at most `bound`
    times the largest sample under the filter, so blocks whose bound does not exceed the maximum
    found so far are passed over: the result is that of interpolating everything.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes, finite.
    phases : ndarray of float32, shape (phases, taps)
        Interpolation filters, an even number of taps, at most ``2 * BLOCK_SAMPLES``.
    bound : float
        Largest sum of magnitudes of any phase, with some room for rounding.
    floor : float
        Magnitudes up to here are of no interest; 0 finds the peak itself.
    block_peaks_out : ndarray of float32, shape (blocks + 4,)
        Scratch; ``blocks = ceil(samples / BLOCK_SAMPLES)``.
    window_inout : ndarray of float32, shape (BLOCK_SAMPLES + taps - 1,)
        Scratch.
    sums_inout : ndarray of float32, shape (BLOCK_SAMPLES,)
        Scratch.

    Returns
    -------
    float
        The peak, or `floor` where nothing exceeds it.
    """
    channels, count = samples.shape
    phase_count, taps = phases.shape
    blocks = block_peaks_out.shape[0] - 4
    best = floor
    for channel in range(channels):
        for i in range(count):
            best = max(best, abs(samples[channel, i]))
    for channel in range(channels):
        block_peaks_out[:] = 0.0
        for block in range(blocks):
            peak = np.float32(0.0)
            for i in range(block * BLOCK_SAMPLES, min((block + 1) * BLOCK_SAMPLES, count)):
                peak = max(peak, abs(samples[channel, i]))
            block_peaks_out[block + 2] = peak
        for block in range(-1, blocks + 1):
            peak = max(
                block_peaks_out[block + 1], block_peaks_out[block + 2], block_peaks_out[block + 3]
            )
            if bound * peak <= best:
                continue
            first = block * BLOCK_SAMPLES - (taps // 2 - 1)
            for k in range(window_inout.shape[0]):
                i = first + k
                window_inout[k] = samples[channel, i] if 0 <= i < count else np.float32(0.0)
            for phase in range(phase_count):
                sums_inout[:] = 0.0
                for tap in range(taps):
                    weight = phases[phase, tap]
                    for k in range(BLOCK_SAMPLES):
                        sums_inout[k] += weight * window_inout[k + tap]
                for k in range(BLOCK_SAMPLES):
                    best = max(best, abs(sums_inout[k]))
    return best
