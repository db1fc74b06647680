"""Variance of overlapping frames, in one pass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["measure_frame_variances"]


@kernel
def measure_frame_variances(
    samples: npt.NDArray[np.float32],
    frame_samples: int,
    hop_samples: int,
    variances_out: npt.NDArray[np.float64],
) -> None:
    """Measure the power of each frame about its mean, averaged over channels.

    Sums are of the distances to the frame's first sample, so that a constant has none at all and
    an offset costs no digits.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes, finite.
    frame_samples, hop_samples : int
        Length of a frame and distance to the next, at least 1.
    variances_out : ndarray of float64, shape (frames,)
        The last frame must end within the samples.
    """
    channels = samples.shape[0]
    fours = frame_samples // 4
    for frame in range(variances_out.size):
        start = frame * hop_samples
        total = 0.0
        for channel in range(channels):
            part = samples[channel, start : start + frame_samples]
            first = np.float64(part[0])
            # Four sums of each side by side: one alone would wait for itself.
            sum0, sum1, sum2, sum3 = 0.0, 0.0, 0.0, 0.0
            power0, power1, power2, power3 = 0.0, 0.0, 0.0, 0.0
            for j in range(fours):
                x0, x1 = np.float64(part[4 * j]) - first, np.float64(part[4 * j + 1]) - first
                x2, x3 = np.float64(part[4 * j + 2]) - first, np.float64(part[4 * j + 3]) - first
                sum0 += x0
                sum1 += x1
                sum2 += x2
                sum3 += x3
                power0 += x0 * x0
                power1 += x1 * x1
                power2 += x2 * x2
                power3 += x3 * x3
            for j in range(4 * fours, frame_samples):
                value = np.float64(part[j]) - first
                sum0 += value
                power0 += value * value
            mean = ((sum0 + sum1) + (sum2 + sum3)) / frame_samples
            power = ((power0 + power1) + (power2 + power3)) / frame_samples
            total += max(power - mean * mean, 0.0)
        variances_out[frame] = total / channels
