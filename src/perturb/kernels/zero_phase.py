"""Zero-phase filters of three second-order sections, and contours laid over signals.

A signal is filtered forwards and then backwards, so that nothing moves in time. Outside, it goes on
as its mirror image, for as long as the filter takes to settle: edges are neither onsets nor gaps,
and any length can be filtered.

A contour is one value per block of samples, at the block's centre; between centres it is linear,
beyond the first and the last it stands still.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["add_scaled", "filter_zero_phase", "measure_blocks"]

Array = npt.NDArray[Any]

SECTIONS = 3
CHUNK = 1024
NOTHING = 1e-30
"""States under this are cleared, before they decay into slow denormal arithmetic."""


@kernel
def filter_zero_phase(
    samples: Array,
    contour: Array,
    block: int,
    sections: Array,
    gain: float,
    dc_gain: float,
    settle: int,
    work_out: Array,
) -> None:
    """Filter `samples`, times a contour where there is one, forwards and backwards.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        At least one sample.
    contour : ndarray of float32, shape (blocks,)
        Weights of the samples, one per block; empty for none.
    block : int
        Samples per block of the contour.
    sections : ndarray of float64, shape (3, 4)
        ``b1, b2, a1, a2`` of ``(1 + b1 z⁻¹ + b2 z⁻²) / (1 + a1 z⁻¹ + a2 z⁻²)``.
    gain : float
        Of the whole cascade, in each direction.
    dc_gain : float
        What the filter does to a constant: 1 or 0, exactly, and so it is done.
    settle : int
        Samples that the signal is continued by, mirrored, at either end.
    work_out : ndarray of float32, shape (n + settle,)
        The first n samples are the result, in phase with `samples`.
    """
    count = samples.shape[0]
    buffer = np.empty(CHUNK)
    weights = np.empty(CHUNK, dtype=np.float32)
    state = np.zeros(2 * SECTIONS)
    # What is constant needs no filter: it is taken out, and put back at the end.
    constant = np.float64(samples[_fold(-settle, count)])
    if contour.size > 0:
        constant = 0.0

    start = -settle
    while start < count + settle:
        border = count + settle
        if start < 0:
            border = 0
        elif start < count:
            border = count
        stop = min(start + CHUNK, border)
        length = stop - start
        if 0 <= start < count:
            part = samples[start:stop]
            if contour.size > 0:
                _fill_weights(contour, block, start, weights[:length])
                for i in range(length):
                    buffer[i] = gain * np.float64(part[i] * weights[i])
            else:
                for i in range(length):
                    buffer[i] = gain * (np.float64(part[i]) - constant)
        else:
            for i in range(length):
                index = _fold(start + i, count)
                value = np.float64(samples[index]) - constant
                if contour.size > 0:
                    value *= _weight_at(contour, block, index)
                buffer[i] = gain * value
        _cascade(sections, 0, length, 1, state, buffer)
        if start >= 0:
            forward = work_out[start:stop]
            for i in range(length):
                forward[i] = buffer[i]
        start = stop

    state[:] = 0.0
    constant *= dc_gain
    stop = count + settle
    while stop > 0:
        start = max(stop - CHUNK, count if stop > count else 0)
        length = stop - start
        backward = work_out[start:stop]
        for i in range(length):
            buffer[i] = gain * np.float64(backward[i])
        _cascade(sections, length - 1, -1, -1, state, buffer)
        for i in range(length):
            backward[i] = buffer[i] + constant
        stop = start


@kernel
def measure_blocks(samples: Array, block: int, magnitudes_out: Array) -> float:
    """Measure the mean magnitude of each block, and return the energy of all.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        The signal.
    block : int
        Samples per block; the last may be shorter and is averaged over its own length.
    magnitudes_out : ndarray of float32, shape (ceil(n / block),)
        Mean of ``|x|``.

    Returns
    -------
    float
        Sum of the squares.
    """
    total = 0.0
    for k in range(magnitudes_out.shape[0]):
        part = samples[k * block : min((k + 1) * block, samples.shape[0])]
        length = part.shape[0]
        # Four sums of each side by side: one alone would wait for itself.
        sum0, sum1, sum2, sum3 = 0.0, 0.0, 0.0, 0.0
        power0, power1, power2, power3 = 0.0, 0.0, 0.0, 0.0
        fours = length // 4
        for j in range(fours):
            x0, x1 = np.float64(part[4 * j]), np.float64(part[4 * j + 1])
            x2, x3 = np.float64(part[4 * j + 2]), np.float64(part[4 * j + 3])
            sum0 += abs(x0)
            sum1 += abs(x1)
            sum2 += abs(x2)
            sum3 += abs(x3)
            power0 += x0 * x0
            power1 += x1 * x1
            power2 += x2 * x2
            power3 += x3 * x3
        for j in range(4 * fours, length):
            value = np.float64(part[j])
            sum0 += abs(value)
            power0 += value * value
        magnitudes_out[k] = ((sum0 + sum1) + (sum2 + sum3)) / length
        total += (power0 + power1) + (power2 + power3)
    return total


@kernel
def add_scaled(samples: Array, contour: Array, block: int, inout: Array) -> None:
    """Add `samples`, times a contour, to `inout`.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        What is added.
    contour : ndarray of float32, shape (blocks,)
        Its weights, one per block, at least one.
    block : int
        Samples per block.
    inout : ndarray of float32, shape (n,)
        What it is added to.
    """
    count = inout.shape[0]
    weights = np.empty(CHUNK, dtype=np.float32)
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        length = stop - start
        if contour.shape[0] == 1:
            weights[:] = contour[0]
        else:
            _fill_weights(contour, block, start, weights[:length])
        part = samples[start:stop]
        result = inout[start:stop]
        for i in range(length):
            result[i] += weights[i] * part[i]


@kernel
def _cascade(
    sections: Array, first: int, last: int, step: int, state_inout: Array, inout: Array
) -> None:
    """Run the sections over ``inout[first:last:step]``, each in transposed direct form II."""
    b11, b12, a11, a12 = sections[0, 0], sections[0, 1], sections[0, 2], sections[0, 3]
    b21, b22, a21, a22 = sections[1, 0], sections[1, 1], sections[1, 2], sections[1, 3]
    b31, b32, a31, a32 = sections[2, 0], sections[2, 1], sections[2, 2], sections[2, 3]
    p1, p2 = state_inout[0], state_inout[1]
    q1, q2 = state_inout[2], state_inout[3]
    r1, r2 = state_inout[4], state_inout[5]
    for i in range(first, last, step):
        u = inout[i]
        v = u + p1
        p1 = (b11 * u + p2) - a11 * v
        p2 = b12 * u - a12 * v
        w = v + q1
        q1 = (b21 * v + q2) - a21 * w
        q2 = b22 * v - a22 * w
        y = w + r1
        r1 = (b31 * w + r2) - a31 * y
        r2 = b32 * w - a32 * y
        inout[i] = y
    state_inout[0], state_inout[1] = p1, p2
    state_inout[2], state_inout[3] = q1, q2
    state_inout[4], state_inout[5] = r1, r2
    for k in range(2 * SECTIONS):
        if abs(state_inout[k]) < NOTHING:
            state_inout[k] = 0.0


@kernel
def _fold(index: int, count: int) -> int:
    """Return where a sample outside is found inside: the signal goes on as its mirror image."""
    folded = index % (2 * count)
    return folded if folded < count else 2 * count - 1 - folded


@kernel
def _weight_at(contour: Array, block: int, index: int) -> float:
    place = (index + 0.5) / block - 0.5
    left = math.floor(place)
    before = np.float64(contour[min(max(left, 0), contour.shape[0] - 1)])
    after = np.float64(contour[min(left + 1, contour.shape[0] - 1)])
    return before + (place - left) * (after - before)


@kernel
def _fill_weights(contour: Array, block: int, start: int, weights_out: Array) -> None:
    """Write the weights of the samples from `start` on, one straight piece after the other."""
    count = weights_out.shape[0]
    last = contour.shape[0] - 1
    left = math.floor((start + 0.5) / block - 0.5)
    i = 0
    while i < count:
        # Up to the next centre, (left + 1.5) blocks from the first sample's edge.
        stop = min(count, (2 * left + 3) * block // 2 - start)
        before = np.float64(contour[min(max(left, 0), last)])
        after = np.float64(contour[min(left + 1, last)])
        step = (after - before) / block
        first = np.float32(before + step * (start + i + 0.5 - (left + 0.5) * block))
        slope = np.float32(step)
        piece = weights_out[i:stop]
        for j in range(stop - i):
            piece[j] = first + slope * np.float32(j)
        left += 1
        i = stop
