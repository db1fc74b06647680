"""Windows in distinct segments by rule. Feasibility is decided on a grid of 10 ms, never tried.

For every segment the starts that obey each rule are computed; a rule that leaves none is named. How
many windows stand apart is then found exactly, earliest first, since segments are in order of time.
Segments are drawn by weight among those that can still be completed to as many, related ones first
or (`perturb.anchors.related`) alone where that is asked, and starts evenly among those that leave
room for the rest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from perturb.anchors.admissible import (
    Lengths,
    Starts,
    adapted_lengths,
    admissible_starts,
    detector_masks,
)
from perturb.anchors.placement import (
    ActiveShares,
    Constraint,
    Infeasible,
    Placement,
    PlacementRules,
    Window,
)
from perturb.anchors.related import draw_line, neighbours
from perturb.anchors.segment import Segment
from perturb.measure.analysis import Analysis
from perturb.measure.detectors import HOP_S
from perturb.span import Span

__all__ = ["place"]

_STEP_S = 0.5
_ORDER = get_args(Constraint)


def place(
    analysis: Analysis,
    segments: Sequence[Segment],
    rules: PlacementRules,
    generator: np.random.Generator,
) -> Placement | Infeasible:
    """Return windows for one clip, or the first rule that leaves too few places.

    Parameters
    ----------
    analysis : Analysis
        Of the clip.
    segments : sequence of Segment
        In order of time, apart.
    rules : PlacementRules
        What windows have to obey.
    generator : numpy.random.Generator
        At the start of the clip's stream.
    """
    fewest, most = rules.positions
    wanted = int(generator.integers(fewest, most, endpoint=True))
    duration_s = analysis.signal.duration_s
    lengths = adapted_lengths(rules, duration_s)
    if isinstance(lengths, Infeasible):
        return lengths
    steps = int((lengths.longest - lengths.floor) * HOP_S / _STEP_S + 1e-9)
    grid = [lengths.floor + round(step * _STEP_S / HOP_S) for step in range(steps + 1)]
    drawn = grid[int(generator.integers(len(grid)))]
    refused = []
    for length in dict.fromkeys((drawn, *grid)):
        for count in range(wanted, fewest - 1, -1):
            starts = admissible_starts(analysis, segments, rules, lengths, length, count)
            if isinstance(starts, Infeasible):
                last = starts
                continue
            stride = length + lengths.distance
            if _most(starts, stride, count) < count:
                last = _too_close(starts, length, lengths, fewest)
                continue
            chosen = _choose(segments, rules, starts, stride, count, generator)
            if not isinstance(chosen, Infeasible):
                return _placed(analysis, lengths, length, wanted, chosen, segments)
            last = chosen
        refused.append(last)
    # Where another length comes further, the rule that stops it is the one that counts.
    return max(refused, key=lambda one: _ORDER.index(one.constraint))


def _too_close(starts: Sequence[Starts], length: int, lengths: Lengths, fewest: int) -> Infeasible:
    """Return by how much windows are too close: the largest distance that would do is searched."""
    apart = _most(starts, length + lengths.distance, fewest)
    low, high = -1, lengths.distance
    while high - low > 1:
        middle = (low + high) // 2
        if _most(starts, length + middle, fewest) >= fewest:
            low = middle
        else:
            high = middle
    remedy = f"; {low * HOP_S:.2f} s would do" if low >= 0 else ""
    return Infeasible(
        constraint="distance",
        reason=f"windows that stand {lengths.distance * HOP_S:g} s apart in segments of their own: "
        f"{apart}; needed at least: {fewest}{remedy}",
    )


def _most(starts: Sequence[Starts], stride: int, enough: int) -> int:
    """Return how many windows stand apart in distinct segments, up to `enough`: earliest first."""
    return _reach(starts, stride, frozenset(), enough)


def _reach(starts: Sequence[Starts], stride: int, forced: frozenset[int], enough: int) -> int:
    """Return how many windows stand apart at most, forced segments among them; -1 where these
    cannot all be there. Stops counting at `enough`.
    """
    # earliest[k]: where the next window may start after k windows, in the segments so far.
    earliest: dict[int, int] = {0: 0}
    for index, one in enumerate(starts):
        after: dict[int, int] = {} if index in forced else dict(earliest)
        if one.size:
            for count, free in earliest.items():
                at = int(np.searchsorted(one, free))
                if at < one.size and count < enough:
                    stop = int(one[at]) + stride
                    after[count + 1] = min(stop, after.get(count + 1, stop))
        earliest = after
    return max(earliest, default=-1)


def _choose(
    segments: Sequence[Segment],
    rules: PlacementRules,
    starts: Sequence[Starts],
    stride: int,
    count: int,
    generator: np.random.Generator,
) -> dict[int, int] | Infeasible:
    """Draw segments by weight, in a line of relations where that is asked; a start in each."""
    if count > 1 and rules.relations == "require":
        line = draw_line(segments, starts, stride, count, generator)
        if line is None:
            reason = f"no {count} segments that are related have room for windows apart"
            return Infeasible(constraint="relations", reason=reason)
        return _starts_of(line, starts, stride, generator)
    near: dict[int, set[int]] = {}
    if count > 1 and rules.relations == "prefer":
        near = neighbours(segments, starts)
    chosen: list[int] = []
    while len(chosen) < count:
        chosen.append(_next(chosen, segments, starts, stride, count, generator, near))
    return _starts_of(sorted(chosen), starts, stride, generator)


def _next(
    chosen: Sequence[int],
    segments: Sequence[Segment],
    starts: Sequence[Starts],
    stride: int,
    count: int,
    generator: np.random.Generator,
    near: Mapping[int, set[int]],
) -> int:
    """Return one more segment, so that the rest can still be completed.

    It is related to one before it, the first one to any, where there is one: `near` says which.
    """
    pool = [at for at, one in enumerate(starts) if one.size and at not in chosen]
    related = set().union(*(near.get(at, set()) for at in chosen)) if chosen else near.keys()
    # As many as are asked for fit, so that the last pool always holds one that can be completed.
    return next(
        at
        for part in ([at for at in pool if at in related], pool)
        for at in _by_weight(segments, part, generator)
        if _reach(starts, stride, frozenset([*chosen, at]), count) >= count
    )


def _in_line(segments: Sequence[Segment], chosen: Sequence[int]) -> bool:
    """Whether each segment is related to the one before it in time."""
    return all(_is_related(segments, *pair) for pair in itertools.pairwise(sorted(chosen)))


def _is_related(segments: Sequence[Segment], one: int, other: int) -> bool:
    pairs = ((one, other), (other, one))
    return any(relation.to == to for at, to in pairs for relation in segments[at].relations)


def _by_weight(
    segments: Sequence[Segment], pool: Sequence[int], generator: np.random.Generator
) -> list[int]:
    """Return a pool in a drawn order, heavier ones earlier: as drawn without replacement."""
    keys = generator.exponential(size=len(pool)) / [segments[at].weight for at in pool]
    return [pool[int(at)] for at in np.argsort(keys, kind="stable")]


def _starts_of(
    chosen: Sequence[int],
    starts: Sequence[Starts],
    stride: int,
    generator: np.random.Generator,
) -> dict[int, int]:
    latest: dict[int, int] = {}
    limit: float = math.inf
    for index in reversed(chosen):
        one = starts[index]
        latest[index] = int(one[one <= limit][-1])
        limit = latest[index] - stride
    found: dict[int, int] = {}
    free = 0
    for index in chosen:
        one = starts[index]
        room = one[(one >= free) & (one <= latest[index])]
        found[index] = int(room[int(generator.integers(room.size))])
        free = found[index] + stride
    return found


def _placed(
    analysis: Analysis,
    lengths: Lengths,
    length: int,
    wanted: int,
    chosen: dict[int, int],
    segments: Sequence[Segment],
) -> Placement:
    windows = tuple(
        Window(
            span=Span(round(start * HOP_S, 2), round((start + length) * HOP_S, 2)),
            segment=index,
            active=ActiveShares(
                **{
                    name: float(mask[start : start + length].mean())
                    for name, mask in zip(("level", "voice"), detector_masks(analysis), strict=True)
                }
            ),
        )
        for index, start in chosen.items()
    )
    return Placement(
        windows=windows,
        floor_s=round(lengths.floor * HOP_S, 2),
        edge_s=round(lengths.edge * HOP_S, 2),
        distance_s=round(lengths.distance * HOP_S, 2),
        length_s=round(length * HOP_S, 2),
        wanted=wanted,
        is_related=len(windows) > 1 and _in_line(segments, list(chosen)),
    )
