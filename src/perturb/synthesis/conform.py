"""Outside audio made to fit a clip's form: its sampling rate and its channels."""

from __future__ import annotations

import numpy as np
import soxr

from perturb.signal import FloatArray, Signal

__all__ = ["conform"]


def conform(audio: Signal, sample_rate_hz: int, channels: int) -> FloatArray:
    """Return outside audio at a clip's rate and channel count.

    Resampled by soxr at high quality, without delay. A mono recording goes to every channel alike;
    one with the clip's channel count keeps them; any other is averaged to mono first.

    Parameters
    ----------
    audio : Signal
        What comes from outside.
    sample_rate_hz : int
        The clip's rate in Hz.
    channels : int
        The clip's channel count.

    Returns
    -------
    ndarray of float32, shape (channels, samples)
        Read-only. No samples where the audio is shorter than one of the clip's.

    Examples
    --------
    >>> tone = Signal.from_array(np.sin(2 * np.pi * 440 * np.arange(44_100) / 44_100), 44_100)
    >>> conform(tone, 16_000, 2).shape
    (2, 16000)
    """
    samples = audio.samples
    if audio.channel_count not in (1, channels):
        samples = samples.mean(axis=0, dtype=np.float64, keepdims=True).astype(np.float32)
    if audio.sample_rate_hz != sample_rate_hz:
        turned = np.ascontiguousarray(samples.T)
        samples = soxr.resample(turned, audio.sample_rate_hz, sample_rate_hz, quality="HQ").T
    shared: FloatArray = np.broadcast_to(samples, (channels, samples.shape[1]))
    return shared
