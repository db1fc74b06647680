"""Kernels of the pitch judge: combs over root spectra, and pitch from the lobes of harmonics.

Nothing here is shared with the autocorrelation tracker of `perturb.kernels.f0`, on purpose.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["follow_peaks", "match_combs", "refine_pitch"]

Array = npt.NDArray[Any]


@kernel
def match_combs(root_spectra: Array, combs: Array, strengths_out: Array) -> None:
    """Correlate each root-magnitude spectrum with each comb.

    Parameters
    ----------
    root_spectra : ndarray of float32, shape (frames, bins)
        Weighted square roots of magnitudes; `bins` is a multiple of 4.
    combs : ndarray of float32, shape (bins, candidates)
        One column per candidate pitch.
    strengths_out : ndarray of float32, shape (frames, candidates)
        Inner products, divided by the norm of the spectrum; 0 for an empty spectrum.
    """
    frames, bins = root_spectra.shape
    candidates = combs.shape[1]
    sums = np.zeros(candidates, np.float32)
    for k in range(frames):
        for c in range(candidates):
            sums[c] = 0.0
        power = 0.0
        for b in range(0, bins, 4):
            s0, s1 = root_spectra[k, b], root_spectra[k, b + 1]
            s2, s3 = root_spectra[k, b + 2], root_spectra[k, b + 3]
            power += np.float64((s0 * s0 + s1 * s1) + (s2 * s2 + s3 * s3))
            row0, row1, row2, row3 = combs[b], combs[b + 1], combs[b + 2], combs[b + 3]
            for c in range(candidates):
                sums[c] += (s0 * row0[c] + s1 * row1[c]) + (s2 * row2[c] + s3 * row3[c])
        scale = 1.0 / math.sqrt(power) if power > 0.0 else 0.0
        for c in range(candidates):
            strengths_out[k, c] = sums[c] * scale


@kernel
def follow_peaks(
    octaves: Array, fits: Array, jump_cost: float, back: Array, choice_out: Array
) -> None:
    """Choose one peak of the fit in every frame: the best path that does not leap for little.

    Parameters
    ----------
    octaves, fits : ndarray of float32, shape (frames, peaks)
        Pitch of each peak in octaves, and its fit; a fit of -1 marks an empty place.
    jump_cost : float
        Fit that a change by one octave from one frame to the next costs.
    back : ndarray of uint8, shape (frames, peaks)
        Working space.
    choice_out : ndarray of int64, shape (frames,)
        The chosen peak.
    """
    frames, peaks = octaves.shape
    total = np.zeros(peaks, np.float64)
    fresh = np.zeros(peaks, np.float64)
    for k in range(frames):
        for p in range(peaks):
            best = -1e30
            origin = 0
            if k == 0:
                best = 0.0
            else:
                for q in range(peaks):
                    leap = abs(np.float64(octaves[k, p]) - np.float64(octaves[k - 1, q]))
                    value = total[q] - jump_cost * leap
                    if value > best:
                        best = value
                        origin = q
            back[k, p] = origin
            fresh[p] = best + fits[k, p]
        highest = fresh.max()
        for p in range(peaks):
            total[p] = fresh[p] - highest
    best_end = 0
    for p in range(peaks):
        if total[p] > total[best_end]:
            best_end = p
    for k in range(frames - 1, -1, -1):
        choice_out[k] = best_end
        best_end = back[k, best_end]


@kernel
def refine_pitch(power_spectra: Array, bin_hz: float, rounds: int, f0_hz_inout: Array) -> None:
    """Move each pitch to where the power around its harmonics lies.

    Every bin belongs to its nearest harmonic h with a raised-cosine weight, and the pitch is the
    least-squares fit of ``h * f0`` to the frequencies, weighted with power.

    Parameters
    ----------
    power_spectra : ndarray of float32, shape (frames, bins)
        Squared magnitudes; bin b lies at ``b * bin_hz``.
    bin_hz : float
        Distance of bins in Hz.
    rounds : int
        Number of fits, each from the last one's pitch.
    f0_hz_inout : ndarray of float32, shape (frames,)
        Pitch in Hz; 0 (unvoiced) stays 0.
    """
    frames, bins = power_spectra.shape
    for k in range(frames):
        pitch_hz = float(f0_hz_inout[k])
        if pitch_hz <= 0.0:
            continue
        for _ in range(rounds):
            above = 0.0
            below = 0.0
            first = math.ceil(0.5 * pitch_hz / bin_hz)
            for b in range(first, bins):
                place = b * bin_hz / pitch_hz
                harmonic = math.floor(place + 0.5)
                distance = 2.0 * (place - harmonic)
                # A polynomial in place of the cosine: the same bell, a tenth of the time.
                bell = (1.0 - distance * distance) ** 2
                weight = bell * harmonic * np.float64(power_spectra[k, b])
                above += weight * (b * bin_hz)
                below += weight * harmonic
            if below <= 0.0:
                break
            pitch_hz = above / below
        f0_hz_inout[k] = pitch_hz
