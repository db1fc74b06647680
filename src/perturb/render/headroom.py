"""Headroom: one recorded gain for the whole file, shared by a probe and its sham.

A limiter turns a requested +12 dB into something else, clipping as well. So where a result would
pass the ceiling, the whole file is brought down, and its counterpart with it. The ceiling is
-1 dBTP, or the input's own true peak where that is higher: the original is never scaled. A true
peak lies between the samples as well, so that under the high ceiling of a hard input a sample could
still pass full scale: none does that was not there already.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from perturb.errors import AudioError
from perturb.measure.analysis import Analysis
from perturb.measure.true_peak import is_true_peak_within, true_peak_dbtp
from perturb.plan.step import Overflow
from perturb.plan.trace import Headroom
from perturb.signal import FloatArray, Signal

__all__ = ["CEILING_DBTP", "apply_gain", "find_headroom", "full_scale_of", "limit", "undo_gain"]

CEILING_DBTP = -1.0
_GAIN_STEP_DB = 0.01
_LIMITER_WINDOW_S = 0.005


@dataclass(frozen=True)
class _Need:
    gain_db: float
    ceiling_dbtp: float


def find_headroom(
    clip: Analysis, result: Signal, counterpart: Signal | None, overflow: Overflow
) -> Headroom:
    """Return the gain that a variant and its counterpart share.

    Parameters
    ----------
    clip : Analysis
        The original.
    result : Signal
        The variant, before any gain.
    counterpart : Signal or None
        The sham of a probe, or the probe of a sham, before any gain; None where there is none.
    overflow : {'scale', 'error', 'limit'}
        With 'error' a result that needs a gain is refused; with 'limit' none is applied.

    Raises
    ------
    AudioError
        The result passes the ceiling and `overflow` is 'error'.
    """
    own = _need(clip, result)
    other = None if counterpart is None else _need(clip, counterpart)
    gain_db = min(own.gain_db, 0.0 if other is None else other.gain_db)
    ceiling = own.ceiling_dbtp if other is None else max(own.ceiling_dbtp, other.ceiling_dbtp)
    if overflow == "error" and gain_db < 0.0:
        raise AudioError(
            f"the result{_whose(own.gain_db, gain_db)} would pass the ceiling of {ceiling:.2f} "
            f"dBTP by {-gain_db:.2f} dB; "
            "accepted with overflow=error: results under it. Use overflow=scale for one recorded "
            "gain"
        )
    return Headroom(
        gain_db=0.0 if overflow == "limit" else gain_db,
        ceiling_dbtp=ceiling,
        needed_db=own.gain_db,
        counterpart_needed_db=None if other is None else other.gain_db,
        limited=overflow == "limit" and own.gain_db < 0.0,
    )


def _need(clip: Analysis, result: Signal) -> _Need:
    if result is clip.signal or result.is_equal(clip.signal):
        return _Need(0.0, CEILING_DBTP)
    if is_true_peak_within(result, CEILING_DBTP):
        return _Need(0.0, CEILING_DBTP)
    own_peak = clip.true_peak_dbtp.value
    ceiling = CEILING_DBTP if own_peak is None else max(CEILING_DBTP, own_peak)
    peak = true_peak_dbtp(result).value
    if peak is None:
        return _Need(0.0, ceiling)
    excess_db = max(peak - ceiling, _decibels(_sample_peak(result) / full_scale_of(clip.signal)))
    if excess_db <= 0.0:
        return _Need(0.0, ceiling)
    # Rounded away from the ceiling, to a figure that can be read and typed.
    steps = math.floor(-excess_db / _GAIN_STEP_DB)
    return _Need(round(steps * _GAIN_STEP_DB, 2), ceiling)


def _whose(own_db: float, shared_db: float) -> str:
    return "" if own_db == shared_db else " of its counterpart (probe or sham)"


def full_scale_of(signal: Signal) -> float:
    """Return the largest sample that an edit of `signal` may hold: 1.0, or the input's own peak."""
    return max(1.0, _sample_peak(signal))


def _sample_peak(signal: Signal) -> float:
    return max(float(np.max(signal.samples)), -float(np.min(signal.samples)))


def _decibels(ratio: float) -> float:
    return 20.0 * math.log10(ratio)


def apply_gain(signal: Signal, gain_db: float) -> Signal:
    """Return the signal scaled; 0 dB returns it untouched."""
    if gain_db == 0.0:
        return signal
    return Signal.adopt(signal.samples * _factor(gain_db), signal.sample_rate_hz)


def undo_gain(signal: Signal, gain_db: float) -> Signal:
    """Return the signal with a recorded gain taken out again."""
    if gain_db == 0.0:
        return signal
    return Signal.adopt(signal.samples / _factor(gain_db), signal.sample_rate_hz)


def limit(signal: Signal, ceiling_dbtp: float, full_scale: float = 1.0) -> Signal:
    """Return the signal held under the ceiling by a look-ahead limiter, for `overflow="limit"`.

    No true peak passes `ceiling_dbtp`, no sample `full_scale`.

    The gain that each sample needs is held over 5 ms to either side and smoothed over as much;
    one path for all channels. What this does to the requested values is measured, not excused.
    """
    ceiling = min(full_scale, 10.0 ** (ceiling_dbtp / 20.0))
    reach = max(1, math.ceil(_LIMITER_WINDOW_S * signal.sample_rate_hz))
    limited = signal
    # True peaks lie between samples: lower the sample ceiling until the true peak fits.
    for _ in range(8):
        peak_dbtp = true_peak_dbtp(limited).value
        excess_db = -math.inf if peak_dbtp is None else peak_dbtp - ceiling_dbtp
        if excess_db <= 0.0 and _sample_peak(limited) <= full_scale:
            return limited
        ceiling *= 10.0 ** (-max(excess_db if limited is not signal else 0.0, 0.01) / 20.0)
        limited = Signal.adopt(_limited(signal.samples, ceiling, reach), signal.sample_rate_hz)
    return limited


def _limited(samples: FloatArray, ceiling: float, reach: int) -> FloatArray:
    from scipy import ndimage  # slow to import, and needed by overflow="limit" alone

    peak = np.max(np.abs(samples), axis=0)
    needed = np.minimum(1.0, ceiling / np.maximum(peak, np.float32(ceiling)))
    held = ndimage.minimum_filter1d(needed, 2 * reach + 1, mode="nearest")
    window = np.hanning(2 * reach + 3)[1:-1]
    smooth = ndimage.convolve1d(held, window / window.sum(), mode="nearest")
    limited: FloatArray = samples * smooth.astype(np.float32)
    return limited


def _factor(gain_db: float) -> np.float32:
    return np.float32(10.0 ** (gain_db / 20.0))
