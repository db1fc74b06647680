"""A donor's sound made to last exactly as long as another: cut, padded or looped."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from perturb.kernels.joins import JOIN_S, join_ramp
from perturb.measure.level import frame_powers
from perturb.measure.spectrum import RoomTone, room_tone
from perturb.signal import FloatArray, Signal
from perturb.span import seconds_to_sample
from perturb.synthesis.noise import NormalSource, room_noise

__all__ = ["ROOM_FLOOR_DBFS", "Fit", "FittedDonor", "fit_donor"]

Fit = Literal["whole", "trimmed", "padded", "looped"]

ROOM_FLOOR_DBFS = -80.0
"""Room tone quieter than this is zeros."""

_HOP_S = 0.01
_SOFT_EDGE = 1e-4


class FittedDonor(NamedTuple):
    """A donor's sound at the length asked for.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, length)
        Not scaled; the caller's own, never a view of the donor.
    fit : {'whole', 'trimmed', 'padded', 'looped'}
        How it was fitted.
    start, stop : int
        The stretch of the donor that is heard (once, where it is looped), in samples.
    """

    samples: FloatArray
    fit: Fit
    start: int
    stop: int


def fit_donor(
    donor: FloatArray, sample_rate_hz: int, length: int, normals: NormalSource, *, may_loop: bool
) -> FittedDonor:
    """Return a donor cut, padded or looped to a length.

    A longer donor is cut where it is quiet: of all stretches of the length, every 10 ms, the one
    with the most sound for the power at its louder edge (30 ms around it; the donor's own ends
    count as silent, as does what lies 40 dB under the donor's level). A shorter one is followed by
    its own room tone, or repeated. All joins are 10 ms.

    Parameters
    ----------
    donor : ndarray of float32, shape (channels, samples)
        At the host's rate and channel count; not written to.
    sample_rate_hz : int
        Sampling rate in Hz.
    length : int
        Samples wanted, at least 1.
    normals : callable
        Source of standard normal numbers for the room tone.
    may_loop : bool
        Whether a shorter donor is repeated (sounds) rather than padded (speech).
    """
    count = donor.shape[1]
    join = min(seconds_to_sample(JOIN_S, sample_rate_hz), min(length, count) // 4)
    if count == length:
        return FittedDonor(np.array(donor), "whole", 0, count)
    if count > length:
        start = _quietest_cut(donor, sample_rate_hz, length)
        stop = start + length
        ramp = join_ramp(length, 0 if start == 0 else join, 0 if stop == count else join)
        return FittedDonor(donor[:, start:stop] * ramp, "trimmed", start, stop)
    if may_loop:
        return FittedDonor(_looped(donor, length, join), "looped", 0, count)
    return FittedDonor(_padded(donor, sample_rate_hz, length, join, normals), "padded", 0, count)


def _quietest_cut(donor: FloatArray, sample_rate_hz: int, length: int) -> int:
    """Return where a stretch of `length` starts that holds sound and whose edges hold little."""
    hop = max(1, seconds_to_sample(_HOP_S, sample_rate_hz))
    rest = donor.shape[1] - length
    powers = frame_powers(donor, hop)
    around = np.convolve(powers, np.ones(3) / 3.0, mode="same")
    starts = np.append(np.arange(0, rest, hop), rest)
    first = np.minimum(starts // hop, len(powers) - 1)
    last = np.minimum((starts + length) // hop, len(powers) - 1)
    before, after = around[first], around[last]
    before[0] = after[-1] = 0.0
    # Edges further than 40 dB under the donor are as good as silent: then the sound decides.
    edges = np.maximum(np.maximum(before, after), _SOFT_EDGE * powers.mean())
    total = np.concatenate([[0.0], np.cumsum(powers)])
    sound = total[np.maximum(last, first + 1)] - total[first]
    return int(starts[np.argmax(sound / edges)])


def _looped(samples: FloatArray, length: int, join: int) -> FloatArray:
    """Return the samples over and over, each turn crossfaded into the next."""
    period = samples.shape[1] - join
    ramp = join_ramp(join, join, 0)
    turn = np.array(samples[:, :period])
    # What comes before a turn's first samples is the end of the turn before.
    turn[:, :join] = samples[:, :join] * ramp + samples[:, period:] * ramp[::-1]
    out = np.empty((samples.shape[0], length), dtype=np.float32)
    for at in range(0, length, period):
        part = min(period, length - at)
        out[:, at : at + part] = turn[:, :part]
    out[:, :join] = samples[:, :join]
    out[:, length - join :] *= ramp[::-1]
    return out


def _padded(
    donor: FloatArray, sample_rate_hz: int, length: int, join: int, normals: NormalSource
) -> FloatArray:
    """Return the donor followed by its own room tone."""
    channels, count = donor.shape
    out = np.empty((channels, length), dtype=np.float32)
    fall = join_ramp(join, 0, join)
    out[:, :count] = donor
    out[:, count - join : count] *= fall
    room = room_tone(Signal.adopt(donor, sample_rate_hz))
    if _is_audible(room):
        tail = room_noise(room, length - count + join, normals)
        out[:, count - join : count] += tail[:, :join] * fall[::-1]
        out[:, count:] = tail[:, join:]
    else:
        out[:, count:] = 0.0
    return out


def _is_audible(room: RoomTone) -> bool:
    level = room.level_dbfs.value
    return level is not None and level >= ROOM_FLOOR_DBFS
