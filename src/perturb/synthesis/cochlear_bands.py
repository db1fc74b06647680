"""Bands of equal length on the cochlea, and what each of them holds of a channel.

References
----------
D. D. Greenwood, "A cochlear frequency-position function for several species — 29 years later",
Journal of the Acoustical Society of America 87(6), 1990, 2592–2605.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.signal import FloatArray
from perturb.synthesis.filters import (
    ZeroPhaseFilter,
    band_pass,
    block_magnitudes,
    energy_of,
    low_pass,
)

__all__ = [
    "AUDIBLE_RANGE_DB",
    "LOWEST_HZ",
    "WHOLE",
    "BandComparison",
    "BandEnvelope",
    "band_edges_hz",
    "band_envelope",
    "band_filters",
    "compare_bands",
    "highest_hz",
    "stand_out",
]

LOWEST_HZ = 80.0
AUDIBLE_RANGE_DB = 60.0
WHOLE = slice(None)
_HIGHEST_HZ = 7_000.0
_HIGHEST_SHARE_OF_RATE = 0.45
_ENVELOPE_HZ = 30.0
_BLOCKS_PER_S = 500.0
_MOST_FROM_NEIGHBOURS = 0.5
_LEAST_BANDWIDTH_DURATION = 30.0
_LEAST_POWER = 10.0**-8.5
"""-85 dBFS: what lies under it, the rounding of a 16-bit file changes."""


@dataclass(frozen=True, eq=False)
class BandEnvelope:
    """What a band of one channel holds: its envelope over time, and its energy.

    Parameters
    ----------
    magnitudes : ndarray of float32, shape (blocks,)
        Rectified and smoothed at 30 Hz, one value per `block_samples`.
    energy : float
        Sum of the squares of the band's samples, in the core.
    block_samples : int
        About 2 ms.
    """

    magnitudes: FloatArray
    energy: float
    block_samples: int


def highest_hz(sample_rate_hz: int) -> float:
    """Return the upper edge of the highest band: 7 kHz, or 0.45 of the sampling rate.

    Examples
    --------
    >>> highest_hz(16_000), highest_hz(8_000)
    (7000.0, 3600.0)
    """
    return min(_HIGHEST_HZ, _HIGHEST_SHARE_OF_RATE * sample_rate_hz)


def band_edges_hz(bands: int, sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Return the edges of bands that take up equal lengths of the cochlea.

    Parameters
    ----------
    bands : int
        Number of bands, at least 1.
    sample_rate_hz : int
        Sampling rate in Hz; it caps the upper edge.

    Returns
    -------
    ndarray of float64, shape (bands + 1,)
        In Hz, from 80 on, by ``f = 165.4 (10^(2.1 x) - 0.88)``, x the place from 0 to 1.

    Examples
    --------
    >>> band_edges_hz(4, 16_000).round()
    array([  80.,  390., 1124., 2866., 7000.])
    """
    ends_hz = np.array([LOWEST_HZ, highest_hz(sample_rate_hz)])
    first, last = np.log10(ends_hz / 165.4 + 0.88) / 2.1
    edges_hz = 165.4 * (10.0 ** (2.1 * np.linspace(first, last, bands + 1)) - 0.88)
    edges_hz[[0, -1]] = ends_hz
    return edges_hz


@functools.lru_cache(maxsize=64)
def band_filters(bands: int, sample_rate_hz: int) -> tuple[ZeroPhaseFilter, ...]:
    """Return the band-pass filters, rising in frequency."""
    edges_hz = band_edges_hz(bands, sample_rate_hz).tolist()
    return tuple(
        band_pass(low_hz, high_hz, sample_rate_hz)
        for low_hz, high_hz in itertools.pairwise(edges_hz)
    )


def stand_out(energies: npt.ArrayLike, bands: int, sample_rate_hz: int) -> npt.NDArray[np.bool_]:
    """Return which bands have a level of their own.

    A band between two harmonics of a high voice holds next to nothing but what its filter's skirts
    catch of its neighbours. Noise fills those neighbours up to the edge, hence brings more into the
    band than was there, and no gain of the band itself takes it away. Such a band, and one 60 dB
    under the strongest, does not stand out.

    Parameters
    ----------
    energies : array_like, shape (bands,)
        What the filters let through of a channel.
    bands : int
        Number of bands.
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    ndarray of bool, shape (bands,)
        Whether noise in the other bands would bring less than half of what the band holds.
    """
    held = np.asarray(energies, dtype=np.float64)
    passed = _passed_on(bands, sample_rate_hz)
    # Not a matrix product: its sums would depend on the library and its threads.
    brought = (passed * (held / np.diag(passed))).sum(axis=1) - held
    is_heard = held > held.max() * 10.0 ** (-AUDIBLE_RANGE_DB / 10.0)
    return np.asarray(is_heard & (brought <= _MOST_FROM_NEIGHBOURS * held))


@functools.lru_cache(maxsize=64)
def _passed_on(bands: int, sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Return the share of each band's noise (column) that each band's filter (row) lets through."""
    frequencies_hz = np.linspace(0.0, 0.5 * sample_rate_hz, 1 + sample_rate_hz // 4)
    powers = np.square(
        [band.response(frequencies_hz) for band in band_filters(bands, sample_rate_hz)]
    )
    shares: npt.NDArray[np.float64] = np.array(
        [(powers * row).sum(axis=1) for row in powers]
    ) / powers.sum(axis=1)
    shares.setflags(write=False)
    return shares


def band_envelope(
    samples: FloatArray,
    band: ZeroPhaseFilter,
    workspace: FloatArray | None = None,
    core: slice = WHOLE,
) -> BandEnvelope:
    """Return what one band of a channel holds.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel.
    band : ZeroPhaseFilter
        The band.
    workspace : ndarray of float32, shape (n + band.settle_samples or more,), optional
        Afterwards its first n samples are the band's.
    core : slice
        Samples whose energy counts.
    """
    block_samples = max(1, round(band.sample_rate_hz / _BLOCKS_PER_S))
    part = band.run(samples, workspace)
    magnitudes, energy = block_magnitudes(part, block_samples)
    if core != WHOLE:
        energy = energy_of(part[core])
    smoother = low_pass(_ENVELOPE_HZ, band.sample_rate_hz / block_samples, order=2)
    # The low-pass overshoots a little after an onset: no envelope is negative.
    return BandEnvelope(np.maximum(smoother.run(magnitudes), 0.0), energy, block_samples)


@dataclass(frozen=True, eq=False)
class BandComparison:
    """A channel before and after an edit, band by band; only bands that say something.

    Parameters
    ----------
    level_differences_db : ndarray of float64, shape (judged,)
        Level after minus level before, in dB.
    correlations : ndarray of float64, shape (judged or fewer,)
        Pearson's r of the envelopes, where both move.
    left_out : int
        Bands that do not stand out, lie under -85 dBFS, or have bandwidth × duration under 30.
    """

    level_differences_db: npt.NDArray[np.float64]
    correlations: npt.NDArray[np.float64]
    left_out: int


def compare_bands(
    old: FloatArray, new: FloatArray, sample_rate_hz: int, bands: int, core: slice = WHOLE
) -> BandComparison:
    """Compare levels and envelopes of a channel's bands before and after an edit.

    Parameters
    ----------
    old, new : ndarray of float32, shape (n,)
        The channel before and after. Of a silent channel nothing is judged.
    sample_rate_hz : int
        Sampling rate in Hz.
    bands : int
        Number of bands.
    core : slice
        Samples whose level counts.
    """
    if not np.any(old):
        return BandComparison(np.zeros(0), np.zeros(0), 0)
    energies, differences_db, correlations = np.zeros(bands), np.zeros(bands), np.zeros(bands)
    filters = band_filters(bands, sample_rate_hz)
    settle_samples = max(band.settle_samples for band in filters)
    workspace = np.empty(max(old.size, new.size) + settle_samples, dtype=np.float32)
    for number, band in enumerate(filters):
        wanted, found = (band_envelope(side, band, workspace, core) for side in (old, new))
        energies[number] = wanted.energy
        if wanted.energy > 0.0:
            ratio = max(found.energy / wanted.energy, 1e-20)
            differences_db[number] = 10.0 * np.log10(ratio)
        correlations[number] = _correlation(wanted.magnitudes, found.magnitudes)
    count = old[core].size
    widths_hz = np.diff(band_edges_hz(bands, sample_rate_hz))
    counts = stand_out(energies, bands, sample_rate_hz)
    counts &= energies / count >= _LEAST_POWER
    counts &= widths_hz * (count / sample_rate_hz) >= _LEAST_BANDWIDTH_DURATION
    is_moving = counts & np.isfinite(correlations)
    return BandComparison(
        differences_db[counts], correlations[is_moving], int(np.count_nonzero(~counts))
    )


def _correlation(one: FloatArray, other: FloatArray) -> float:
    """Return Pearson's r; NaN where one of the two does not move."""
    moved = one - one.mean(dtype=np.float64)
    moved_other = other - other.mean(dtype=np.float64)
    scale = float(np.sqrt(np.square(moved).sum() * np.square(moved_other).sum()))
    return float((moved * moved_other).sum()) / scale if scale > 0.0 else float("nan")
