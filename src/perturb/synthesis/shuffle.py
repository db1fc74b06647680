"""Segments of a sound in another order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.kernels.joins import join_ramp
from perturb.signal import FloatArray

__all__ = ["cut_evenly", "draw_order", "rejoin"]


def cut_evenly(length: int, segment_samples: int) -> npt.NDArray[np.int64]:
    """Return where segments begin and end: all of one length, the last of .5 to 1.5 times that.

    Returns
    -------
    ndarray of int64, shape (segments + 1,)
        From 0 to `length`.

    Examples
    --------
    >>> cut_evenly(100, 30)
    array([  0,  30,  60, 100])
    >>> cut_evenly(110, 30)
    array([  0,  30,  60,  90, 110])
    """
    count = max(1, (2 * length + segment_samples) // (2 * segment_samples))
    edges = np.arange(count + 1, dtype=np.int64) * segment_samples
    edges[-1] = length
    return edges


def draw_order(count: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a random order of `count` segments, two or more, that is not their own.

    Examples
    --------
    >>> draw_order(2, np.random.default_rng(0))
    array([1, 0])
    """
    own = np.arange(count, dtype=np.int64)
    if count == 2:
        return own[::-1].copy()
    while True:
        order = generator.permutation(own)
        if not np.array_equal(order, own):
            return order


def rejoin(
    samples: FloatArray,
    edges: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    fade_samples: int,
) -> FloatArray:
    """Return the segments in another order, each faded out and in at every cut.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        What is cut.
    edges : ndarray of int64, shape (segments + 1,)
        Where it is cut.
    order : ndarray of int64, shape (segments,)
        Which segment comes first, second, …
    fade_samples : int
        Length of the raised-cosine fade on either side of a cut, at most a quarter of a segment.
        The first and the last edge of the result have none.

    Returns
    -------
    ndarray of float32, shape (channels, samples)
    """
    out = np.empty_like(samples)
    at = 0
    for place, segment in enumerate(order):
        part = samples[:, edges[segment] : edges[segment + 1]]
        length = part.shape[1]
        fade = min(fade_samples, length // 4)
        rising = 0 if place == 0 else fade
        falling = 0 if place == len(order) - 1 else fade
        np.multiply(part, join_ramp(length, rising, falling), out=out[:, at : at + length])
        at += length
    return out
