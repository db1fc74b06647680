"""Plain twins of the zero-phase kernels: everything in float64, nothing in chunks."""

from __future__ import annotations

import numpy as np


def weights_at(contour, block, count):
    """Return one weight per sample: linear between the centres of the blocks."""
    centres = (np.arange(len(contour)) + 0.5) * block - 0.5
    return np.interp(np.arange(count), centres, np.asarray(contour, dtype=np.float64))


def run_section(samples, b1, b2, a1, a2):
    """Run one section as its difference equation is written."""
    x = np.concatenate([[0.0, 0.0], samples])
    y = np.zeros(x.size)
    for i in range(2, x.size):
        y[i] = x[i] + b1 * x[i - 1] + b2 * x[i - 2] - a1 * y[i - 1] - a2 * y[i - 2]
    return y[2:]


def filter_zero_phase(samples, contour, block, sections, gain, dc_gain, settle):
    """Filter the signal and its mirror images, forwards and then backwards."""
    x = np.asarray(samples, dtype=np.float64)
    if len(contour):
        x = x * weights_at(contour, block, x.size)
    x = np.pad(x, settle, mode="symmetric")
    constant = 0.0 if len(contour) else x[0]
    x = x - constant
    for _ in range(2):
        x = gain * x
        for section in sections:
            x = run_section(x, *section)
        x = x[::-1]
    return x[settle : settle + len(samples)] + dc_gain * constant


def measure_blocks(samples, block):
    x = np.asarray(samples, dtype=np.float64)
    starts = range(0, x.size, block)
    return np.array([np.abs(x[at : at + block]).mean() for at in starts]), float((x**2).sum())


def add_scaled(samples, contour, block, onto):
    weights = weights_at(contour, block, len(samples))
    return np.asarray(onto, dtype=np.float64) + weights * np.asarray(samples, dtype=np.float64)
