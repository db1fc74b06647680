"""`Signal`: audio in memory, the value that everything else speaks in.

One array convention in the whole package: ``(channels, samples)``, float32, C-contiguous,
read-only, full scale = 1.0.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from perturb.errors import AudioError

__all__ = [
    "MAX_ABS_SAMPLE",
    "MAX_CHANNELS",
    "SAMPLE_RATE_RANGE_HZ",
    "FloatArray",
    "Signal",
    "as_channel",
]

FloatArray = npt.NDArray[np.float32]

SAMPLE_RATE_RANGE_HZ = (8_000, 192_000)
MAX_CHANNELS = 64
MAX_ABS_SAMPLE = 1_000.0
"""Largest magnitude accepted, +60 dBFS: beyond it lies garbage, or integers left unscaled."""


@dataclass(frozen=True, eq=False)
class Signal:
    """Audio in memory: samples, their rate, and nothing else.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes, full scale 1.0. Copied unless already a read-only C-contiguous float32 array.
        Use `Signal.from_array` for any other dtype or layout.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Raises
    ------
    AudioError
        No samples, a non-finite sample or one beyond +60 dBFS (its position is named), more
        than 64 channels, or a rate outside the range.

    Examples
    --------
    >>> clip = Signal.from_array(np.zeros(16_000), 16_000)
    >>> clip.channel_count, clip.sample_count, clip.duration_s
    (1, 16000, 1.0)
    """

    samples: FloatArray
    sample_rate_hz: int
    _cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        samples = self.samples
        if not isinstance(samples, np.ndarray) or samples.ndim != 2 or samples.dtype != np.float32:
            raise AudioError(
                "samples must be a float32 array of shape (channels, samples); "
                "Signal.from_array converts other dtypes and layouts"
            )
        if isinstance(self.sample_rate_hz, bool) or not isinstance(
            self.sample_rate_hz, int | np.integer
        ):
            raise AudioError(f"sample_rate_hz must be a whole number, got {self.sample_rate_hz!r}")
        low, high = SAMPLE_RATE_RANGE_HZ
        if not low <= self.sample_rate_hz <= high:
            raise AudioError(
                f"sample_rate_hz is {self.sample_rate_hz}; accepted: {low} to {high} Hz. "
                "Resample the file first"
            )
        channels, count = samples.shape
        if channels == 0 or count == 0:
            raise AudioError(f"the audio is empty: {channels} channels, {count} samples")
        if channels > MAX_CHANNELS:
            raise AudioError(
                f"{channels} channels; accepted: 1 to {MAX_CHANNELS}. "
                "Is the array (samples, channels)? Signal.from_array takes layout='samples_first'"
            )
        _check_finite(samples)
        if samples.flags.writeable or not samples.flags.c_contiguous:
            samples = np.array(samples, dtype=np.float32, order="C")
            samples.setflags(write=False)
        object.__setattr__(self, "samples", samples)
        object.__setattr__(self, "sample_rate_hz", int(self.sample_rate_hz))

    @classmethod
    def adopt(cls, samples: FloatArray, sample_rate_hz: int) -> Signal:
        """Wrap an array that the caller gives up: it is made read-only instead of copied."""
        samples = np.ascontiguousarray(samples, dtype=np.float32)
        samples.setflags(write=False)
        return cls(samples, sample_rate_hz)

    @classmethod
    def from_array(
        cls,
        array: npt.ArrayLike,
        sample_rate_hz: int,
        *,
        layout: Literal["channels_first", "samples_first"] | None = None,
    ) -> Signal:
        """Make a signal from an array of any real dtype, byte order and memory layout.

        Parameters
        ----------
        array : array_like, shape (samples,), (channels, samples) or (samples, channels)
            Floats are taken as they are, full scale 1.0. Signed integers are divided by their
            type's full scale (int16 by 32768, int32 by 2**31). Other dtypes are refused.
        sample_rate_hz : int
            Sampling rate in Hz.
        layout : {'channels_first', 'samples_first'}, optional
            Required for a two-dimensional array: orientation is never guessed.

        Returns
        -------
        Signal
            Always a copy; `array` is not written to and not kept.

        Raises
        ------
        AudioError
            Dtype, shape, layout or values are not acceptable.

        Examples
        --------
        >>> Signal.from_array(np.array([0, -32768], dtype=np.int16), 8_000).samples
        array([[ 0., -1.]], dtype=float32)
        """
        data = np.asarray(array)
        kind = data.dtype.kind
        if kind not in "fi":
            raise AudioError(
                f"dtype {data.dtype} is not audio; accepted: floats (full scale 1.0) "
                "and signed integers (scaled by their type)"
            )
        if data.ndim == 1:
            data = data[np.newaxis, :]
        elif data.ndim != 2:
            raise AudioError(f"shape {data.shape} is not audio; accepted: 1 or 2 dimensions")
        elif layout is None:
            raise AudioError(
                f"the layout of a {data.shape} array is ambiguous; "
                "say layout='channels_first' or layout='samples_first'"
            )
        elif layout == "samples_first":
            data = data.T
        elif layout != "channels_first":
            raise AudioError(f"layout is {layout!r}; accepted: 'channels_first', 'samples_first'")
        if kind == "i":
            data = data / float(2 ** (8 * data.dtype.itemsize - 1))
        with np.errstate(over="ignore"):
            converted = np.array(data, dtype=np.float32, order="C")
        return cls.adopt(converted, sample_rate_hz)

    @property
    def channel_count(self) -> int:
        """Number of channels."""
        return int(self.samples.shape[0])

    @property
    def sample_count(self) -> int:
        """Number of samples per channel."""
        return int(self.samples.shape[1])

    @property
    def duration_s(self) -> float:
        """Duration in seconds."""
        return self.sample_count / self.sample_rate_hz

    @property
    def audio_sha256(self) -> str:
        """SHA-256 of rate, shape and little-endian samples: the identity of decoded audio."""
        if "audio_sha256" not in self._cache:
            digest = hashlib.sha256()
            shape = f"{self.sample_rate_hz}:{self.channel_count}:{self.sample_count}:"
            digest.update(shape.encode())
            digest.update(np.ascontiguousarray(self.samples, dtype="<f4").data)
            self._cache["audio_sha256"] = digest.hexdigest()
        return str(self._cache["audio_sha256"])

    def slice(self, start: int, stop: int) -> Signal:
        """Return samples `start` to `stop` (half-open, sample indices) as a new signal."""
        return Signal.adopt(self.samples[:, start:stop].copy(), self.sample_rate_hz)

    def is_equal(self, other: Signal) -> bool:
        """Whether rate, shape and every bit of every sample agree."""
        return (
            self.sample_rate_hz == other.sample_rate_hz
            and self.samples.shape == other.samples.shape
            and bool(np.array_equal(self.samples.view(np.int32), other.samples.view(np.int32)))
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (Signal.adopt, (np.asarray(self.samples), self.sample_rate_hz))


def as_channel(samples: npt.ArrayLike, sample_rate_hz: int) -> npt.NDArray[Any]:
    """Return one channel of audio as an array, its values unread.

    Parameters
    ----------
    samples : array_like, shape (samples,)
        One channel.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.

    Raises
    ------
    AudioError
        `samples` is not one-dimensional, or the rate is outside the range.
    """
    channel = np.asarray(samples)
    if channel.ndim != 1:
        raise AudioError(f"samples has shape {channel.shape}; accepted: one channel, (samples,)")
    low, high = SAMPLE_RATE_RANGE_HZ
    if not low <= sample_rate_hz <= high:
        raise AudioError(f"sample_rate_hz is {sample_rate_hz}; accepted: {low} to {high} Hz")
    return channel


def _check_finite(samples: FloatArray) -> None:
    # Cheap when all is well, and no copy: NaN and inf both fail the comparisons.
    if samples.max() <= MAX_ABS_SAMPLE and samples.min() >= -MAX_ABS_SAMPLE:
        return
    bad = ~(np.abs(samples) <= MAX_ABS_SAMPLE)
    channel, position = (int(index[0]) for index in np.nonzero(bad))
    value = float(samples[channel, position])
    what = "is not finite" if not math.isfinite(value) else "is beyond +60 dBFS"
    raise AudioError(
        f"sample {position} of channel {channel} {what} ({value:g}); "
        f"{int(bad.sum())} such samples. Accepted: finite values up to ±{MAX_ABS_SAMPLE:g}"
    )
