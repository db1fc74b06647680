"""Syllables by their nuclei, and a path of time on which they follow each other evenly.

References
----------
N. H. de Jong and T. Wempe, "Praat script to detect syllable nuclei and measure speech rate
automatically", Behavior Research Methods 41, 2009, 385–390 (peaks of intensity with dips between).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.measure.contour import level_contour_db
from perturb.measure.f0_track import F0Track
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray
from perturb.synthesis.tempo import Tempo

__all__ = ["even_tempo", "find_nuclei", "log_interval_sd"]

DIP_DB = 2.0
"""How far the level has to fall between two nuclei."""
RANGE_DB = 25.0
WINDOW_S = 0.035
HOP_S = 0.005
LONGEST_S = 0.45
"""Nuclei further apart have a pause or a break between them, which keeps its time."""
LARGEST_CHANGE = 2.0
LEAST_INTERVALS = 3

Floats = npt.NDArray[np.float64]


def find_nuclei(mono: FloatArray, sample_rate_hz: int, f0: F0Track) -> Floats:
    """Return the moments of syllable nuclei in seconds: voiced peaks of the level, 2 dB high.

    Levels are RMS over 35 ms, above 40 Hz. Left out are peaks 25 dB and more under the loudest, and
    those within half a window of an edge: what is highest there may be higher outside.

    Parameters
    ----------
    mono : ndarray of float32, shape (n,)
        One channel.
    sample_rate_hz : int
        Sampling rate in Hz.
    f0 : F0Track
        Its pitch, times counted from the first sample.
    """
    levels_db = level_contour_db(
        without_rumble(mono, sample_rate_hz), sample_rate_hz, WINDOW_S, HOP_S
    ).astype(np.float64)
    edge = math.ceil(0.5 * WINDOW_S / HOP_S)
    peaks = [
        peak
        for peak in _peaks(levels_db)
        if edge <= peak < levels_db.size - edge and levels_db[peak] > levels_db.max() - RANGE_DB
    ]
    moments_s = np.array(peaks, dtype=np.float64) * HOP_S
    voiced: Floats = moments_s[f0.at(moments_s) > 0.0]
    return voiced


def _peaks(levels_db: Floats) -> list[int]:
    """Return the maxima between falls of 2 dB."""
    peaks: list[int] = []
    highest = lowest = 0
    is_rising = True
    for frame, level_db in enumerate(levels_db):
        if is_rising:
            if level_db > levels_db[highest]:
                highest = frame
            elif level_db < levels_db[highest] - DIP_DB:
                peaks.append(highest)
                lowest, is_rising = frame, False
        elif level_db < levels_db[lowest]:
            lowest = frame
        elif level_db > levels_db[lowest] + DIP_DB:
            highest, is_rising = frame, True
    if is_rising:
        peaks.append(highest)
    return peaks


def log_interval_sd(nuclei_s: Floats, moved_s: Floats | None = None) -> float | None:
    """Return the standard deviation of the intervals' natural logarithms, breaks left out.

    Parameters
    ----------
    nuclei_s : ndarray of float64
        Moments of the nuclei in seconds, rising.
    moved_s : ndarray of float64, optional
        Where each of them is now, between which intervals are measured then; NaN is left out.

    Returns
    -------
    float or None
        None with fewer than three intervals.
    """
    intervals_s = np.diff(nuclei_s if moved_s is None else moved_s)
    within = intervals_s[(np.diff(nuclei_s) <= LONGEST_S) & ~np.isnan(intervals_s)]
    return float(np.log(within).std()) if within.size >= LEAST_INTERVALS else None


def even_tempo(nuclei_s: Floats, length: int, sample_rate_hz: int) -> Tempo:
    """Return the path on which nuclei follow each other as evenly as a factor of 2 allows.

    Every interval but the breaks goes to the median; then all of them are scaled so that the whole
    takes as long as before.

    Parameters
    ----------
    nuclei_s : ndarray of float64
        Moments of the nuclei, rising.
    length : int
        Samples in all.
    sample_rate_hz : int
        Sampling rate in Hz.
    """
    places = np.floor(nuclei_s * sample_rate_hz + 0.5)
    places = places[(places > 0) & (places < length)]
    intervals = np.diff(places)
    is_within = intervals <= LONGEST_S * sample_rate_hz
    if not is_within.any():
        return Tempo.uniform(length, length)
    own = intervals[is_within]
    low, high = own / LARGEST_CHANGE, own * LARGEST_CHANGE
    goal = float(np.median(own))
    for _ in range(40):
        # What the limits take from some has to be given by the others.
        goal *= own.sum() / np.clip(goal, low, high).sum()
    new = np.clip(goal, low, high)
    intervals[is_within] = new * (own.sum() / new.sum())
    source = np.concatenate([[0.0], places, [float(length)]])
    target = np.concatenate([[0.0, places[0]], places[0] + np.cumsum(intervals), [float(length)]])
    return Tempo(source, target)
