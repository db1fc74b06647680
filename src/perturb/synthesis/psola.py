"""Another pitch for a voice: each period kept, and put where the wanted contour has it.

Voiced runs alone are edited. In each the periods are marked, and windowed periods are laid along
the wanted contour, some twice, some not at all. Their spectrum, and so the words, stay; the level
of the run is brought back. Everything between the runs is the recording, bit for bit.

References
----------
E. Moulines and F. Charpentier, "Pitch-synchronous waveform processing techniques for
text-to-speech synthesis using diphones", Speech Communication 9, 1990, 453–467.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.pitch_marks import lay_marks, mark_periods
from perturb.kernels.psola import overlap_add
from perturb.kernels.run_level import follow_level
from perturb.measure.f0_track import F0Track
from perturb.measure.level import strongest_channel
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray

__all__ = ["Run", "fractional_reader", "marked_runs", "repitch", "run_extents"]

LEAST_MARKS = 2
"""A run with fewer periods is left as it is."""

LEAST_RISE = 0.25
"""Part of a period that the first grain needs before its mark, the last one after it."""

PHASES = 64
TAPS = 16
KAISER_BETA = 6.0
SEARCH_RATE_HZ = 16_000
LEVEL_WINDOW_S = 0.025
LEVEL_PERIODS = 3.0
LEVEL_BLOCK_S = 0.0025
LEVEL_PASSES = 2
LARGEST_GAIN = 10.0 ** (9.0 / 20.0)

Floats = npt.NDArray[np.float64]


def repitch(
    samples: FloatArray, sample_rate_hz: int, f0: F0Track, wanted_hz: FloatArray
) -> FloatArray:
    """Return a segment with its voiced runs at the wanted pitch.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The segment. The strongest channel is marked; all share its marks and gains.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.
    f0 : F0Track
        Its pitch, with times counted from the start of the segment.
    wanted_hz : ndarray of float32, shape (frames,)
        The pitch wanted at the track's frames, in Hz; looked at where the track is voiced.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        Unvoiced runs are equal to the segment's; peaks may be higher than before.

    Raises
    ------
    ParameterError
        `wanted_hz` has another shape than the track, or is not positive where that is voiced.

    Examples
    --------
    >>> from perturb.measure.f0 import track_f0
    >>> phase = np.cumsum(np.linspace(100, 140, 16_000)) / 16_000
    >>> voice = (0.3 * np.exp(-9.0 * (phase % 1.0))).astype(np.float32)
    >>> f0 = track_f0(voice, 16_000)
    >>> flat = repitch(voice[np.newaxis], 16_000, f0, np.full(f0.f0_hz.size, 120.0))
    >>> round(float(np.ptp(track_f0(flat[0], 16_000).f0_hz[20:-20])))
    0
    """
    wanted_hz = np.asarray(wanted_hz, dtype=np.float32)
    if wanted_hz.shape != f0.f0_hz.shape or not np.all(wanted_hz[f0.is_voiced] > 0.0):
        raise ParameterError(
            f"wanted_hz has shape {wanted_hz.shape} for {f0.f0_hz.size} frames; accepted: one "
            "positive frequency for each voiced frame"
        )
    result = np.array(samples, dtype=np.float32)
    if result.shape[1] == 0:
        return result
    channel = strongest_channel(samples)
    guide = as_input(without_rumble(samples[channel], sample_rate_hz))
    for run, sources, targets in marked_runs(guide, sample_rate_hz, f0, wanted_hz):
        _render(samples, channel, sample_rate_hz, run, sources, targets, result)
    return result


def marked_runs(
    guide: FloatArray, sample_rate_hz: int, f0: F0Track, wanted_hz: FloatArray
) -> Iterator[tuple[Run, Floats, Floats]]:
    """Yield each voiced run, the marks of its periods, and where they are wanted.

    Parameters
    ----------
    guide : ndarray of float32, shape (n,)
        The channel that is marked, without rumble.
    sample_rate_hz : int
        Sampling rate in Hz.
    f0 : F0Track
        Its pitch, with times counted from its first sample.
    wanted_hz : ndarray of float32, shape (frames,)
        The pitch wanted at the track's frames, positive where it is voiced.

    Yields
    ------
    Run, ndarray of float64, ndarray of float64
        Runs too short to hold two periods are left out.
    """
    for run in _voiced_runs(f0, wanted_hz, sample_rate_hz, guide.size):
        sources = _mark(guide, run, sample_rate_hz)
        targets = _lay(sources, run)
        if targets.size:
            yield run, sources, targets


def run_extents(f0: F0Track, sample_rate_hz: int, count: int) -> list[tuple[int, int]]:
    """Return the first sample of each voiced run and the one past its last.

    Parameters
    ----------
    f0 : F0Track
        Times counted from the start of the segment.
    sample_rate_hz : int
        Sampling rate in Hz.
    count : int
        Samples in the segment.
    """
    runs = _voiced_runs(f0, f0.f0_hz, sample_rate_hz, count)
    return [(math.ceil(run.start), math.floor(run.stop) + 1) for run in runs]


class Run(NamedTuple):
    """A voiced run; positions and periods in samples, `first` that of its first frame."""

    start: float
    stop: float
    first: float
    hop: float
    periods: FloatArray
    wanted: FloatArray


def _voiced_runs(
    f0: F0Track, wanted_hz: FloatArray, sample_rate_hz: int, count: int
) -> Iterator[Run]:
    hop = f0.hop_s * sample_rate_hz
    for low, high in f0.voiced_runs():
        first = float(f0.times_s[low]) * sample_rate_hz
        yield Run(
            start=max(first - 0.5 * hop, 0.0),
            stop=min(first + (high - low - 0.5) * hop, count - 1.0),
            first=first,
            hop=hop,
            periods=as_input(sample_rate_hz / f0.f0_hz[low:high]),
            wanted=as_input(sample_rate_hz / wanted_hz[low:high]),
        )


def _mark(guide: FloatArray, run: Run, sample_rate_hz: int) -> Floats:
    """Return the marks of the recording's periods."""
    capacity = 4 + math.ceil(2.5 * (run.stop - run.start) / float(run.periods.min()))
    marks = np.empty(max(capacity, 4))
    stride = max(1, round(sample_rate_hz / SEARCH_RATE_HZ))
    count = mark_periods(guide, run.start, run.stop, run.periods, run.first, run.hop, stride, marks)
    return marks[:count]


def _lay(sources: Floats, run: Run) -> Floats:
    """Return where the periods are wanted: from the first mark that has room to rise, on."""
    marks = sources[:0]
    if sources.size < LEAST_MARKS:
        return marks
    room = LEAST_RISE * float(run.periods[0])
    start = float(sources[0] if sources[0] - run.start >= room else sources[1])
    stop = run.stop - LEAST_RISE * float(run.periods[-1])
    marks = np.empty(4 + max(0, math.ceil((stop - start) / float(run.wanted.min()))))
    count = lay_marks(start, stop, run.wanted, run.first, run.hop, marks)
    return marks[:count]


def _render(
    samples: FloatArray,
    channel: int,
    sample_rate_hz: int,
    run: Run,
    sources: Floats,
    targets: Floats,
    result_out: FloatArray,
) -> None:
    """Write the run at its new pitch."""
    longest = math.ceil(2.0 * float(np.diff(sources).max())) + TAPS
    origin = math.ceil(run.start)
    inside = slice(origin, math.floor(run.stop) + 1)
    cut = max(origin - longest, 0)
    around = samples[:, cut : inside.stop + longest]
    # Overlapping windows would turn an offset into a tone.
    offsets = samples[:, inside].mean(axis=1, dtype=np.float64, keepdims=True).astype(np.float32)
    grains = np.zeros((samples.shape[0], inside.stop - origin), dtype=np.float32)
    rest = np.empty(grains.shape[1], dtype=np.float32)
    overlap_add(
        as_input(around - offsets), as_input(sources - cut, np.float64),
        as_input(targets - cut, np.float64), run.start - cut, run.stop - cut,
        fractional_reader(), grains, rest,
    )  # fmt: skip
    original = samples[:, inside] - offsets
    longest_period = max(float(run.periods.max()), float(run.wanted.max()))
    half = 0.5 * max(LEVEL_WINDOW_S * sample_rate_hz, LEVEL_PERIODS * longest_period)
    follow_level(
        as_input(original[channel] * (1.0 - rest)), math.ceil(half),
        max(1, round(LEVEL_BLOCK_S * sample_rate_hz)), LARGEST_GAIN, LEVEL_PASSES, channel, grains,
    )  # fmt: skip
    result_out[:, inside] = grains + rest * original + offsets


@functools.cache
def fractional_reader(phases: int = PHASES, cutoff: float = 1.0) -> FloatArray:
    """Return the weights of `overlap_add`: a sinc at each phase, windowed.

    Parameters
    ----------
    phases : int
        Places between two samples.
    cutoff : float
        What is read passes up to this part of half the rate: 1 reads it as it is.
    """
    places = np.arange(phases + 1)[:, np.newaxis] / phases
    offsets = np.arange(TAPS) - (TAPS // 2 - 1) - places
    inside = np.clip(1.0 - (offsets / (TAPS // 2)) ** 2, 0.0, 1.0)
    rows = np.sinc(cutoff * offsets) * np.i0(KAISER_BETA * np.sqrt(inside)) / np.i0(KAISER_BETA)
    if cutoff == 1.0:
        rows[0] = offsets[0] == 0.0
        rows[-1] = offsets[-1] == 0.0
    return as_input(rows / rows.sum(axis=1, keepdims=True))
