"""Joins: the 10 ms raised-cosine edges between an edited span and the untouched clip.

The edge lies inside the span, so that everything outside stays bit-identical. At the clip's own
edge there is nothing to join to, hence no edge.
"""

from __future__ import annotations

import math

import numpy as np

from perturb.kernels._jit import as_input, kernel
from perturb.signal import FloatArray
from perturb.span import seconds_to_sample

__all__ = ["JOIN_S", "core_of", "core_within", "join_into", "join_lengths", "join_ramp"]

JOIN_S = 0.010


def join_lengths(start: int, stop: int, sample_count: int, sample_rate_hz: int) -> tuple[int, int]:
    """Return the lengths of the rising and the falling edge of a span, in samples.

    10 ms each; a quarter of the span where it is shorter than 40 ms, so that at least half of it
    is core; 0 at the clip's own edges.
    """
    length = min(seconds_to_sample(JOIN_S, sample_rate_hz), (stop - start) // 4)
    return (0 if start == 0 else length), (0 if stop == sample_count else length)


def core_of(start: int, stop: int, sample_count: int, sample_rate_hz: int) -> tuple[int, int]:
    """Return the part of a span between its edges, as sample indices."""
    rising, falling = join_lengths(start, stop, sample_count, sample_rate_hz)
    return start + rising, stop - falling


def core_within(start: int, stop: int, sample_count: int, sample_rate_hz: int) -> slice:
    """Return the same part, counted from the start of the span."""
    low, high = core_of(start, stop, sample_count, sample_rate_hz)
    return slice(low - start, high - start)


def join_ramp(length: int, rising: int, falling: int) -> FloatArray:
    """Return the weight of the edit within its span: 0 to 1 at the edges, 1 in the core.

    Returns
    -------
    ndarray of float32, shape (length,)
    """
    ramp = np.empty(length, dtype=np.float32)
    _fill_ramp(rising, falling, ramp)
    return ramp


def join_into(edited: FloatArray, start: int, rising: int, falling: int, out: FloatArray) -> None:
    """Write `edited` over `out` from sample `start` on, crossfading at its edges.

    Parameters
    ----------
    edited : ndarray of float32, shape (channels, length)
        The edited span.
    start : int
        Its place in `out`.
    rising, falling : int
        Lengths of the edges in samples.
    out : ndarray of float32, shape (channels, samples)
        Holds the untouched clip; changed in place.
    """
    _join(as_input(edited), start, rising, falling, out)


@kernel
def _edge(position: int, length: int) -> float:
    return 0.5 - 0.5 * math.cos(math.pi * (position + 1) / (length + 1))


@kernel
def _fill_ramp(rising: int, falling: int, ramp_out: FloatArray) -> None:
    count = ramp_out.shape[0]
    ramp_out[:] = 1.0
    for i in range(rising):
        ramp_out[i] = _edge(i, rising)
    for i in range(falling):
        ramp_out[count - 1 - i] = _edge(i, falling)


@kernel
def _join(edited: FloatArray, start: int, rising: int, falling: int, out_inout: FloatArray) -> None:
    channels, count = edited.shape
    for channel in range(channels):
        for i in range(rising):
            old = np.float64(out_inout[channel, start + i])
            weight = _edge(i, rising)
            out_inout[channel, start + i] = old + weight * (np.float64(edited[channel, i]) - old)
        for i in range(rising, count - falling):
            out_inout[channel, start + i] = edited[channel, i]
        for i in range(falling):
            at = count - 1 - i
            old = np.float64(out_inout[channel, start + at])
            weight = _edge(i, falling)
            out_inout[channel, start + at] = old + weight * (np.float64(edited[channel, at]) - old)
