"""Kernel of the active speech level: time spent above each of a ladder of thresholds."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["count_active_samples"]

_NOTHING = 1e-30


@kernel
def count_active_samples(
    samples: npt.NDArray[np.float32],
    thresholds: npt.NDArray[np.float64],
    smoothing: float,
    hangover_samples: int,
    last_seen_inout: npt.NDArray[np.int64],
    active_out: npt.NDArray[np.int64],
) -> float:
    """Count, for each threshold, the samples at which the envelope counts as active.

    The envelope is the magnitude (over channels: root of the mean square) through two one-pole
    smoothers. A sample is active for a threshold where the envelope reaches it, or did within the
    hangover before. The highest threshold that is active falls and rises by small steps, so one
    pass and one histogram serve all thresholds, however many there are.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes, finite.
    thresholds : ndarray of float64, shape (thresholds,)
        Rising amplitudes, all above zero.
    smoothing : float
        Pole of each smoother, 0 to 1.
    hangover_samples : int
        Samples for which a threshold stays active after the envelope has left it.
    last_seen_inout : ndarray of int64, shape (thresholds + 1,)
        Scratch.
    active_out : ndarray of int64, shape (thresholds,)
        Active samples per threshold.

    Returns
    -------
    float
        Sum of squares, averaged over channels.
    """
    channels, count = samples.shape
    steps = thresholds.shape[0]
    for step in range(steps + 1):
        last_seen_inout[step] = -1 - hangover_samples
    for step in range(steps):
        active_out[step] = 0
    rise = 1.0 - smoothing
    first = 0.0
    second = 0.0
    energy = 0.0
    magnitude = 0.0
    here = 0  # thresholds that the envelope reaches now
    ceiling = thresholds[0]  # where one more is reached
    floor = -1.0  # under which one fewer is
    highest = 0  # thresholds that are active now, hangover included
    since = 0  # where that number began
    for i in range(count):
        if channels == 1:
            # float() of a float32 stays float32 in compiled code
            magnitude = abs(np.float64(samples[0, i]))
            energy += magnitude * magnitude
        else:
            power = 0.0
            for channel in range(channels):
                value = np.float64(samples[channel, i])
                power += value * value
            power /= channels
            energy += power
            magnitude = math.sqrt(power)
        first = smoothing * first + rise * magnitude
        second = smoothing * second + rise * first
        if second < _NOTHING:  # decaying into denormal numbers would cost fifty times the time
            second = 0.0
            if first < _NOTHING:
                first = 0.0
        if second >= ceiling or second < floor:
            last_seen_inout[here] = i - 1
            while here < steps and second >= thresholds[here]:
                here += 1
            while here > 0 and second < thresholds[here - 1]:
                here -= 1
            ceiling = thresholds[here] if here < steps else np.inf
            floor = thresholds[here - 1] if here > 0 else -1.0
        active = here
        if here < highest:  # max() would cost a quarter of the time
            active = highest
        while active > here and last_seen_inout[active] < i - hangover_samples:
            active -= 1
        if active != highest:
            if highest > 0:
                active_out[highest - 1] += i - since
            highest = active
            since = i
    if highest > 0:
        active_out[highest - 1] += count - since
    for step in range(steps - 2, -1, -1):
        active_out[step] += active_out[step + 1]
    return energy
