"""Two detectors of speech that know nothing of each other, frame by frame: by level, by voice.

By level, in the manner of P.56: a frame of 10 ms is loud where its power, or that of a frame in
the 200 ms before it, lies within 15.9 dB of the clip's active level
(`perturb.measure.active_level`). By voice: the WebRTC voice activity detector, run on the clip at a
common level of −26 dBFS so that quiet speech counts like loud speech.
"""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.measure.active_level import MARGIN_DB, active_speech_level
from perturb.measure.level import frame_powers
from perturb.signal import Signal

__all__ = ["HOP_S", "SpeechDetections", "detect_speech"]

HOP_S = 0.01
"""Length of a frame and distance to the next, in seconds."""

_HANGOVER_FRAMES = 20
_DETECTOR_RATES_HZ = (8_000, 16_000, 32_000, 48_000)
_DETECTOR_LEVEL_DBFS = -26.0
_DETECTOR_MODE = 3
_FLOOR_DBFS = -95.0
"""Active level under which nothing counts as speech: the dither of a 16-bit file lies there."""

_FRAMES_PER_BLOCK = 1_000


@dataclass(frozen=True, eq=False)
class SpeechDetections:
    """Which frames of a clip each detector takes for speech.

    Parameters
    ----------
    by_level, by_voice : ndarray of bool, shape (frames,)
        Read-only; frame ``i`` is the time from ``i * HOP_S`` to ``(i + 1) * HOP_S``.
    """

    by_level: npt.NDArray[np.bool_]
    by_voice: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        for mask in (self.by_level, self.by_voice):
            mask.setflags(write=False)


def detect_speech(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> SpeechDetections:
    """Run both detectors over one channel.

    Parameters
    ----------
    samples : ndarray of float32, shape (samples,)
        One channel, at least one sample.
    sample_rate_hz : int
        Sampling rate in Hz. Rates that the WebRTC detector does not know are resampled to 16 kHz.

    Returns
    -------
    SpeechDetections
        Frames of 10 ms, the last of them filled up with zeros. Nothing is active where there is
        no active level, or one under −95 dBFS.

    Raises
    ------
    ParameterError
        `samples` has more than one dimension.

    Examples
    --------
    >>> silence = detect_speech(np.zeros(16_000, dtype=np.float32), 16_000)
    >>> len(silence.by_level), silence.by_level.any(), silence.by_voice.any()
    (100, np.False_, np.False_)
    """
    if samples.ndim != 1:
        raise ParameterError(
            f"samples have shape {samples.shape}; accepted: one channel, (samples,)"
        )
    rate = sample_rate_hz if sample_rate_hz in _DETECTOR_RATES_HZ else 16_000
    frames = math.ceil(len(samples) / sample_rate_hz / HOP_S - 1e-9)
    level = active_speech_level(Signal.adopt(samples[np.newaxis], sample_rate_hz)).level_dbfs
    if level is None or level < _FLOOR_DBFS:
        return SpeechDetections(np.zeros(frames, np.bool_), np.zeros(frames, np.bool_))
    if rate != sample_rate_hz:
        import soxr

        samples = soxr.resample(samples, sample_rate_hz, rate)
    powers = frame_powers(samples, round(HOP_S * rate))
    return SpeechDetections(
        _of_length(_level_gate(powers, level), frames),
        _of_length(_detect_voice(samples, rate, level), frames),
    )


def _of_length(mask: npt.NDArray[np.bool_], frames: int) -> npt.NDArray[np.bool_]:
    """Return a mask of so many frames: resampling may have rounded one away."""
    fitted = np.zeros(frames, dtype=np.bool_)
    fitted[: len(mask)] = mask[:frames]
    return fitted


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
    frame_samples = round(HOP_S * rate_hz)
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
