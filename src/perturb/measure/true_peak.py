"""True peak after ITU-R BS.1770, annex 2: the peak of the signal between its samples too.

The signal is interpolated four times (twice from 96 kHz up, where the same 192 kHz and more are
reached) by a Kaiser-windowed sinc of 48 taps per phase, and the largest magnitude is taken, over
all channels, zeros being assumed before and after the clip. Against ideal interpolation to the
same rate it is within .02 dB for material up to .47 of the sampling rate, which any anti-aliasing
filter gives; noise that is flat up to half the sampling rate reads up to .6 dB low or .2 dB high.
Like every meter of this oversampling it reads up to .7 dB under the continuous peak in the worst
case (a tone at half the sampling rate); .04 dB at most was seen on speech.

Most of a clip is never interpolated: the filter's sum of magnitudes (2.7, 8.8 dB) times the
largest sample under it bounds what interpolation can give.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.true_peak import BLOCK_SAMPLES, find_true_peak
from perturb.measure.level import DIGITAL_SILENCE
from perturb.measure.reading import Reading
from perturb.signal import Signal

__all__ = ["is_true_peak_within", "oversampling", "true_peak", "true_peak_dbtp"]

_TAPS = 48
_KAISER_BETA = 6.0
_ROUNDING = 1e-4
"""Room above the filter's exact bound for what its float32 sums may add."""


def true_peak(signal: Signal, *, floor: float = 0.0) -> float:
    """Return the true peak as an amplitude re full scale 1.0.

    Parameters
    ----------
    signal : Signal
        Any rate and channel count.
    floor : float
        Amplitude up to which the peak is of no interest, at least 0. A floor near full scale
        makes the measurement several times cheaper.

    Returns
    -------
    float
        The true peak, or `floor` where the true peak is not above it.

    Raises
    ------
    ParameterError
        `floor` is negative or not finite.

    Examples
    --------
    >>> quarter = np.sin(np.pi / 2 * np.arange(400) + np.pi / 4) * np.hanning(400)
    >>> clip = Signal.from_array(quarter, 48_000)
    >>> round(float(np.abs(clip.samples).max()), 2), round(true_peak(clip), 2)
    (0.71, 1.0)
    """
    if not 0.0 <= floor < math.inf:
        raise ParameterError(f"floor is {floor!r}; accepted: a finite amplitude, at least 0")
    phases, bound = _interpolation(oversampling(signal.sample_rate_hz))
    blocks = -(-signal.sample_count // BLOCK_SAMPLES)
    return float(
        find_true_peak(
            as_input(signal.samples),
            phases,
            bound,
            floor,
            np.empty(blocks + 4, dtype=np.float32),
            np.empty(BLOCK_SAMPLES + _TAPS - 1, dtype=np.float32),
            np.empty(BLOCK_SAMPLES, dtype=np.float32),
        )
    )


def true_peak_dbtp(signal: Signal) -> Reading:
    """Return the true peak in dB re full scale 1.0 (dBTP); None for digital silence.

    Examples
    --------
    >>> clip = Signal.from_array(np.full(800, 0.5), 8_000)
    >>> round(true_peak_dbtp(clip).value, 1)  # 1.1 dB over the samples: its abrupt ends ring
    -4.9
    """
    peak = true_peak(signal)
    return Reading(_to_db(peak)) if peak > 0.0 else Reading(None, DIGITAL_SILENCE)


def is_true_peak_within(signal: Signal, ceiling_dbtp: float) -> bool:
    """Return whether the true peak is at most `ceiling_dbtp`; digital silence always is.

    The answer is that of comparing `true_peak_dbtp` with the ceiling, at a fraction of its cost.

    Parameters
    ----------
    signal : Signal
        Any rate and channel count.
    ceiling_dbtp : float
        Ceiling in dB re full scale 1.0, finite.

    Examples
    --------
    >>> clip = Signal.from_array(0.1 * np.hanning(800), 8_000)
    >>> is_true_peak_within(clip, -1.0), is_true_peak_within(clip, -30.0)
    (True, False)
    """
    if not math.isfinite(ceiling_dbtp):
        raise ParameterError(f"ceiling_dbtp is {ceiling_dbtp!r}; accepted: a finite level in dBTP")
    # A hair below the ceiling, so that the last comparison is the one of true_peak_dbtp.
    floor = 10.0 ** (ceiling_dbtp / 20.0) * (1.0 - 1e-9)
    peak = true_peak(signal, floor=floor)
    return peak == floor or _to_db(peak) <= ceiling_dbtp


def oversampling(sample_rate_hz: int) -> int:
    """Return how many times a signal of this rate is oversampled: 4, or 2 from 96 kHz up."""
    return 2 if sample_rate_hz >= 96_000 else 4


def _to_db(peak: float) -> float:
    return 20.0 * math.log10(peak)


@functools.cache
def _interpolation(factor: int) -> tuple[npt.NDArray[np.float32], float]:
    """Return the filters of the points between two samples and the bound of their output."""
    offsets = np.arange(1, factor)[:, np.newaxis] / factor
    distance = np.arange(_TAPS)[np.newaxis, :] - (_TAPS // 2 - 1) - offsets
    window = np.i0(_KAISER_BETA * np.sqrt(1.0 - (distance / (_TAPS / 2)) ** 2))
    taps = np.sinc(distance) * window
    taps /= taps.sum(axis=1, keepdims=True)  # a constant is interpolated exactly
    phases = as_input(taps)
    bound = float(np.abs(phases.astype(np.float64)).sum(axis=1).max())
    return phases, bound * (1.0 + _ROUNDING)
