"""Plain twins of the excitation kernels."""

from __future__ import annotations

import itertools
import math

import numpy as np


def place_pulses(f0_hz, first_time_s, hop_s):
    """Return (time, F0) of each pulse, by bisection of the phase of each voiced run."""
    padded = np.concatenate([[0.0], np.asarray(f0_hz, dtype=np.float64), [0.0]])
    edges = np.flatnonzero(np.diff((padded > 0).astype(int)))
    pulses = []
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        run_hz = padded[first + 1 : stop + 1]
        centres_s = first_time_s + np.arange(first, stop) * hop_s
        knots_s = np.concatenate(
            [[centres_s[0] - hop_s / 2], centres_s, [centres_s[-1] + hop_s / 2]]
        )
        knots_hz = np.concatenate([run_hz[:1], run_hz, run_hz[-1:]])

        def pitch(time_s, knots_s=knots_s, knots_hz=knots_hz):
            return float(np.interp(time_s, knots_s, knots_hz))

        def phase(time_s, knots_s=knots_s, pitch=pitch):
            # F0 is linear between the knots, so the trapezoidal rule is exact.
            points = [*knots_s[knots_s < time_s], time_s]
            return sum(
                0.5 * (pitch(one) + pitch(other)) * (other - one)
                for one, other in itertools.pairwise(points)
            )

        for number in range(math.ceil(phase(knots_s[-1]) - 1e-12)):
            low, high = knots_s[0], knots_s[-1]
            for _ in range(60):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if phase(middle) < number else (low, middle)
            pulses.append((high, pitch(high)))
    return pulses


def add_pulses(times_s, gains, table, centre, sample_rate_hz, count):
    phases, length = table.shape
    reach = 2 * length + math.ceil(np.abs(times_s).max() * sample_rate_hz)
    padded = np.zeros(count + 2 * reach)
    for time_s, gain in zip(times_s, gains, strict=True):
        whole, part = divmod(math.floor(time_s * sample_rate_hz * phases + 0.5), phases)
        start = whole - centre + reach
        padded[start : start + length] += gain * table[part].astype(np.float64)
    return padded[reach : reach + count]


def noise_weights(f0_hz, first_time_s, hop_s, fade_s, voiced_gain, start, sample_rate_hz, count):
    """Return the weight of each sample: power is the sum of one ramp per change of voicing."""
    times_s = (start + np.arange(count)) / sample_rate_hz
    voiced = np.concatenate([[0], (np.asarray(f0_hz) > 0).astype(int), [0]])
    share = np.zeros(count)
    for boundary, change in enumerate(np.diff(voiced)):
        at_s = first_time_s + (boundary - 0.5) * hop_s
        done = np.clip((times_s - at_s) / fade_s + 0.5, 0.0, 1.0)
        share += change * (0.5 - 0.5 * np.cos(np.pi * done))
    return np.sqrt(1.0 + share * (voiced_gain**2 - 1.0))
