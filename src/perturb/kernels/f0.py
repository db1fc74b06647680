"""Kernels of the autocorrelation pitch tracker: high-pass, levels, candidates.

The method is Boersma's (1993): each frame's autocorrelation is divided by the window's own, its
maxima are the candidates, and `perturb.kernels.f0_path` finds the cheapest path through them.
`perturb.measure.f0` chooses the numbers; these kernels only compute.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["find_candidates", "highpass", "measure_levels"]

Array = npt.NDArray[Any]


@kernel
def highpass(samples: Array, weights: Array, state_inout: Array, out: Array) -> None:
    """Filter one chunk with a second-order high-pass whose numerator is ``g (1 - 2 z + z²)``.

    The numerator is computed as a second difference, so that a constant gives exact zeros.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        The chunk.
    weights : ndarray of float64, shape (3,)
        ``g, a1, a2`` of ``H(z) = g (1 - 2 z⁻¹ + z⁻²) / (1 + a1 z⁻¹ + a2 z⁻²)``.
    state_inout : ndarray of float64, shape (4,)
        ``x[-1], x[-2], y[-1], y[-2]``; carries the filter from chunk to chunk.
    out : ndarray of float32, shape (n,)
        The filtered chunk.
    """
    gain, a1, a2 = weights[0], weights[1], weights[2]
    x1, x2, y1, y2 = state_inout[0], state_inout[1], state_inout[2], state_inout[3]
    for i in range(samples.shape[0]):
        x0 = np.float64(samples[i])
        y0 = gain * ((x0 - x1) - (x1 - x2)) - a2 * y2 - a1 * y1
        # Far below any sample: keeps the decaying tail out of slow denormal arithmetic.
        if abs(y0) < 1e-20:
            y0 = 0.0
        out[i] = y0
        x2, x1, y2, y1 = x1, x0, y1, y0
    state_inout[0], state_inout[1], state_inout[2], state_inout[3] = x1, x2, y1, y2


@kernel
def measure_levels(
    signal: Array, hop_samples: int, half_width_hops: int, levels_out: Array
) -> None:
    """Measure the RMS around each frame centre, over ``2 half_width_hops`` hops.

    Parameters
    ----------
    signal : ndarray of float32, shape (n,)
        High-passed signal.
    hop_samples, half_width_hops : int
        Distance of frames; half the measuring width in hops.
    levels_out : ndarray of float32, shape (frames,)
        RMS around sample ``k * hop_samples``; samples outside the signal count as zero.
    """
    size = signal.shape[0]
    frames = levels_out.shape[0]
    blocks = np.zeros(frames, np.float64)
    for k in range(frames):
        energy = 0.0
        for i in range(k * hop_samples, min((k + 1) * hop_samples, size)):
            energy += np.float64(signal[i]) * np.float64(signal[i])
        blocks[k] = energy
    for k in range(frames):
        energy = 0.0
        for b in range(max(k - half_width_hops, 0), min(k + half_width_hops, frames)):
            energy += blocks[b]
        levels_out[k] = math.sqrt(energy / (2 * half_width_hops * hop_samples))


@kernel
def find_candidates(
    signal: Array,
    hop_samples: int,
    window: Array,
    min_lag: int,
    max_lag: int,
    interpolator: Array,
    least_strength: float,
    octave_cost: float,
    is_audible: Array,
    lags_out: Array,
    strengths_out: Array,
) -> None:
    """Find the strongest periodicities of every audible frame.

    Parameters
    ----------
    signal : ndarray of float32, shape (n,)
        High-passed signal; frame k is centred on sample ``k * hop_samples``.
    hop_samples : int
        Distance of frames.
    window : ndarray of float32, shape (width,)
        Analysis window, of even width.
    min_lag, max_lag : int
        Lags searched, inclusive.
    interpolator : ndarray of float32, shape (phases + 1, taps)
        Row p interpolates at p / phases past the middle: taps ``1 - taps/2 .. taps/2``.
    least_strength, octave_cost : float
        Maxima under the first are no candidates; the second favours short lags, per octave.
    is_audible : ndarray of bool, shape (frames,)
        Frames to look at; all others get no candidate.
    lags_out, strengths_out : ndarray of float32, shape (frames, candidates)
        Period in samples and normalised autocorrelation (0 to 1); both 0 where none was found.
    """
    size = signal.shape[0]
    width = window.shape[0]
    half = width // 2
    phases = interpolator.shape[0] - 1
    taps = interpolator.shape[1]
    reach = taps // 2
    slots = lags_out.shape[1]
    first = min_lag - reach
    count = max_lag + reach + 1 - first
    frame = np.zeros(width + 8, np.float32)
    taper = np.zeros(width + 8, np.float32)
    products = np.zeros(count, np.float32)
    correction = np.zeros(count, np.float64)
    trust = np.zeros(count, np.float64)
    ratio = np.zeros(count, np.float32)
    scores = np.zeros(slots, np.float64)
    has_full = False
    for k in range(is_audible.shape[0]):
        for c in range(slots):
            lags_out[k, c] = 0.0
            strengths_out[k, c] = 0.0
        if not is_audible[k]:
            continue
        start = k * hop_samples - half
        low = max(-start, 0)
        high = min(size - start, width)
        is_full = low == 0 and high == width
        for i in range(low):
            frame[i] = 0.0
        for i in range(high, width):
            frame[i] = 0.0
        for i in range(low, high):
            frame[i] = signal[start + i] * window[i]
        _multiply_lags(frame, width, first, products)
        energy = 0.0
        for i in range(width):
            energy += np.float64(frame[i]) * np.float64(frame[i])
        if energy <= 0.0:
            continue
        # The window's own autocorrelation; at the clip's edges, of the part that holds signal.
        if not (is_full and has_full):
            window_energy = 0.0
            for i in range(width):
                inside = low <= i < high
                taper[i] = window[i] if inside else 0.0
                window_energy += np.float64(taper[i]) * np.float64(taper[i])
            _multiply_lags(taper, width, first, ratio)
            for j in range(count):
                overlap = np.float64(ratio[j]) / window_energy
                correction[j] = 1.0 / max(overlap, 0.05)
                # A part too short for a lag says little about it: its maxima count for less.
                trust[j] = min(overlap / 0.4, 1.0)
            has_full = is_full
        for j in range(count):
            ratio[j] = products[j] / energy * correction[j]
        used = 0
        for j in range(reach, count - reach):
            middle = np.float64(ratio[j])
            left = np.float64(ratio[j - 1])
            right = np.float64(ratio[j + 1])
            if middle < least_strength or middle <= left or middle < right:
                continue
            # The parabola is only a guess: the maximum of a rich spectrum is sharper than it.
            # Band-limited values at three fine steps around it place a finer one.
            shift = 0.5 * (left - right) / (left - 2.0 * middle + right)
            step = math.floor(shift * phases + 0.5)
            for move in range(3):
                before = _interpolate(ratio, j, step - 1, interpolator)
                here = _interpolate(ratio, j, step, interpolator)
                after = _interpolate(ratio, j, step + 1, interpolator)
                if move == 2 or (before <= here and after <= here):
                    break
                step += 1 if after > before else -1
            bend = before - 2.0 * here + after
            fine = 0.0
            if bend < 0.0:
                fine = min(max(0.5 * (before - after) / bend, -1.0), 1.0)
            height = here - 0.25 * (before - after) * fine
            # A peak above 1 is an artefact of the division; Boersma reflects it.
            strength = trust[j] * (1.0 / height if height > 1.0 else height)
            lag = first + j + (step + fine) / phases
            score = strength - octave_cost * math.log2(lag)
            slot = used
            if used < slots:
                used += 1
            else:
                slot = 0
                for c in range(1, slots):
                    if scores[c] < scores[slot]:
                        slot = c
                if score <= scores[slot]:
                    continue
            scores[slot] = score
            lags_out[k, slot] = lag
            strengths_out[k, slot] = strength


@kernel
def _multiply_lags(frame: Array, width: int, first_lag: int, products_out: Array) -> None:
    # Eight samples times all lags: the inner loop keeps one accumulator per lag, so it needs no
    # re-ordered sums to run on vector registers. `frame` ends in eight zeros.
    for j in range(products_out.shape[0]):
        products_out[j] = 0.0
    for i in range(0, width - first_lag, 8):
        x0, x1, x2, x3 = frame[i], frame[i + 1], frame[i + 2], frame[i + 3]
        x4, x5, x6, x7 = frame[i + 4], frame[i + 5], frame[i + 6], frame[i + 7]
        later = frame[i + first_lag :]
        for j in range(min(products_out.shape[0], width - first_lag - i)):
            products_out[j] += (
                (x0 * later[j] + x1 * later[j + 1]) + (x2 * later[j + 2] + x3 * later[j + 3])
            ) + ((x4 * later[j + 4] + x5 * later[j + 5]) + (x6 * later[j + 6] + x7 * later[j + 7]))


@kernel
def _interpolate(values: Array, index: int, step: int, interpolator: Array) -> float:
    phases = interpolator.shape[0] - 1
    taps = interpolator.shape[1]
    if step < 0:
        index -= 1
        step += phases
    total = 0.0
    for t in range(taps):
        total += np.float64(values[index + 1 - taps // 2 + t]) * np.float64(interpolator[step, t])
    return total
