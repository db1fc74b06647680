"""How long it stays quiet around a moment, by peaks of the waveform: a check on levels."""

from __future__ import annotations

import numpy as np

from perturb.measure.reading import Reading
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray

__all__ = ["QuietMeter"]

BLOCK_S = 0.001
HOLD_BLOCKS = 10
QUIET_DB = 30.0
LOUD_PERCENTILE = 99.9


class QuietMeter:
    """Tells runs of quiet in one channel, to the millisecond.

    Quiet is where no sample within 10 ms comes within 30 dB of the loud ones.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        The channel.
    sample_rate_hz : int
        Sampling rate in Hz.
    loud : float, optional
        Amplitude of the loud samples; None takes the channel's own.

    Examples
    --------
    >>> tone = np.sin(np.arange(8_000, dtype=np.float32))
    >>> tone[3_000:5_000] = 0.0
    >>> 0.23 < QuietMeter(tone, 8_000).run_s(0.5).value < 0.26
    True
    """

    def __init__(self, samples: FloatArray, sample_rate_hz: int, loud: float | None = None) -> None:
        block = max(1, round(BLOCK_S * sample_rate_hz))
        amplitudes = np.abs(without_rumble(samples, sample_rate_hz))
        starts = np.arange(0, amplitudes.size, block)
        peaks = np.maximum.reduceat(amplitudes, starts) if amplitudes.size else amplitudes
        self.loud = float(np.percentile(peaks, LOUD_PERCENTILE)) if loud is None else loud
        self._block_s = block / sample_rate_hz
        half = HOLD_BLOCKS // 2
        held = np.lib.stride_tricks.sliding_window_view(
            np.pad(peaks, half, mode="edge"), 2 * half + 1
        ).max(axis=1)
        self._is_quiet = held < self.loud * 10.0 ** (-QUIET_DB / 20.0)

    def run_s(self, moment_s: float) -> Reading:
        """Return how long the quiet around a moment lasts, in seconds."""
        at = min(int(moment_s / self._block_s), self._is_quiet.size - 1)
        if at < 0 or not self._is_quiet[at]:
            return Reading(None, f"it is not quiet at {moment_s:.3f} s")
        before = np.flatnonzero(~self._is_quiet[:at])
        after = np.flatnonzero(~self._is_quiet[at:])
        start = before[-1] + 1 if before.size else 0
        stop = at + after[0] if after.size else self._is_quiet.size
        return Reading(float((stop - start) * self._block_s))
