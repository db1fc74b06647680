"""Short windowed pieces of a recording put at other places and played at another speed.

Positions are in samples of one array, and fractional.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["lay_grains"]

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]


@kernel
def lay_grains(
    samples: Floats32,
    sources: Floats,
    targets: Floats,
    rises: Floats,
    falls: Floats,
    ratio: float,
    table: Floats32,
    origin: int,
    out_inout: Floats32,
) -> None:
    """Add each grain at its target, its frequencies `ratio` times as high.

    A grain is heard from its rise before the target to its fall after it, windowed by half a Hann
    on either side; `ratio` samples of the recording pass in one of the result.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording. Before and after it there is silence.
    sources, targets : ndarray of float64, shape (grains,)
        Middles of the grains in the recording, and where they are to be.
    rises, falls : ndarray of float64, shape (grains,)
        Lengths of the two halves, in samples of the result.
    ratio : float
        Speed at which the recording is read.
    table : ndarray of float32, shape (phases + 1, taps)
        Row p holds the weights of the samples around a place p / phases after the sample
        ``taps // 2 - 1``.
    origin : int
        Position of the first sample of the result.
    out_inout : ndarray of float32, shape (channels, length)
        The result; grains are added to it.
    """
    channels, length = out_inout.shape
    count = samples.shape[1]
    phases = table.shape[0] - 1
    taps = table.shape[1]
    for number in range(targets.size):
        target = targets[number]
        low = max(math.ceil(target - rises[number]), origin)
        high = min(math.floor(target + falls[number]), origin + length - 1)
        for index in range(low, high + 1):
            offset = index - target
            width = rises[number] if offset < 0.0 else falls[number]
            if width <= 0.0:
                continue
            window = np.float32(0.5 + 0.5 * math.cos(math.pi * offset / width))
            place = sources[number] + ratio * offset
            whole = math.floor(place)
            row = math.floor((place - whole) * phases + 0.5)
            start = whole - (taps // 2 - 1)
            first = max(0, -start)
            last = min(taps, count - start)
            for channel in range(channels):
                value = np.float32(0.0)
                for tap in range(first, last):
                    value += table[row, tap] * samples[channel, start + tap]
                out_inout[channel, index - origin] += window * value
