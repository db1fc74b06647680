"""Spectral rotation: low becomes high and high becomes low, about a centre.

A band about the centre is cut out and equalised, so that after rotation it has the long-term
slope of speech again, and its analytic signal is mirrored: ``Re(conj(a) exp(i 2π 2c t))`` turns a
component at f into one at 2c − f. Rotated twice, a signal is itself, in the band: equalisation and
mirroring undo each other.

References
----------
B. Blesser, "Speech perception under conditions of spectral transformation: I. Phonetic
characteristics", Journal of Speech and Hearing Research 15(1), 1972, 5–41.
D. Byrne et al., "An international comparison of long-term average speech spectra", Journal of the
Acoustical Society of America 96(4), 1994, 2108–2120.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from perturb.signal import FloatArray

__all__ = ["band_limit", "band_of", "rotate"]

_EDGE_SHARE = 0.05
_FILTER_S = 0.040
_FLAT_UP_TO_HZ = 500.0
_SLOPE = 2.8
"""Power of frequency by which speech falls above 500 Hz: some 8.5 dB per octave."""
_FFT_SIZE = 1 << 15


def band_of(centre_hz: float) -> tuple[float, float]:
    """Return the edges in Hz of the band that is rotated: 0.1 and 1.9 times the centre.

    Examples
    --------
    >>> band_of(2_000.0)
    (200.0, 3800.0)
    """
    return 2.0 * centre_hz * _EDGE_SHARE, 2.0 * centre_hz * (1.0 - _EDGE_SHARE)


def rotate(
    samples: FloatArray, sample_rate_hz: int, centre_hz: float, *, times: int = 1
) -> FloatArray:
    """Rotate the spectrum of each channel about a centre.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        At least one sample; goes on as its mirror image at either end.
    sample_rate_hz : int
        Sampling rate in Hz; the band must lie below half of it.
    centre_hz : float
        What stays in place, in Hz.
    times : int
        1, or 2 for the way there and back.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        What lies outside the band is left out. Not scaled.
    """
    taps = _filter_of(sample_rate_hz, centre_hz, is_equalising=True)
    reach = taps.size // 2
    cycles = 2.0 * centre_hz / sample_rate_hz
    count = samples.shape[1]
    out = np.empty(samples.shape, dtype=np.float32)
    for channel, result in zip(samples, out, strict=True):
        turned = _continue(channel, times * reach)
        for left in range(times, 0, -1):
            # Time counts from the first sample of the span: there and back on one clock.
            turned = _turn(turned, taps, cycles, -(left - 1) * reach)
        result[:] = turned[:count]
    return out


def band_limit(samples: FloatArray, sample_rate_hz: int, centre_hz: float) -> FloatArray:
    """Cut out the band that `rotate` turns, and leave it as it is.

    Returns
    -------
    ndarray of float32, shape (channels, n)
    """
    taps = _filter_of(sample_rate_hz, centre_hz, is_equalising=False).real
    size = _fft_size(taps.size)
    response = np.fft.rfft(taps, size)
    step = size - taps.size + 1
    out = np.empty(samples.shape, dtype=np.float32)
    for channel, result in zip(samples, out, strict=True):
        longer = _continue(channel, taps.size // 2)
        for start in range(0, result.size, step):
            part = result[start : start + step]
            block = longer[start : start + size].astype(np.float64)
            filtered = np.fft.irfft(np.fft.rfft(block, size) * response, size)
            part[:] = filtered[taps.size - 1 : taps.size - 1 + part.size]
    return out


def _continue(channel: FloatArray, reach: int) -> FloatArray:
    """Return a channel without its mean, going on as its mirror image."""
    longer = np.pad(channel, reach, mode="symmetric")
    # An offset lies far outside the band; a filter would leave a trace of it.
    longer -= np.float32(channel.mean(dtype=np.float64))
    return longer


def _turn(
    samples: FloatArray, taps: npt.NDArray[np.complex128], cycles: float, first: int
) -> FloatArray:
    """Filter and mirror; shorter by ``taps.size - 1``, sample 0 of the result at time `first`.

    `cycles` is twice the centre, per sample.
    """
    size = _fft_size(taps.size)
    response = np.fft.fft(taps, size)[: size // 2 + 1]
    step = size - taps.size + 1
    clock = np.exp(2j * np.pi * np.mod(cycles * np.arange(step), 1.0))
    out = np.empty(samples.size - taps.size + 1, dtype=np.float32)
    spectrum = np.zeros(size, dtype=np.complex128)
    for start in range(0, out.size, step):
        part = out[start : start + step]
        block = samples[start : start + size].astype(np.float64)
        spectrum[: size // 2 + 1] = np.fft.rfft(block, size) * response
        analytic = np.fft.ifft(spectrum)[taps.size - 1 : taps.size - 1 + part.size]
        begin = np.exp(2j * np.pi * math.fmod(cycles * (first + start), 1.0))
        turning = begin * clock[: part.size]
        # The real part of conj(analytic) times turning.
        part[:] = analytic.real * turning.real + analytic.imag * turning.imag
    return out


def _fft_size(taps: int) -> int:
    return max(_FFT_SIZE, 1 << math.ceil(math.log2(4 * taps)))


@functools.lru_cache(maxsize=16)
def _filter_of(
    sample_rate_hz: int, centre_hz: float, *, is_equalising: bool
) -> npt.NDArray[np.complex128]:
    """Return the analytic band-pass: complex, symmetric, of odd length."""
    size = 1 << math.ceil(math.log2(8.0 * _FILTER_S * sample_rate_hz))
    frequencies_hz = np.arange(size, dtype=np.float64) * (sample_rate_hz / size)
    low_hz, high_hz = band_of(centre_hz)
    is_in_band = (frequencies_hz >= low_hz) & (frequencies_hz <= high_hz)
    inside_hz = frequencies_hz[is_in_band]
    response = np.zeros(size)
    # Twice, since an analytic signal has no negative frequencies.
    response[is_in_band] = 2.0
    if is_equalising:
        mirrored = _speech_power(2.0 * centre_hz - inside_hz)
        response[is_in_band] *= np.sqrt(mirrored / _speech_power(inside_hz))
    reach = round(0.5 * _FILTER_S * sample_rate_hz)
    places = np.arange(-reach, reach + 1)
    window = 0.5 + 0.5 * np.cos(np.pi * places / (reach + 1))
    taps: npt.NDArray[np.complex128] = np.fft.ifft(response)[places] * window
    taps.setflags(write=False)
    return taps


def _speech_power(frequencies_hz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the long-term power density of speech, relative to that of its low frequencies."""
    falling: npt.NDArray[np.float64] = 1.0 / (1.0 + (frequencies_hz / _FLAT_UP_TO_HZ) ** _SLOPE)
    return falling
