"""Plain twin of the kernel that lays grains."""

from __future__ import annotations

import numpy as np


def lay_grains(samples, sources, targets, rises, falls, ratio, table, origin, length):
    """Return the sum of all grains, each as a function over the whole result."""
    places = origin + np.arange(length)
    phases, taps = len(table) - 1, table.shape[1]
    padded = np.pad(samples.astype(np.float64), ((0, 0), (4_000, 4_000)))
    result = np.zeros((samples.shape[0], length))
    for source, target, rise, fall in zip(sources, targets, rises, falls, strict=True):
        offsets = places - target
        widths = np.where(offsets < 0, rise, fall)
        inside = (np.abs(offsets) <= widths) & (widths > 0)
        window = 0.5 + 0.5 * np.cos(np.pi * offsets[inside] / widths[inside])
        read_at = source + ratio * offsets[inside]
        whole = np.floor(read_at).astype(int)
        rows = table[np.floor((read_at - whole) * phases + 0.5).astype(int)].astype(np.float64)
        at = whole + 4_000 - (taps // 2 - 1)
        result[:, inside] += window * sum(rows[:, tap] * padded[:, at + tap] for tap in range(taps))
    return result
