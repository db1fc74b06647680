"""Which starts of a window each segment admits, rule by rule, on a grid of 10 ms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.anchors.placement import Constraint, Infeasible, PlacementRules
from perturb.anchors.segment import Segment
from perturb.measure.analysis import Analysis
from perturb.measure.detectors import HOP_S

__all__ = ["Lengths", "Starts", "adapted_lengths", "admissible_starts", "detector_masks"]

Starts = npt.NDArray[np.int64]
"""Frames at which a window of a segment may start, ascending."""


@dataclass(frozen=True)
class Lengths:
    """The rules' lengths as adapted to a clip, in frames."""

    floor: int
    longest: int
    edge: int
    distance: int


def adapted_lengths(rules: PlacementRules, duration_s: float) -> Lengths | Infeasible:
    """Return the rules' lengths as adapted to a clip, or that it is too short for any."""
    share_s = rules.largest_fraction * duration_s
    scale = min(1.0, share_s / rules.floor_s)
    floor_s = rules.floor_s * scale
    if floor_s < rules.shortest_s:
        return Infeasible(
            constraint="clip",
            reason=f"a window of {rules.shortest_s:g} s is more than "
            f"{rules.largest_fraction:.0%} of the clip, {duration_s:.2f} s; a clip of "
            f"{rules.shortest_s / rules.largest_fraction:.2f} s would do",
        )
    longest_s = min(rules.longest_s * scale, max(share_s, floor_s))
    floor = math.floor(floor_s / HOP_S + 1e-9)
    return Lengths(
        floor,
        max(floor, math.floor(longest_s / HOP_S + 1e-9)),
        math.ceil(rules.edge_s * scale / HOP_S - 1e-9),
        math.ceil(rules.distance_s * scale / HOP_S - 1e-9),
    )


@dataclass(frozen=True)
class _Rule:
    """One rule as a score of each start that must be reached, so that what would do can be told.

    Parameters
    ----------
    name : str
        Its name among `Constraint`.
    scores : ndarray, shape (frames,)
        Of the window that starts at each frame.
    least : float
        The score to reach.
    words : str
        What segments do that have such a window.
    remedy : callable
        Words for the score that would do.
    """

    name: Constraint
    scores: npt.NDArray[np.float64]
    least: float
    words: str
    remedy: Callable[[float], str]

    def keep(self, starts: Starts) -> Starts:
        """Return the starts that reach the score."""
        return starts[self.scores[starts] >= self.least]

    def best(self, starts: Sequence[Starts], fewest: int) -> float:
        """Return the score that `fewest` segments reach."""
        best = sorted((float(self.scores[one].max()) for one in starts if one.size), reverse=True)
        return best[fewest - 1]


def admissible_starts(
    analysis: Analysis,
    segments: Sequence[Segment],
    rules: PlacementRules,
    lengths: Lengths,
    length: int,
    count: int,
) -> list[Starts] | Infeasible:
    """Return the starts that each segment admits, or the first rule that leaves too few.

    Parameters
    ----------
    analysis : Analysis
        Of the clip.
    segments : sequence of Segment
        In order of time, apart.
    rules : PlacementRules
        What windows have to obey.
    lengths : Lengths
        As adapted to the clip.
    length : int
        Of every window, in frames.
    count : int
        How many windows there are to be: each may push the later ones out of what is heard.
    """
    fewest = rules.positions[0]
    usable = [segment for segment in segments if segment.weight > 0.0]
    if len(usable) < fewest:
        return _few("segments", len(usable), fewest, "hold speech, as found or as given")
    frames = math.floor(analysis.signal.duration_s / HOP_S + 1e-9)
    starts = [_inside(segment, length, frames) for segment in segments]
    found = _filled(starts)
    if found < fewest:
        words = f"are as long as a window of {length * HOP_S:g} s"
        longest = sorted((segment.duration_s for segment in usable), reverse=True)[fewest - 1]
        remedy = f"windows of {math.floor(longest / HOP_S + 1e-9) * HOP_S:.2f} s would do"
        return _few("floor", found, fewest, words, remedy)
    for rule in _rules_of(analysis, rules, lengths, length, count, frames):
        kept = [rule.keep(one) for one in starts]
        found = _filled(kept)
        if found < fewest:
            remedy = rule.remedy(rule.best(starts, fewest))
            return _few(rule.name, found, fewest, rule.words, remedy)
        starts = kept
    return starts


def _rules_of(
    analysis: Analysis,
    rules: PlacementRules,
    lengths: Lengths,
    length: int,
    count: int,
    frames: int,
) -> Iterator[_Rule]:
    """Yield the rules that starts inside a segment have to obey, in their order."""
    at = np.arange(max(0, frames - length + 1))
    window_s = length * HOP_S
    yield _Rule(
        "edges",
        np.minimum(at, frames - length - at).astype(np.float64),
        lengths.edge,
        f"hold {window_s:g} s clear of the clip's first and last {lengths.edge * HOP_S:g} s",
        lambda best: f"a clearance of {best * HOP_S:.2f} s would do",
    )
    if rules.hearing_limit_s is not None:
        pushed = math.ceil((rules.lengthening - 1.0) * count * length - 1e-9)
        yield _Rule(
            "hearing_limit",
            -(at + length + pushed).astype(np.float64),
            -math.floor(rules.hearing_limit_s / HOP_S + 1e-9),
            f"hold {window_s:g} s that ends by {rules.hearing_limit_s:g} s in the edited clip",
            lambda best: f"a limit of {-best * HOP_S:.2f} s would do",
        )
    active = np.minimum(*(_shares(mask, length, at) for mask in detector_masks(analysis)))
    yield _Rule(
        "activity",
        active,
        rules.least_active - 1e-9,
        f"hold {window_s:g} s that both detectors take for speech to {rules.least_active:.0%}",
        lambda best: f"{math.floor(100.0 * best + 1e-7)}% would do",
    )


def _inside(segment: Segment, length: int, frames: int) -> Starts:
    if segment.weight == 0.0:
        return np.empty(0, np.int64)
    first = math.ceil(segment.start_s / HOP_S - 1e-9)
    last = min(math.floor(segment.stop_s / HOP_S + 1e-9), frames) - length
    return np.arange(first, last + 1)


def detector_masks(analysis: Analysis) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which frames of a clip are speech by level, and by voice."""
    return analysis.detections.by_level, analysis.detections.by_voice


def _shares(
    mask: npt.NDArray[np.bool_], length: int, at: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the active share of the window that starts at each frame."""
    sums = np.concatenate([[0], np.cumsum(mask)])
    stops = np.minimum(at + length, len(mask))
    return np.asarray((sums[stops] - sums[np.minimum(at, len(mask))]) / length)


def _filled(starts: Sequence[Starts]) -> int:
    return sum(one.size > 0 for one in starts)


def _few(
    constraint: Constraint, found: int, fewest: int, words: str, remedy: str = ""
) -> Infeasible:
    reason = f"segments that {words}: {found}; needed at least: {fewest}"
    return Infeasible(constraint=constraint, reason=f"{reason}; {remedy}" if remedy else reason)
