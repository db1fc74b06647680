"""Pitch and voicing by autocorrelation: the tracker that drives synthesis.

Boersma's method: the autocorrelation of a windowed frame, divided by that of the window, has its
maximum at the period; a path through the best few maxima of all frames decides which are voiced.
`perturb.measure.f0_judge` checks results with an unlike algorithm.

References
----------
P. Boersma, "Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise
ratio of a sampled sound", Proceedings of the Institute of Phonetic Sciences 17, 1993, 97–110.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt
import soxr

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.f0 import find_candidates, measure_levels
from perturb.kernels.f0_path import choose_path
from perturb.measure.f0_track import F0Track
from perturb.measure.level import strongest_channel
from perturb.measure.rumble import RumbleFilter
from perturb.signal import FloatArray, Signal, as_channel

__all__ = ["F0Track", "track_f0", "track_signal_f0"]

HOP_S = 0.005
ANALYSIS_RATE_HZ = 8_000
PERIODS_PER_WINDOW = 3.0
CANDIDATES = 5
# Boersma gives 0.45, and 0.03 of the peak; ours lose fewer frames at 10 dB SNR, and go by RMS.
VOICING_THRESHOLD = 0.43
SILENCE_RATIO = 0.04
OCTAVE_COST = 0.01
# Boersma states the two costs of change for frames 10 ms apart.
OCTAVE_JUMP_COST = 0.35 * 0.010 / HOP_S
VOICING_COST = 0.14 * 0.010 / HOP_S
CHUNK_SAMPLES = 1 << 16
SILENT_RMS = 1e-7
LOUDEST_SKIPPED_FRAMES = 20
EDGE_FRAMES = 3
LEAP_OCTAVES = 0.263
INTERPOLATOR_TAPS = 16
INTERPOLATOR_PHASES = 8


def track_f0(
    samples: FloatArray,
    sample_rate_hz: int,
    *,
    floor_hz: float = 60.0,
    ceiling_hz: float = 500.0,
) -> F0Track:
    """Track the pitch of one channel.

    High-pass at 40 Hz, resampled to 8 kHz, a Hann window of three periods of the floor (50 ms),
    five candidates per frame, 5 ms hop. Clips shorter than the window have no voiced frame.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel, full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.
    floor_hz, ceiling_hz : float
        Range searched, in Hz: 40 ≤ floor, 2 × floor ≤ ceiling ≤ 800.

    Returns
    -------
    F0Track
        ``1 + floor(duration / hop)`` frames.

    Raises
    ------
    AudioError
        `samples` is not one-dimensional, or the rate is outside the range.
    ParameterError
        Floor or ceiling out of range.

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 200 * np.arange(16_000) / 16_000).astype(np.float32)
    >>> track = track_f0(tone, 16_000)
    >>> track.f0_hz.size, round(track.median_hz, 1)
    (201, 200.0)
    """
    samples = as_channel(samples, sample_rate_hz)
    _check_range(floor_hz, ceiling_hz)
    hop = round(HOP_S * ANALYSIS_RATE_HZ)
    frames = 1 + samples.size * ANALYSIS_RATE_HZ // (sample_rate_hz * hop)
    times_s = np.arange(frames, dtype=np.float64) * HOP_S
    f0_hz = np.zeros(frames, dtype=np.float32)
    strength = np.zeros(frames, dtype=np.float32)
    width = 2 * round(PERIODS_PER_WINDOW / floor_hz * ANALYSIS_RATE_HZ / 2)
    if samples.size * ANALYSIS_RATE_HZ < width * sample_rate_hz:
        return F0Track(times_s, f0_hz, strength, HOP_S)

    signal = as_input(_condition(samples, sample_rate_hz))
    levels = np.empty(frames, dtype=np.float32)
    measure_levels(signal, hop, 2, levels)
    unvoiced = _unvoiced_strengths(levels)
    # Where "unvoiced" beats any candidate even with two changes of voicing saved, none is sought.
    is_audible = unvoiced <= 1.0 + 2.0 * VOICING_COST
    lags = np.empty((frames, CANDIDATES), dtype=np.float32)
    strengths = np.empty((frames, CANDIDATES), dtype=np.float32)
    min_lag = math.floor(ANALYSIS_RATE_HZ / ceiling_hz)
    max_lag = math.ceil(ANALYSIS_RATE_HZ / floor_hz)
    find_candidates(
        signal,
        hop,
        _hann(width),
        min_lag,
        max_lag,
        _interpolator(),
        0.5 * VOICING_THRESHOLD,
        OCTAVE_COST,
        as_input(is_audible, np.bool_),
        lags,
        strengths,
    )
    periods = np.empty(frames, dtype=np.float32)
    choose_path(
        as_input(lags),
        as_input(strengths),
        as_input(unvoiced),
        OCTAVE_COST,
        OCTAVE_JUMP_COST,
        VOICING_COST,
        float(ANALYSIS_RATE_HZ / ceiling_hz),
        periods,
        strength,
    )
    _drop_leaps_at_edges(periods)
    is_voiced = periods > 0.0
    f0_hz[is_voiced] = np.clip(ANALYSIS_RATE_HZ / periods[is_voiced], floor_hz, ceiling_hz)
    return F0Track(times_s, f0_hz, np.clip(strength, 0.0, 1.0), HOP_S)


def track_signal_f0(signal: Signal) -> F0Track:
    """Track the pitch of a signal's strongest channel (by energy; the first of equals)."""
    return track_f0(signal.samples[strongest_channel(signal.samples)], signal.sample_rate_hz)


def _check_range(floor_hz: float, ceiling_hz: float) -> None:
    if not (floor_hz >= 40.0 and 2.0 * floor_hz <= ceiling_hz <= 800.0):
        raise ParameterError(
            f"floor_hz is {floor_hz:g} and ceiling_hz {ceiling_hz:g}; accepted: a floor of at "
            "least 40 Hz, a ceiling from twice the floor to 800 Hz"
        )


def _condition(samples: FloatArray, sample_rate_hz: int) -> FloatArray:
    """High-pass and resample to the analysis rate, chunk by chunk."""
    if samples.size == 0:
        return np.zeros(0, dtype=np.float32)
    rumble_filter = RumbleFilter(sample_rate_hz, float(samples[0]))
    resampler = None
    if sample_rate_hz != ANALYSIS_RATE_HZ:
        resampler = soxr.ResampleStream(
            sample_rate_hz, ANALYSIS_RATE_HZ, 1, dtype="float32", quality="MQ"
        )
    parts = []
    for start in range(0, samples.size, CHUNK_SAMPLES):
        filtered = rumble_filter(samples[start : start + CHUNK_SAMPLES])
        if resampler is not None:
            is_last = start + CHUNK_SAMPLES >= samples.size
            filtered = resampler.resample_chunk(filtered, last=is_last)
        parts.append(filtered)
    return np.concatenate(parts)


def _drop_leaps_at_edges(periods: FloatArray) -> None:
    """Unvoice the first or last frames of a voiced run that leap against what follows, in place.

    Where a voice sets in or dies away the window holds half a period of something else: up to
    three frames whose period differs by more than a fifth from their inner neighbour's.
    """
    is_voiced = np.concatenate([[False], periods > 0.0, [False]])
    edges = np.flatnonzero(is_voiced[1:] != is_voiced[:-1])
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        run = periods[start:stop]
        if run.size <= 2 * EDGE_FRAMES:
            continue
        leaps = np.abs(np.log2(run[1:] / run[:-1])) > LEAP_OCTAVES
        first = np.flatnonzero(leaps[:EDGE_FRAMES])
        last = np.flatnonzero(leaps[-EDGE_FRAMES:][::-1])
        if first.size:
            run[: first[-1] + 1] = 0.0
        if last.size:
            run[run.size - 1 - last[-1] :] = 0.0


def _unvoiced_strengths(levels: FloatArray) -> FloatArray:
    reference = _reference_level(levels)
    if reference == 0.0:
        return np.full(levels.size, 1e3, dtype=np.float32)
    relative = np.minimum(levels / reference, 1.0)
    silence = 2.0 - relative * (1.0 + VOICING_THRESHOLD) / SILENCE_RATIO
    unvoiced: FloatArray = (VOICING_THRESHOLD + np.maximum(silence, 0.0)).astype(np.float32)
    return unvoiced


def _reference_level(levels: FloatArray) -> float:
    """Return the level that silence is told from: that of the loudest frames but a few.

    The few (100 ms, or 1 % of a longer clip's loud frames) keep a click from calling the speech
    silent.
    """
    sounding = levels[levels > SILENT_RMS]
    if sounding.size == 0:
        return 0.0
    loud = int(np.count_nonzero(sounding > SILENCE_RATIO * sounding.max()))
    skipped = min(max(LOUDEST_SKIPPED_FRAMES, loud // 100), sounding.size // 4)
    return float(np.partition(sounding, -1 - skipped)[-1 - skipped])


@functools.cache
def _hann(width: int) -> FloatArray:
    phase = (np.arange(width) + 0.5) / width
    window: FloatArray = as_input(0.5 - 0.5 * np.cos(2.0 * np.pi * phase))
    return window


@functools.cache
def _interpolator() -> FloatArray:
    """Least-squares rows for `find_candidates`: band-limited values between samples.

    Each row is the best fit, over all frequencies up to 0.9 of half the rate, to a fractional
    delay. The lowest fifth weighs most: there a peak is so flat that the ripple of a windowed
    sinc would move it by several cents.
    """
    offsets = np.arange(INTERPOLATOR_TAPS) + 1.0 - INTERPOLATOR_TAPS // 2
    bands = ((0.9 * np.pi, 1.0), (0.2 * np.pi, 1e4))

    def correlate(distance: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        # The integral of cos(w * distance) over each band.
        total = np.zeros_like(distance)
        for edge, weight in bands:
            total += weight * edge * np.sinc(edge * distance / np.pi)
        return total

    phases = np.arange(INTERPOLATOR_PHASES + 1) / INTERPOLATOR_PHASES
    system = correlate(offsets[:, np.newaxis] - offsets)
    rows = np.linalg.solve(system, correlate(offsets[:, np.newaxis] - phases)).T
    interpolator: FloatArray = as_input(rows)
    return interpolator
