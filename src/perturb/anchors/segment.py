"""`Segment`: a stretch of a recording that belongs together, with what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from perturb.errors import ParameterError
from perturb.record import Record, bounds

__all__ = ["Relation", "Segment", "SegmentSource", "Segmentation", "check_segments"]

SegmentSource = Literal["transcript", "turns", "pauses"]
"""What segments were made of: a transcript with times, speaker turns, or pauses of the audio."""

_WEIGHTS = (1e-6, 1e6)


class Relation(Record, frozen=True, kw_only=True):
    """How a segment relates to another: what a question about two places can ask.

    Parameters
    ----------
    to : int
        Index of the other segment, from 0, in order of time.
    kind : str
        Kind of relation in one word: 'answers', 'contradicts', 'causes', …
    text : str
        The relation as a sentence; empty where the source gives none.
    """

    to: Annotated[int, bounds(0, None, "", "index of the other segment")]
    kind: str
    text: str = ""


class Segment(Record, frozen=True, kw_only=True):
    """A stretch of a recording: an utterance, a turn, or what lies between two pauses.

    Parameters
    ----------
    start_s, stop_s : float
        Half-open, in seconds of the original clip's time.
    text : str, optional
        What is said.
    speaker : str, optional
        Who speaks.
    weight : float
        How much likelier than a segment of weight 1 it is drawn: 0 (never) or 1e-6 to 1e6.
    relations : tuple of Relation
        To other segments.
    """

    start_s: Annotated[float, bounds(0.0, None, "s", "start")]
    stop_s: Annotated[float, bounds(0.0, None, "s", "end (excluded)")]
    text: str | None = None
    speaker: str | None = None
    weight: Annotated[float, bounds(0.0, _WEIGHTS[1], "", "weight")] = 1.0
    relations: tuple[Relation, ...] = ()

    def check(self) -> None:
        """It has a length, and a weight that sums do not swallow."""
        if self.stop_s <= self.start_s:
            raise ParameterError(
                f"segment {self.start_s:g} to {self.stop_s:g} s has no length; accepted: a stop "
                "after its start"
            )
        if 0.0 < self.weight < _WEIGHTS[0]:
            raise ParameterError(
                f"weight is {self.weight!r}; accepted: 0, or {_WEIGHTS[0]:g} to {_WEIGHTS[1]:g}"
            )

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.stop_s - self.start_s


class Segmentation(Record, frozen=True, kw_only=True):
    """The segments of a recording, and what had to be decided to get them.

    Parameters
    ----------
    source : {'transcript', 'turns', 'pauses'}
        What they were made of.
    segments : tuple of Segment
        In order of time; none overlaps another.
    notes : tuple of str
        What was cut, left out or joined, one line each, fit for a table.
    """

    source: SegmentSource
    segments: tuple[Segment, ...] = ()
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Segments are in order and stand apart."""
        check_segments(self.segments)


def check_segments(segments: Sequence[Segment]) -> None:
    """Refuse segments that are not in order, that overlap, or whose relations lead nowhere.

    Raises
    ------
    ParameterError
        The two segments, or the relation, are named.
    """
    for index, segment in enumerate(segments):
        for relation in segment.relations:
            if relation.to >= len(segments) or relation.to == index:
                raise ParameterError(
                    f"segment {index} has a relation to {relation.to}; accepted: another of "
                    f"{len(segments)} segments, from 0"
                )
        if index == 0:
            continue
        before = segments[index - 1]
        if segment.start_s < before.stop_s:
            raise ParameterError(
                f"segment {index} ({segment.start_s:g} to {segment.stop_s:g} s) begins before "
                f"segment {index - 1} ({before.start_s:g} to {before.stop_s:g} s) ends; accepted: "
                "segments in order of time that stand apart"
            )
