"""Where anchors go: the rules, and what a planner decided by them.

All times are seconds of the original clip's time; windows begin and end on a grid of 10 ms, the
frames of the activity detectors, so that every rule is decided in whole numbers.
"""

from __future__ import annotations

from typing import Annotated, Literal

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.span import Span

__all__ = [
    "ActiveShares",
    "Constraint",
    "Infeasible",
    "Placement",
    "PlacementRules",
    "RelationUse",
    "Window",
]

MOST_POSITIONS = 3

RelationUse = Literal["ignore", "prefer", "require"]
"""Whether each position is to be related to the one before it."""

Constraint = Literal[
    "clip", "segments", "floor", "edges", "hearing_limit", "activity", "distance", "relations"
]
"""What may leave too few places, in the order in which it is looked at."""


class PlacementRules(Record, frozen=True, kw_only=True):
    """What windows have to obey.

    On a clip so short that `floor_s` is more than `largest_fraction` of it, all lengths shrink
    alike (`floor_s`, `longest_s`, `edge_s`, `distance_s`), down to a window of `shortest_s`.

    Parameters
    ----------
    positions : pair of int
        Fewest and most windows, 1 to 3. How many is drawn; where there is no place for as many,
        there are fewer.
    floor_s : float
        Shortest window in seconds.
    longest_s : float
        Longest window in seconds. All windows of a clip have one length, drawn in steps of half a
        second.
    shortest_s : float
        What `floor_s` is never adapted below, in seconds.
    largest_fraction : float
        Longest window as a share of the clip.
    edge_s : float
        Time that stays clear after the clip's opening and before its close, in seconds.
    distance_s : float
        Least time between two windows, in seconds.
    least_active : float
        Least share of a window that each of two detectors takes for speech.
    hearing_limit_s : float, optional
        What is heard of a clip, from its start: windows end by then in the edited clip too.
    lengthening : float
        Most times as long as it was that the edit makes a window, for the limit's sake.
    relations : {'ignore', 'prefer', 'require'}
        Whether each window's segment is to be related to that of the window before.
    """

    positions: tuple[
        Annotated[int, bounds(1, MOST_POSITIONS, "", "fewest")],
        Annotated[int, bounds(1, MOST_POSITIONS, "", "most")],
    ] = (1, 3)
    floor_s: Annotated[float, bounds(0.1, 600.0, "s", "shortest window")] = 3.0
    longest_s: Annotated[float, bounds(0.1, 600.0, "s", "longest window")] = 5.0
    shortest_s: Annotated[float, bounds(0.1, 600.0, "s", "least adapted window")] = 0.5
    largest_fraction: Annotated[float, bounds(0.0, 1.0, "", "share of clip", open_low=True)] = 0.15
    edge_s: Annotated[float, bounds(0.0, 600.0, "s", "clearance from the clip's ends")] = 3.0
    distance_s: Annotated[float, bounds(0.0, 3600.0, "s", "time between windows")] = 3.0
    least_active: Annotated[float, bounds(0.0, 1.0, "", "active share of a window")] = 0.8
    hearing_limit_s: (
        Annotated[float, bounds(0.0, None, "s", "what is heard", open_low=True)] | None
    ) = None
    lengthening: Annotated[float, bounds(1.0, 10.0, "x", "factor")] = 1.0
    relations: RelationUse = "prefer"

    def check(self) -> None:
        """Ranges run upwards."""
        fewest, most = self.positions
        if fewest > most:
            raise ParameterError(
                f"positions is [{fewest}, {most}]; accepted: two whole numbers, the fewest first"
            )
        for low, high in (("shortest_s", "floor_s"), ("floor_s", "longest_s")):
            if getattr(self, low) > getattr(self, high):
                raise ParameterError(
                    f"{low} is {getattr(self, low):g} s; accepted: up to {high}, "
                    f"{getattr(self, high):g} s"
                )


class ActiveShares(Record, frozen=True, kw_only=True):
    """How much of a window each detector takes for speech.

    Parameters
    ----------
    level : float
        By level, in the manner of P.56 (`perturb.measure.activity`).
    voice : float
        By the WebRTC detector.
    """

    level: Annotated[float, bounds(0.0, 1.0, "", "active share by level")]
    voice: Annotated[float, bounds(0.0, 1.0, "", "active share by WebRTC")]


class Window(Record, frozen=True, kw_only=True):
    """One place for an edit.

    Parameters
    ----------
    span : Span
        Half-open, in seconds of the original clip's time.
    segment : int
        Index of the segment that it lies in.
    active : ActiveShares
        How much of it is speech, by both detectors.
    """

    span: Span
    segment: Annotated[int, bounds(0, None, "", "index of the segment")]
    active: ActiveShares


class Placement(Record, frozen=True, kw_only=True):
    """Windows for the edits of one clip.

    Parameters
    ----------
    windows : tuple of Window
        In order of time, in distinct segments, all of one length.
    floor_s, edge_s, distance_s : float
        The rules' as used, adapted to a short clip, in seconds.
    length_s : float
        Length of every window in seconds.
    wanted : int
        Windows that were drawn for; there are fewer where there was no place for as many.
    is_related : bool
        Whether each window's segment is related to that of the window before it.
    """

    windows: tuple[Window, ...]
    floor_s: Annotated[float, bounds(0.0, None, "s", "shortest window, adapted")]
    edge_s: Annotated[float, bounds(0.0, None, "s", "clearance, adapted")]
    distance_s: Annotated[float, bounds(0.0, None, "s", "distance, adapted")]
    length_s: Annotated[float, bounds(0.0, None, "s", "length of the windows")]
    wanted: Annotated[int, bounds(1, MOST_POSITIONS, "", "windows drawn for")]
    is_related: bool = False

    @property
    def spans(self) -> tuple[Span, ...]:
        """The windows' spans."""
        return tuple(window.span for window in self.windows)


class Infeasible(Record, frozen=True, kw_only=True):
    """Why a clip has no place for the windows that are asked of it.

    Parameters
    ----------
    constraint : str
        The first constraint that leaves too few places, those before it holding: 'clip' (too
        short), 'segments' (none), 'floor', 'edges', 'hearing_limit', 'activity', 'distance',
        'relations'.
    reason : str
        One line: the constraint, its value and what would do.
    """

    constraint: Constraint
    reason: str
