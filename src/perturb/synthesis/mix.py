"""One channel that stands for all: the mix by which an edit of several channels is steered."""

from __future__ import annotations

import math

import numpy as np

from perturb.measure.level import strongest_channel
from perturb.signal import FloatArray

__all__ = ["mix_down"]

_MIX_BLOCK = 1 << 16


def mix_down(samples: FloatArray) -> FloatArray:
    """Return the mean of the channels, each turned round where it opposes the strongest.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording.

    Returns
    -------
    ndarray of float32, shape (n,)
        The channel itself where there is one.
    """
    channels, count = samples.shape
    if channels == 1:
        only: FloatArray = samples[0]
        return only
    reference = samples[strongest_channel(samples)]
    mix: FloatArray = np.zeros(count, dtype=np.float32)
    for channel in samples:
        products = (
            float(np.multiply(channel[at : at + _MIX_BLOCK], reference[at : at + _MIX_BLOCK]).sum())
            for at in range(0, count, _MIX_BLOCK)
        )
        if math.fsum(products) < 0.0:
            mix -= channel
        else:
            mix += channel
    mix *= np.float32(1.0 / channels)
    return mix
