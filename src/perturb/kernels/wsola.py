"""Waveform-similarity overlap-add: a path of shifts through a recording, and the sound along it.

Output sample t of frame k is source sample ``t + shift[k]``. From the centre of one frame to that
of the next the output crosses over from the one shift to the other; where they are equal, the
recording is copied. So a path is all there is to know: sound that goes on as it was recorded, and
splices where the shift changes.

References
----------
W. Verhelst and M. Roelands, "An overlap-add technique based on waveform similarity (WSOLA) for high
quality time-scale modification of speech", ICASSP 1993, 554–557.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel
from perturb.signal import FloatArray

__all__ = ["find_path", "overlap_add"]

IntArray = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@kernel
def find_path(
    mono: FloatArray,
    coarse: FloatArray,
    centres: IntArray,
    limits: IntArray,
    wanted: Floats,
    pull: float,
    shifts_out: IntArray,
    likeness_out: Floats,
) -> None:
    """Choose the shift of each frame so that the sound goes on best from the frame before.

    A frame that may keep the shift of the one before keeps it: nothing goes on better than the
    recording itself. Otherwise the shifts within its limits are compared by normalised
    cross-correlation over the samples in which the output will cross over, first on `coarse`, then
    around the best of these on `mono`. Where the next frame has no choice, the crossing into it
    counts as much.

    Parameters
    ----------
    mono : ndarray of float32, shape (n,)
        What is compared.
    coarse : ndarray of float32, shape (ceil(n / factor),)
        The means of its blocks of `factor` samples, the last one shorter.
    centres : ndarray of int64, shape (frames,)
        Centres of the frames in the output, rising, from 0 to its length.
    limits : ndarray of int64, shape (3, frames)
        Lowest and highest shift of each frame, and how far it must lie from the shift of the frame
        before: 0 where it may stay. Between the centres of its neighbours, every frame reads
        inside `mono`. The first frame takes its lowest.
    wanted : ndarray of float64, shape (frames,)
        The shift that each frame would have if the recording did not matter.
    pull : float
        Correlation that one sample of distance to `wanted` costs.
    shifts_out : ndarray of int64, shape (frames,)
        The path.
    likeness_out : ndarray of float64, shape (frames,)
        Normalised correlation of each frame with the one before, where they cross: 1 where the
        recording goes on, 0 where either is silent.
    """
    factor = -(-mono.size // coarse.size)
    shifts_out[0] = limits[0, 0]
    likeness_out[0] = 1.0
    for frame in range(1, centres.size):
        start, stop = centres[frame - 1], centres[frame]
        length = stop - start
        target = start + shifts_out[frame - 1]
        first, last = start + limits[0, frame], start + limits[1, frame]
        least = limits[2, frame]
        may_stay = least == 0 and first <= target <= last
        ahead, onward = -1, 0
        if frame + 1 < centres.size and limits[0, frame + 1] == limits[1, frame + 1]:
            ahead = stop + limits[0, frame + 1]
            onward = centres[frame + 1] - stop
        if may_stay and ahead < 0:
            first = last = target
        ideal = start + wanted[frame]
        low, high = first, last
        if high - low > 2 * factor:
            # In blocks; the target's own place within its block goes for all candidates.
            phase = target % factor
            near = _most_like(
                coarse,
                max(1, length // factor),
                target // factor,
                (phase + length) // factor,
                max(1, onward // factor),
                -1 if ahead < 0 else ahead // factor,
                low // factor,
                high // factor,
                (ideal - phase) / factor,
                pull * factor,
                -(-least // factor),
            )
            place = min(max(near * factor + phase, first), last)
            low, high = max(first, place - factor), min(last, place + factor)
        place = low
        if high > low:
            place = _most_like(
                mono,
                length,
                target,
                length,
                onward,
                ahead,
                low,
                high,
                ideal,
                pull,
                least,
            )
        if may_stay and place != target:
            better = _likeness(mono, length, target, place)
            stay = 1.0
            if ahead >= 0:
                better += _likeness(mono, onward, ahead, place + length)
                stay += _likeness(mono, onward, ahead, target + length)
            better -= pull * abs(place - ideal)
            if stay - pull * abs(target - ideal) >= better:
                place = target
        shifts_out[frame] = place - start
        likeness_out[frame] = 1.0
        if place != target:
            likeness_out[frame] = _likeness(mono, length, target, place)


@kernel
def _most_like(
    samples: FloatArray,
    length: int,
    target: int,
    to_next: int,
    onward: int,
    ahead: int,
    first: int,
    last: int,
    ideal: float,
    pull: float,
    least: int,
) -> int:
    """Return the place from `first` to `last` that is most like `target`, `least` away from it."""
    size = samples.size
    length = min(length, size - max(target, last))
    onward = max(0, min(onward, size - max(ahead, last + to_next)))
    power = _product(samples, length, target, target)
    power_ahead = 0.0
    if ahead >= 0:
        power_ahead = _product(samples, onward, ahead, ahead)
    best, best_score = first, -math.inf
    for place in range(first, last + 1):
        if abs(place - target) < least:
            continue
        score = -pull * abs(place - ideal)
        own = _product(samples, length, place, place)
        if own > 0.0 and power > 0.0:
            score += _product(samples, length, target, place) / math.sqrt(own * power)
        if power_ahead > 0.0:
            after = place + to_next
            own = _product(samples, onward, after, after)
            if own > 0.0:
                alike = _product(samples, onward, ahead, after)
                score += alike / math.sqrt(own * power_ahead)
        if score > best_score:
            best, best_score = place, score
    return best


@kernel
def _likeness(samples: FloatArray, length: int, one: int, other: int) -> float:
    power = _product(samples, length, one, one)
    power *= _product(samples, length, other, other)
    if power <= 0.0:
        return 0.0
    return _product(samples, length, one, other) / math.sqrt(power)


@kernel
def _product(samples: FloatArray, length: int, one: int, other: int) -> float:
    # Eight sums, so that the processor can run them side by side; the order is the same anywhere.
    x = samples[one : one + length]
    y = samples[other : other + length]
    a = b = c = d = e = f = g = h = np.float32(0.0)
    whole = length // 8
    for k in range(whole):
        i = 8 * k
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
        e += x[i + 4] * y[i + 4]
        f += x[i + 5] * y[i + 5]
        g += x[i + 6] * y[i + 6]
        h += x[i + 7] * y[i + 7]
    for i in range(8 * whole, length):
        a += x[i] * y[i]
    return np.float64(((a + b) + (c + d)) + ((e + f) + (g + h)))


@kernel
def overlap_add(
    samples: FloatArray,
    centres: IntArray,
    shifts: IntArray,
    likeness: Floats,
    sound_out: FloatArray,
) -> None:
    """Write the sound along a path.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording.
    centres, shifts, likeness : ndarray, shape (frames,)
        As in `find_path`.
    sound_out : ndarray of float32, shape (channels, centres[-1])
        Written throughout. The crossings are raised cosines, scaled so that two stretches of equal
        power and this likeness keep their power.
    """
    channels = samples.shape[0]
    for frame in range(1, centres.size):
        start, stop = centres[frame - 1], centres[frame]
        before, after = shifts[frame - 1], shifts[frame]
        if before == after:
            for channel in range(channels):
                for t in range(start, stop):
                    sound_out[channel, t] = samples[channel, t + before]
            continue
        unlikeness = 1.0 - min(max(likeness[frame], 0.0), 1.0)
        angle = math.pi / (stop - start)
        for t in range(start, stop):
            rising = 0.5 - 0.5 * math.cos(angle * (t - start + 0.5))
            falling = 1.0 - rising
            scale = 1.0 / math.sqrt(1.0 - 2.0 * rising * falling * unlikeness)
            for channel in range(channels):
                sound_out[channel, t] = scale * (
                    falling * np.float64(samples[channel, t + before])
                    + rising * np.float64(samples[channel, t + after])
                )
