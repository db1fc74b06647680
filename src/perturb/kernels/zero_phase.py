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

__all__ = ["add_scaled", "filter_zero_phase"]

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
    ends = count + settle
    one, other = np.zeros(CHUNK), np.zeros(CHUNK)
    weights = np.empty(CHUNK, dtype=np.float32)
    state = np.zeros((2, 2 * SECTIONS))
    # What is constant needs no filter: it is taken out, and put back at the end.
    constant = 0.0
    if contour.size == 0:
        constant = np.float64(samples[_fold(-settle, count)])
    # A section waits for its own last result, so two halves side by side take little longer than
    # one. The second starts early, and has settled where the first ends.
    is_split = count > 2 * settle + 4 * CHUNK

    border = (count + settle) // 2 if is_split else ends
    start = -settle
    start_other = border - settle if is_split else ends
    while start < border or start_other < ends:
        length = min(border - start, CHUNK)
        length_other = min(ends - start_other, CHUNK)
        _fill(samples, contour, block, start, length, gain, constant, weights, one)
        _fill(samples, contour, block, start_other, length_other, gain, constant, weights, other)
        _cascade(sections, 0, max(length, length_other), 1, state, one, other)
        skip, skip_other = max(-start, 0), max(border - start_other, 0)
        _store(one, skip, length, 0.0, start, work_out)
        _store(other, skip_other, length_other, 0.0, start_other, work_out)
        start += length
        start_other += length_other

    state[:] = 0.0
    constant *= dc_gain
    border = count // 2 if is_split else 0
    stop = ends
    stop_other = border + settle if is_split else 0
    while stop > border or stop_other > 0:
        length, length_other = min(stop - border, CHUNK), min(stop_other, CHUNK)
        start, start_other = stop - length, stop_other - length_other
        # Both lie at the end of their buffer, where running backwards begins.
        longest = max(length, length_other)
        ahead, ahead_other = longest - length, longest - length_other
        _fill_again(work_out[start:stop], gain, one[ahead:longest])
        _fill_again(work_out[start_other:stop_other], gain, other[ahead_other:longest])
        _cascade(sections, longest - 1, -1, -1, state, one, other)
        kept_other = ahead_other + min(border - start_other, length_other)
        _store(one, ahead, longest, constant, start - ahead, work_out)
        _store(other, ahead_other, kept_other, constant, start_other - ahead_other, work_out)
        stop, stop_other = start, start_other


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
def _fill(
    samples: Array,
    contour: Array,
    block: int,
    start: int,
    length: int,
    gain: float,
    constant: float,
    weights_out: Array,
    out: Array,
) -> None:
    """Write the filter's input from sample `start` on: scaled, weighed, without the constant."""
    count = samples.shape[0]
    if start < 0 or start + length > count:
        for i in range(length):
            index = _fold(start + i, count)
            value = np.float64(samples[index]) - constant
            if contour.size > 0:
                value *= _weight_at(contour, block, index)
            out[i] = gain * value
        return
    part = samples[start : start + length]
    if contour.size > 0:
        _fill_weights(contour, block, start, weights_out[:length])
        for i in range(length):
            out[i] = gain * np.float64(part[i] * weights_out[i])
    else:
        for i in range(length):
            out[i] = gain * (np.float64(part[i]) - constant)


@kernel
def _fill_again(samples: Array, gain: float, out: Array) -> None:
    for i in range(samples.shape[0]):
        out[i] = gain * np.float64(samples[i])


@kernel
def _store(buffer: Array, first: int, last: int, constant: float, place: int, out: Array) -> None:
    """Write ``buffer[first:last]`` plus a constant, so that ``buffer[0]`` would be at `place`."""
    if first >= last:
        return
    values = buffer[first:last]
    part = out[place + first : place + last]
    for i in range(last - first):
        part[i] = values[i] + constant


@kernel
def _cascade(
    sections: Array,
    first: int,
    last: int,
    step: int,
    state_inout: Array,
    one_inout: Array,
    other_inout: Array,
) -> None:
    """Run the sections over two buffers at once, each in transposed direct form II."""
    b11, b12, a11, a12 = sections[0, 0], sections[0, 1], sections[0, 2], sections[0, 3]
    b21, b22, a21, a22 = sections[1, 0], sections[1, 1], sections[1, 2], sections[1, 3]
    b31, b32, a31, a32 = sections[2, 0], sections[2, 1], sections[2, 2], sections[2, 3]
    p1, p2, q1 = state_inout[0, 0], state_inout[0, 1], state_inout[0, 2]
    q2, r1, r2 = state_inout[0, 3], state_inout[0, 4], state_inout[0, 5]
    s1, s2, t1 = state_inout[1, 0], state_inout[1, 1], state_inout[1, 2]
    t2, u1, u2 = state_inout[1, 3], state_inout[1, 4], state_inout[1, 5]
    is_band_pass = b11 == 0.0 and b21 == 0.0 and b31 == 0.0
    is_band_pass = is_band_pass and b12 == -1.0 and b22 == -1.0 and b32 == -1.0
    if is_band_pass:  # the same sums, with three fifths of the arithmetic
        for i in range(first, last, step):
            x, y = one_inout[i], other_inout[i]
            x_next, y_next = x + p1, y + s1
            p1, s1 = p2 - a11 * x_next, s2 - a11 * y_next
            p2, s2 = -x - a12 * x_next, -y - a12 * y_next
            x, y = x_next, y_next
            x_next, y_next = x + q1, y + t1
            q1, t1 = q2 - a21 * x_next, t2 - a21 * y_next
            q2, t2 = -x - a22 * x_next, -y - a22 * y_next
            x, y = x_next, y_next
            x_next, y_next = x + r1, y + u1
            r1, u1 = r2 - a31 * x_next, u2 - a31 * y_next
            r2, u2 = -x - a32 * x_next, -y - a32 * y_next
            one_inout[i], other_inout[i] = x_next, y_next
    else:
        for i in range(first, last, step):
            x, y = one_inout[i], other_inout[i]
            x_next, y_next = x + p1, y + s1
            p1, s1 = (b11 * x + p2) - a11 * x_next, (b11 * y + s2) - a11 * y_next
            p2, s2 = b12 * x - a12 * x_next, b12 * y - a12 * y_next
            x, y = x_next, y_next
            x_next, y_next = x + q1, y + t1
            q1, t1 = (b21 * x + q2) - a21 * x_next, (b21 * y + t2) - a21 * y_next
            q2, t2 = b22 * x - a22 * x_next, b22 * y - a22 * y_next
            x, y = x_next, y_next
            x_next, y_next = x + r1, y + u1
            r1, u1 = (b31 * x + r2) - a31 * x_next, (b31 * y + u2) - a31 * y_next
            r2, u2 = b32 * x - a32 * x_next, b32 * y - a32 * y_next
            one_inout[i], other_inout[i] = x_next, y_next
    state_inout[0, 0], state_inout[0, 1], state_inout[0, 2] = p1, p2, q1
    state_inout[0, 3], state_inout[0, 4], state_inout[0, 5] = q2, r1, r2
    state_inout[1, 0], state_inout[1, 1], state_inout[1, 2] = s1, s2, t1
    state_inout[1, 3], state_inout[1, 4], state_inout[1, 5] = t2, u1, u2
    for lane in range(2):
        for k in range(2 * SECTIONS):
            if abs(state_inout[lane, k]) < NOTHING:
                state_inout[lane, k] = 0.0


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
