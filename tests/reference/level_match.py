"""Plain twin of the level match: edges, convolution and interpolation written out with numpy."""

from __future__ import annotations

import itertools

import numpy as np

SILENCE_RMS = 1e-6
LARGEST_GAIN = 10.0


def contour(samples, is_open, weights, block_samples):
    edges = np.floor(np.arange(is_open.size + 1) * block_samples + 0.5).astype(int)
    edges = np.minimum(edges, samples.size)
    blocks = [samples[a:b].astype(np.float64) for a, b in itertools.pairwise(edges)]
    half = weights.size // 2

    def smooth(values):
        return np.convolve(np.where(is_open, values, 0.0), weights)[half : half + len(blocks)]

    count = smooth([block.size for block in blocks])
    with np.errstate(invalid="ignore"):
        mean = smooth([block.sum() for block in blocks]) / count
        power = smooth([np.sum(block**2) for block in blocks]) / count
    return np.sqrt(np.maximum(np.nan_to_num(power - mean**2), 0.0))


def impose_level(target, is_open, weights, block_samples, nominal_rms, passes, samples):
    result = np.array(samples, dtype=np.float64)
    wanted = contour(target, is_open, weights, block_samples)
    centres = (np.arange(is_open.size) + 0.5) * block_samples
    for number in range(passes):
        now = contour(result, is_open, weights, block_samples)
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = wanted / now
        is_first = number == 0 and nominal_rms > 0
        limit = LARGEST_GAIN * (wanted / nominal_rms if is_first else np.ones(wanted.size))
        gains = np.where(np.isnan(gains) | (gains > limit), limit, gains)
        gains = np.where((wanted < SILENCE_RMS) | ~is_open, 0.0, gains)
        result *= np.interp(np.arange(result.size), centres, gains)
    return result
