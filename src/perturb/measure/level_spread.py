"""How far the level of speech moves, before an edit and after."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perturb.errors import AudioError
from perturb.measure.contour import level_contour_db
from perturb.measure.prosody import LEAST_FRAMES, LEVEL_RANGE_DB, LEVEL_WINDOW_S
from perturb.measure.reading import Reading
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray

__all__ = ["LevelSpread", "level_spread"]


class LevelSpread(NamedTuple):
    """Standard deviation of the level over the frames within 35 dB of the loudest before.

    Parameters
    ----------
    before_db, after_db : Reading
        In dB.
    """

    before_db: Reading
    after_db: Reading


def level_spread(before: FloatArray, after: FloatArray, sample_rate_hz: int) -> LevelSpread:
    """Measure how far the level moves in one channel before and after an edit.

    40 ms RMS at a hop of 5 ms, above 40 Hz.

    Parameters
    ----------
    before, after : ndarray of float32, shape (n,)
        Equal lengths.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Raises
    ------
    AudioError
        Shapes differ, are not one-dimensional, or the rate is outside the range.

    Examples
    --------
    >>> swell = np.linspace(0.1, 1.0, 8_000) * np.sin(np.arange(8_000))
    >>> spread = level_spread(swell.astype(np.float32), np.ones(8_000, np.float32), 16_000)
    >>> spread.before_db.value > 4.0
    True
    """
    if np.shape(before) != np.shape(after):
        raise AudioError(
            f"before has shape {np.shape(before)}, after {np.shape(after)}; accepted: equal shapes"
        )
    levels_before, levels_after = (
        level_contour_db(without_rumble(samples, sample_rate_hz), sample_rate_hz, LEVEL_WINDOW_S)
        for samples in (before, after)
    )
    is_loud = levels_before >= levels_before.max() - LEVEL_RANGE_DB
    frames = int(is_loud.sum())
    if not np.any(before) or frames < LEAST_FRAMES:
        why = Reading(None, f"{frames} frames that are not silent; {LEAST_FRAMES} are needed")
        return LevelSpread(why, why)
    return LevelSpread(
        Reading(float(levels_before[is_loud].std())), Reading(float(levels_after[is_loud].std()))
    )
