"""Loudness after ITU-R BS.1770-4 by a kernel of our own: the meter that drives edits.

Filters, blocks and gates are those of `perturb.measure.loudness`, which judges results by
pyloudnorm; the two agree within .01 LU. This one filters and sums in one pass and keeps no copy
of the clip.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.k_weighting import measure_weighted_energies
from perturb.measure.loudness import (
    BLOCK_STEPS,
    CHANNEL_WEIGHTS,
    STEPS_PER_S,
    Powers,
    block_count,
    gated_loudness,
)
from perturb.measure.reading import Reading
from perturb.signal import Signal

__all__ = ["quick_loudness_lufs"]

_SHELF_HZ, _SHELF_DB, _SHELF_Q = 1500.0, 4.0, math.sqrt(0.5)
_HIGH_PASS_HZ, _HIGH_PASS_Q = 38.0, 0.5


def quick_loudness_lufs(signal: Signal) -> Reading:
    """Measure the integrated loudness of a clip in one pass.

    Parameters
    ----------
    signal : Signal
        Any rate; up to five channels.

    Returns
    -------
    Reading
        Integrated gated loudness in LUFS; None, with the reason, where
        `perturb.measure.loudness.loudness_lufs` has none.

    References
    ----------
    ITU-R BS.1770-4 (2015), Algorithms to measure audio programme loudness and true-peak level.
    R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients.

    Examples
    --------
    >>> time_s = np.arange(48_000) / 48_000
    >>> clip = Signal.from_array(0.1 * np.sin(2 * np.pi * 997 * time_s), 48_000)
    >>> round(quick_loudness_lufs(clip).value, 1)
    -23.1
    """
    return gated_loudness(signal, _block_powers)


def _block_powers(signal: Signal) -> Powers:
    """Return the weighted power of each whole 400 ms block, 100 ms apart."""
    rate = signal.sample_rate_hz
    steps = block_count(signal) + BLOCK_STEPS - 1
    energies = np.empty(steps, dtype=np.float64)
    measure_weighted_energies(
        as_input(signal.samples),
        as_input(np.arange(steps + 1) * rate // STEPS_PER_S, np.int64),
        as_input(CHANNEL_WEIGHTS[: signal.channel_count], np.float64),
        _shelf(rate),
        _high_pass(rate),
        energies,
    )
    blocks = np.lib.stride_tricks.sliding_window_view(energies, BLOCK_STEPS)
    return np.asarray(blocks.sum(axis=1) * (STEPS_PER_S / (BLOCK_STEPS * rate)))


@functools.cache
def _shelf(sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Return the head's high shelf, ``b0, b1, b2, a1, a2``."""
    angle = 2.0 * math.pi * _SHELF_HZ / sample_rate_hz
    gain = 10.0 ** (_SHELF_DB / 40.0)
    cosine, slope = math.cos(angle), math.sqrt(gain) * math.sin(angle) / _SHELF_Q
    more, less = gain + 1.0, gain - 1.0
    rising = [more + less * cosine + slope, -2.0 * (less + more * cosine)]
    falling = [2.0 * (less - more * cosine), more - less * cosine - slope]
    weights = [gain * value for value in (*rising, rising[0] - 2.0 * slope)] + falling
    return as_input(np.array(weights) / (more - less * cosine + slope), np.float64)


@functools.cache
def _high_pass(sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Return the high-pass, ``b0, b1, b2, a1, a2``."""
    angle = 2.0 * math.pi * _HIGH_PASS_HZ / sample_rate_hz
    cosine, alpha = math.cos(angle), math.sin(angle) / (2.0 * _HIGH_PASS_Q)
    half = (1.0 + cosine) / 2.0
    weights = [half, -2.0 * half, half, -2.0 * cosine, 1.0 - alpha]
    return as_input(np.array(weights) / (1.0 + alpha), np.float64)
