"""Praat as the auditor: pitch, voicing and level of a result against its original.

Nothing in the package uses Praat, so its verdict is independent of what drove a synthesis. It is
GPL and therefore lives in tests and benchmarks alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import parselmouth

__all__ = [
    "INTENSITY_RANGE_DB",
    "Intensity",
    "Pitch",
    "ProsodyComparison",
    "compare_prosody",
    "intensity",
    "pitch",
]

Array = npt.NDArray[np.float64]

TIME_STEP_S = 0.005
PITCH_RANGE_HZ = (60.0, 500.0)
GROSS_RATIO = 0.20
"""A frame whose F0 is off by more than a fifth is a gross error (the usual convention)."""
INTENSITY_FLOOR_HZ = 100.0
INTENSITY_RANGE_DB = 35.0
"""Frames quieter than this under the original's maximum do not count for level figures."""


@dataclass(frozen=True)
class Pitch:
    """F0 in Hz at `times_s`; 0 where Praat hears no voice."""

    times_s: Array
    f0_hz: Array


@dataclass(frozen=True)
class Intensity:
    """Level in dB (Praat's reference) at `times_s`."""

    times_s: Array
    level_db: Array


@dataclass(frozen=True)
class ProsodyComparison:
    """What a result kept of its original's pitch, voicing and level.

    Pitch figures are over frames voiced in both; None where there are fewer than ten of them, or
    (those without the gross errors) none that is not one.
    """

    f0_median_cents: float | None
    f0_fine_rmse_cents: float | None
    f0_gross_ratio: float | None
    f0_log_correlation: float | None
    voicing_error_ratio: float
    level_correlation: float | None
    level_difference_sd_db: float | None
    level_difference_mean_db: float | None


def _sound(samples: npt.ArrayLike, sample_rate_hz: int) -> parselmouth.Sound:
    data = np.asarray(samples, dtype=np.float64)
    if data.ndim == 2:
        data = data.mean(axis=0)
    return parselmouth.Sound(data, sampling_frequency=float(sample_rate_hz))


def pitch(samples: npt.ArrayLike, sample_rate_hz: int) -> Pitch:
    """Return Praat's pitch (autocorrelation, 60 to 500 Hz, its standard costs)."""
    track = _sound(samples, sample_rate_hz).to_pitch_ac(
        time_step=TIME_STEP_S, pitch_floor=PITCH_RANGE_HZ[0], pitch_ceiling=PITCH_RANGE_HZ[1]
    )
    return Pitch(np.asarray(track.xs()), np.asarray(track.selected_array["frequency"]))


def intensity(samples: npt.ArrayLike, sample_rate_hz: int) -> Intensity:
    """Return Praat's intensity contour (window 3.2 periods of 100 Hz, mean subtracted)."""
    contour = _sound(samples, sample_rate_hz).to_intensity(
        minimum_pitch=INTENSITY_FLOOR_HZ, time_step=TIME_STEP_S, subtract_mean=True
    )
    return Intensity(np.asarray(contour.xs()), np.asarray(contour.values[0]))


def _correlation(one: Array, other: Array) -> float | None:
    if one.size < 10 or one.std() == 0 or other.std() == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def compare_prosody(
    original: npt.ArrayLike, result: npt.ArrayLike, sample_rate_hz: int
) -> ProsodyComparison:
    """Compare two recordings of equal length frame by frame.

    Parameters
    ----------
    original, result : array_like, shape (samples,) or (channels, samples)
        Audio of equal length; channels are averaged.
    sample_rate_hz : int
        Their rate.

    Returns
    -------
    ProsodyComparison
        Pitch error over frames voiced in both (fine: without the gross ones), voicing error over
        all frames, level figures over frames within 35 dB of the original's maximum.
    """
    before, after = pitch(original, sample_rate_hz), pitch(result, sample_rate_hz)
    if before.f0_hz.size != after.f0_hz.size:
        raise ValueError("original and result differ in length")
    both = (before.f0_hz > 0) & (after.f0_hz > 0)
    median = fine_rmse = gross = correlation = None
    if int(both.sum()) >= 10:
        one, other = before.f0_hz[both], after.f0_hz[both]
        cents = 1200.0 * np.log2(other / one)
        is_gross = np.abs(other / one - 1.0) > GROSS_RATIO
        median = float(np.median(np.abs(cents)))
        if not is_gross.all():
            fine_rmse = float(np.sqrt(np.mean(cents[~is_gross] ** 2)))
        gross = float(is_gross.mean())
        correlation = _correlation(np.log(one[~is_gross]), np.log(other[~is_gross]))
    levels = intensity(original, sample_rate_hz).level_db
    achieved = intensity(result, sample_rate_hz).level_db
    loud = levels > levels.max() - INTENSITY_RANGE_DB
    difference = (achieved - levels)[loud]
    return ProsodyComparison(
        f0_median_cents=median,
        f0_fine_rmse_cents=fine_rmse,
        f0_gross_ratio=gross,
        f0_log_correlation=correlation,
        voicing_error_ratio=float(np.mean((before.f0_hz > 0) != (after.f0_hz > 0))),
        level_correlation=_correlation(levels[loud], achieved[loud]),
        level_difference_sd_db=float(difference.std()),
        level_difference_mean_db=float(difference.mean()),
    )
