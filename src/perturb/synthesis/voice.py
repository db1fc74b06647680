"""Another voice for the same words: every period at another pitch, its resonances moved.

The recording is taken apart into short grains, each read at the ratio by which its resonances are
to move: a vocal tract that is shorter by 1.19 has resonances that are higher by 1.19. In voiced
runs a grain is a period, laid where the wanted pitch has it (TD-PSOLA); elsewhere grains of a few
milliseconds are laid at random distances, so that noise stays noise. What this gives is not the
same voice; whose it is, it does not say.

References
----------
E. Moulines and F. Charpentier, "Pitch-synchronous waveform processing techniques for
text-to-speech synthesis using diphones", Speech Communication 9, 1990, 453–467.
E. Moulines and J. Laroche, "Non-parametric techniques for pitch-scale and time-scale modification
of speech", Speech Communication 16, 1995, 175–205.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.grains import lay_grains
from perturb.kernels.run_level import follow_level
from perturb.measure.f0_track import F0Track
from perturb.measure.level import strongest_channel
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray
from perturb.synthesis.attacks import find_attacks
from perturb.synthesis.psola import (
    LARGEST_GAIN,
    LEVEL_BLOCK_S,
    LEVEL_PASSES,
    LEVEL_PERIODS,
    LEVEL_WINDOW_S,
    TAPS,
    Run,
    fractional_reader,
    marked_runs,
)

__all__ = ["UniformSource", "revoice"]

PHASES = 512
"""Each sample is read at a phase of its own: so many that the rounding is not heard."""

LEAST_SPACING_S, MOST_SPACING_S = 0.003, 0.005
SCATTER_S = 0.0015

Floats = npt.NDArray[np.float64]
UniformSource = Callable[[int], Floats]
"""Returns the next so many numbers between 0 and 1."""


class _Grains(NamedTuple):
    """Grains as `lay_grains` takes them; positions in samples of the segment."""

    sources: Floats
    targets: Floats
    rises: Floats
    falls: Floats


def revoice(
    samples: FloatArray,
    sample_rate_hz: int,
    f0: F0Track,
    wanted_hz: FloatArray,
    formant_ratio: float,
    uniforms: UniformSource,
) -> FloatArray:
    """Return a segment in another voice.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The segment. The strongest channel is marked; all share its marks, grains and gains.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.
    f0 : F0Track
        Its pitch, with times counted from the start of the segment.
    wanted_hz : ndarray of float32, shape (frames,)
        The pitch wanted at the track's frames, in Hz, positive where the track is voiced.
    formant_ratio : float
        Factor on every frequency of the spectral envelope. Below 1 nothing is left above this
        part of half the rate; above 1 what would go beyond half the rate is left out.
    uniforms : callable
        Source of numbers between 0 and 1; how many are asked for depends on n alone.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        Timing and level are the segment's, peaks may be higher than before; digital silence
        between sounds stays silent.

    Examples
    --------
    >>> from perturb.measure.f0 import track_f0
    >>> phase = np.cumsum(np.full(16_000, 120.0)) / 16_000
    >>> voice = (0.3 * np.exp(-9.0 * (phase % 1.0))).astype(np.float32)
    >>> f0 = track_f0(voice, 16_000)
    >>> wanted_hz = np.where(f0.is_voiced, 180.0, 0.0).astype(np.float32)
    >>> uniforms = np.random.default_rng(0).random
    >>> other = revoice(voice[np.newaxis], 16_000, f0, wanted_hz, 1.1, uniforms)
    >>> round(track_f0(other[0], 16_000).median_hz)
    180
    """
    count = samples.shape[1]
    table = fractional_reader(PHASES, min(1.0, 1.0 / formant_ratio))
    result = np.zeros(samples.shape, dtype=np.float32)
    scattered = _scatter(count, sample_rate_hz, uniforms)
    if count == 0:
        return result
    channel = strongest_channel(samples)
    guide = as_input(without_rumble(samples[channel], sample_rate_hz))
    rest = np.ones(count, dtype=np.float32)
    for run, sources, targets in marked_runs(guide, sample_rate_hz, f0, wanted_hz):
        grains = _periods(run, sources, targets, formant_ratio)
        inside = slice(math.ceil(run.start), math.floor(run.stop) + 1)
        rest[inside] = _rest(run, grains)
        weight = np.float32(1.0) - rest[inside]
        _add_run(
            samples, channel, sample_rate_hz, run, grains, weight, formant_ratio, table, result
        )
    between = np.zeros(samples.shape, dtype=np.float32)
    heard = _heard(_on_attacks(scattered, find_attacks(guide, sample_rate_hz)[0]), rest)
    lay_grains(as_input(samples), *heard, formant_ratio, table, 0, between)
    between *= rest
    half = math.ceil(0.5 * LEVEL_WINDOW_S * sample_rate_hz)
    _match(samples[channel] * rest, half, sample_rate_hz, channel, between)
    result += between
    return result


def _scatter(count: int, sample_rate_hz: int, uniforms: UniformSource) -> _Grains:
    """Return grains at random distances all along, read from about where they are laid."""
    least = LEAST_SPACING_S * sample_rate_hz
    number = math.ceil(count / least) + 2
    drawn = np.asarray(uniforms(2 * number), dtype=np.float64).reshape(2, number)
    spacings = least + (MOST_SPACING_S * sample_rate_hz - least) * drawn[0]
    places = np.cumsum(spacings) - spacings[0]
    middles = places[:-1]
    scatter = SCATTER_S * sample_rate_hz * (2.0 * drawn[1, :-1] - 1.0)
    return _Grains(middles + scatter, middles, spacings[:-1], np.diff(places))


def _on_attacks(grains: _Grains, attacks: npt.NDArray[np.int64]) -> _Grains:
    """Return the grains with the nearest to each attack laid on it, that one unscattered.

    So is the one before it: what is so sudden must not be heard early, late, twice or never.
    """
    targets = grains.targets.copy()
    if attacks.size == 0 or targets.size < 2:
        return grains
    nearest = np.searchsorted(0.5 * (targets[1:] + targets[:-1]), attacks)
    end = targets[-1] + grains.falls[-1]
    targets[nearest] = attacks
    sources = grains.sources + (targets - grains.targets)
    for unscattered in (nearest, np.maximum(nearest - 1, 0)):
        sources[unscattered] = targets[unscattered]
    falls = np.diff(np.append(targets, end))
    return _Grains(sources, targets, np.append(grains.rises[0], falls[:-1]), falls)


def _heard(grains: _Grains, rest: FloatArray) -> _Grains:
    """Return the grains of which anything is heard."""
    total = np.concatenate([[0], np.cumsum(rest > 0.0)])
    low = np.clip(np.floor(grains.targets - grains.rises), 0, rest.size).astype(np.int64)
    high = np.clip(np.ceil(grains.targets + grains.falls) + 1, 0, rest.size).astype(np.int64)
    is_heard = total[high] > total[low]
    return _Grains(*(as_input(field[is_heard], np.float64) for field in grains))


def _periods(run: Run, sources: Floats, targets: Floats, ratio: float) -> _Grains:
    """Return a grain for each target: the period nearest in time, not past the run's edges."""
    nearest = np.searchsorted(0.5 * (sources[1:] + sources[:-1]), targets)
    gaps = np.diff(sources) / ratio
    before = gaps[np.maximum(nearest - 1, 0)]
    after = gaps[np.minimum(nearest, gaps.size - 1)]
    return _Grains(
        sources[nearest],
        targets,
        np.minimum(before, targets - run.start),
        np.minimum(after, run.stop - targets),
    )


def _rest(run: Run, grains: _Grains) -> FloatArray:
    """Return the weight of what is not voiced: gone over the first rise, back over the last."""
    places = np.arange(math.ceil(run.start), math.floor(run.stop) + 1)
    rising = (places - grains.targets[0]) / max(float(grains.rises[0]), 1e-9)
    falling = (places - grains.targets[-1]) / max(float(grains.falls[-1]), 1e-9)
    before = 0.5 - 0.5 * np.cos(np.pi * np.clip(rising, -1.0, 0.0))
    after = 0.5 - 0.5 * np.cos(np.pi * np.clip(falling, 0.0, 1.0))
    rest: FloatArray = (before + after).astype(np.float32)
    return rest


def _add_run(
    samples: FloatArray,
    channel: int,
    sample_rate_hz: int,
    run: Run,
    grains: _Grains,
    weight: FloatArray,
    ratio: float,
    table: FloatArray,
    result_inout: FloatArray,
) -> None:
    """Add a voiced run, at the level it had."""
    origin = math.ceil(run.start)
    inside = slice(origin, origin + weight.size)
    reach = TAPS + math.ceil(ratio * max(float(grains.rises.max()), float(grains.falls.max())))
    cut = max(origin - reach, 0)
    around = samples[:, cut : inside.stop + reach]
    # Overlapping windows would turn an offset into a tone.
    offsets = samples[:, inside].mean(axis=1, dtype=np.float64, keepdims=True).astype(np.float32)
    heard = np.zeros((samples.shape[0], weight.size), dtype=np.float32)
    lay_grains(
        as_input(around - offsets), as_input(grains.sources - cut, np.float64),
        as_input(grains.targets - cut, np.float64), as_input(grains.rises, np.float64),
        as_input(grains.falls, np.float64), ratio, table, origin - cut, heard,
    )  # fmt: skip
    longest = max(float(run.periods.max()), float(run.wanted.max()))
    half = math.ceil(0.5 * max(LEVEL_WINDOW_S * sample_rate_hz, LEVEL_PERIODS * longest))
    wanted = (samples[channel, inside] - offsets[channel]) * weight
    _match(wanted, half, sample_rate_hz, channel, heard)
    result_inout[:, inside] += heard + offsets * weight


def _match(
    wanted: FloatArray, half: int, sample_rate_hz: int, channel: int, inout: FloatArray
) -> None:
    block = max(1, round(LEVEL_BLOCK_S * sample_rate_hz))
    follow_level(as_input(wanted), half, block, LARGEST_GAIN, LEVEL_PASSES, channel, inout)
