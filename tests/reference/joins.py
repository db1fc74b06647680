"""The joins written out: one sample at a time, one formula."""

import math

import numpy as np


def weight_of(position, count, rising, falling):
    """Return how much of the edit is heard at one sample of its span, in float64."""
    if position < rising:
        return 0.5 * (1.0 - math.cos(math.pi * (position + 1) / (rising + 1)))
    from_end = count - 1 - position
    if from_end < falling:
        return 0.5 * (1.0 - math.cos(math.pi * (from_end + 1) / (falling + 1)))
    return 1.0


def join(clip, edited, start, rising, falling):
    """Return the clip with `edited` put in at `start`."""
    out = np.array(clip, dtype=np.float64)
    count = edited.shape[1]
    for position in range(count):
        weight = weight_of(position, count, rising, falling)
        old = np.asarray(clip)[:, start + position].astype(np.float64)
        new = np.asarray(edited)[:, position].astype(np.float64)
        out[:, start + position] = old * (1.0 - weight) + new * weight
    return out
