"""Levels: mean power, RMS, gated level, power of frames.

Decibels are re full scale 1.0 (dBFS): ``20 log10(rms)``, so that a full-scale square wave reads
0 dBFS and a full-scale sine −3.01 dBFS. Power is **averaged over channels**: equal channels read
what one of them reads. Digital silence has no level: its reading is None, with the reason.

Sums run in float64 over blocks that are counted from the first sample. A result depends on the
samples alone, and no copy of a whole clip is made.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.measure.reading import Reading

__all__ = [
    "DIGITAL_SILENCE",
    "frame_powers",
    "gated_frames",
    "gated_level_dbfs",
    "mean_power",
    "rms_dbfs",
    "sample_peak",
    "sample_peak_dbfs",
    "strongest_channel",
]

DIGITAL_SILENCE = "digital silence has no level in dB"
"""The reason that every instrument gives where all samples are zero."""

_BLOCK = 32_768


def mean_power(samples: npt.NDArray[np.floating]) -> float:
    """Return the mean square over all samples and channels.

    Parameters
    ----------
    samples : ndarray of float, shape (samples,) or (channels, samples)
        Amplitudes re full scale 1.0.

    Returns
    -------
    float
        Power re full scale 1.0. Exactly 0 for digital silence and for no samples at all.

    Examples
    --------
    >>> mean_power(np.array([0.5, -0.5], dtype=np.float32))
    0.25
    """
    channels = _by_channel(samples)
    if channels.size == 0:
        return 0.0
    sums = []
    for start in range(0, channels.shape[1], _BLOCK):
        block = np.square(channels[:, start : start + _BLOCK], dtype=np.float64)
        sums.append(float(block.sum()))
    return math.fsum(sums) / channels.size


def rms_dbfs(samples: npt.NDArray[np.floating]) -> Reading:
    """Return the RMS level in dBFS.

    Parameters
    ----------
    samples : ndarray of float, shape (samples,) or (channels, samples)
        Amplitudes re full scale 1.0.

    Returns
    -------
    Reading
        ``20 log10(rms)`` in dB re full scale 1.0; None for digital silence.

    Examples
    --------
    >>> rms_dbfs(np.array([1.0, -1.0], dtype=np.float32)).value
    0.0
    >>> rms_dbfs(np.zeros(8, dtype=np.float32)).reason
    'digital silence has no level in dB'
    """
    return Reading.of_power(mean_power(samples), DIGITAL_SILENCE)


def sample_peak(samples: npt.NDArray[np.floating]) -> float:
    """Return the largest magnitude of any sample, 0 for none.

    Examples
    --------
    >>> sample_peak(np.array([0.25, -0.5], dtype=np.float32))
    0.5
    """
    if samples.size == 0:
        return 0.0
    return max(float(samples.max()), -float(samples.min()))


def sample_peak_dbfs(samples: npt.NDArray[np.floating]) -> Reading:
    """Return the sample peak in dBFS; None for digital silence.

    Examples
    --------
    >>> sample_peak_dbfs(np.array([0.1, -1.0], dtype=np.float32)).value
    0.0
    """
    return Reading.of_power(sample_peak(samples) ** 2, DIGITAL_SILENCE)


def strongest_channel(samples: npt.NDArray[np.floating]) -> int:
    """Return the index of the channel with the most power; the lowest of equals.

    Parameters
    ----------
    samples : ndarray of float, shape (channels, samples)
        Amplitudes re full scale 1.0.

    Examples
    --------
    >>> strongest_channel(np.array([[0.1, 0.1], [0.5, 0.5]], dtype=np.float32))
    1
    """
    if samples.shape[0] == 1:
        return 0
    powers = [mean_power(channel) for channel in samples]
    return powers.index(max(powers))


def frame_powers(samples: npt.NDArray[np.floating], frame_samples: int) -> npt.NDArray[np.float64]:
    """Return the mean power of frames that stand side by side.

    Parameters
    ----------
    samples : ndarray of float, shape (samples,) or (channels, samples)
        Amplitudes re full scale 1.0.
    frame_samples : int
        Length of a frame, at least 1 sample.

    Returns
    -------
    ndarray of float64, shape (frames,)
        Power averaged over the frame and the channels. The last frame may be shorter and is
        averaged over its own length.

    Raises
    ------
    ParameterError
        `frame_samples` is below 1.

    Examples
    --------
    >>> frame_powers(np.array([1, 1, 0, 0, 2], dtype=np.float32), 2)
    array([1., 0., 4.])
    """
    if frame_samples < 1:
        raise ParameterError(f"frame_samples is {frame_samples}; accepted: at least 1 sample")
    channels = _by_channel(samples)
    count = channels.shape[1]
    powers = np.zeros(-(-count // frame_samples), dtype=np.float64)
    whole = count // frame_samples
    step = max(1, _BLOCK // frame_samples)
    for first in range(0, whole, step):
        last = min(first + step, whole)
        block = channels[:, first * frame_samples : last * frame_samples]
        squares = np.square(block, dtype=np.float64)
        squares = squares.reshape(channels.shape[0], last - first, frame_samples)
        powers[first:last] = squares.mean(axis=2).mean(axis=0)
    if whole < len(powers):
        rest = np.square(channels[:, whole * frame_samples :], dtype=np.float64)
        powers[whole] = rest.mean(axis=1).mean()
    return powers


def gated_frames(
    samples: npt.NDArray[np.floating],
    sample_rate_hz: int,
    *,
    gate_db: float = 20.0,
    frame_s: float = 0.01,
) -> npt.NDArray[np.bool_]:
    """Return the active support: which frames lie within `gate_db` of the loudest one.

    Parameters
    ----------
    samples : ndarray of float, shape (samples,) or (channels, samples)
        Amplitudes re full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz.
    gate_db : float
        Depth of the gate below the loudest frame, in dB, at least 0.
    frame_s : float
        Length of a frame in seconds.

    Returns
    -------
    ndarray of bool, shape (frames,)
        All False for digital silence. A frame is ``round(frame_s * sample_rate_hz)`` samples.

    Examples
    --------
    >>> clip = np.repeat(np.array([0.0, 0.5, 0.01], dtype=np.float32), 80)
    >>> gated_frames(clip, 8_000)
    array([False,  True, False])
    """
    if not gate_db >= 0.0:
        raise ParameterError(f"gate_db is {gate_db!r}; accepted: at least 0 dB")
    powers = frame_powers(samples, max(1, round(frame_s * sample_rate_hz)))
    if powers.size == 0 or powers.max() == 0.0:
        return np.zeros(powers.shape, dtype=np.bool_)
    return np.asarray(powers >= powers.max() * 10.0 ** (-gate_db / 10.0))


def gated_level_dbfs(
    samples: npt.NDArray[np.floating],
    sample_rate_hz: int,
    *,
    gate_db: float = 20.0,
    frame_s: float = 0.01,
) -> Reading:
    """Return the level of the active support: silence around a sound does not lower it.

    Parameters
    ----------
    samples : ndarray of float, shape (samples,) or (channels, samples)
        Amplitudes re full scale 1.0.
    sample_rate_hz : int
        Sampling rate in Hz.
    gate_db : float
        Frames further below the loudest frame are left out, in dB, at least 0.
    frame_s : float
        Length of a frame in seconds.

    Returns
    -------
    Reading
        Mean power of the frames within the gate, in dBFS; None for digital silence.

    Examples
    --------
    >>> clip = np.repeat(np.array([0.0, 0.5], dtype=np.float32), 8_000)
    >>> round(gated_level_dbfs(clip, 8_000).value, 2)
    -6.02
    """
    frame_samples = max(1, round(frame_s * sample_rate_hz))
    powers = frame_powers(samples, frame_samples)
    gate = gated_frames(samples, sample_rate_hz, gate_db=gate_db, frame_s=frame_s)
    if not gate.any():
        return Reading(None, DIGITAL_SILENCE)
    lengths = np.full(powers.shape, float(frame_samples))
    lengths[-1] = _by_channel(samples).shape[1] - frame_samples * (len(powers) - 1)
    energy = math.fsum((powers * lengths)[gate])
    return Reading.of_power(energy / float(lengths[gate].sum()), DIGITAL_SILENCE)


def _by_channel(samples: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    if samples.ndim == 1:
        return samples[np.newaxis, :]
    if samples.ndim == 2:
        return samples
    raise ParameterError(
        f"samples have shape {samples.shape}; accepted: (samples,) or (channels, samples)"
    )
