"""How far a melody reaches, and how well it follows another: by pitch tracks.

Frames off by more than a fifth (an octave error, mostly) are no melody; `compare_f0` counts them,
and they are left out here. Fewer than 10 frames say nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import (
    GROSS_RATIO,
    LEAST_FRAMES,
    LEAST_LOG_F0_SD,
    on_common_times,
)
from perturb.measure.reading import Reading

__all__ = ["f0_fine_correlation", "f0_slope", "f0_span_cents", "voicing_lost"]

Floats = npt.NDArray[np.float64]


def f0_span_cents(reference: F0Track, result: F0Track) -> Reading:
    """Return how far a track ranges where a reference is voiced: its 5th to 95th percentile.

    Gross errors count here: what leaps an octave is not flat.

    Parameters
    ----------
    reference, result : F0Track
        Tracks on one time axis.
    """
    wanted, found = on_common_times(reference, result)
    common = found[(wanted > 0.0) & (found > 0.0)]
    if common.size < LEAST_FRAMES:
        return _too_few(common.size)
    low, high = np.percentile(1_200.0 * np.log2(common), (5.0, 95.0))
    return Reading(float(high - low))


def f0_fine_correlation(wanted: F0Track, result: F0Track) -> Reading:
    """Return Pearson's r of log F0 with the wanted contour's.

    Parameters
    ----------
    wanted, result : F0Track
        Tracks on one time axis.
    """
    goal, found = on_common_times(wanted, result)
    is_fine = _is_fine(goal, found)
    return _regress(goal[is_fine], found[is_fine])[1]


def f0_slope(before: F0Track, wanted: F0Track, result: F0Track) -> Reading:
    """Return the least-squares slope of log F0 on that before the edit: 1 keeps the range.

    Parameters
    ----------
    before, wanted, result : F0Track
        The contour before, the one asked for (at the same frames), and what came out.
    """
    goal, found = on_common_times(wanted, result)
    own, _ = on_common_times(before, result)
    is_fine = _is_fine(goal, found)
    return _regress(own[is_fine], found[is_fine])[0]


def voicing_lost(before: F0Track, wanted: F0Track, result: F0Track) -> Reading:
    """Return the part of a voice that is not heard any more, 0 to 1.

    Where no voice is heard no pitch is wrong: a result that whispers half of its words would
    otherwise be right in the other half.

    Parameters
    ----------
    before, wanted, result : F0Track
        What an instrument hears before the edit, what was asked for, and what that instrument hears
        of the result. The part is of the frames in which the first two are voiced.
    """
    goal, found = on_common_times(wanted, result)
    _, heard = on_common_times(wanted, before)
    is_spoken = (goal > 0.0) & (heard > 0.0)
    if not is_spoken.any():
        return Reading(None, "no frame is voiced both in the clip and in what was asked for")
    return Reading(float(np.mean(found[is_spoken] == 0.0)))


def _is_fine(wanted: Floats, found: Floats) -> npt.NDArray[np.bool_]:
    ratios = np.divide(found, wanted, out=np.zeros_like(found), where=wanted > 0.0)
    is_fine: npt.NDArray[np.bool_] = np.abs(ratios - 1.0) <= GROSS_RATIO
    return is_fine


def _regress(reference: Floats, result: Floats) -> tuple[Reading, Reading]:
    """Return slope and correlation of two rows of pitches in Hz, as logarithms."""
    if result.size < LEAST_FRAMES:
        return _too_few(result.size), _too_few(result.size)
    wanted, found = np.log2(reference), np.log2(result)
    if min(wanted.std(), found.std()) < LEAST_LOG_F0_SD:
        still = Reading(None, "the pitch does not move")
        return still, still
    covariance = float(np.mean((wanted - wanted.mean()) * (found - found.mean())))
    slope = covariance / float(wanted.var())
    return Reading(slope), Reading(covariance / float(wanted.std() * found.std()))


def _too_few(frames: int) -> Reading:
    return Reading(None, f"{frames} frames are voiced in both tracks; {LEAST_FRAMES} are needed")
