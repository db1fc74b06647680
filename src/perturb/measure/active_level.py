"""Active speech level after ITU-T P.56, method B: the level of the speech, pauses left out.

The magnitude runs through two exponential smoothers of 30 ms. For each threshold of a ladder, the
time during which the envelope stays above it, with 200 ms of hangover, is its active time. The
active level is the energy over the active time, for the threshold that lies 15.9 dB below that
level, interpolated in dB between two thresholds.

Differences from the recommendation, all of them small:

- the thresholds are 1.5 dB apart instead of 6 and reach from −144 to +48 dBFS, so that the result
  follows a gain within .01 dB (.06 dB with 6 dB steps, on real speech) down to −100 dBFS;
- exact zeros after the last sound are not counted: the hangover would make the level of a clip that
  ends in speech depend on whether silence follows it (by up to .25 dB in clips of 3 s);
- several channels are one signal whose magnitude is the root of their mean square, so that equal
  channels read what one of them reads, and ``level + 10 log10(activity)`` is the RMS level.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.active_level import count_active_samples
from perturb.measure.level import DIGITAL_SILENCE
from perturb.record import Record, bounds
from perturb.signal import Signal

__all__ = ["MARGIN_DB", "ActiveLevel", "active_speech_level"]

MARGIN_DB = 15.9
"""Distance of the activity threshold below the active level, in dB."""

_SMOOTHING_S = 0.03
_HANGOVER_S = 0.2
_STEPS_PER_OCTAVE = 4
_THRESHOLDS = 2.0 ** (
    np.arange(-24 * _STEPS_PER_OCTAVE, 8 * _STEPS_PER_OCTAVE + 1) / _STEPS_PER_OCTAVE
)
_BLOCK = 65_536


class ActiveLevel(Record, frozen=True):
    """What the active speech level meter read.

    Parameters
    ----------
    level_dbfs : float or None
        Active level in dB re full scale 1.0.
    activity_ratio : float or None
        Active share of the whole clip, 0 to 1.
    reason : str or None
        Why there is neither, where there is not.
    """

    level_dbfs: Annotated[float, bounds(None, None, "dB", "active level")] | None = None
    activity_ratio: Annotated[float, bounds(0.0, 1.0, "", "active share of the clip")] | None = None
    reason: str | None = None

    def check(self) -> None:
        """Hold values and reason apart."""
        defined = self.level_dbfs is not None and self.activity_ratio is not None
        empty = self.level_dbfs is None and self.activity_ratio is None
        if not (defined and self.reason is None) and not (empty and self.reason is not None):
            raise ParameterError(
                "an active level holds level and activity, or the reason why there are none"
            )


def active_speech_level(signal: Signal) -> ActiveLevel:
    """Measure the active speech level of a clip.

    Any material has an active level; whether it is speech is another question
    (`perturb.measure.activity`).

    Parameters
    ----------
    signal : Signal
        Any rate and channel count; linear cost, no copy of the clip.

    Returns
    -------
    ActiveLevel
        None with a reason for digital silence, for material too short or too impulsive for a
        30 ms envelope to come within 15.9 dB of its level, and below −125 dBFS.

    References
    ----------
    ITU-T P.56 (2011), Objective measurement of active speech level, method B.

    Examples
    --------
    >>> tone = 0.1 * np.sin(2 * np.pi * 440 * np.arange(32_000) / 16_000)
    >>> clip = Signal.from_array(np.concatenate([tone, np.zeros(160_000)]), 16_000)
    >>> reading = active_speech_level(clip)
    >>> round(reading.level_dbfs, 1), round(reading.activity_ratio, 2)
    (-23.0, 0.16)
    """
    sounding = _sounding_samples(signal.samples)
    if sounding == 0:
        return ActiveLevel(reason=DIGITAL_SILENCE)
    rate = signal.sample_rate_hz
    active = np.zeros(len(_THRESHOLDS), dtype=np.int64)
    energy = count_active_samples(
        as_input(signal.samples[:, :sounding]),
        as_input(_THRESHOLDS, np.float64),
        math.exp(-1.0 / (_SMOOTHING_S * rate)),
        math.ceil(_HANGOVER_S * rate),
        np.zeros(len(_THRESHOLDS) + 1, dtype=np.int64),
        active,
    )
    found = _at_margin(energy, active)
    if isinstance(found, str):
        return ActiveLevel(reason=found)
    # The level and the activity are two views of one interpolation: energy / active time.
    active_samples = energy / 10.0 ** (found / 10.0)
    return ActiveLevel(
        level_dbfs=found, activity_ratio=min(1.0, active_samples / signal.sample_count)
    )


def _at_margin(energy: float, active: npt.NDArray[np.int64]) -> float | str:
    """Return the active level in dBFS, or the reason why the margin is met nowhere."""
    reached = active > 0
    if not reached.any():
        return "below the range of the active speech level meter (−125 dBFS)"
    levels = 10.0 * np.log10(energy / active[reached])
    margins = levels - 20.0 * np.log10(_THRESHOLDS[reached])
    under = np.flatnonzero(margins <= MARGIN_DB)
    if len(under) == 0:
        return "too short or too impulsive for an active speech level (30 ms envelope)"
    upper = int(under[0])
    if upper == 0:
        return "below the range of the active speech level meter (−125 dBFS)"
    lower = upper - 1
    weight = (margins[lower] - MARGIN_DB) / (margins[lower] - margins[upper])
    return float(levels[lower] + weight * (levels[upper] - levels[lower]))


def _sounding_samples(samples: npt.NDArray[np.float32]) -> int:
    """Return the number of samples up to the last that is not zero, found from the end."""
    stop = samples.shape[1]
    while stop > 0:
        start = max(0, stop - _BLOCK)
        nonzero = np.flatnonzero(samples[:, start:stop].any(axis=0))
        if len(nonzero):
            return int(start + nonzero[-1] + 1)
        stop = start
    return 0
