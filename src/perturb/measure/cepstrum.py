"""Mel-cepstra: what remains of the moving spectral envelope, which carries the words."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.fft

from perturb.errors import AudioError
from perturb.signal import FloatArray, as_channel
from perturb.span import seconds_to_sample

__all__ = ["CepstralVariance", "cepstral_variance_ratio", "mel_cepstra"]

WINDOW_S = 0.025
HOP_S = 0.010
BANDS = 20
# Lower and narrower bands part the harmonics, and take a moving pitch for a moving envelope.
LOWEST_HZ = 100.0
HIGHEST_HZ = 8_000.0
COEFFICIENTS = 12
DYNAMIC_RANGE_DB = 80.0
ACTIVE_RANGE_DB = 35.0
LEAST_FRAMES = 10
BLOCK_FRAMES = 256


@dataclass(frozen=True)
class CepstralVariance:
    """How much of a clip's spectral movement is left.

    Parameters
    ----------
    ratio : float or None
        Variance over time of mel-cepstra 1 to 12, summed, after over before; None when undefined.
    active_frames : int
        Frames compared: those inside the clip, within 35 dB of the loudest before the edit.
    reason : str or None
        Why there is no ratio.
    """

    ratio: float | None
    active_frames: int
    reason: str | None = None


def mel_cepstra(samples: FloatArray, sample_rate_hz: int) -> FloatArray:
    """Compute mel-cepstra 1 to 12 of one channel.

    Hann windows of 25 ms, 10 ms apart, frame k centred at ``k * 10 ms``; 20 triangular bands,
    equally wide in mel, from 100 Hz to 8 kHz or half the rate; orthonormal cosine transform of the
    bands' levels in nepers. Bands more than 80 dB under the clip's loudest count as 80 dB under
    it. Coefficient 0, the level, is left out.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel, full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Returns
    -------
    ndarray of float32, shape (1 + floor(duration / 10 ms), 12)
        Zeros where the clip is silent throughout.

    Raises
    ------
    AudioError
        `samples` is not one-dimensional, or the rate is outside the range.

    Examples
    --------
    >>> mel_cepstra(np.zeros(1_600, dtype=np.float32), 16_000).shape
    (11, 12)
    """
    cepstra, _ = _analyse(samples, sample_rate_hz)
    return cepstra


def cepstral_variance_ratio(
    before: FloatArray, after: FloatArray, sample_rate_hz: int
) -> CepstralVariance:
    """Compare the movement of the spectral envelope after an edit with that before.

    Parameters
    ----------
    before, after : ndarray of float32, shape (n,)
        One channel of the clip and of the edited clip, of one length; the caller chooses it.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Returns
    -------
    CepstralVariance
        Undefined with fewer than 10 active frames, or when the original does not move.

    Raises
    ------
    AudioError
        Shapes differ or are not one-dimensional, or the rate is outside the range.

    Examples
    --------
    >>> hiss = np.random.default_rng(0).standard_normal(8_000).astype(np.float32)
    >>> round(cepstral_variance_ratio(hiss, hiss / 4, 16_000).ratio, 3)
    1.0
    """
    if np.shape(before) != np.shape(after):
        raise AudioError(
            f"before has shape {np.shape(before)}, after {np.shape(after)}; accepted: equal shapes"
        )
    cepstra_before, levels_db = _analyse(before, sample_rate_hz)
    cepstra_after, levels_after_db = _analyse(after, sample_rate_hz)
    # Where either is all but silent there is no envelope to compare.
    is_active = _is_loud(levels_db) & _is_loud(levels_after_db)
    # A window that hangs over the edge sees a jump that is not in the sound.
    centres_s = np.arange(levels_db.size) * HOP_S
    is_active &= np.abs(2.0 * centres_s * sample_rate_hz - len(before)) <= (
        len(before) - WINDOW_S * sample_rate_hz
    )
    active_frames = int(is_active.sum())
    if active_frames < LEAST_FRAMES:
        return CepstralVariance(
            None, active_frames, f"{active_frames} active frames; {LEAST_FRAMES} are needed"
        )
    moved_before, moved_after = (
        float(cepstra[is_active].var(axis=0, dtype=np.float64).sum())
        for cepstra in (cepstra_before, cepstra_after)
    )
    if moved_before <= 1e-9:
        return CepstralVariance(None, active_frames, "the original's spectrum does not move")
    return CepstralVariance(moved_after / moved_before, active_frames)


def _is_loud(levels_db: FloatArray) -> npt.NDArray[np.bool_]:
    return np.asarray((levels_db >= levels_db.max() - ACTIVE_RANGE_DB) & np.isfinite(levels_db))


def _analyse(samples: FloatArray, sample_rate_hz: int) -> tuple[FloatArray, FloatArray]:
    """Return the cepstra, (frames, 12), and each frame's level in dB (-inf: silent)."""
    samples = as_channel(samples, sample_rate_hz)
    frames = 1 + int(samples.size / (HOP_S * sample_rate_hz) + 1e-9)
    bands = np.empty((frames, BANDS), dtype=np.float32)
    for block, windows in _windows(samples, sample_rate_hz, frames):
        bands[block] = _band_powers(windows, sample_rate_hz)
    total = bands.sum(axis=1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        levels_db = (10.0 * np.log10(total)).astype(np.float32)
    # Rounded as the powers are: what single precision cannot tell from nothing is silent.
    least = np.float32(float(bands.max()) * 10.0 ** (-DYNAMIC_RANGE_DB / 10.0))
    cepstra = np.zeros((frames, COEFFICIENTS), dtype=np.float32)
    if least > 0.0:
        for first in range(0, frames, BLOCK_FRAMES):
            block = slice(first, first + BLOCK_FRAMES)
            logs = 0.5 * np.log(np.maximum(bands[block], least))
            transformed = scipy.fft.dct(logs, axis=1, norm="ortho")
            cepstra[block] = transformed[:, 1 : COEFFICIENTS + 1]
    return cepstra, levels_db


def _windows(
    samples: FloatArray, sample_rate_hz: int, frames: int
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of windowed frames; samples outside the clip are zero."""
    window = _hann(seconds_to_sample(WINDOW_S, sample_rate_hz))
    half = window.size // 2
    for first in range(0, frames, BLOCK_FRAMES):
        block = slice(first, min(first + BLOCK_FRAMES, frames))
        ticks = np.arange(block.start, block.stop) * HOP_S * sample_rate_hz
        starts = np.floor(ticks + 0.5).astype(np.int64) - half
        begin, end = int(starts[0]), int(starts[-1]) + window.size
        piece = samples[max(begin, 0) : max(end, 0)]
        missing = (max(-begin, 0), max(end - max(begin, 0) - piece.size, 0))
        padded = np.pad(piece.astype(np.float32, copy=False), missing)
        view = np.lib.stride_tricks.sliding_window_view(padded, window.size)
        yield block, view[starts - begin] * window


def _band_powers(windows: FloatArray, sample_rate_hz: int) -> FloatArray:
    """Return the power in each mel band, shape (frames, bands).

    Summed between the bands' edges by `numpy.add.reduceat`, whose result does not depend on a
    linear-algebra library's threads.
    """
    size, first, edges, rising = _mel_edges(sample_rate_hz, windows.shape[1])
    spectra = scipy.fft.rfft(windows, size, axis=1)[:, first : first + rising.size]
    power = np.square(spectra.real) + np.square(spectra.imag)
    up = power * rising
    rises = np.add.reduceat(up, edges, axis=1)
    falls = np.add.reduceat(power - up, edges, axis=1)
    # Band m climbs over segment m and descends over segment m + 1.
    return rises[:, :BANDS] + falls[:, 1 : BANDS + 1]


@functools.cache
def _hann(width: int) -> FloatArray:
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(width) + 0.5) / width)
    scaled: FloatArray = (window * np.sqrt(8.0 / 3.0) / width).astype(np.float32)
    return scaled


@functools.cache
def _mel_edges(
    sample_rate_hz: int, width: int
) -> tuple[int, int, npt.NDArray[np.int64], FloatArray]:
    """Return the transform's size, its first bin used, the segments' first bins, and weights.

    A bin's weight is its place between the edge under it (0) and the edge over it (1), in mel.
    """
    top_hz = min(HIGHEST_HZ, 0.5 * sample_rate_hz)
    edges_mel = np.linspace(_to_mel(LOWEST_HZ), _to_mel(top_hz), BANDS + 2)
    # Bins fine enough for every segment, the narrowest 70 Hz wide or so, to hold several.
    size = int(scipy.fft.next_fast_len(max(width, int(sample_rate_hz / 20.0)), real=True))
    bins_mel = _to_mel(np.arange(size // 2 + 1) * (sample_rate_hz / size))
    first, last = np.searchsorted(bins_mel, (edges_mel[0], edges_mel[-1]))
    used = bins_mel[first:last]
    places = (used - edges_mel[0]) / (edges_mel[1] - edges_mel[0])
    rising = (places - np.floor(places)).astype(np.float32)
    starts = np.searchsorted(used, edges_mel[:-1])
    return size, int(first), starts.astype(np.int64), rising


def _to_mel(frequency_hz: npt.ArrayLike) -> npt.NDArray[np.float64]:
    return 2595.0 * np.log10(1.0 + np.asarray(frequency_hz, dtype=np.float64) / 700.0)
