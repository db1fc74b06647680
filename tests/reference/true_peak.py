"""The true peak without screening: every point between all samples, by convolution."""

import numpy as np


def find_true_peak(samples, phases, floor=0.0):
    """Return the largest magnitude of the samples and of all interpolated points, or `floor`."""
    best = max(floor, float(np.abs(samples).max()))
    for channel in samples.astype(np.float64):
        for phase in phases.astype(np.float64):
            # Correlation, as the kernel's filters are stored; "full" covers what rings outside.
            best = max(best, float(np.abs(np.convolve(channel, phase[::-1])).max()))
    return best
