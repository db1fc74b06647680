"""What an edit left alone, compared sample by sample with what the file ought to hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from perturb.signal import Signal

__all__ = ["largest_difference"]

_BLOCK_SAMPLES = 1 << 20


def largest_difference(
    before: Signal,
    after: Signal,
    stretches: Iterable[tuple[int, int, int]],
    as_written: Callable[[Signal], Signal],
) -> float | None:
    """Return the largest difference over some stretches of a clip and of its edit.

    Block by block: a proof holds no second copy of a long clip.

    Parameters
    ----------
    before, after : Signal
        Input and result of a step, the recorded gain undone.
    stretches : iterable of (int, int, int)
        Start and stop in `before`, start in `after`, in samples.
    as_written : callable
        Rounds a signal as the output file does (`ProofContext.as_written`).

    Returns
    -------
    float or None
        Full scale 1.0; infinite where a stretch passes an end of either; None where there is
        nothing to compare.
    """
    largest: float | None = None
    for start, stop, new_start in stretches:
        ends = (before.sample_count - stop, after.sample_count - (new_start + stop - start))
        if min(start, new_start, *ends) < 0:
            return math.inf
        for low in range(start, stop, _BLOCK_SAMPLES):
            high = min(stop, low + _BLOCK_SAMPLES)
            at = new_start + low - start
            expected = as_written(before.slice(low, high)).samples
            gap = np.abs(expected - after.samples[:, at : at + high - low])
            largest = max(largest or 0.0, float(gap.max()))
    return largest
