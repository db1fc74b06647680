"""Segments in a line, each related to the one before it in time, with room for windows apart.

All such lines are weighed, by the product of their segments' weights, and one is drawn: whether
there is any is decided, not tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from perturb.anchors.admissible import Starts
from perturb.anchors.segment import Segment

__all__ = ["draw_line", "neighbours"]

_Indices = npt.NDArray[np.int64]
_Weights = npt.NDArray[np.float64]


def draw_line(
    segments: Sequence[Segment],
    starts: Sequence[Starts],
    stride: int,
    count: int,
    generator: np.random.Generator,
) -> list[int] | None:
    """Return two or three segments in a line, drawn by weight, or None where there is no line.

    Parameters
    ----------
    segments : sequence of Segment
        In order of time, apart.
    starts : sequence of ndarray of int64
        Where windows of each may start, ascending.
    stride : int
        Least distance of two starts.
    count : int
        2 or 3.
    generator : numpy.random.Generator
        Drawn from only where there is a line.
    """
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for one, others in sorted(neighbours(segments, starts).items()):
        before[one] = sorted(other for other in others if other < one)
        after[one] = sorted(other for other in others if other > one)
    before = {at: others for at, others in before.items() if others}
    weights = np.array([segment.weight for segment in segments])
    if count == 2:
        middles = [(at, _pairs(before[at], at, starts, stride, weights)) for at in before]
    else:
        middles = [
            (at, _triples(before[at], at, after[at], starts, stride, weights)) for at in before
        ]
    totals = np.array([table.sum() for _, table in middles])
    if not totals.any():
        return None
    middle, table = middles[_draw(totals, generator)]
    row, column = divmod(_draw(table.ravel(), generator), table.shape[1])
    line = [before[middle][row], middle]
    return line if count == 2 else [*line, after[middle][column]]


def neighbours(segments: Sequence[Segment], starts: Sequence[Starts]) -> dict[int, set[int]]:
    """Return the segments that each is related to, either way, of those that admit a window."""
    found: dict[int, set[int]] = {}
    for at, segment in enumerate(segments):
        for relation in segment.relations:
            if starts[at].size and starts[relation.to].size:
                found.setdefault(at, set()).add(relation.to)
                found.setdefault(relation.to, set()).add(at)
    return found


def _earliest(
    before: Sequence[int], middle: int, starts: Sequence[Starts], stride: int
) -> tuple[_Indices, npt.NDArray[np.bool_]]:
    """Return the first start in a segment after a window in each before it, and if there is one."""
    free = np.array([starts[at][0] for at in before]) + stride
    places = np.searchsorted(starts[middle], free)
    is_there = places < starts[middle].size
    return starts[middle][np.where(is_there, places, 0)], is_there


def _pairs(
    before: Sequence[int], last: int, starts: Sequence[Starts], stride: int, weights: _Weights
) -> _Weights:
    """Return the weight of each pair that ends in a segment, shape (before, 1)."""
    _, is_there = _earliest(before, last, starts, stride)
    found: _Weights = (weights[list(before)] * weights[last] * is_there)[:, np.newaxis]
    return found


def _triples(
    before: Sequence[int],
    middle: int,
    after: Sequence[int],
    starts: Sequence[Starts],
    stride: int,
    weights: _Weights,
) -> _Weights:
    """Return the weight of each line through a segment, shape (before, after)."""
    if not after:
        return np.zeros((len(before), 1))
    earliest, is_there = _earliest(before, middle, starts, stride)
    last = np.array([starts[at][-1] for at in after])
    fits = is_there[:, np.newaxis] & (last >= earliest[:, np.newaxis] + stride)
    found: _Weights = np.outer(weights[list(before)], weights[list(after)]) * weights[middle] * fits
    return found


def _draw(weights: _Weights, generator: np.random.Generator) -> int:
    """Draw an index by weight; one of weight 0 never."""
    return int(generator.choice(len(weights), p=weights / weights.sum()))
