"""How much of a result is the original, filtered: magnitude-squared coherence after Welch.

Averaged over few frames, or over many of which few are loud, two signals that have nothing to do
with each other seem to agree: with K equal frames by 1/K. What frames contribute by agreeing with
themselves is therefore left out of both sides of the ratio, so that unrelated signals give 0 and a
filtered copy gives 1, whatever the number of frames and however the loudness runs.

References
----------
P. D. Welch, "The use of fast Fourier transform for the estimation of power spectra", IEEE
Transactions on Audio and Electroacoustics 15(2), 1967, 70–73.
G. C. Carter, "Coherence and time delay estimation", Proceedings of the IEEE 75(2), 1987, 236–255.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.errors import AudioError
from perturb.measure.reading import Reading
from perturb.signal import FloatArray

__all__ = ["Coherence", "coherence"]

FRAME_S = 0.032
_LARGEST_SCATTER = 0.03
_TOO_SHORT = "too short, or too few loud frames, to tell agreement from chance"
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class Coherence:
    """Coherence of a result with its original, by frequency, over all channels.

    Parameters
    ----------
    frequencies_hz : ndarray of float64, shape (bins,)
        Centre of each bin in Hz.
    shared_power, power : ndarray of float64, shape (bins,)
        Of the result's power, that explained by the original, and all of it; both without what
        single frames contribute. `shared_power` scatters about 0 where nothing is explained.
    chance_power : ndarray of float64, shape (bins,)
        What single frames contribute: about as much does `shared_power` scatter.
    """

    frequencies_hz: npt.NDArray[np.float64]
    shared_power: npt.NDArray[np.float64]
    power: npt.NDArray[np.float64]
    chance_power: npt.NDArray[np.float64]

    def explained_share(self, low_hz: float, high_hz: float = math.inf) -> Reading:
        """Return the share of the result's power in a band that the original explains.

        Parameters
        ----------
        low_hz, high_hz : float
            The band in Hz, edges included.

        Returns
        -------
        Reading
            0 to 1: coherence averaged over the band, weighted by the result's power. None where
            one side is silent in the band, or the audio is so short that chance alone would move
            the share by more than 3 %.
        """
        is_in_band = (self.frequencies_hz >= low_hz) & (self.frequencies_hz <= high_hz)
        chance = self.chance_power[is_in_band]
        power = float(self.power[is_in_band].sum())
        if not chance.any():
            return Reading(None, f"original or result is silent from {low_hz:g} Hz on")
        if power <= 0.0:
            return Reading(None, _TOO_SHORT)
        share = float(self.shared_power[is_in_band].sum()) / power
        # Neighbouring bins are alike, which adds to it, and few frames cannot differ as much, which
        # takes from it: noise of a speech-like contour scatters half to all of this.
        scatter = math.sqrt(float(np.square(chance).sum())) / power
        if abs(1.0 - share) * scatter > _LARGEST_SCATTER:
            return Reading(None, _TOO_SHORT)
        return Reading(min(max(share, 0.0), 1.0))


def coherence(before: FloatArray, after: FloatArray, sample_rate_hz: int) -> Coherence:
    """Measure the coherence of a result with its original, which keeps time with it.

    Parameters
    ----------
    before, after : ndarray of float32, shape (samples,) or (channels, samples)
        Original and result, of one shape. Channel is compared with channel.
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    Coherence
        Of Hann frames of 32 ms, half a frame apart.

    Raises
    ------
    AudioError
        The shapes differ.

    Examples
    --------
    >>> noise = np.random.default_rng(1).standard_normal((2, 16_000)).astype(np.float32)
    >>> delayed = np.roll(noise[0], 3) * 0.5
    >>> round(coherence(noise[0], delayed, 16_000).explained_share(1000.0).value, 2)
    1.0
    >>> round(coherence(noise[0], noise[1], 16_000).explained_share(1000.0).value, 2)
    0.0
    """
    if before.shape != after.shape:
        raise AudioError(
            f"before has shape {before.shape}, after {after.shape}; accepted: equal shapes"
        )
    frame = max(2, round(FRAME_S * sample_rate_hz))
    frequencies_hz = np.arange(frame // 2 + 1, dtype=np.float64) * (sample_rate_hz / frame)
    shared, power, chance = (np.zeros(frequencies_hz.size) for _ in range(3))
    for old, new in zip(np.atleast_2d(before), np.atleast_2d(after), strict=True):
        old_power, new_power, products, cross = _accumulate(old, new, frame)
        is_heard = old_power > 0.0
        scale = np.divide(1.0, old_power, out=np.zeros_like(old_power), where=is_heard)
        shared += (np.square(cross.real) + np.square(cross.imag) - products) * scale
        power += np.where(is_heard, new_power - products * scale, 0.0)
        chance += products * scale
    return Coherence(frequencies_hz, shared, power, chance)


def _accumulate(
    old: FloatArray, new: FloatArray, frame: int
) -> tuple[
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.complex128],
]:
    """Return sums over frames of ``|X|²``, ``|Y|²``, ``|X|² |Y|²`` and ``X* Y``."""
    bins = frame // 2 + 1
    old_power, new_power, products = (np.zeros(bins) for _ in range(3))
    cross = np.zeros(bins, dtype=np.complex128)
    if old.size < frame:
        return old_power, new_power, products, cross
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(frame) + 0.5) / frame)
    views = [
        np.lib.stride_tricks.sliding_window_view(side, frame)[:: frame // 2] for side in (old, new)
    ]
    count = views[0].shape[0]
    step = max(1, _BLOCK // frame)
    for first in range(0, count, step):
        X, Y = (np.fft.rfft(view[first : first + step] * window, axis=1) for view in views)
        old_powers = np.square(X.real) + np.square(X.imag)
        new_powers = np.square(Y.real) + np.square(Y.imag)
        old_power += old_powers.sum(axis=0)
        new_power += new_powers.sum(axis=0)
        products += (old_powers * new_powers).sum(axis=0)
        cross += (X.conj() * Y).sum(axis=0)
    return old_power, new_power, products, cross
