"""Marks of a voice's periods: where they are in a recording, and where they are wanted.

All positions are in samples of one array; marks are fractional, so that a period can be moved by
less than a sample.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["lay_marks", "mark_periods"]

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]

SHORTEST_STEP = 0.8
LONGEST_STEP = 1.2
"""Range in which the next mark is sought, in periods: an octave lies outside."""
STRAY_COST = 0.3
"""Likeness that a step may lack where it is as far from the period as the range allows."""
LEAST_ENERGY = 1e-12


@kernel
def mark_periods(
    guide: Floats32,
    start: float,
    stop: float,
    periods: Floats32,
    first: float,
    hop: float,
    stride: int,
    marks_out: Floats,
) -> int:
    """Mark each period of a voiced run, from its middle outwards.

    The first mark is the largest sample within a period about the middle. Each next one is where
    the period around the mark before is found again, by normalised cross-correlation, 0.8 to 1.2
    periods on; what strays from the tracked period must be the more alike.

    Parameters
    ----------
    guide : ndarray of float32, shape (n,)
        The channel that is searched.
    start, stop : float
        Edges of the run; all marks are within.
    periods : ndarray of float32, shape (frames,)
        The run's tracked periods, in samples.
    first, hop : float
        Position of the run's first frame, and distance of frames.
    stride : int
        Samples skipped in the first, coarse search (1 = none); a second one is exact.
    marks_out : ndarray of float64, shape (capacity,)
        The marks, rising. The capacity has to be at least
        ``2 + 2 * (stop - start) / (0.8 * least period)``.

    Returns
    -------
    int
        Number of marks; 0 where no period fits.
    """
    middle = 0.5 * (start + stop)
    period = _value_at(periods, (middle - first) / hop)
    low = max(math.ceil(max(middle - 0.5 * period, start)), 0)
    high = min(math.floor(min(middle + 0.5 * period, stop)), guide.size - 1)
    if high < low:
        return 0
    best = low
    for index in range(low, high + 1):
        if abs(guide[index]) > abs(guide[best]):
            best = index
    lags = math.ceil((LONGEST_STEP - SHORTEST_STEP) * np.max(periods)) + 2 * stride + 3
    likeness = np.empty(lags, dtype=np.float32)
    energies = np.empty(lags, dtype=np.float32)
    count = 1
    marks_out[0] = best
    for direction in (-1, 1):
        mark = float(best)
        while True:
            period = _value_at(periods, (mark - first) / hop)
            mark = mark + _step(guide, mark, direction, period, stride, likeness, energies)
            if mark < start or mark > stop:
                break
            marks_out[count] = mark
            count += 1
        if direction < 0:
            marks_out[:count] = marks_out[:count][::-1].copy()
    return count


@kernel
def _value_at(values: Floats32, place: float) -> float:
    """Return a value between frames, held at the edges."""
    place = min(max(place, 0.0), values.size - 1.0)
    left = min(int(place), values.size - 1)
    right = min(left + 1, values.size - 1)
    weight = place - left
    return float(values[left]) * (1.0 - weight) + float(values[right]) * weight


@kernel
def _step(
    guide: Floats32,
    mark: float,
    direction: int,
    period: float,
    stride: int,
    likeness: Floats32,
    energies: Floats32,
) -> float:
    """Return the signed distance to the next mark."""
    expected = direction * period
    centre = math.floor(mark + 0.5)
    half = max(2, math.floor(0.5 * period + 0.5))
    nearest = math.ceil(SHORTEST_STEP * period)
    farthest = math.floor(LONGEST_STEP * period)
    reach = half + farthest + stride + 1
    if farthest < nearest or centre - reach < 0 or centre + reach >= guide.size:
        return expected
    lowest = nearest if direction > 0 else -farthest
    count = farthest - nearest + 1
    if stride > 1:
        coarse = (count - 1) // stride + 1
        _compare(guide, centre, half, lowest, coarse, stride, likeness, energies)
        best = lowest + stride * _most_alike(likeness, 0, coarse, lowest, stride, expected)
        lowest, count = best - stride + 1, 2 * stride - 1
    # One more lag on either side, for the parabola.
    _compare(guide, centre, half, lowest - 1, count + 2, 1, likeness, energies)
    best = _most_alike(likeness, 1, count + 1, lowest - 1, 1, expected)
    left, here, right = likeness[best - 1], likeness[best], likeness[best + 1]
    bend = float(left) - 2.0 * float(here) + float(right)
    shift = 0.0
    if bend < 0.0:
        shift = min(max(0.5 * float(left - right) / bend, -0.5), 0.5)
    return lowest - 1 + best + shift


@kernel
def _compare(
    guide: Floats32,
    centre: int,
    half: int,
    lowest: int,
    count: int,
    stride: int,
    likeness_out: Floats32,
    energies_out: Floats32,
) -> None:
    """Write the normalised correlation of the period about `centre` with those `count` lags on."""
    likeness_out[:count] = 0.0
    energies_out[:count] = 0.0
    own = np.float32(0.0)
    # Lags in the inner loop, so that it can be vectorised without reordering a sum.
    for offset in range(-half, half + 1, stride):
        value = guide[centre + offset]
        own += value * value
        there = centre + offset + lowest
        for lag in range(count):
            other = guide[there + lag * stride]
            likeness_out[lag] += value * other
            energies_out[lag] += other * other
    for lag in range(count):
        likeness_out[lag] /= math.sqrt(own * energies_out[lag]) + LEAST_ENERGY


@kernel
def _most_alike(
    likeness: Floats32, start: int, stop: int, lowest: int, stride: int, expected: float
) -> int:
    """Return the lag with the greatest likeness, what strays from `expected` at a cost."""
    best = start
    most = -np.inf
    for lag in range(start, stop):
        stray = (lowest + lag * stride - expected) / ((LONGEST_STEP - 1.0) * expected)
        value = float(likeness[lag]) - STRAY_COST * stray * stray
        if value > most:
            most = value
            best = lag
    return best


@kernel
def lay_marks(
    start: float,
    stop: float,
    periods: Floats32,
    first: float,
    hop: float,
    marks_out: Floats,
) -> int:
    """Lay marks one wanted period apart, from `start` on.

    Parameters
    ----------
    start, stop : float
        The first mark; none is after `stop`.
    periods : ndarray of float32, shape (frames,)
        The wanted periods, in samples.
    first, hop : float
        Position of the first frame, and distance of frames.
    marks_out : ndarray of float64, shape (capacity,)
        The marks. The capacity has to be at least ``2 + (stop - start) / least period``.

    Returns
    -------
    int
        Number of marks.
    """
    mark = start
    count = 0
    while mark <= stop:
        marks_out[count] = mark
        count += 1
        # The period of the middle of the step, so that a glide is not late by half of one.
        half = 0.5 * _value_at(periods, (mark - first) / hop)
        mark += _value_at(periods, (mark + half - first) / hop)
    return count
