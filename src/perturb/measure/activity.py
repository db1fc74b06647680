"""Where there is speech: where two detectors agree (`perturb.measure.detectors`).

Neither knows what a voice is. Whether a span holds speech at all is decided together with an F0
tracker, in `speech_gate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.measure.detectors import HOP_S, SpeechDetections, detect_speech

if TYPE_CHECKING:
    from perturb.measure.f0_track import F0Track

__all__ = [
    "MIN_ACTIVE_S",
    "MIN_VOICED_SHARE",
    "SpeechActivity",
    "agreed_activity",
    "speech_activity",
    "speech_gate",
]

MIN_ACTIVE_S = 0.3
"""Speech activity that a span must hold, in seconds, for operators that need speech."""

MIN_VOICED_SHARE = 0.1
"""Share of the active frames that must be voiced."""


@dataclass(frozen=True, eq=False)
class SpeechActivity:
    """Which frames of a clip, or of a span of it, hold speech-like sound.

    Parameters
    ----------
    hop_s : float
        Length of a frame and distance to the next, in seconds.
    mask : ndarray of bool, shape (frames,)
        Read-only; frame ``i`` is the time from ``i * hop_s`` to ``(i + 1) * hop_s``.
    """

    hop_s: float
    mask: npt.NDArray[np.bool_]

    @property
    def active_s(self) -> float:
        """Active time in seconds."""
        return int(self.mask.sum()) * self.hop_s

    @property
    def active_share(self) -> float:
        """Active share of the frames, 0 to 1."""
        return float(self.mask.mean())

    def slice(self, start_s: float, stop_s: float) -> SpeechActivity:
        """Return the frames whose centre lies in a span, and at least the one at its start.

        Parameters
        ----------
        start_s, stop_s : float
            Half-open, in seconds.

        Raises
        ------
        ParameterError
            The span does not begin inside the clip or has no length.

        Examples
        --------
        >>> activity = SpeechActivity(0.01, np.arange(100) >= 50)
        >>> activity.slice(0.4, 0.6).active_share
        0.5
        """
        frames = len(self.mask)
        if not (0.0 <= start_s < stop_s and start_s < frames * self.hop_s):
            raise ParameterError(
                f"span {start_s!r} to {stop_s!r} s; accepted: a start before the stop and "
                f"inside 0 to {frames * self.hop_s:.6g} s"
            )
        first = min(round(start_s / self.hop_s), frames - 1)
        last = max(first + 1, round(stop_s / self.hop_s))
        return SpeechActivity(self.hop_s, self.mask[first:last])


def speech_activity(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> SpeechActivity:
    """Find the frames of one channel that hold speech-like sound.

    Parameters
    ----------
    samples : ndarray of float32, shape (samples,)
        One channel, at least one sample.
    sample_rate_hz : int
        Sampling rate in Hz. Rates that the detector does not know are resampled to 16 kHz.

    Returns
    -------
    SpeechActivity
        Frames of 10 ms, the last of them filled up with zeros. Nothing is active where there is
        no active level, or one under −95 dBFS.

    Raises
    ------
    ParameterError
        `samples` has more than one dimension.

    Examples
    --------
    >>> speech_activity(np.zeros(16_000, dtype=np.float32), 16_000).active_s
    0.0
    """
    return agreed_activity(detect_speech(samples, sample_rate_hz))


def agreed_activity(detections: SpeechDetections) -> SpeechActivity:
    """Return the frames that both detectors take for speech."""
    mask = detections.by_level & detections.by_voice
    mask.setflags(write=False)
    return SpeechActivity(HOP_S, mask)


def speech_gate(
    activity: SpeechActivity, f0_track: F0Track, start_s: float, stop_s: float
) -> str | None:
    """Return why a span is refused as not speech, or None where it is speech.

    Parameters
    ----------
    activity : SpeechActivity
        Of the whole clip.
    f0_track : F0Track
        Of the whole clip; an F0 of 0 is unvoiced.
    start_s, stop_s : float
        The span, half-open, in seconds.

    Returns
    -------
    str or None
        The reason: under .3 s of activity, or under a tenth of the active frames voiced.
    """
    span = f"{start_s:.6g} to {stop_s:.6g} s"
    here = activity.slice(start_s, stop_s)
    if here.active_s < MIN_ACTIVE_S - 1e-9:
        return (
            f"no speech in {span}: {here.active_s:.2f} s of speech activity, "
            f"at least {MIN_ACTIVE_S:g} s needed"
        )
    inside = slice(*np.searchsorted(f0_track.times_s, (start_s, stop_s)))
    frames = np.floor(f0_track.times_s[inside] / activity.hop_s + 1e-9).astype(np.int64)
    active = activity.mask[np.minimum(frames, len(activity.mask) - 1)]
    voiced = f0_track.f0_hz[inside] > 0.0
    share = float(voiced[active].mean()) if active.any() else 0.0
    if share < MIN_VOICED_SHARE:
        return (
            f"no speech in {span}: {share:.0%} of the active frames are voiced, "
            f"at least {MIN_VOICED_SHARE:.0%} needed"
        )
    return None
