"""Plain twins of the pitch kernels: what they should compute, said as directly as possible."""

from __future__ import annotations

import itertools
import math

import numpy as np


def highpass(samples, weights, before):
    """Filter in float64; `before` is the value that stood before the first sample."""
    gain, a1, a2 = weights
    x = np.concatenate([[before, before], np.asarray(samples, dtype=np.float64)])
    y = np.zeros(x.size)
    for i in range(2, x.size):
        y[i] = gain * (x[i] - 2.0 * x[i - 1] + x[i - 2]) - a1 * y[i - 1] - a2 * y[i - 2]
    return y[2:]


def measure_levels(signal, hop, half_width_hops, frames):
    reach = half_width_hops * hop
    padded = np.concatenate([np.zeros(reach), signal, np.zeros(frames * hop + reach)])
    pieces = (padded[k * hop : k * hop + 2 * reach] for k in range(frames))
    return np.array([math.sqrt(np.mean(piece**2)) for piece in pieces])


def find_candidates(signal, hop, window, lags, interpolator, least, octave_cost, slots, frames):
    """Return, for each frame, (lag, strength) pairs in order of lag."""
    half, reach = window.size // 2, interpolator.shape[1] // 2
    phases = interpolator.shape[0] - 1
    padded = np.concatenate([np.zeros(half), signal, np.zeros(frames * hop + window.size)])
    holds = np.concatenate(
        [np.zeros(half), np.ones(signal.size), np.zeros(frames * hop + 2 * half)]
    )
    wanted = np.arange(lags[0] - reach, lags[1] + reach + 1)

    def autocorrelate(x):
        return np.correlate(x, x, mode="full")[x.size - 1 + wanted] / np.sum(x**2)

    found = []
    for k in range(frames):
        part = slice(k * hop, k * hop + window.size)
        overlap = autocorrelate(holds[part] * window)
        ratio = autocorrelate(padded[part] * window) / np.maximum(overlap, 0.05)
        trust = np.minimum(overlap / 0.4, 1.0)
        peaks = [
            j
            for j in range(reach, wanted.size - reach)
            if ratio[j] >= least and ratio[j - 1] < ratio[j] >= ratio[j + 1]
        ]
        pairs = []
        for j in peaks:
            # All fine steps from one lag before to one lag after.
            before = interpolator[:-1] @ ratio[j - reach : j + reach]
            after = interpolator @ ratio[j + 1 - reach : j + 1 + reach]
            curve = np.concatenate([before, after])
            top = int(np.argmax(curve[1:-1])) + 1
            left, here, right = curve[top - 1 : top + 2]
            fine = 0.5 * (left - right) / (left - 2.0 * here + right)
            height = here - 0.25 * (left - right) * fine
            strength = trust[j] * (1.0 / height if height > 1.0 else height)
            pairs.append((wanted[j] + (top - phases + fine) / phases, strength))
        pairs.sort(key=lambda pair: octave_cost * math.log2(pair[0]) - pair[1])
        pairs = sorted(pairs[:slots])
        found.append(pairs)
    return found


def choose_path(lags, strengths, unvoiced, octave_cost, jump_cost, voicing_cost, shortest):
    """Try every path there is, and return the best one's lags."""
    options = [
        [(float(lag), float(s)) for lag, s in zip(*frame, strict=True) if lag > 0] + [(0.0, None)]
        for frame in zip(lags, strengths, strict=True)
    ]
    best, best_score = None, -math.inf
    for path in itertools.product(*options):
        score = 0.0
        for k, (lag, strength) in enumerate(path):
            if lag:
                score += strength - octave_cost * math.log2(lag / shortest)
            else:
                score += float(unvoiced[k])
        for (one, _), (other, _) in itertools.pairwise(path):
            if bool(one) != bool(other):
                score -= voicing_cost
            elif one:
                score -= jump_cost * abs(math.log2(one / other))
        if score > best_score:
            best, best_score = path, score
    return [lag for lag, _ in best]


def match_combs(root_spectra, combs):
    roots = np.asarray(root_spectra, dtype=np.float64)
    norms = np.sqrt(np.sum(roots**2, axis=1, keepdims=True))
    return roots @ combs.astype(np.float64) / np.where(norms > 0.0, norms, 1.0)


def refine_pitch(power, bin_hz, rounds, pitch_hz):
    bins_hz = np.arange(power.size) * bin_hz
    for _ in range(rounds):
        harmonics = np.floor(bins_hz / pitch_hz + 0.5)
        bell = (1.0 - (2.0 * (bins_hz / pitch_hz - harmonics)) ** 2) ** 2
        weights = bell * power
        pitch_hz = np.sum(weights * harmonics * bins_hz) / np.sum(weights * harmonics**2)
    return pitch_hz


def follow_peaks(octaves, fits, jump_cost):
    """The best path by trying every one: for a few frames and peaks."""
    import itertools

    frames, peaks = octaves.shape

    def worth(path):
        leaps = sum(
            abs(float(octaves[k, path[k]]) - float(octaves[k - 1, path[k - 1]]))
            for k in range(1, frames)
        )
        return sum(float(fits[k, path[k]]) for k in range(frames)) - jump_cost * leaps

    return max(itertools.product(range(peaks), repeat=frames), key=worth)
