"""Whether a spectrum was turned upside down: envelopes of bands against those of mirror bands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import AudioError
from perturb.measure.level import strongest_channel
from perturb.measure.reading import Reading
from perturb.signal import FloatArray

__all__ = ["mirror_correlation"]

FRAME_S = 0.032
BANDS = 12
LEAST_FRAMES = 10
_BLOCK = 256
_FAINT = 1e-3
_LEAST_MOVEMENT = 0.01
_NOTHING = 1e-12


def mirror_correlation(
    before: FloatArray, after: FloatArray, sample_rate_hz: int, low_hz: float, high_hz: float
) -> Reading:
    """Return how well each band's envelope before agrees with its mirror band's after.

    Parameters
    ----------
    before, after : ndarray of float32, shape (channels, samples)
        Original and result, of one shape.
    sample_rate_hz : int
        Sampling rate in Hz.
    low_hz, high_hz : float
        The band about whose middle the spectrum was turned.

    Returns
    -------
    Reading
        Mean of Pearson's r over twelve bands of equal width (Hann frames of 32 ms, half a frame
        apart), of the channel that is strongest before. Bands more than 60 dB under the loudest, or
        whose envelope moves by less than 1 %, say nothing and are left out. None where that leaves
        none, or it is too short.

    Raises
    ------
    AudioError
        The shapes differ.
    """
    if before.shape != after.shape:
        raise AudioError(
            f"before has shape {before.shape}, after {after.shape}; accepted: equal shapes"
        )
    channel = strongest_channel(before)
    wanted, found = (
        _envelopes(side[channel], sample_rate_hz, low_hz, high_hz) for side in (before, after)
    )
    frames = wanted.shape[1]
    if frames < LEAST_FRAMES:
        return Reading(None, f"{frames} frames of {1e3 * FRAME_S:g} ms; {LEAST_FRAMES} are needed")
    correlations = []
    means = wanted.mean(axis=1)
    least = max(means.max() * _FAINT, _NOTHING)
    for one, other, mean in zip(wanted, found[::-1], means, strict=True):
        moved, moved_other = one - mean, other - other.mean()
        if mean < least or moved.std() < _LEAST_MOVEMENT * mean:
            continue
        scale = float(np.sqrt(np.square(moved).sum() * np.square(moved_other).sum()))
        correlations.append(float((moved * moved_other).sum()) / scale if scale > 0.0 else 0.0)
    if not correlations:
        return Reading(None, "no band's envelope moves")
    return Reading(sum(correlations) / len(correlations))


def _envelopes(
    channel: FloatArray, sample_rate_hz: int, low_hz: float, high_hz: float
) -> npt.NDArray[np.float64]:
    """Return the magnitudes of the bands over time, shape (bands, frames)."""
    frame = max(2, round(FRAME_S * sample_rate_hz))
    if channel.size < frame:
        return np.zeros((BANDS, 0))
    frames = np.lib.stride_tricks.sliding_window_view(channel, frame)[:: frame // 2]
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(frame) + 0.5) / frame)
    edges = np.linspace(low_hz, high_hz, BANDS + 1) * (frame / sample_rate_hz)
    # A bin stands for the resolution around its centre, and those on an edge count in part: so the
    # mirror image of a band is a band.
    bins = edges + 0.5
    whole = np.floor(bins).astype(np.int64)
    powers = np.empty((BANDS, frames.shape[0]))
    for first in range(0, frames.shape[0], _BLOCK):
        spectra = np.fft.rfft(frames[first : first + _BLOCK] * window, axis=1)
        squares = np.square(spectra.real) + np.square(spectra.imag)
        below = np.zeros((squares.shape[0], squares.shape[1] + 1))
        np.cumsum(squares, axis=1, out=below[:, 1:])
        at_edges = below[:, whole] + (bins - whole) * squares[:, whole]
        powers[:, first : first + _BLOCK] = np.diff(at_edges, axis=1).T
    magnitudes: npt.NDArray[np.float64] = np.sqrt(powers)
    return magnitudes
