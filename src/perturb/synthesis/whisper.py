"""A voice whispered: its moving envelope over noise, its level contour kept.

Linear prediction splits speech into the resonances of the mouth and what excites them. Noise in
place of the excitation is what whispering is. The sham puts the speech's own residual back.

References
----------
J. D. Markel and A. H. Gray, "Linear Prediction of Speech", Springer, 1976.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.lattice import resonate, whiten
from perturb.kernels.level_match import impose_level
from perturb.measure.f0_track import F0Track
from perturb.signal import FloatArray
from perturb.synthesis.noise import NormalSource

__all__ = ["whisper_segment", "whisper_sham_segment"]

WINDOW_S = 0.025
HOP_S = 0.010
PREEMPHASIS_HZ = 80.0
EXTRA_ORDER = 2
# What multiplying the k-th predictor coefficient by .97 ** k does at 16 kHz: resonances a little
# wider, so that none rings like a voice.
SMOOTHING_HZ = 78.0
FLOOR = 1e-4

LEVEL_BLOCK_S = 0.0025
LEVEL_WINDOW_S = 0.040
"""With 25 ms the noise itself is levelled, and a recogniser hears three words in a hundred less."""
LEVEL_PERIODS = 3.0
LEVEL_PASSES = 3

Floats = npt.NDArray[np.float64]


def whisper_segment(
    samples: FloatArray, sample_rate_hz: int, f0: F0Track, normals: NormalSource
) -> FloatArray:
    """Return a segment whispered.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The segment. All channels get one noise, each its own envelope and level.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.
    f0 : F0Track
        Its pitch: the level is followed over three periods or more, so that it holds no pulses.
    normals : callable
        Source of standard normal numbers, asked for one per sample.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        Silence stays silence; peaks may be higher than before.

    Examples
    --------
    >>> silence = np.zeros((1, 800), dtype=np.float32)
    >>> track = F0Track(np.arange(3) * 0.005, np.zeros(3), np.zeros(3), 0.005)
    >>> normals = lambda count: np.random.default_rng(0).standard_normal(count, dtype=np.float32)
    >>> bool(whisper_segment(silence, 8_000, track, normals).any())
    False
    """
    noise = normals(samples.shape[1])
    result = np.empty(samples.shape, dtype=np.float32)
    for channel, out in zip(samples, result, strict=True):
        out[:] = noise
        _shape(as_input(channel), sample_rate_hz, f0, out)
    return result


def whisper_sham_segment(
    samples: FloatArray, sample_rate_hz: int, f0: F0Track, normals: NormalSource
) -> FloatArray:
    """Return a segment taken apart as `whisper_segment` does, and put together from its residual.

    Parameters and returns are those of `whisper_segment`; no numbers are asked for.
    """
    result = np.array(samples, dtype=np.float32)
    constants = _constants(sample_rate_hz)
    for channel, out in zip(samples, result, strict=True):
        whiten(as_input(channel), *constants, out)
        _shape(as_input(channel), sample_rate_hz, f0, out)
    return result


def _shape(channel: FloatArray, sample_rate_hz: int, f0: F0Track, inout: FloatArray) -> None:
    """Put the channel's envelope and level on an excitation."""
    resonate(channel, *_constants(sample_rate_hz), inout)
    voiced = f0.f0_hz[f0.is_voiced]
    window_s = LEVEL_WINDOW_S
    if voiced.size:
        window_s = max(window_s, LEVEL_PERIODS / float(np.percentile(voiced, 5.0)))
    half = max(1, round(0.5 * window_s / LEVEL_BLOCK_S) - 1)
    weights = 0.5 + 0.5 * np.cos(np.pi * np.arange(-half, half + 1) / (half + 1))
    block = LEVEL_BLOCK_S * sample_rate_hz
    is_open = np.ones(math.ceil(channel.size / block), dtype=np.bool_)
    impose_level(
        channel, as_input(is_open, np.bool_), as_input(weights, np.float64), block, 0.0,
        LEVEL_PASSES, inout,
    )  # fmt: skip


@functools.lru_cache(maxsize=8)
def _constants(sample_rate_hz: int) -> tuple[FloatArray, Floats, float, float]:
    """Return window, lag window, hop in samples and pre-emphasis."""
    order = round(sample_rate_hz / 1000.0) + EXTRA_ORDER
    width = round(WINDOW_S * sample_rate_hz)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(width) + 0.5) / width)
    turns = 2.0 * np.pi * SMOOTHING_HZ / sample_rate_hz * np.arange(order + 1)
    lag_window = np.exp(-0.5 * turns**2)
    lag_window[0] += FLOOR
    preemphasis = math.exp(-2.0 * math.pi * PREEMPHASIS_HZ / sample_rate_hz)
    return as_input(window), as_input(lag_window, np.float64), HOP_S * sample_rate_hz, preemphasis
