"""Pitch and voicing by harmonic combs on the spectrum: the judge of what the tracker drove.

The method follows the idea of SWIPE: the square root of the magnitude spectrum is correlated with
combs whose teeth are cosines at the harmonics, with valleys between them. The best comb names the
pitch; the power around its harmonics places it. It shares neither code nor idea with
`perturb.measure.f0`, so that the two are unlikely to be wrong together.

References
----------
A. Camacho and J. G. Harris, "A sawtooth waveform inspired pitch estimator for speech and music",
Journal of the Acoustical Society of America 124(3), 2008, 1638–1652.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
import scipy.fft
import soxr

from perturb.errors import AudioError
from perturb.kernels._jit import as_input
from perturb.kernels.f0_comb import match_combs, refine_pitch
from perturb.measure.f0_track import F0Track
from perturb.measure.level import strongest_channel
from perturb.signal import SAMPLE_RATE_RANGE_HZ, FloatArray, Signal

__all__ = ["judge_f0", "judge_signal_f0"]

HOP_S = 0.010
RATE_HZ = 8_000
HOP = 80
WIDTH = 448
FFT_SIZE = 1_024
BIN_HZ = RATE_HZ / FFT_SIZE
BINS = 424
COMB_BINS = 320
LOWEST_HZ = 50.0
PITCH_RANGE_HZ = (55.0, 520.0)
STEPS_PER_OCTAVE = 48
HARMONICS = tuple(range(1, 14))
ROUNDS = 4
VOICED_STRENGTH = 0.30
QUIET_DB = -22.0
STRENGTH_PER_QUIET_DB = 0.08
SILENT_DB = -140.0
BLOCK_FRAMES = 256
BLOCK_SAMPLES = 1 << 17


def judge_f0(samples: FloatArray, sample_rate_hz: int) -> F0Track:
    """Estimate the pitch of one channel, 55 to 520 Hz, without the tracker's help.

    Resampled to 8 kHz, a Hann window of 56 ms, 10 ms hop; frame k is centred at ``k * hop_s``.
    Each frame stands alone. A frame is voiced when its comb fits well enough; quiet frames must
    fit better. Clips shorter than the window have no voiced frame.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel, full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Returns
    -------
    F0Track
        ``1 + floor(duration / hop)`` frames; strength is the fit of the best comb.

    Raises
    ------
    AudioError
        `samples` is not one-dimensional, or the rate is outside the range.

    Examples
    --------
    >>> phase = np.arange(1, 16)[:, np.newaxis] * np.arange(16_000) * (2 * np.pi * 150 / 16_000)
    >>> voice = 0.05 * np.cos(phase).sum(axis=0).astype(np.float32)
    >>> round(judge_f0(voice, 16_000).median_hz, 1)
    150.0
    """
    samples = np.asarray(samples)
    if samples.ndim != 1:
        raise AudioError(f"samples has shape {samples.shape}; accepted: one channel, (samples,)")
    low, high = SAMPLE_RATE_RANGE_HZ
    if not low <= sample_rate_hz <= high:
        raise AudioError(f"sample_rate_hz is {sample_rate_hz}; accepted: {low} to {high} Hz")
    frames = 1 + samples.size * RATE_HZ // (sample_rate_hz * HOP)
    times_s = np.arange(frames, dtype=np.float64) * HOP_S
    f0_hz = np.zeros(frames, dtype=np.float32)
    strength = np.zeros(frames, dtype=np.float32)
    if samples.size * RATE_HZ < WIDTH * sample_rate_hz:
        return F0Track(times_s, f0_hz, strength, HOP_S)

    signal = _prepare(samples, sample_rate_hz)
    levels_db = np.empty(frames, dtype=np.float32)
    for first in range(0, frames, BLOCK_FRAMES):
        block = slice(first, min(first + BLOCK_FRAMES, frames))
        levels_db[block], f0_hz[block], strength[block] = _judge_block(signal, block)
    needed = VOICED_STRENGTH + STRENGTH_PER_QUIET_DB * np.maximum(
        QUIET_DB - (levels_db - _loud_level_db(levels_db)), 0.0
    )
    is_voiced = (strength > needed) & (levels_db > SILENT_DB)
    f0_hz[~is_voiced] = 0.0
    return F0Track(times_s, f0_hz, np.clip(strength, 0.0, 1.0), HOP_S)


def judge_signal_f0(signal: Signal) -> F0Track:
    """Judge a signal's strongest channel (by energy; the first of equals)."""
    loudest = strongest_channel(signal.samples)
    return judge_f0(signal.samples[loudest], signal.sample_rate_hz)


def _prepare(samples: FloatArray, sample_rate_hz: int) -> FloatArray:
    """Remove the mean, resample, and hold the edges for half a window."""
    starts = range(0, samples.size, BLOCK_SAMPLES)
    total = sum(float(samples[s : s + BLOCK_SAMPLES].sum(dtype=np.float64)) for s in starts)
    mean = total / samples.size
    converter = soxr.ResampleStream(sample_rate_hz, RATE_HZ, 1, dtype="float32", quality="HQ")
    pieces = []
    for start in starts:
        piece = (samples[start : start + BLOCK_SAMPLES] - mean).astype(np.float32)
        if sample_rate_hz != RATE_HZ:
            piece = converter.resample_chunk(piece, last=start + BLOCK_SAMPLES >= samples.size)
        pieces.append(piece)
    return np.pad(np.concatenate(pieces), (WIDTH // 2, WIDTH), mode="edge")


def _judge_block(signal: FloatArray, block: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return level (dB), pitch of the best comb (Hz) and its fit for a block of frames."""
    windows = np.lib.stride_tricks.sliding_window_view(signal, WIDTH)[::HOP][block]
    centred = windows - windows.mean(axis=1, keepdims=True)
    centred *= _hann()
    spectra = scipy.fft.rfft(centred, FFT_SIZE, axis=1)[:, :BINS]
    power = np.square(spectra.real) + np.square(spectra.imag)
    # The level of a Hann-windowed frame: mean power of the window is 3/8.
    energy = np.square(centred).sum(axis=1) / (0.375 * WIDTH)
    levels_db = 10.0 * np.log10(np.maximum(energy, 1e-30))

    spacing, combs = _combs()
    roots = np.sqrt(np.sqrt(power[:, :COMB_BINS])) * spacing
    fits = np.empty((roots.shape[0], combs.shape[1]), dtype=np.float32)
    match_combs(as_input(roots), combs, fits)
    best = fits.argmax(axis=1)
    rows = np.arange(best.size)
    inner = np.clip(best, 1, fits.shape[1] - 2)
    left, here, right = (fits[rows, inner + step] for step in (-1, 0, 1))
    bend = left - 2.0 * here + right
    shift = np.where(bend < 0.0, 0.5 * (left - right) / np.where(bend < 0.0, bend, 1.0), 0.0)
    pitch_hz = _candidates_hz()[inner] * 2.0 ** (np.clip(shift, -1.0, 1.0) / STEPS_PER_OCTAVE)
    pitch_hz = pitch_hz.astype(np.float32)
    refine_pitch(as_input(power), BIN_HZ, ROUNDS, pitch_hz)
    return levels_db, pitch_hz, fits[rows, best]


def _loud_level_db(levels_db: FloatArray) -> float:
    """Return the level of the loudest frames but 100 ms (2 % of those within 30 dB, if more)."""
    sounding = np.sort(levels_db[levels_db > SILENT_DB])
    if sounding.size == 0:
        return SILENT_DB
    loud = int(np.count_nonzero(sounding >= sounding[-1] - 30.0))
    passed_over = min(max(10, loud // 50), sounding.size // 4)
    return float(sounding[sounding.size - 1 - passed_over])


@functools.cache
def _hann() -> FloatArray:
    angle = 2.0 * np.pi * (np.arange(WIDTH) + 0.5) / WIDTH
    return as_input(0.5 * (1.0 - np.cos(angle)))


@functools.cache
def _candidates_hz() -> npt.NDArray[np.float64]:
    low, high = PITCH_RANGE_HZ
    count = 1 + int(np.log2(high / low) * STEPS_PER_OCTAVE)
    return low * 2.0 ** (np.arange(count) / STEPS_PER_OCTAVE)


@functools.cache
def _combs() -> tuple[FloatArray, FloatArray]:
    """Return the weight of each bin, (COMB_BINS,), and the combs, (COMB_BINS, candidates)."""
    bins_hz = np.arange(COMB_BINS) * BIN_HZ
    is_used = bins_hz >= LOWEST_HZ
    # Bins stand closer to each other on the ear's scale the higher they lie (ERB: 229 Hz + f).
    spacing = np.where(is_used, 1.0 / np.sqrt(229.0 + bins_hz), 0.0)
    place = bins_hz[:, np.newaxis] / _candidates_hz()
    combs = np.zeros_like(place)
    for harmonic in HARMONICS:
        distance = np.abs(place - harmonic)
        wave = np.cos(2.0 * np.pi * place)
        combs += np.where(distance < 0.25, wave, 0.0)
        combs += np.where((distance >= 0.25) & (distance < 0.75), 0.5 * wave, 0.0)
    combs *= (is_used / np.sqrt(np.maximum(bins_hz, 1.0)))[:, np.newaxis]
    combs *= spacing[:, np.newaxis]
    combs /= np.sqrt(np.square(np.maximum(combs, 0.0)).sum(axis=0))
    return as_input(spacing), as_input(combs)
