"""How far two clips agree in intonation and in loudness over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from perturb.errors import AudioError
from perturb.measure.contour import level_contour_db
from perturb.measure.f0_track import F0Track
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray

__all__ = ["F0Agreement", "LevelAgreement", "compare_f0", "compare_levels", "on_common_times"]

LEAST_FRAMES = 10
GROSS_RATIO = 0.2
LEVEL_RANGE_DB = 35.0
LEVEL_WINDOW_S = 0.040
# Less movement than this is rounding: a correlation with it would be noise.
LEAST_LOG_F0_SD = 1e-5
LEAST_LEVEL_SD_DB = 0.05

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class F0Agreement:
    """Agreement of a pitch track with a reference. None where undefined; `reasons` says why.

    Parameters
    ----------
    frames, common_voiced_frames : int
        Frames compared; those voiced in both tracks.
    median_error_cents : float or None
        Median of the absolute deviation over the frames voiced in both.
    fine_rmse_cents : float or None
        Root mean square deviation over those of them that are within 20 %.
    gross_error_ratio : float or None
        Share of the frames voiced in both that deviate by more than 20 %.
    voicing_error_ratio : float or None
        Share of all frames voiced in one track and unvoiced in the other.
    log_f0_correlation : float or None
        Pearson's r of log F0 over the frames voiced in both.
    slope : float or None
        Least-squares slope of the result's log F0 on the reference's: 1 keeps the range.
    reasons : mapping of str to str
        For each undefined field, the reason.
    """

    frames: int
    common_voiced_frames: int
    median_error_cents: float | None
    fine_rmse_cents: float | None
    gross_error_ratio: float | None
    voicing_error_ratio: float | None
    log_f0_correlation: float | None
    slope: float | None
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LevelAgreement:
    """Agreement of two level contours. None where undefined; `reasons` says why.

    Parameters
    ----------
    frames : int
        Frames compared: those within 35 dB of the loudest of the clip before.
    correlation : float or None
        Pearson's r of the levels in dB.
    difference_sd_db : float or None
        Standard deviation of the level after minus that before, in dB.
    mean_offset_db : float or None
        Mean of that difference, in dB.
    reasons : mapping of str to str
        For each undefined field, the reason.
    """

    frames: int
    correlation: float | None
    difference_sd_db: float | None
    mean_offset_db: float | None
    reasons: Mapping[str, str] = field(default_factory=dict)


def compare_f0(reference: F0Track, result: F0Track) -> F0Agreement:
    """Compare a pitch track with a reference, at the reference's frames.

    Frames past the end of the shorter track are left out. Tracks of different hops may be
    compared; `result` is then sampled at the reference's times.

    Parameters
    ----------
    reference, result : F0Track
        Tracks on one time axis.

    Returns
    -------
    F0Agreement
        With fewer than 10 frames voiced in both, only the voicing error is defined.

    Examples
    --------
    >>> times_s = np.arange(100) * 0.005
    >>> pitch_hz = np.linspace(100, 200, 100, dtype=np.float32)
    >>> flat = F0Track(times_s, pitch_hz, np.ones(100, dtype=np.float32), 0.005)
    >>> sharp = F0Track(times_s, pitch_hz * 1.01, np.ones(100, dtype=np.float32), 0.005)
    >>> round(compare_f0(flat, sharp).median_error_cents, 1)
    17.2
    """
    wanted, found = on_common_times(reference, result)
    reasons: dict[str, str] = {}
    voicing_error_ratio = None
    if wanted.size:
        voicing_error_ratio = float(np.mean((wanted > 0.0) != (found > 0.0)))
    else:
        reasons["voicing_error_ratio"] = "the tracks have no frame in common"
    is_common = (wanted > 0.0) & (found > 0.0)
    common = int(is_common.sum())
    if common < LEAST_FRAMES:
        why = f"{common} frames are voiced in both tracks; {LEAST_FRAMES} are needed"
        for name in (
            "median_error_cents",
            "fine_rmse_cents",
            "gross_error_ratio",
            "log_f0_correlation",
            "slope",
        ):
            reasons[name] = why
        return F0Agreement(
            wanted.size, common, None, None, None, voicing_error_ratio, None, None, reasons
        )

    log_wanted = np.log2(wanted[is_common])
    log_found = np.log2(found[is_common])
    cents = 1_200.0 * (log_found - log_wanted)
    is_gross = np.abs(found[is_common] / wanted[is_common] - 1.0) > GROSS_RATIO
    fine = cents[~is_gross]
    fine_rmse_cents = None
    if fine.size:
        fine_rmse_cents = float(np.sqrt(np.mean(np.square(fine))))
    else:
        reasons["fine_rmse_cents"] = "no frame is within 20 % of the reference"
    slope = correlation = None
    if log_wanted.std() < LEAST_LOG_F0_SD:
        reasons["slope"] = reasons["log_f0_correlation"] = "the reference's pitch does not move"
    else:
        slope = _slope(log_wanted, log_found)
        if log_found.std() < LEAST_LOG_F0_SD:
            reasons["log_f0_correlation"] = "the result's pitch does not move"
        else:
            correlation = _correlation(log_wanted, log_found)
    return F0Agreement(
        wanted.size,
        common,
        float(np.median(np.abs(cents))),
        fine_rmse_cents,
        float(np.mean(is_gross)),
        voicing_error_ratio,
        correlation,
        slope,
        reasons,
    )


def compare_levels(before: FloatArray, after: FloatArray, sample_rate_hz: int) -> LevelAgreement:
    """Compare the level contours of one channel before and after an edit.

    40 ms RMS at a hop of 5 ms, above 40 Hz: three periods of a low voice, so that the contour is
    the voice's and not its pulses'; rumble under a pause is not part of it.

    Parameters
    ----------
    before, after : ndarray of float32, shape (n,)
        The channel before and after; equal lengths.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Returns
    -------
    LevelAgreement
        Undefined for a silent original or fewer than 10 frames. A frame that is digital silence
        after the edit counts as `perturb.measure.contour.SILENCE_DB`.

    Raises
    ------
    AudioError
        Shapes differ or are not one-dimensional, or the rate is outside the range.

    Examples
    --------
    >>> tone = np.sin(np.arange(8_000, dtype=np.float32))
    >>> round(compare_levels(tone, 0.5 * tone, 16_000).mean_offset_db, 2)
    -6.02
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
    reasons: dict[str, str] = {}
    names = ("correlation", "difference_sd_db", "mean_offset_db")
    if not np.any(before):
        reasons = dict.fromkeys(names, "the original is silent")
        return LevelAgreement(0, None, None, None, reasons)
    if frames < LEAST_FRAMES:
        reasons = dict.fromkeys(names, f"{frames} frames; {LEAST_FRAMES} are needed")
        return LevelAgreement(frames, None, None, None, reasons)
    wanted = levels_before[is_loud].astype(np.float64)
    found = levels_after[is_loud].astype(np.float64)
    correlation = None
    if min(wanted.std(), found.std()) < LEAST_LEVEL_SD_DB:
        which = "original" if wanted.std() < LEAST_LEVEL_SD_DB else "result"
        reasons["correlation"] = f"the {which}'s level does not move"
    else:
        correlation = _correlation(wanted, found)
    difference = found - wanted
    return LevelAgreement(
        frames, correlation, float(difference.std()), float(difference.mean()), reasons
    )


def on_common_times(reference: F0Track, result: F0Track) -> tuple[Floats, Floats]:
    """Return both tracks' F0 in Hz at the reference's times, as far as both go."""
    if reference.f0_hz.size == 0 or result.f0_hz.size == 0:
        return np.zeros(0), np.zeros(0)
    # The last frames of two hops end up to one hop apart.
    end_s = result.times_s[-1] + max(result.hop_s - reference.hop_s, 0.0) + 1e-9
    start_s = result.times_s[0] - 1e-9
    is_shared = (reference.times_s >= start_s) & (reference.times_s <= end_s)
    found = result.at(reference.times_s[is_shared])
    return reference.f0_hz[is_shared].astype(np.float64), found.astype(np.float64)


def _correlation(wanted: Floats, found: Floats) -> float:
    moved_wanted = wanted - wanted.mean()
    moved_found = found - found.mean()
    product = float((moved_wanted * moved_found).sum())
    return product / float(np.sqrt((moved_wanted**2).sum() * (moved_found**2).sum()))


def _slope(wanted: Floats, found: Floats) -> float:
    moved = wanted - wanted.mean()
    return float((moved * (found - found.mean())).sum() / (moved**2).sum())
