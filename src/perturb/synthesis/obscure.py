"""Speech that stays in place and cannot be made out: a low-pass, and noise for what it took.

The noise has the smoothed spectrum of what lies above the cut-off, so that the whole keeps the
colour of the original, and one of three contours over time.

References
----------
W. A. Dreschler, H. Verschuure, C. Ludvigsen and S. Westermann, "ICRA noises: artificial noise
signals with speech-like spectral and temporal properties for hearing instrument assessment",
Audiology 40(3), 2001, 148–157.
T. Houtgast and H. J. M. Steeneken, "A review of the MTF concept in room acoustics", Journal of the
Acoustical Society of America 77(3), 1985, 1069–1077.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.zero_phase import add_scaled
from perturb.measure.spectrum import RoomTone, power_spectrum
from perturb.signal import FloatArray
from perturb.synthesis.filters import (
    block_magnitudes,
    energy_of,
    high_pass,
    low_pass,
)
from perturb.synthesis.noise import NormalSource, room_noise

__all__ = [
    "CUTOFF_HZ",
    "own_contour",
    "power_above",
    "recombine",
    "spectral_noise",
    "talker_contour",
    "veil",
]

CUTOFF_HZ = 300.0
_ORDER = 6
_FRAME_S = 0.025
_HALF_WIDTH_OCTAVES = 1.0 / 6.0
_BLOCKS_PER_S = 1_000.0
_ENVELOPE_HZ = 30.0
_SLOWEST_HZ = 1.0
_FASTEST_HZ = 6.0
_LEVEL_SD_DB = 8.0
_LEVEL_LIMIT = 2.5


def power_above(samples: FloatArray, sample_rate_hz: int) -> float:
    """Return the mean power above the cut-off, in the channel that has the most of it.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        At least one sample.
    sample_rate_hz : int
        Sampling rate in Hz.
    """
    high = high_pass(CUTOFF_HZ, sample_rate_hz, order=_ORDER)
    workspace = high.workspace(samples.shape[1])
    energies = [energy_of(high.run(channel, workspace)) for channel in samples]
    return float(max(energies) / samples.shape[1])


def recombine(samples: FloatArray, sample_rate_hz: int) -> FloatArray:
    """Split each channel at the cut-off and add the two parts up again.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        `samples`, to rounding: the two filters complement each other.
    """
    low = low_pass(CUTOFF_HZ, sample_rate_hz, order=_ORDER)
    high = high_pass(CUTOFF_HZ, sample_rate_hz, order=_ORDER)
    out = np.empty(samples.shape, dtype=np.float32)
    workspace = low.workspace(samples.shape[1])
    for channel, result in zip(samples, out, strict=True):
        result[:] = low.run(channel, workspace)
        result += high.run(channel, workspace)
    return out


def spectral_noise(samples: FloatArray, sample_rate_hz: int, normals: NormalSource) -> FloatArray:
    """Return steady noise with the spectrum of what the low-pass takes, smoothed.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        Whose spectrum; smoothed over a third of an octave, so that neither harmonics nor single
        formants show.
    sample_rate_hz : int
        Sampling rate in Hz.
    normals : callable
        Source of standard normal numbers, one draw for all channels.

    Returns
    -------
    ndarray of float32, shape (channels, n)
    """
    count = samples.shape[1]
    frame = min(count, max(1, round(_FRAME_S * sample_rate_hz)))
    power = _smooth_octaves(power_spectrum(samples, frame))
    frequencies_hz = np.arange(power.shape[1]) * (sample_rate_hz / frame)
    kept = low_pass(CUTOFF_HZ, sample_rate_hz, order=_ORDER).response(frequencies_hz)
    power *= 1.0 - np.square(kept)
    power[:, 0] = 0.0
    room = RoomTone(sample_rate_hz, frame, power, count / sample_rate_hz)
    return room_noise(room, count, normals)


def talker_contour(count: int, sample_rate_hz: int, normals: NormalSource) -> FloatArray:
    """Return the contour of a talker who is not there.

    Its level in dB is a Gaussian process that moves like that of speech: most between 1 and 6 Hz,
    with a standard deviation of 8 dB.

    Parameters
    ----------
    count : int
        Samples to cover.
    sample_rate_hz : int
        Sampling rate in Hz.
    normals : callable
        Source of standard normal numbers.

    Returns
    -------
    ndarray of float32, shape (ceil(count / block),)
        Weights for blocks of `contour_block` samples.
    """
    block = contour_block(sample_rate_hz)
    blocks = -(-count // block)
    # Room to forget, so that the end does not continue into the beginning.
    size = 1 << math.ceil(math.log2(blocks + 2.0 * _BLOCKS_PER_S))
    spectrum = np.fft.rfft(normals(size).astype(np.float64))
    frequencies_hz = np.fft.rfftfreq(size, block / sample_rate_hz)
    slow = frequencies_hz / np.hypot(frequencies_hz, _SLOWEST_HZ)
    fast = 1.0 / (1.0 + np.square(frequencies_hz / _FASTEST_HZ))
    response = slow * fast
    power = np.square(response)
    scale = math.sqrt(2.0 * float(power.sum()) / size)
    level = np.fft.irfft(spectrum * response, size)[:blocks] / scale
    level_db = _LEVEL_SD_DB * np.clip(level, -_LEVEL_LIMIT, _LEVEL_LIMIT)
    return (10.0 ** (level_db / 20.0)).astype(np.float32)


def contour_block(sample_rate_hz: int) -> int:
    """Return the samples per block of all contours here: 1 ms."""
    return max(1, round(sample_rate_hz / _BLOCKS_PER_S))


def own_contour(channel: FloatArray, sample_rate_hz: int) -> FloatArray:
    """Return the contour of what a channel holds above the cut-off: rectified, up to 30 Hz.

    Returns
    -------
    ndarray of float32, shape (ceil(n / block),)
        Weights for blocks of `contour_block` samples, 1 on average.
    """
    block = contour_block(sample_rate_hz)
    high = high_pass(CUTOFF_HZ, sample_rate_hz, order=_ORDER)
    magnitudes, _ = block_magnitudes(high.run(channel), block)
    smoother = low_pass(_ENVELOPE_HZ, sample_rate_hz / block, order=2)
    contour: FloatArray = np.maximum(smoother.run(magnitudes), 0.0)
    mean = float(contour.mean(dtype=np.float64))
    if mean > 0.0:
        contour /= np.float32(mean)
    return contour


def veil(
    channel: FloatArray, noise: FloatArray, contour: FloatArray, sample_rate_hz: int, core: slice
) -> FloatArray:
    """Low-pass a channel and lay noise over it, as loud together as the channel was.

    Parameters
    ----------
    channel, noise : ndarray of float32, shape (n,)
        What is obscured, and by what, at any level.
    contour : ndarray of float32, shape (ceil(n / block),) or (1,)
        Weights of the noise for blocks of `contour_block` samples.
    sample_rate_hz : int
        Sampling rate in Hz.
    core : slice
        Samples over which the levels are equal.

    Returns
    -------
    ndarray of float32, shape (n,)
    """
    low = low_pass(CUTOFF_HZ, sample_rate_hz, order=_ORDER).run(channel)
    modulated = np.zeros(channel.size, dtype=np.float32)
    _add(noise, contour, sample_rate_hz, modulated)
    # |low + g noise|² = |channel|², solved for g; where the low-pass took nothing, g is 0.
    square = energy_of(modulated[core])
    product = _dot(low[core], modulated[core])
    missing = energy_of(channel[core]) - energy_of(low[core])
    gain = 0.0
    if square > 0.0:
        root = math.sqrt(max(product * product + square * missing, 0.0))
        gain = max((root - product) / square, 0.0)
    _add(modulated, np.array([gain]), sample_rate_hz, low)
    return low


def _add(
    samples: FloatArray, weights: npt.NDArray[np.floating], sample_rate_hz: int, inout: FloatArray
) -> None:
    add_scaled(as_input(samples), as_input(weights), contour_block(sample_rate_hz), inout)


def _dot(one: FloatArray, other: FloatArray) -> float:
    """Return the scalar product, in blocks of float64: the same on every machine."""
    step = 1 << 15
    parts = (
        (one[at : at + step].astype(np.float64) * other[at : at + step]).sum()
        for at in range(0, one.size, step)
    )
    return math.fsum(parts)


def _smooth_octaves(power: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Average each bin over a third of an octave about it, at least over its two neighbours."""
    bins = power.shape[1]
    places = np.arange(bins)
    low = np.minimum(np.floor(places * 2.0**-_HALF_WIDTH_OCTAVES), places - 1).clip(0)
    high = np.maximum(np.ceil(places * 2.0**_HALF_WIDTH_OCTAVES), places + 1).clip(max=bins - 1)
    below = np.pad(np.cumsum(power, axis=1), ((0, 0), (1, 0)))
    first, last = low.astype(np.int64), high.astype(np.int64) + 1
    smoothed: npt.NDArray[np.float64] = (below[:, last] - below[:, first]) / (last - first)
    return smoothed
