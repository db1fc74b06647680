"""Which starts of a window each segment admits, rule by rule, on a grid of 10 ms."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def admissible_starts(
    analysis: Analysis,
    segments: Sequence[Segment],
    rules: PlacementRules,
    lengths: Lengths,
    length: int,
    wanted: int,
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
    wanted : int
        How many windows there may be: each may push the later ones out of what is heard.
    """
    fewest = rules.positions[0]
    usable = [segment for segment in segments if segment.weight > 0.0]
    if len(usable) < fewest:
        return _few("segments", len(usable), fewest, "hold speech, as found or as given")
    starts = [_inside(segment, length) for segment in segments]
    window_s = length * HOP_S
    frames = math.floor(analysis.signal.duration_s / HOP_S + 1e-9)
    last = frames - lengths.edge - length
    limit = rules.hearing_limit_s
    rest: list[tuple[Constraint, npt.NDArray[np.bool_], str]] = []
    at = np.arange(max(frames, 1))
    rest.append(
        (
            "edges",
            (at >= lengths.edge) & (at <= last),
            f"hold {window_s:g} s clear of the clip's first and last {lengths.edge * HOP_S:g} s",
        )
    )
    if limit is not None:
        heard = math.floor((limit - (rules.lengthening - 1.0) * wanted * window_s) / HOP_S + 1e-9)
        rest.append(
            ("hearing_limit", at + length <= heard, f"hold {window_s:g} s that ends by {limit:g} s")
        )
    active = np.minimum(*(_shares(mask, length, at) for mask in detector_masks(analysis)))
    rest.append(
        (
            "activity",
            active >= rules.least_active - 1e-9,
            f"hold {window_s:g} s that both detectors take for speech to {rules.least_active:.0%}",
        )
    )
    found = _filled(starts)
    if found < fewest:
        return _few("floor", found, fewest, f"are as long as a window of {window_s:g} s")
    for constraint, allowed, words in rest:
        starts = [one[one < allowed.size][allowed[one[one < allowed.size]]] for one in starts]
        found = _filled(starts)
        if found < fewest:
            return _few(constraint, found, fewest, words)
    return starts


def _inside(segment: Segment, length: int) -> Starts:
    if segment.weight == 0.0:
        return np.empty(0, np.int64)
    first = math.ceil(segment.start_s / HOP_S - 1e-9)
    last = math.floor(segment.stop_s / HOP_S + 1e-9) - length
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


def _few(constraint: Constraint, found: int, fewest: int, words: str) -> Infeasible:
    return Infeasible(
        constraint=constraint, reason=f"segments that {words}: {found}; needed at least: {fewest}"
    )
