"""Signal-to-noise ratios of an event laid over a host: typed, since conventions differ by 30 dB.

The power of an event is that of its **active support**: the 10 ms frames within 20 dB of its
loudest, so that silence around a sound does not count. The power of the host is that of the
event's **window**: the stretch that it is laid over, widened about its centre to at least 1 s, cut
at the clip's edges. Powers are averaged over channels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.measure.analysis import Analysis
from perturb.measure.level import frame_powers, gated_frames, mean_power
from perturb.measure.loudness import loudness_lufs
from perturb.measure.reading import Reading
from perturb.measure.spectrum import power_spectrum
from perturb.signal import FloatArray, Signal
from perturb.span import seconds_to_sample

__all__ = ["ActiveSupport", "event_window", "onset_sample", "other_ratios"]

MIN_WINDOW_S = 1.0
_FRAME_S = 0.01
_GATE_DB = 20.0
_ONSET_SHARE = 0.01
_NARROW_BAND_HZ = 8_000.0
_SPECTRUM_FRAME_S = 0.05
_BLOCK_SAMPLES = 1 << 16


@dataclass(frozen=True, eq=False)
class ActiveSupport:
    """Which frames of an event count towards its power.

    Parameters
    ----------
    frame_samples : int
        Length of a frame; the last may be shorter.
    mask : ndarray of bool, shape (frames,)
        All False for digital silence.
    """

    frame_samples: int
    mask: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, samples: FloatArray, sample_rate_hz: int) -> ActiveSupport:
        """Find the support of an event, shape (channels, samples)."""
        mask = gated_frames(samples, sample_rate_hz, gate_db=_GATE_DB, frame_s=_FRAME_S)
        return cls(max(1, round(_FRAME_S * sample_rate_hz)), mask)

    def power(self, samples: FloatArray) -> float:
        """Return the mean power of `samples`, shape (channels, samples), over the support.

        Examples
        --------
        >>> event = np.repeat(np.array([[0.0, 0.5]], dtype=np.float32), 8_000, axis=1)
        >>> ActiveSupport.of(event, 8_000).power(event)
        0.25
        """
        if not self.mask.any():
            return 0.0
        powers = frame_powers(samples, self.frame_samples)
        lengths = np.full(powers.shape, float(self.frame_samples))
        lengths[-1] = samples.shape[1] - self.frame_samples * (len(powers) - 1)
        energy = math.fsum((powers * lengths)[self.mask])
        return energy / float(lengths[self.mask].sum())


def event_window(start: int, stop: int, sample_count: int, sample_rate_hz: int) -> tuple[int, int]:
    """Return the stretch of the host that an event is measured against, in samples.

    Examples
    --------
    >>> event_window(8_000, 8_200, 80_000, 8_000)
    (4100, 12100)
    >>> event_window(0, 200, 80_000, 8_000)
    (0, 4100)
    """
    width = max(stop - start, seconds_to_sample(MIN_WINDOW_S, sample_rate_hz))
    low = (start + stop - width) // 2
    return max(0, low), min(sample_count, low + width)


def onset_sample(event: FloatArray) -> int | None:
    """Return where an event becomes heard: its first sample within 20 dB of its peak.

    Parameters
    ----------
    event : ndarray of float32, shape (channels, samples)
        Power is added over channels.

    Returns
    -------
    int or None
        None for digital silence.
    """
    starts = range(0, event.shape[1], _BLOCK_SAMPLES)
    peaks = [float(_power(event[:, at : at + _BLOCK_SAMPLES]).max()) for at in starts]
    threshold = _ONSET_SHARE * max(peaks)
    if threshold == 0.0:
        return None
    first = next(at for at, peak in zip(starts, peaks, strict=True) if peak >= threshold)
    return first + int(np.argmax(_power(event[:, first : first + _BLOCK_SAMPLES]) >= threshold))


def _power(samples: FloatArray) -> npt.NDArray[np.float64]:
    """Return the power of each sample, added over channels."""
    return np.asarray(np.square(samples, dtype=np.float64).sum(axis=0))


def other_ratios(
    event: Signal, level_dbfs: float, host: Analysis, window: tuple[int, int]
) -> dict[str, Reading]:
    """Return the ratio of an event over its host by three other conventions, in dB.

    Parameters
    ----------
    event : Signal
        As laid.
    level_dbfs : float
        Its level over the active support.
    host : Analysis
        Of the whole host.
    window : tuple of int
        The event's window in the host.

    Returns
    -------
    dict of str to Reading
        ``snr_active_db``: over the host's active speech level (P.56). ``snr_lufs``: loudness of
        the event over that of its window (BS.1770; .4 s and more). ``snr_8k_db``: as the typed
        ratio, counting 0 to 8 kHz alone.
    """
    behind = host.signal.slice(*window)
    active = host.active_level
    powers = [
        share * power
        for share, power in (
            (_narrow_share(event), 10.0 ** (level_dbfs / 10.0)),
            (_narrow_share(behind), mean_power(behind.samples)),
        )
    ]
    narrow = Reading(None, "no power under 8 kHz in the event or behind it")
    if min(powers) > 0.0:
        narrow = Reading(10.0 * math.log10(powers[0] / powers[1]))
    return {
        "snr_active_db": Reading(level_dbfs).minus(Reading(active.level_dbfs, active.reason)),
        "snr_lufs": loudness_lufs(event).minus(loudness_lufs(behind)),
        "snr_8k_db": narrow,
    }


def _narrow_share(signal: Signal) -> float:
    """Return the share of the power that lies under 8 kHz, 0 to 1."""
    rate = signal.sample_rate_hz
    if rate / 2 <= _NARROW_BAND_HZ:
        return 1.0
    frame_samples = min(signal.sample_count, max(1, round(_SPECTRUM_FRAME_S * rate)))
    power = power_spectrum(signal.samples, frame_samples).sum(axis=0)
    below = np.arange(len(power)) * rate / frame_samples <= _NARROW_BAND_HZ
    total = float(power.sum())
    return float(power[below].sum()) / total if total > 0.0 else 0.0
