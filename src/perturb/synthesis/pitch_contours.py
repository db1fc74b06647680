"""The contours that a voice is given: flat, with another range, or another voice's.

Each is a function of the voice's own track and gives a pitch at its frames; the voicing stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.f0_track import F0Track
from perturb.signal import FloatArray

__all__ = [
    "HIGHEST_HZ",
    "LOWEST_HZ",
    "Exaggerated",
    "contour_from_points",
    "contour_from_track",
    "exaggerated",
    "flat",
    "height_and_spread",
    "remapped",
    "stretched",
    "with_pitch",
    "with_register",
]

LOWEST_HZ, HIGHEST_HZ = 60.0, 480.0
"""The pitch that a voice can be given."""

KNEE = 0.8
"""Part of the way to the lowest or highest pitch from which on an exaggeration is bent."""
OUTLIER_FRAMES = 9
OUTLIER_OCTAVES = 0.3
SMOOTHING_FRAMES = 17
MELODY_FRAMES = 5
"""What a pitch does within 30 ms, no voice means: the tracker's steps, and where voicing begins."""

_NO_PITCH = "no frame is voiced: there is no pitch to change"

Floats = npt.NDArray[np.float64]


def with_pitch(f0: F0Track, wanted_hz: FloatArray | Floats) -> F0Track:
    """Return a track with other pitches where it is voiced, and held within 60 to 480 Hz."""
    pitch_hz = np.where(f0.is_voiced, np.clip(wanted_hz, LOWEST_HZ, HIGHEST_HZ), 0.0)
    return F0Track(f0.times_s, pitch_hz.astype(np.float32), f0.strength, f0.hop_s)


def flat(f0: F0Track, target_hz: float | None) -> F0Track:
    """Return a track that is flat at `target_hz`, or at its own median.

    Raises
    ------
    InapplicableError
        No frame is voiced, or the median is outside 60 to 480 Hz.
    """
    return with_pitch(
        f0, np.full(f0.f0_hz.size, _median_hz(f0) if target_hz is None else target_hz)
    )


class Exaggerated(NamedTuple):
    """A contour of another range.

    Parameters
    ----------
    track : F0Track
        The contour.
    is_bent : ndarray of bool, shape (frames,)
        Where it goes less far than the factor says.
    """

    track: F0Track
    is_bent: npt.NDArray[np.bool_]


def exaggerated(f0: F0Track, factor: float) -> Exaggerated:
    """Return a track whose melody's distances from its median, in octaves, are `factor` times.

    Above 1 only what is left under a Hann window of 30 ms, run by run, goes further: faster steps
    stay as large as they were. Below 1 all goes less far. Near 60 and 480 Hz, in the last fifth of
    the way, a hyperbolic tangent bends it.

    Raises
    ------
    InapplicableError
        No frame is voiced, or the median is outside 60 to 480 Hz.
    """
    median = np.log2(_median_hz(f0))
    own = np.log2(np.where(f0.is_voiced, f0.f0_hz, 2.0**median).astype(np.float64)) - median
    melody = own
    if factor > 1.0:
        melody = own.copy()
        for start, stop in f0.voiced_runs():
            melody[start:stop] = _smooth(own[start:stop], MELODY_FRAMES)
    wanted = own + (factor - 1.0) * melody
    limits = np.where(wanted > 0.0, np.log2(HIGHEST_HZ) - median, median - np.log2(LOWEST_HZ))
    knees = KNEE * limits
    rest = np.maximum(limits - knees, 1e-9)
    beyond = np.maximum(np.abs(wanted) - knees, 0.0)
    reach = np.minimum(np.abs(wanted), knees) + rest * np.tanh(beyond / rest)
    track = with_pitch(f0, np.exp2(median + np.sign(wanted) * reach))
    return Exaggerated(track, beyond > 0.0)


def height_and_spread(pitches_hz: FloatArray, whose: str) -> tuple[float, float]:
    """Return where a voice lies and how far it moves: median in Hz, 10th to 90th percentile.

    Parameters
    ----------
    pitches_hz : ndarray of float32, shape (frames,)
        Voiced frames alone.
    whose : str
        What the message calls the voice.

    Returns
    -------
    float, float
        The median in Hz; the distance of the percentiles in octaves.

    Raises
    ------
    InapplicableError
        No frame, or a median outside 60 to 480 Hz.
    """
    if pitches_hz.size == 0:
        raise InapplicableError(f"{whose} has no voiced frame: there is no pitch")
    low, median, high = np.percentile(np.log2(pitches_hz.astype(np.float64)), (10.0, 50.0, 90.0))
    return _in_range(float(2.0**median), whose), float(high - low)


def remapped(f0: F0Track, own_hz: float, target_hz: float, range_ratio: float) -> F0Track:
    """Return a track moved, in octaves, from around `own_hz` to around `target_hz`.

    Distances from there are `range_ratio` times as far; what would go beyond 60 or 480 Hz is held.
    """
    own = np.log2(np.where(f0.is_voiced, f0.f0_hz, own_hz).astype(np.float64) / own_hz)
    return with_pitch(f0, target_hz * np.exp2(range_ratio * own))


def contour_from_track(donor: F0Track, name: str) -> Floats:
    """Return a donor's contour in Hz, from its first voiced frame to its last: mended and filled.

    Frames a third of an octave and more off the median of their neighbours are dropped; gaps are
    filled log-linearly.

    Raises
    ------
    InapplicableError
        No frame is voiced; the message calls the donor by `name`.
    """
    voiced = np.flatnonzero(donor.is_voiced)
    if voiced.size == 0:
        raise InapplicableError(f"donor {name} has no voiced frame: there is no contour to take")
    pitch = np.log2(donor.f0_hz[voiced].astype(np.float64))
    half = OUTLIER_FRAMES // 2
    padded = np.pad(pitch, half, mode="edge")
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, OUTLIER_FRAMES), axis=1)
    is_kept = np.abs(pitch - around) < OUTLIER_OCTAVES
    frames = np.arange(voiced[0], voiced[-1] + 1)
    contour: Floats = np.exp2(np.interp(frames, voiced[is_kept], pitch[is_kept]))
    return contour


def contour_from_points(points: Sequence[tuple[float, float]], count: int) -> Floats:
    """Return a contour in Hz at `count` places in a row, log-linear between points.

    Parameters
    ----------
    points : sequence of (float, float)
        Place (0 the start, 1 the end) and pitch in Hz; places rise. Held before the first and
        after the last.
    count : int
        Number of places.

    Raises
    ------
    ParameterError
        No points, places that do not rise from 0 to 1, or a pitch outside 60 to 480 Hz.
    """
    places = np.array([place for place, _ in points])
    pitches_hz = np.array([pitch_hz for _, pitch_hz in points])
    # Asked so that NaN, which compares with nothing, is refused.
    is_rising = places.size > 0 and bool(np.all(np.diff(places) > 0.0))
    if not (is_rising and places[0] >= 0.0 and places[-1] <= 1.0):
        raise ParameterError(
            f"points have the places {places.tolist()}; accepted: one or more, rising, 0 to 1"
        )
    if not np.all((pitches_hz >= LOWEST_HZ) & (pitches_hz <= HIGHEST_HZ)):
        raise ParameterError(
            f"points have the pitches {pitches_hz.tolist()} Hz; accepted: {LOWEST_HZ:g} to "
            f"{HIGHEST_HZ:g} Hz"
        )
    contour: Floats = np.exp2(np.interp(np.linspace(0.0, 1.0, count), places, np.log2(pitches_hz)))
    return contour


def stretched(contour_hz: Floats, f0: F0Track) -> F0Track:
    """Return a track with a contour over it, stretched from its first voiced frame to its last.

    Smoothed by a Hann window of 90 ms once it is as long as it is to be: a voice cannot follow
    faster turns, nor can a pitch tracker.

    Raises
    ------
    InapplicableError
        No frame of the track is voiced.
    """
    voiced = np.flatnonzero(f0.is_voiced)
    if voiced.size == 0:
        raise InapplicableError(_NO_PITCH)
    places = (np.arange(f0.f0_hz.size) - voiced[0]) / max(voiced[-1] - voiced[0], 1)
    own_places = np.linspace(0.0, 1.0, contour_hz.size)
    pitch = np.interp(places, own_places, np.log2(contour_hz))
    return with_pitch(f0, np.exp2(_smooth(pitch, SMOOTHING_FRAMES)))


def with_register(contour: F0Track, f0: F0Track) -> F0Track:
    """Return a contour moved, in octaves, so that its median is that of `f0`."""
    ratio = _median_hz(f0) / float(np.median(contour.f0_hz[contour.is_voiced]))
    return with_pitch(f0, contour.f0_hz * ratio)


def _smooth(pitch: Floats, frames: int) -> Floats:
    """Return a row under a Hann window, its ends held."""
    weights = np.hanning(frames + 2)[1:-1]
    padded = np.pad(pitch, frames // 2, mode="edge")
    smooth: Floats = np.convolve(padded, weights / weights.sum(), mode="valid")
    return smooth


def _median_hz(f0: F0Track) -> float:
    median_hz = f0.median_hz
    if median_hz is None:
        raise InapplicableError(_NO_PITCH)
    return _in_range(median_hz, "the voice")


def _in_range(median_hz: float, whose: str) -> float:
    if not LOWEST_HZ <= median_hz <= HIGHEST_HZ:
        raise InapplicableError(
            f"the median pitch of {whose} is {median_hz:.0f} Hz; a voice of {LOWEST_HZ:g} to "
            f"{HIGHEST_HZ:g} Hz is needed"
        )
    return median_hz
