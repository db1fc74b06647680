"""Clips joined in a row with digital silence between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from perturb.kernels.joins import join_ramp
from perturb.measure.analysis import Analysis
from perturb.signal import FloatArray, Signal
from perturb.span import seconds_to_sample

__all__ = ["Levels", "Part", "is_abrupt", "place_parts", "shape_part", "shared_levels"]

_FADE_S = 0.005
_QUIET_DBFS = -50.0


class Levels(NamedTuple):
    """The levels of two clips by the first measure that both have, in dBFS."""

    measure: Literal["active_level", "rms"]
    own: float
    other: float


class Part(NamedTuple):
    """One clip as it is heard in the row.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Scaled and faded.
    gain_db : float
        What it was scaled by.
    faded_in, faded_out : int
        Lengths of its fades in samples; 0 where an edge is quiet by itself.
    """

    samples: FloatArray
    gain_db: float
    faded_in: int
    faded_out: int


def shared_levels(own: Analysis, other: Analysis) -> Levels | None:
    """Return the levels of two clips: active speech level (P.56) where both have one, else RMS.

    None where one of the two is digital silence.
    """
    active = own.active_level.level_dbfs, other.active_level.level_dbfs
    if active[0] is not None and active[1] is not None:
        return Levels("active_level", active[0], active[1])
    rms = own.rms_dbfs.value, other.rms_dbfs.value
    if rms[0] is not None and rms[1] is not None:
        return Levels("rms", rms[0], rms[1])
    return None


def is_abrupt(edge: FloatArray) -> bool:
    """Whether a clip's edge is loud enough to click against silence: above -50 dBFS RMS.

    Parameters
    ----------
    edge : ndarray of float32, shape (channels, samples)
        Its first or last samples; the loudest channel decides.
    """
    powers = np.mean(np.square(edge, dtype=np.float64), axis=1)
    return bool(powers.max() > 10.0 ** (_QUIET_DBFS / 10.0))


def shape_part(
    samples: FloatArray, sample_rate_hz: int, own: Analysis | None = None
) -> Part | None:
    """Return a clip at another's level, faded over 5 ms where its edges would click.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Not written to.
    sample_rate_hz : int
        Sampling rate in Hz.
    own : Analysis, optional
        The clip whose level it takes; without one its samples are not scaled.

    Returns
    -------
    Part or None
        None where a level is asked for and one of the two has none.
    """
    if own is None:
        return _shaped(samples, sample_rate_hz, 0.0)
    levels = shared_levels(own, Analysis(Signal.adopt(samples, sample_rate_hz)))
    if levels is None:
        return None
    part = _shaped(samples, sample_rate_hz, levels.own - levels.other)
    # Fades take a little, and the meter's gates fall alike only near the level.
    levels = shared_levels(own, Analysis(Signal.adopt(part.samples, sample_rate_hz)))
    if levels is None:
        return None
    rest_db = levels.own - levels.other
    return part._replace(samples=part.samples * _factor(rest_db), gain_db=part.gain_db + rest_db)


def _shaped(samples: FloatArray, sample_rate_hz: int, gain_db: float) -> Part:
    """Return a clip scaled, and faded where it then is loud at its edges."""
    count = samples.shape[1]
    fade = min(seconds_to_sample(_FADE_S, sample_rate_hz), count // 4)
    scaled = samples * _factor(gain_db)
    rising = fade if fade and is_abrupt(scaled[:, :fade]) else 0
    falling = fade if fade and is_abrupt(scaled[:, count - fade :]) else 0
    if rising or falling:
        scaled *= join_ramp(count, rising, falling)
    return Part(scaled, gain_db, rising, falling)


def _factor(gain_db: float) -> np.float32:
    return np.float32(10.0 ** (gain_db / 20.0))


def place_parts(
    lengths: Sequence[int], gaps_s: Sequence[float], sample_rate_hz: int
) -> list[tuple[int, int]]:
    """Return where each clip lies in the row, in samples.

    Parameters
    ----------
    lengths : sequence of int
        Samples of each clip, in order.
    gaps_s : sequence of float
        Silence after each clip but the last, in seconds.
    sample_rate_hz : int
        Sampling rate in Hz.

    Examples
    --------
    >>> place_parts([100, 50, 20], [0.01, 0.0], 8_000)
    [(0, 100), (180, 230), (230, 250)]
    """
    places: list[tuple[int, int]] = []
    at = 0
    for length, gap_s in zip(lengths, (*gaps_s, 0.0), strict=True):
        places.append((at, at + length))
        at += length + seconds_to_sample(gap_s, sample_rate_hz)
    return places
