"""Convolution of a long signal, block by block, with a response that looks both ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import scipy.fft

from perturb.signal import FloatArray

__all__ = ["filter_blocks"]


def filter_blocks(
    blocks: Iterable[FloatArray], response: FloatArray, centre: int
) -> Iterator[tuple[int, FloatArray]]:
    """Convolve consecutive blocks with `response`: overlap-add by FFT, in float32.

    Parameters
    ----------
    blocks : iterable of ndarray of float32, shape (n,)
        The signal in order; blocks of one size, but for the last, cost one transform each.
    response : ndarray of float32, shape (taps,)
        Its time zero is at index `centre`; a symmetric response neither delays nor advances.
    centre : int
        0 to ``taps - 1``.

    Yields
    ------
    start : int
        Sample at which the piece belongs.
    piece : ndarray of float32
        Pieces join without gaps and are together as long as the blocks: what rings before the
        first and after the last sample is left out.

    Examples
    --------
    >>> ones = np.ones(3, dtype=np.float32)
    >>> pieces = filter_blocks([ones, ones], ones, centre=1)
    >>> [(start, piece.round(3).tolist()) for start, piece in pieces]
    [(0, [2.0, 3.0]), (2, [3.0, 3.0, 3.0]), (5, [2.0])]
    """
    size, spectrum = 0, np.empty(0)
    tail = np.zeros(response.size - 1, dtype=np.float32)
    start = -centre
    for block in blocks:
        needed = block.size + response.size - 1
        if needed > size:
            size = int(scipy.fft.next_fast_len(needed, real=True))
            spectrum = scipy.fft.rfft(response, size)
        product = scipy.fft.rfft(block, size) * spectrum
        whole = scipy.fft.irfft(product, size)[:needed]
        whole[: tail.size] += tail
        piece, tail = whole[: block.size], whole[block.size :]
        yield max(start, 0), piece[max(-start, 0) :]
        start += block.size
    yield max(start, 0), tail[max(-start, 0) : centre]
