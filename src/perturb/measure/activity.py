"""Where there is speech: a level gate in the manner of P.56 together with the WebRTC detector.

A frame of 10 ms is active where both agree: its power, or that of a frame in the 200 ms before it,
lies within 15.9 dB of the clip's active level (`perturb.measure.active_level`), and the WebRTC
voice activity detector, run on the clip at a common level of −26 dBFS so that quiet speech counts
like loud speech, takes it for speech. Neither knows what a voice is. Whether a span holds speech
at all is decided together with an F0 tracker, in `speech_gate`.
"""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.measure.active_level import MARGIN_DB, active_speech_level
from perturb.measure.level import frame_powers
from perturb.signal import Signal

if TYPE_CHECKING:
    from perturb.measure.f0_track import F0Track

__all__ = [
    "MIN_ACTIVE_S",
    "MIN_VOICED_SHARE",
    "SpeechActivity",
    "speech_activity",
    "speech_gate",
]

MIN_ACTIVE_S = 0.3
"""Speech activity that a span must hold, in seconds, for operators that need speech."""

MIN_VOICED_SHARE = 0.1
"""Share of the active frames that must be voiced."""

_HOP_S = 0.01
_HANGOVER_FRAMES = 20
_DETECTOR_RATES_HZ = (8_000, 16_000, 32_000, 48_000)
_DETECTOR_LEVEL_DBFS = -26.0
_DETECTOR_MODE = 3
_FLOOR_DBFS = -95.0
"""Active level under which nothing counts as speech: the dither of a 16-bit file lies there."""

_FRAMES_PER_BLOCK = 1_000


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
    if samples.ndim != 1:
        raise ParameterError(
            f"samples have shape {samples.shape}; accepted: one channel, (samples,)"
        )
    rate = sample_rate_hz if sample_rate_hz in _DETECTOR_RATES_HZ else 16_000
    frames = math.ceil(len(samples) / sample_rate_hz / _HOP_S - 1e-9)
    level = active_speech_level(Signal.adopt(samples[np.newaxis], sample_rate_hz)).level_dbfs
    mask = np.zeros(frames, dtype=np.bool_)
    if level is not None and level >= _FLOOR_DBFS:
        if rate != sample_rate_hz:
            import soxr

            samples = soxr.resample(samples, sample_rate_hz, rate)
        frame_samples = round(_HOP_S * rate)
        loud = _level_gate(frame_powers(samples, frame_samples), level)
        active = (loud & _detect_voice(samples, rate, level))[:frames]
        mask[: len(active)] = active  # resampling may have rounded one frame away
    mask.setflags(write=False)
    return SpeechActivity(_HOP_S, mask)


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
    inside = (f0_track.times_s >= start_s) & (f0_track.times_s < stop_s)
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


def _level_gate(powers: npt.NDArray[np.float64], level_dbfs: float) -> npt.NDArray[np.bool_]:
    """Return the frames that are within the margin, or follow such a frame within the hangover."""
    loud = powers >= 10.0 ** ((level_dbfs - MARGIN_DB) / 10.0)
    position = np.arange(len(loud))
    last = np.maximum.accumulate(np.where(loud, position, -_HANGOVER_FRAMES - 1))
    return np.asarray(position - last <= _HANGOVER_FRAMES)


def _detect_voice(
    samples: npt.NDArray[np.float32], rate_hz: int, level_dbfs: float
) -> npt.NDArray[np.bool_]:
    """Run a fresh WebRTC detector over all frames, in blocks of 16-bit samples."""
    detector = _import_webrtcvad().Vad(_DETECTOR_MODE)
    scale = np.float32(32_768.0 * 10.0 ** ((_DETECTOR_LEVEL_DBFS - level_dbfs) / 20.0))
    frame_samples = round(_HOP_S * rate_hz)
    frame_bytes = 2 * frame_samples
    block_samples = _FRAMES_PER_BLOCK * frame_samples
    voiced = []
    for start in range(0, len(samples), block_samples):
        block = np.rint(samples[start : start + block_samples] * scale)
        pcm = np.clip(block, -32_768, 32_767).astype(np.int16).tobytes()
        pcm += bytes(-len(pcm) % frame_bytes)
        voiced += [
            detector.is_speech(pcm[at : at + frame_bytes], rate_hz)
            for at in range(0, len(pcm), frame_bytes)
        ]
    return np.array(voiced, dtype=np.bool_)


def _import_webrtcvad() -> Any:
    if "webrtcvad" not in sys.modules:
        with warnings.catch_warnings():
            # Some releases look up their own version through a deprecated package.
            warnings.simplefilter("ignore")
            import webrtcvad  # noqa: F401
    return sys.modules["webrtcvad"]
