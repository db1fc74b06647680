"""Where in a span an utterance is, and where the joins around it are to be."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import JOIN_S, join_ramp
from perturb.measure.active_level import MARGIN_DB, active_speech_level
from perturb.measure.level import frame_powers
from perturb.signal import FloatArray, Signal
from perturb.span import seconds_to_sample

__all__ = ["Extent", "Slot", "find_slot", "find_speech", "noise_floor_dbfs"]

_SPEECH_DB = 30.0
_ABOVE_FLOOR_DB = 6.0
_FRAME_S = 0.005
_REACH_S = 0.1


class Extent(NamedTuple):
    """First sample of speech and the one past its last."""

    start: int
    stop: int

    @property
    def length(self) -> int:
        """Samples between them."""
        return self.stop - self.start


class Slot(NamedTuple):
    """Where an utterance is, and how much of what is around it goes with it.

    Parameters
    ----------
    speech : Extent
        The utterance, in samples of the span.
    weight : ndarray of float32, shape (n,)
        What is replaced: 0 where the clip stays, 1 in the core, joins of 10 ms between. No join at
        an edge with no room for one: there the span's own serves.
    joins : tuple of int or None
        Middles of the two joins, in samples of the span.
    """

    speech: Extent
    weight: FloatArray
    joins: tuple[int | None, int | None]


def noise_floor_dbfs(samples: FloatArray, sample_rate_hz: int) -> float | None:
    """Return the level of the quietest tenth of the frames of 5 ms, None where all are silent.

    Digital silence is left out: in gaps that were cut or gated the room is not heard.
    """
    powers = frame_powers(samples, max(1, seconds_to_sample(_FRAME_S, sample_rate_hz)))
    sounding = np.sort(powers[powers > 0.0])
    if sounding.size == 0:
        return None
    return 10.0 * math.log10(float(sounding[: max(1, sounding.size // 10)].mean()))


def find_speech(
    samples: FloatArray, sample_rate_hz: int, floor_dbfs: float | None, whose: str
) -> Extent:
    """Return where speech begins and ends.

    Frames of 5 ms within 30 dB of the active level (P.56) and 6 dB over the floor; in noise the
    margin shrinks, to 15.9 dB at the least. One such frame alone is a click.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        A recording, or a span of one.
    sample_rate_hz : int
        Sampling rate in Hz.
    floor_dbfs : float or None
        Level of the noise (`noise_floor_dbfs`); None where there is none.
    whose : str
        What the message calls it.

    Raises
    ------
    InapplicableError
        There is no speech.
    """
    level = active_speech_level(Signal(samples, sample_rate_hz))
    if level.level_dbfs is None:
        raise InapplicableError(f"{whose} has no speech: {level.reason}")
    least_db = level.level_dbfs - _SPEECH_DB
    if floor_dbfs is not None:
        least_db = max(least_db, floor_dbfs + _ABOVE_FLOOR_DB)
    least_db = min(least_db, level.level_dbfs - MARGIN_DB)
    frame = max(1, seconds_to_sample(_FRAME_S, sample_rate_hz))
    is_loud = frame_powers(samples, frame) >= 10.0 ** (least_db / 10.0)
    pairs = np.flatnonzero(is_loud[1:] & is_loud[:-1])
    if pairs.size == 0:
        raise InapplicableError(f"{whose} has no speech: only clicks reach its active level")
    stop = min((int(pairs[-1]) + 2) * frame, samples.shape[1])
    return Extent(int(pairs[0]) * frame, stop)


def find_slot(samples: FloatArray, sample_rate_hz: int, floor_dbfs: float | None) -> Slot:
    """Return the utterance in a span and where the joins around it are to be.

    Depends on the clip alone, so that whatever is laid there, a sham too, has the same joins.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The span.
    sample_rate_hz : int
        Sampling rate in Hz.
    floor_dbfs : float or None
        Level of the clip's noise; None where there is none.
    """
    speech = find_speech(samples, sample_rate_hz, floor_dbfs, "the span")
    count = samples.shape[1]
    join = max(1, seconds_to_sample(JOIN_S, sample_rate_hz))
    reach = seconds_to_sample(_REACH_S, sample_rate_hz)
    left = _quietest(samples, max(0, speech.start - reach), speech.start, join)
    right = _quietest(samples, speech.stop, min(count, speech.stop + reach), join)
    first, last = 0 if left is None else left, count if right is None else right + join
    weight = np.zeros(count, dtype=np.float32)
    weight[first:last] = join_ramp(
        last - first, 0 if left is None else join, 0 if right is None else join
    )
    middles = tuple(None if at is None else at + join // 2 for at in (left, right))
    return Slot(speech, weight, (middles[0], middles[1]))


def _quietest(samples: FloatArray, start: int, stop: int, length: int) -> int | None:
    """Return where the quietest stretch of a length begins; None where none fits."""
    if stop - start < length:
        return None
    powers = np.square(samples[:, start:stop], dtype=np.float64).sum(axis=0)
    total = np.concatenate([[0.0], np.cumsum(powers)])
    return start + int(np.argmin(total[length:] - total[:-length]))
