"""Power spectra, third-octave levels, and the room tone found in a clip's quietest frames.

Spectra are Welch's: Hann windows that overlap by half, averaged. They are one-sided and scaled so
that the bins add up to the mean power. Levels average the power over channels; spectra keep the
channels apart.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.frame_variances import measure_frame_variances
from perturb.measure.bands import Band, band_levels
from perturb.measure.level import DIGITAL_SILENCE
from perturb.measure.reading import Reading
from perturb.signal import Signal

__all__ = [
    "RoomTone",
    "power_spectrum",
    "quietest_frames",
    "room_tone",
    "third_octave_levels",
]

ROOM_FRAME_S = 0.05
ROOM_SHARE = 0.1
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class RoomTone:
    """Spectrum and level of what is heard when nothing happens.

    Parameters
    ----------
    sample_rate_hz : int
        Sampling rate in Hz.
    frame_samples : int
        Length of the frames that were analysed, in samples.
    power : ndarray of float64, shape (channels, frame_samples // 2 + 1)
        One-sided power per bin; the bins of a channel add up to its power. Bin ``k`` lies at
        ``k * sample_rate_hz / frame_samples`` Hz. Read-only.
    duration_s : float
        Duration of the audio behind it, in seconds.
    """

    sample_rate_hz: int
    frame_samples: int
    power: npt.NDArray[np.float64]
    duration_s: float

    @property
    def frequencies_hz(self) -> npt.NDArray[np.float64]:
        """Frequency of each bin in Hz, shape (bins,)."""
        return np.arange(self.power.shape[1], dtype=np.float64) * (
            self.sample_rate_hz / self.frame_samples
        )

    @property
    def frame_s(self) -> float:
        """Length of the frames in seconds: `third_octave_levels` with it is comparable."""
        return self.frame_samples / self.sample_rate_hz

    @property
    def level_dbfs(self) -> Reading:
        """Level in dB re full scale 1.0, averaged over channels; None for digital silence."""
        return Reading.of_power(float(self.power.sum(axis=1).mean()), DIGITAL_SILENCE)

    @property
    def bands(self) -> tuple[Band, ...]:
        """Third-octave levels."""
        return band_levels(
            self.power.mean(axis=0), self.sample_rate_hz, self.frame_samples, self.duration_s
        )


def power_spectrum(samples: npt.NDArray[np.float32], frame_samples: int) -> npt.NDArray[np.float64]:
    """Return the one-sided power spectrum after Welch.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes re full scale 1.0.
    frame_samples : int
        Length of a frame, 1 to the number of samples.

    Returns
    -------
    ndarray of float64, shape (channels, frame_samples // 2 + 1)
        Power per bin. The frames reach from the first sample to the last, half a frame apart or
        slightly less.

    Raises
    ------
    ParameterError
        `frame_samples` is out of range.

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 1000 * np.arange(8_000) / 8_000, dtype=np.float32)[np.newaxis]
    >>> spectrum = power_spectrum(tone, 400)
    >>> int(spectrum[0].argmax()) * 8_000 // 400, round(float(spectrum.sum()), 6)
    (1000, 0.5)
    """
    count = samples.shape[1]
    if not 1 <= frame_samples <= count:
        raise ParameterError(
            f"frame_samples is {frame_samples}; accepted: 1 to {count}, the length of the audio"
        )
    hops = math.ceil((count - frame_samples) / max(1, frame_samples // 2))
    starts = (np.arange(hops + 1) * (count - frame_samples)) // max(1, hops)
    return _mean_spectrum(samples, starts, frame_samples, keep_dc=True)


def third_octave_levels(
    samples: npt.NDArray[np.float32], sample_rate_hz: int, *, frame_s: float = 0.2
) -> tuple[Band, ...]:
    """Return the levels of the third-octave bands that the audio can resolve.

    Parameters
    ----------
    samples : ndarray of float32, shape (samples,) or (channels, samples)
        At least one sample.
    sample_rate_hz : int
        Sampling rate in Hz.
    frame_s : float
        Length of an analysis frame in seconds, cut to the length of the audio. Compare only
        levels that were found with equal frames.

    Returns
    -------
    tuple of Band
        Rising in frequency: from the first band wider than the resolution (1.5 bins) to the
        last that ends at or below half the sampling rate. Compare those that `is_reliable`.

    Examples
    --------
    >>> tone = 0.1 * np.sin(2 * np.pi * 1000 * np.arange(16_000, dtype=np.float32) / 16_000)
    >>> bands = third_octave_levels(tone.astype(np.float32), 16_000)
    >>> [(round(b.centre_hz), round(b.level_dbfs.value, 1)) for b in bands if b.centre_hz == 1e3]
    [(1000, -23.0)]
    """
    by_channel = np.atleast_2d(samples)
    count = by_channel.shape[1]
    frame_samples = min(count, max(1, round(frame_s * sample_rate_hz)))
    power = power_spectrum(by_channel, frame_samples).mean(axis=0)
    return band_levels(power, sample_rate_hz, frame_samples, count / sample_rate_hz)


def room_tone(signal: Signal, *, share: float = ROOM_SHARE) -> RoomTone:
    """Estimate the room tone from the quietest frames of a clip.

    Parameters
    ----------
    signal : Signal
        Any rate and channel count. A clip shorter than a frame is one frame.
    share : float
        Share of the frames taken, above 0, at most 1.

    Returns
    -------
    RoomTone
        Of 50 ms frames. Each frame's mean is taken out first: an offset is not room tone.
        Digital silence in the clip counts as a room that is silent.

    Examples
    --------
    >>> noise = np.random.default_rng(1).standard_normal(32_000) * 0.001
    >>> noise[:16_000] *= 100.0
    >>> round(room_tone(Signal.from_array(noise, 16_000)).level_dbfs.value)
    -60
    """
    frame_samples = min(signal.sample_count, max(1, round(ROOM_FRAME_S * signal.sample_rate_hz)))
    starts = quietest_frames(signal.samples, frame_samples, share=share)
    power = _mean_spectrum(signal.samples, starts, frame_samples, keep_dc=False)
    power.setflags(write=False)
    hop_samples = max(1, frame_samples // 2)
    covered = min(len(starts) * hop_samples + frame_samples - hop_samples, signal.sample_count)
    return RoomTone(signal.sample_rate_hz, frame_samples, power, covered / signal.sample_rate_hz)


def quietest_frames(
    samples: npt.NDArray[np.float32], frame_samples: int, *, share: float = ROOM_SHARE
) -> npt.NDArray[np.int64]:
    """Return where the quietest frames start, in order of time.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Amplitudes re full scale 1.0.
    frame_samples : int
        Length of a frame, 1 to the number of samples; frames are half a frame apart.
    share : float
        Share of the frames taken, above 0, at most 1.

    Returns
    -------
    ndarray of int64, shape (frames,)
        At least one start. Power is averaged over channels, each frame's mean taken out.
    """
    count = samples.shape[1]
    if not 1 <= frame_samples <= count:
        raise ParameterError(
            f"frame_samples is {frame_samples}; accepted: 1 to {count}, the length of the audio"
        )
    if not 0.0 < share <= 1.0:
        raise ParameterError(f"share is {share!r}; accepted: above 0, at most 1")
    hop = max(1, frame_samples // 2)
    starts = np.arange(0, count - frame_samples + 1, hop, dtype=np.int64)
    powers = np.empty(len(starts), dtype=np.float64)
    measure_frame_variances(as_input(samples), frame_samples, hop, powers)
    wanted = math.ceil(share * len(starts) - 1e-9)
    return np.sort(starts[np.argsort(powers, kind="stable")[:wanted]])


def _frames(
    samples: npt.NDArray[np.float32], starts: npt.NDArray[np.int64], frame_samples: int
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield blocks of frames, shape (channels, frames, frame_samples)."""
    views = np.lib.stride_tricks.sliding_window_view(samples, frame_samples, axis=1)
    step = max(1, _BLOCK // (frame_samples * samples.shape[0]))
    for first in range(0, len(starts), step):
        yield views[:, starts[first : first + step]].astype(np.float64)


def _mean_spectrum(
    samples: npt.NDArray[np.float32],
    starts: npt.NDArray[np.int64],
    frame_samples: int,
    *,
    keep_dc: bool,
) -> npt.NDArray[np.float64]:
    window = _hann(frame_samples)
    total = np.zeros((samples.shape[0], frame_samples // 2 + 1), dtype=np.float64)
    for frames in _frames(samples, starts, frame_samples):
        if not keep_dc:
            frames -= frames[:, :, :1].copy()  # a constant becomes exactly zero, not 1e-17
            frames -= frames.mean(axis=2, keepdims=True)
        spectra = np.fft.rfft(frames * window, axis=2)
        total += (spectra.real**2 + spectra.imag**2).sum(axis=1)
    total /= len(starts) * frame_samples * float(np.square(window).sum())
    mirrored = slice(1, (frame_samples + 1) // 2)  # all bins but 0 and half the rate come twice
    total[:, mirrored] *= 2.0
    return total


@functools.lru_cache(maxsize=16)
def _hann(length: int) -> npt.NDArray[np.float64]:
    """Return a periodic Hann window; a constant where it is too short to be one."""
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(length) / length)
    if length < 4:
        window = np.ones(length, dtype=np.float64)
    window.setflags(write=False)
    return window
