"""The splicing kernels written out: every candidate in turn, sums in float64."""

import math

import numpy as np


def likeness_of(samples, length, one, other):
    """Return the normalised correlation of two stretches, 0 where either is silent."""
    a = samples[one : one + length].astype(np.float64)
    b = samples[other : other + length].astype(np.float64)
    power = float(a @ a) * float(b @ b)
    return float(a @ b) / math.sqrt(power) if power > 0.0 else 0.0


def find_path(mono, coarse, centres, limits, wanted, pull):
    """Return shifts and likeness of the frames, as the kernel of that name is to find them."""
    factor = -(-mono.size // coarse.size)
    shifts, likeness = [int(limits[0, 0])], [1.0]
    for frame in range(1, centres.size):
        start, stop = int(centres[frame - 1]), int(centres[frame])
        length = stop - start
        target = start + shifts[-1]
        low, high, least = (int(limit) for limit in limits[:, frame])
        is_fixed_next = frame + 1 < centres.size and limits[0, frame + 1] == limits[1, frame + 1]
        ahead = stop + int(limits[0, frame + 1]) if is_fixed_next else None
        onward = int(centres[frame + 1]) - stop if is_fixed_next else 0
        ideal = start + wanted[frame]

        def score(place, _=(target, length, stop, ahead, onward, ideal)):
            target, length, _, ahead, onward, ideal = _
            found = likeness_of(mono, length, target, place) - pull * abs(place - ideal)
            if ahead is not None:
                found += likeness_of(mono, onward, ahead, place + length)
            return found

        first, last = start + low, start + high
        may_stay = least == 0 and first <= target <= last
        if may_stay and ahead is None:
            best = target
        else:
            candidates = range(first, last + 1)
            if last - first > 2 * factor:
                near = _nearest_block(
                    coarse, factor, length, target, ahead, onward, first, last, ideal, pull, least
                )
                candidates = range(max(first, near - factor), min(last, near + factor) + 1)
            allowed = [place for place in candidates if abs(place - target) >= least]
            best = max(allowed, key=score) if allowed else candidates[0]
            if may_stay and score(target) >= score(best):
                best = target
        shifts.append(best - start)
        likeness.append(1.0 if best == target else likeness_of(mono, length, target, best))
    return np.array(shifts), np.array(likeness)


def _nearest_block(coarse, factor, length, target, ahead, onward, first, last, ideal, pull, least):
    """Return the place that the coarse search settles on, held within the limits."""
    phase = target % factor
    blocks = max(1, length // factor)
    blocks = min(blocks, coarse.size - max(target // factor, last // factor))
    to_next = (phase + length) // factor
    best, best_score = None, -math.inf
    for block in range(first // factor, last // factor + 1):
        if abs(block - target // factor) < -(-least // factor):
            continue
        found = likeness_of(coarse, blocks, target // factor, block)
        found -= pull * factor * abs(block - (ideal - phase) / factor)
        if ahead is not None:
            there = ahead // factor
            rest = min(max(1, onward // factor), coarse.size - max(there, last // factor + to_next))
            found += likeness_of(coarse, max(0, rest), there, block + to_next)
        if found > best_score:
            best, best_score = block, found
    best = first // factor if best is None else best
    return min(max(best * factor + phase, first), last)


def overlap_add(samples, centres, shifts, likeness):
    """Return the sound along a path, one sample at a time."""
    out = np.empty((samples.shape[0], int(centres[-1])))
    samples = samples.astype(np.float64)
    for frame in range(1, centres.size):
        start, stop = int(centres[frame - 1]), int(centres[frame])
        rho = min(max(float(likeness[frame]), 0.0), 1.0)
        for t in range(start, stop):
            rising = math.sin(0.5 * math.pi * (t - start + 0.5) / (stop - start)) ** 2
            old = samples[:, t + int(shifts[frame - 1])]
            new = samples[:, t + int(shifts[frame])]
            if shifts[frame] == shifts[frame - 1]:
                out[:, t] = old
                continue
            mixed = (1.0 - rising) * old + rising * new
            # The power of the mixture of two such stretches of power 1.
            power = rising**2 + (1.0 - rising) ** 2 + 2.0 * rho * rising * (1.0 - rising)
            out[:, t] = mixed / math.sqrt(power)
    return out
