"""Pitch-synchronous overlap-add: windowed periods of a recording put at other places.

Positions are in samples of one array, and fractional (`perturb.kernels.pitch_marks`).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["overlap_add"]

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]


@kernel
def overlap_add(
    samples: Floats32,
    sources: Floats,
    targets: Floats,
    start: float,
    stop: float,
    table: Floats32,
    grains_inout: Floats32,
    rest_out: Floats32,
) -> None:
    """Put the period nearest in time at each target mark, and say where the original goes on.

    A grain is the sound around a source mark, windowed by half a Hann on either side: as long as
    the source's period there, not past the edges of the run.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording. Before and after it there is silence.
    sources, targets : ndarray of float64
        Marks of the periods in the recording, at least two, and where they are to be.
    start, stop : float
        Edges of the run.
    table : ndarray of float32, shape (phases + 1, taps)
        Row p holds the weights of the samples around a place p / phases after the sample
        ``taps // 2 - 1``.
    grains_inout : ndarray of float32, shape (channels, length)
        The run from sample ``ceil(start)`` on; grains are added to it.
    rest_out : ndarray of float32, shape (length,)
        Weight of the original beside them: 1 to 0 over the first grain's rise, 0 to 1 over the last
        one's fall.
    """
    origin = math.ceil(start)
    length = rest_out.size
    rest_out[:] = 1.0
    capacity = 4 + math.ceil(2.0 * np.max(np.diff(sources)))
    grain = np.empty(capacity, dtype=np.float32)
    phases = table.shape[0] - 1
    source = 0
    last = targets.size - 1
    for number in range(targets.size):
        target = targets[number]
        while source + 1 < sources.size and abs(sources[source + 1] - target) < abs(
            sources[source] - target
        ):
            source += 1
        mark = sources[source]
        before = mark - sources[source - 1] if source > 0 else sources[1] - mark
        after = (
            sources[source + 1] - mark if source + 1 < sources.size else mark - sources[source - 1]
        )
        before = min(before, target - start)
        after = min(after, stop - target)
        low = max(math.ceil(target - before), origin)
        high = min(math.floor(target + after), origin + length - 1)
        shift = mark - target
        whole = math.floor(shift)
        row = math.floor((shift - whole) * phases + 0.5)
        for channel in range(samples.shape[0]):
            _read(samples[channel], low + whole, high - low + 1, table[row], grain)
            for index in range(low, high + 1):
                weight = _window(index - target, before, after)
                grains_inout[channel, index - origin] += np.float32(weight) * grain[index - low]
        for index in range(low, high + 1):
            if number == 0 and index < target:
                rest_out[index - origin] -= np.float32(_window(index - target, before, after))
            elif number == last and index >= target:
                rest_out[index - origin] = 1.0 - np.float32(_window(index - target, before, after))
    for index in range(max(math.ceil(targets[0]) - origin, 0), length):
        if index + origin >= targets[last]:
            break
        rest_out[index] = 0.0


@kernel
def _window(offset: float, before: float, after: float) -> float:
    width = before if offset < 0.0 else after
    if width <= 0.0:
        return 0.0
    return 0.5 + 0.5 * math.cos(math.pi * offset / width)


@kernel
def _read(
    channel: Floats32, start: int, count: int, weights: Floats32, grain_out: Floats32
) -> None:
    """Read `count` samples from a fraction after `start` on."""
    taps = weights.size
    first = start - (taps // 2 - 1)
    grain_out[:count] = 0.0
    for tap in range(taps):
        weight = weights[tap]
        if weight == 0.0:
            continue
        offset = first + tap
        low = max(0, -offset)
        high = min(count, channel.size - offset)
        for index in range(low, high):
            grain_out[index] += weight * channel[offset + index]
