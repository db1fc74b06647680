"""Butterworth filters run zero-phase: forwards and backwards, so that nothing moves in time.

Run twice, a filter's magnitude is squared: 6 dB down at the cut-off instead of 3. A low-pass and a
high-pass of one cut-off and order, so run, add up to the signal itself.

The designs are closed forms: the prototype's poles on a circle, mapped by the bilinear transform
with the cut-offs prewarped.

References
----------
T. W. Parks and C. S. Burrus, *Digital Filter Design*, Wiley 1987, chapter 7.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.block_levels import measure_blocks
from perturb.kernels.zero_phase import SECTIONS, filter_zero_phase
from perturb.signal import FloatArray

__all__ = [
    "ZeroPhaseFilter",
    "band_pass",
    "block_magnitudes",
    "energy_of",
    "high_pass",
    "low_pass",
]

_SETTLED = 1e-6
_ENERGY_BLOCK = 1024
_NO_CONTOUR = as_input(np.zeros(0))


@dataclass(frozen=True, eq=False)
class ZeroPhaseFilter:
    """A cascade of up to three second-order sections, to be run forwards and backwards.

    Parameters
    ----------
    sections : ndarray of float64, shape (3, 4)
        ``b1, b2, a1, a2`` of ``(1 + b1 z⁻¹ + b2 z⁻²) / (1 + a1 z⁻¹ + a2 z⁻²)``; read-only.
    gain : float
        Of the cascade, in each direction.
    dc_gain : float
        What the filter does to a constant: 1 or 0.
    settle_samples : int
        Samples after which its response to what came before has died away (−120 dB).
    sample_rate_hz : float
        Sampling rate in Hz.
    """

    sections: npt.NDArray[np.float64]
    gain: float
    dc_gain: float
    settle_samples: int
    sample_rate_hz: float

    def response(self, frequencies_hz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the zero-phase gain at some frequencies in Hz: real, 0 to 1."""
        z = np.exp(-2j * np.pi * np.asarray(frequencies_hz) / self.sample_rate_hz)
        once = np.full(z.shape, self.gain, dtype=np.complex128)
        for b1, b2, a1, a2 in self.sections:
            once *= (1.0 + z * (b1 + z * b2)) / (1.0 + z * (a1 + z * a2))
        gains: npt.NDArray[np.float64] = np.square(once.real) + np.square(once.imag)
        return gains

    def workspace(self, sample_count: int) -> FloatArray:
        """Return an array for `run`, to be used again for signals of one length."""
        return np.empty(sample_count + self.settle_samples, dtype=np.float32)

    def run(
        self,
        samples: FloatArray,
        workspace: FloatArray | None = None,
        *,
        contour: FloatArray | None = None,
        block_samples: int = 1,
    ) -> FloatArray:
        """Filter one channel, which goes on as its mirror image at either end.

        Parameters
        ----------
        samples : ndarray of float32, shape (n,)
            At least one sample.
        workspace : ndarray of float32, shape (n + settle_samples or more,), optional
            Overwritten; the result is a view of it. None takes a new one.
        contour : ndarray of float32, shape (ceil(n / block_samples),), optional
            Weights of `samples`, one per block, linear in between; None for none.
        block_samples : int
            Length of a block.

        Returns
        -------
        ndarray of float32, shape (n,)
            In phase with `samples`. A constant gives exactly itself or exact zeros.

        Examples
        --------
        >>> tone = np.sin(2 * np.pi * 1000 * np.arange(8_000) / 8_000).astype(np.float32)
        >>> low = low_pass(300.0, 8_000, order=6).run(tone)
        >>> bool(np.abs(low[1_000:-1_000]).max() < 1e-6)
        True
        """
        if workspace is None:
            workspace = self.workspace(samples.size)
        work = workspace[: samples.size + self.settle_samples]
        filter_zero_phase(
            as_input(samples),
            _NO_CONTOUR if contour is None else as_input(contour),
            block_samples,
            self.sections,
            self.gain,
            self.dc_gain,
            self.settle_samples,
            work,
        )
        return work[: samples.size]


def block_magnitudes(samples: FloatArray, block_samples: int) -> tuple[FloatArray, float]:
    """Return the mean magnitude of each block, and the energy of the whole.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        One channel.
    block_samples : int
        Length of a block; the last may be shorter.

    Returns
    -------
    magnitudes : ndarray of float32, shape (ceil(n / block_samples),)
    energy : float
        Sum of the squares.
    """
    magnitudes = np.empty(-(-samples.size // block_samples), dtype=np.float32)
    energy = measure_blocks(as_input(samples), block_samples, magnitudes)
    return magnitudes, float(energy)


def energy_of(samples: FloatArray) -> float:
    """Return the sum of the squares of one channel."""
    return block_magnitudes(samples, _ENERGY_BLOCK)[1]


@functools.lru_cache(maxsize=64)
def low_pass(cutoff_hz: float, sample_rate_hz: float, *, order: int) -> ZeroPhaseFilter:
    """Return a Butterworth low-pass of order 2, 4 or 6 (run twice: of twice that).

    Parameters
    ----------
    cutoff_hz : float
        Where the result is 6 dB down, above 0 and below half the sampling rate.
    sample_rate_hz : float
        Sampling rate in Hz.
    order : int
        Of one run.
    """
    return _low_or_high(cutoff_hz, sample_rate_hz, order, 1.0)


@functools.lru_cache(maxsize=64)
def high_pass(cutoff_hz: float, sample_rate_hz: float, *, order: int) -> ZeroPhaseFilter:
    """Return a Butterworth high-pass of order 2, 4 or 6: what `low_pass` leaves out, exactly."""
    return _low_or_high(cutoff_hz, sample_rate_hz, order, -1.0)


@functools.lru_cache(maxsize=512)
def band_pass(low_hz: float, high_hz: float, sample_rate_hz: float) -> ZeroPhaseFilter:
    """Return a third-order Butterworth band-pass (18 dB per octave on either side, run twice: 36).

    Parameters
    ----------
    low_hz, high_hz : float
        Edges, where the result is 6 dB down: above 0, in order, below half the sampling rate.
    sample_rate_hz : float
        Sampling rate in Hz.

    Raises
    ------
    ParameterError
        Edges out of order or range.
    """
    if not 0.0 < low_hz < high_hz < sample_rate_hz / 2:
        raise ParameterError(
            f"the band is {low_hz:g} to {high_hz:g} Hz; accepted: 0 < low < high < "
            f"{sample_rate_hz / 2:g} Hz"
        )
    low = math.tan(math.pi * low_hz / sample_rate_hz)
    high = math.tan(math.pi * high_hz / sample_rate_hz)
    half_width = 0.5 * (high - low)
    pairs = []
    for pole in _prototype_poles(3):
        root = np.sqrt((half_width * pole) ** 2 - low * high)
        if pole.imag > 1e-9:
            pairs += [(s, np.conj(s)) for s in (half_width * pole + root, half_width * pole - root)]
        elif abs(pole.imag) <= 1e-9:
            pairs.append((half_width * pole + root, half_width * pole - root))
    # Each section has a zero at 0 Hz and one at half the rate; the gain is 1 at the centre.
    centre_hz = math.atan(math.sqrt(low * high)) * sample_rate_hz / math.pi
    return _filter(pairs, 0.0, -1.0, centre_hz, 0.0, sample_rate_hz)


def _low_or_high(
    cutoff_hz: float, sample_rate_hz: float, order: int, sign: float
) -> ZeroPhaseFilter:
    if not 0.0 < cutoff_hz < sample_rate_hz / 2:
        raise ParameterError(
            f"the cut-off is {cutoff_hz:g} Hz; accepted: above 0, below {sample_rate_hz / 2:g} Hz"
        )
    if order not in (2, 4, 6):
        raise ParameterError(f"order is {order!r}; accepted: 2, 4, 6")
    warped = math.tan(math.pi * cutoff_hz / sample_rate_hz)
    pairs = []
    for pole in _prototype_poles(order):
        if pole.imag > 0.0:
            s = warped * pole if sign > 0.0 else warped / pole
            pairs.append((s, np.conj(s)))
    passed_hz = 0.0 if sign > 0.0 else sample_rate_hz / 2
    return _filter(pairs, 2.0 * sign, 1.0, passed_hz, max(sign, 0.0), sample_rate_hz)


def _prototype_poles(order: int) -> npt.NDArray[np.complex128]:
    angles = np.pi * (2.0 * np.arange(order) + order + 1.0) / (2.0 * order)
    poles: npt.NDArray[np.complex128] = np.exp(1j * angles)
    return poles


def _filter(
    pairs: list[tuple[complex, complex]],
    b1: float,
    b2: float,
    passed_hz: float,
    dc_gain: float,
    sample_rate_hz: float,
) -> ZeroPhaseFilter:
    """Map pairs of analogue poles to sections with one numerator and gain 1 at `passed_hz`."""
    sections = np.zeros((SECTIONS, 4))
    slowest = 0.0
    for row, pair in enumerate(pairs):
        one, other = ((1.0 + s) / (1.0 - s) for s in pair)
        sections[row] = b1, b2, -(one + other).real, (one * other).real
        slowest = max(slowest, abs(one), abs(other))
    sections.setflags(write=False)
    # Equal poles in a row, twice over, take about half as long again as one alone.
    settle = math.ceil(1.5 * math.log(_SETTLED) / math.log(slowest))
    plain = ZeroPhaseFilter(sections, 1.0, dc_gain, settle, sample_rate_hz)
    gain = 1.0 / math.sqrt(float(plain.response(np.array([passed_hz]))[0]))
    return ZeroPhaseFilter(sections, gain, dc_gain, settle, sample_rate_hz)
