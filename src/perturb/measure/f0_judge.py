"""Pitch and voicing by harmonic combs on the spectrum: the judge of what the tracker drove.

The method follows the idea of SWIPE: the square root of the magnitude spectrum is correlated with
combs whose teeth are cosines at the harmonics, with valleys between them. The best combs of each
frame name the pitch, a path through them keeps one frame from leaping an octave for little; the
power around the harmonics places it. It shares no signal processing with `perturb.measure.f0`, so
that the two are unlikely to be wrong together.

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

from perturb.kernels._jit import as_input
from perturb.kernels.f0_comb import follow_peaks, match_combs, refine_pitch
from perturb.measure.f0_track import F0Track
from perturb.measure.level import strongest_channel
from perturb.signal import FloatArray, Signal, as_channel

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
PEAKS = 4
JUMP_COST = 0.2
VOICED_STRENGTH = 0.30
WEAK_MARGIN = 0.06
STEADY_OCTAVES = 0.05
QUIET_DB = -22.0
STRENGTH_PER_QUIET_DB = 0.08
SILENT_DB = -140.0
BLOCK_FRAMES = 256
KEPT_FRAMES = 4096
BLOCK_SAMPLES = 1 << 17


def judge_f0(samples: FloatArray, sample_rate_hz: int) -> F0Track:
    """Estimate the pitch of one channel, 55 to 520 Hz, without the tracker's help.

    Resampled to 8 kHz, a Hann window of 56 ms, 10 ms hop; frame k is centred at ``k * hop_s``.
    A frame is voiced when its comb fits well enough; quiet frames must
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
        ``1 + floor(duration / hop)`` frames; strength is the fit of the chosen comb.

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
    samples = as_channel(samples, sample_rate_hz)
    frames = 1 + samples.size * RATE_HZ // (sample_rate_hz * HOP)
    times_s = np.arange(frames, dtype=np.float64) * HOP_S
    if samples.size * RATE_HZ < WIDTH * sample_rate_hz:
        nothing = np.zeros(frames, dtype=np.float32)
        return F0Track(times_s, nothing, nothing.copy(), HOP_S)

    signal = _prepare(samples, sample_rate_hz)
    levels_db = np.empty(frames, dtype=np.float32)
    octaves = np.empty((frames, PEAKS), dtype=np.float32)
    fits = np.empty((frames, PEAKS), dtype=np.float32)
    blocks = [slice(k, min(k + BLOCK_FRAMES, frames)) for k in range(0, frames, BLOCK_FRAMES)]
    kept: dict[int, FloatArray] = {}
    for block in blocks:
        levels_db[block], power = _spectra(signal, block)
        octaves[block], fits[block] = _find_peaks(power)
        if block.start < KEPT_FRAMES:
            kept[block.start] = power
    choice = np.empty(frames, dtype=np.int64)
    back = np.empty((frames, PEAKS), dtype=np.uint8)
    follow_peaks(as_input(octaves), as_input(fits), JUMP_COST, back, choice)
    chosen = np.arange(frames), choice
    strength = fits[chosen]
    needed = VOICED_STRENGTH + STRENGTH_PER_QUIET_DB * np.maximum(
        QUIET_DB - (levels_db - _loud_level_db(levels_db)), 0.0
    )
    margin = np.where(levels_db > SILENT_DB, strength - needed, -np.inf)
    # The kernel passes over a frame without a pitch, such as one that cannot be voiced.
    f0_hz = np.where(margin > -WEAK_MARGIN, np.exp2(octaves[chosen]), np.float32(0.0))
    for block in blocks:
        if np.any(f0_hz[block]):
            # The spectra of a long clip once more, rather than all of them in memory.
            power = kept[block.start] if block.start in kept else _spectra(signal, block)[1]
            refine_pitch(as_input(power), BIN_HZ, ROUNDS, f0_hz[block])
    is_voiced = _voiced_runs(f0_hz, margin)
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


def _spectra(signal: FloatArray, block: slice) -> tuple[FloatArray, FloatArray]:
    """Return level (dB) and power spectrum of a block of frames."""
    windows = np.lib.stride_tricks.sliding_window_view(signal, WIDTH)[::HOP][block]
    centred = windows - windows.mean(axis=1, keepdims=True)
    centred *= _hann()
    spectra = scipy.fft.rfft(centred, FFT_SIZE, axis=1)[:, :BINS]
    power = np.square(spectra.real) + np.square(spectra.imag)
    # The level of a Hann-windowed frame: mean power of the window is 3/8.
    energy = np.square(centred).sum(axis=1) / (0.375 * WIDTH)
    return 10.0 * np.log10(np.maximum(energy, 1e-30)), power


def _find_peaks(power: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return pitch (octaves re 1 Hz) and fit of the best combs of each frame, best first."""
    spacing, combs = _combs()
    roots = np.sqrt(np.sqrt(power[:, :COMB_BINS])) * spacing
    fits = np.empty((roots.shape[0], combs.shape[1]), dtype=np.float32)
    match_combs(as_input(roots), combs, fits)
    left, here, right = fits[:, :-2], fits[:, 1:-1], fits[:, 2:]
    peaks = np.where((here >= left) & (here > right), here, np.float32(-1.0))
    # A frame without a peak inside the range keeps its highest place, as one that fits badly.
    is_bare = peaks.max(axis=1) < 0.0
    peaks[is_bare, here[is_bare].argmax(axis=1)] = 0.0
    best = np.argsort(-peaks, axis=1, kind="stable")[:, :PEAKS]
    rows = np.arange(best.shape[0])[:, np.newaxis]
    left, middle, right = left[rows, best], here[rows, best], right[rows, best]
    bend = left - 2.0 * middle + right
    shift = np.where(bend < 0.0, 0.5 * (left - right) / np.where(bend < 0.0, bend, 1.0), 0.0)
    octaves = np.log2(_candidates_hz()[1:-1])[best] + np.clip(shift, -1.0, 1.0) / STEPS_PER_OCTAVE
    return octaves.astype(np.float32), peaks[rows, best]


def _voiced_runs(f0_hz: FloatArray, margin: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return the frames that fit well enough, and those that carry the same pitch on from there.

    A frame that fits a little less well is voiced where an unbroken line of such frames, of steady
    pitch, joins it to three that fit.
    """
    is_weak = margin > -WEAK_MARGIN
    octave = np.log2(np.maximum(f0_hz, 1.0))
    breaks = ~is_weak[1:] | ~is_weak[:-1] | (np.abs(np.diff(octave)) > STEADY_OCTAVES)
    run = np.concatenate([[0], np.cumsum(breaks)])
    strong = np.bincount(run, weights=margin > 0.0)
    return np.asarray((margin > 0.0) | (is_weak & (strong[run] >= 3)))


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
