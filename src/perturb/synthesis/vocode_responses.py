"""The fixed filters of `vocode`: a neutral vowel, a flat pulse, and a low-pass.

All are defined in hertz and seconds and computed per sampling rate, once per process.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.excitation import PHASES
from perturb.signal import FloatArray

__all__ = ["flat_table", "highpass_response", "lowpass_response", "vowel_table"]

FORMANTS_HZ = (500.0, 1500.0, 2500.0, 3500.0, 4500.0, 5500.0, 6500.0, 7500.0)
"""Resonances of a uniform tube of 17 cm up to 8 kHz; above them the response falls steeply."""
BANDWIDTHS_HZ = (150.0, 200.0, 250.0, 300.0, 350.0, 400.0, 500.0, 600.0)
TILT_CORNER_HZ = 1_000.0
HIGHPASS_HZ = 60.0
NYQUIST_MARGIN = 0.92
DISPERSION_S = 0.005
RESPONSE_S = 0.050
PITCH_BAND_HZ = 4_000.0

LOWPASS_HZ = 400.0
LOWPASS_S = 0.060
LOWPASS_KAISER_BETA = 7.0

Floats = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=8)
def vowel_table(sample_rate_hz: int) -> tuple[FloatArray, int]:
    """Return the neutral vowel's response at `PHASES` fractional delays.

    The same formants at every rate, cut off under half of it. Delay grows with frequency as the
    vowel's energy does, over 5 ms, so the energy of a pulse is spread evenly in time and its
    crest stays low (Schroeder).

    Parameters
    ----------
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    table : ndarray of float32, shape (PHASES, length)
        Row p is the response delayed by p / PHASES samples; unit energy.
    centre : int
        Index of time zero.
    """
    frequencies_hz, size = _grid(sample_rate_hz)
    vowel = _vowel_magnitude(frequencies_hz)
    shape = vowel * _band_limits(frequencies_hz, sample_rate_hz)
    return _tabulate(shape, _dispersion(frequencies_hz, vowel), sample_rate_hz, size)


@functools.lru_cache(maxsize=8)
def flat_table(sample_rate_hz: int) -> tuple[FloatArray, int]:
    """Return the vowel's pulse without the vowel: equal magnitudes, the same dispersion.

    Parameters and returns are those of `vowel_table`.
    """
    frequencies_hz, size = _grid(sample_rate_hz)
    phase = _dispersion(frequencies_hz, _vowel_magnitude(frequencies_hz))
    shape = _band_limits(frequencies_hz, sample_rate_hz)
    return _tabulate(shape, phase, sample_rate_hz, size)


@functools.lru_cache(maxsize=8)
def lowpass_response(sample_rate_hz: int) -> tuple[FloatArray, int]:
    """Return a symmetric 400 Hz low-pass (Kaiser-windowed sinc, 60 ms) and its centre."""
    centre = round(0.5 * LOWPASS_S * sample_rate_hz)
    times_s = np.arange(-centre, centre + 1) / sample_rate_hz
    response = np.sinc(2.0 * LOWPASS_HZ * times_s) * np.kaiser(times_s.size, LOWPASS_KAISER_BETA)
    return as_input(response / response.sum()), centre


@functools.lru_cache(maxsize=8)
def highpass_response(sample_rate_hz: int) -> tuple[FloatArray, int]:
    """Return what `lowpass_response` leaves: a unit pulse minus it."""
    lowpass, centre = lowpass_response(sample_rate_hz)
    rest = -lowpass
    rest[centre] += 1.0
    return as_input(rest), centre


def _grid(sample_rate_hz: int) -> tuple[Floats, int]:
    # Twice as long as the response that is cut out, so that hardly any of it wraps around.
    size = 1 << int(np.ceil(np.log2(2.0 * RESPONSE_S * sample_rate_hz)))
    frequencies_hz: Floats = np.fft.rfftfreq(size, 1.0 / sample_rate_hz).astype(np.float64)
    return frequencies_hz, size


def _vowel_magnitude(frequencies_hz: Floats) -> Floats:
    magnitude = 1.0 / np.sqrt(1.0 + (frequencies_hz / TILT_CORNER_HZ) ** 2)
    for formant_hz, bandwidth_hz in zip(FORMANTS_HZ, BANDWIDTHS_HZ, strict=True):
        pole = complex(-0.5 * bandwidth_hz, formant_hz)
        distance = np.abs((1j * frequencies_hz - pole) * (1j * frequencies_hz - pole.conjugate()))
        magnitude *= abs(pole) ** 2 / distance
    return magnitude


def _band_limits(frequencies_hz: Floats, sample_rate_hz: int) -> Floats:
    ratio = (frequencies_hz / HIGHPASS_HZ) ** 2
    nyquist_hz = 0.5 * sample_rate_hz
    edge_hz = NYQUIST_MARGIN * nyquist_hz
    beyond = np.clip((frequencies_hz - edge_hz) / (nyquist_hz - edge_hz), 0.0, 1.0)
    limits: Floats = ratio / (1.0 + ratio) * np.cos(0.5 * np.pi * beyond) ** 2
    return limits


def _dispersion(frequencies_hz: Floats, magnitude: Floats) -> Floats:
    """Return the phase whose delay rises by `DISPERSION_S` where `magnitude` is.

    The delay is 0 for those harmonics that place a period most sharply: a period's error is
    weighted by the square of amplitude times frequency. Else the pitch would come 1 ms late.
    """
    delay_s = DISPERSION_S * np.cumsum(magnitude) / magnitude.sum()
    sharpness = (frequencies_hz * magnitude) ** 2 * (frequencies_hz <= PITCH_BAND_HZ)
    delay_s -= np.average(delay_s, weights=sharpness)
    step_hz = frequencies_hz[1] - frequencies_hz[0]
    phase: Floats = -2.0 * np.pi * step_hz * np.cumsum(delay_s)
    return phase


def _tabulate(
    magnitude: Floats, phase: Floats, sample_rate_hz: int, size: int
) -> tuple[FloatArray, int]:
    half = round(0.5 * RESPONSE_S * sample_rate_hz)
    cycles = np.arange(magnitude.size) / size
    fade = round(0.1 * half)
    ramp = 0.5 - 0.5 * np.cos(np.pi * (np.arange(fade) + 0.5) / fade)
    window = np.concatenate([ramp, np.ones(2 * half + 1 - 2 * fade), ramp[::-1]])
    rows = np.empty((PHASES, window.size))
    for row in range(PHASES):
        turn = phase - 2.0 * np.pi * cycles * (half + row / PHASES)
        rows[row] = np.fft.irfft(magnitude * np.exp(1j * turn), size)[: window.size] * window
    rows /= np.sqrt(np.sum(rows[0] ** 2))
    return as_input(rows), half
