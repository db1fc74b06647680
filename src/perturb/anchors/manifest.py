"""The edit manifest: a line for each clip, with everything that is claimed of its edit.

Lines lie in ``anchors.jsonl``. The chain questions follow from a line alone (`facts_of`), and what
it says of the audio can be measured again from the files.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from perturb.anchors.edits import AnchorEdit
from perturb.anchors.placement import ActiveShares
from perturb.anchors.questions.facts import ChainFacts, Level, Place
from perturb.operators.proof import Measured
from perturb.operators.protocol import Operator
from perturb.operators.registry import operator_from_fields
from perturb.plan.trace import Status
from perturb.record import Record
from perturb.span import Span

__all__ = [
    "AnchorDecoy",
    "AnchorPosition",
    "AnchorRow",
    "GivenRelation",
    "MissingLink",
    "facts_of",
    "heard_at_s",
]

ANCHORS_FORMAT: Literal["perturb-anchors/1"] = "perturb-anchors/1"


class AnchorPosition(Record, frozen=True, kw_only=True):
    """One place of an edit.

    Parameters
    ----------
    original : Span
        The window, in the original clip's time.
    edited : Span or None
        Where the edit is heard in the edited clip, by its trace: the event from start to end, else
        the window. None where nothing was rendered.
    segment : int
        Index of the segment that it lies in.
    segment_span : Span
        That segment, in the original clip's time.
    words, speaker : str or None
        What the segment says and who speaks, where it is known.
    active : ActiveShares
        How much of the window each detector takes for speech.
    measured : tuple of Measured
        What was asked for and what was measured here, on the file.
    """

    original: Span
    edited: Span | None = None
    segment: int
    segment_span: Span
    words: str | None = None
    speaker: str | None = None
    active: ActiveShares
    measured: tuple[Measured, ...] = ()


class AnchorDecoy(Record, frozen=True, kw_only=True):
    """A place without an edit that is offered as a wrong answer.

    Parameters
    ----------
    original : Span
        In the original clip's time.
    segment : int or None
        Index of its segment; None between segments.
    segment_span : Span or None
        That segment.
    words : str or None
        What it says.
    """

    original: Span
    segment: int | None = None
    segment_span: Span | None = None
    words: str | None = None


class GivenRelation(Record, frozen=True, kw_only=True):
    """How two segments relate, as it was given.

    Parameters
    ----------
    segments : pair of int
        Their indices, the earlier one first.
    text : str
        The relation as a sentence.
    """

    segments: tuple[int, int]
    text: str


class MissingLink(Record, frozen=True, kw_only=True):
    """A link of the chain that could not be made.

    Parameters
    ----------
    level : {'perception', 'understanding', 'reasoning'}
        Which.
    reason : str
        Why.
    """

    level: Level
    reason: str


class AnchorRow(Record, frozen=True, kw_only=True):
    """One line of the edit manifest: a clip, its edit, its questions.

    Parameters
    ----------
    chain : str
        Name of the chain, the clip's key.
    status : {'ok', 'off_target', 'inapplicable', 'failed'}
        Of the edited clip.
    reason, constraint : str or None
        Why it is not `ok`; which rule of placement left no room.
    edit : AnchorEdit
        Operation, edit and direction.
    recipe : str
        Name of the recipe.
    operator : dict
        The edit with every number drawn: the same at all positions.
    sound : str or None
        How questions call the sound that is laid over.
    duration_s, edited_duration_s : float or None
        Of the clip before and after, in seconds.
    headroom_db : float or None
        The one gain of the whole edited clip, 0 dB or below.
    segments : {'transcript', 'turns', 'pauses'} or None
        What the segments were made of.
    floor_s, asked_floor_s : float or None
        Least length of a window as adapted to this clip, and as asked for, in seconds.
    positions : tuple of AnchorPosition
        In order of time.
    decoys : tuple of AnchorDecoy
        In the order of their draw.
    relations : tuple of GivenRelation
        As far as questions may use them.
    questions : dict of str to str
        Item id by level, of the links that were made.
    missing : tuple of MissingLink
        The other links.
    files : dict of str to str
        The canonical file of each condition, relative to the split.
    traces : dict of str to str
        Their traces, as ``FILE#LINE``.
    notes : tuple of str
        What had to be decided about the segments.
    """

    format: Literal["perturb-anchors/1"] = ANCHORS_FORMAT
    chain: str
    status: Status
    reason: str | None = None
    constraint: str | None = None
    edit: AnchorEdit
    recipe: str
    operator: dict[str, Any] | None = None
    sound: str | None = None
    duration_s: float | None = None
    edited_duration_s: float | None = None
    headroom_db: float | None = None
    segments: str | None = None
    floor_s: float | None = None
    asked_floor_s: float | None = None
    positions: tuple[AnchorPosition, ...] = ()
    decoys: tuple[AnchorDecoy, ...] = ()
    relations: tuple[GivenRelation, ...] = ()
    questions: dict[str, str] = msgspec.field(default_factory=dict)
    missing: tuple[MissingLink, ...] = ()
    files: dict[str, str] = msgspec.field(default_factory=dict)
    traces: dict[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()


def facts_of(row: AnchorRow) -> ChainFacts:
    """Return what the questions of a line follow from: nothing but the line.

    Parameters
    ----------
    row : AnchorRow
        With an edit, rendered or only planned.
    """
    operator = operator_from_fields(dict(row.operator or {}))
    spans = tuple(position.original for position in row.positions)

    def place(at: AnchorPosition | AnchorDecoy) -> Place:
        return Place(
            at_s=heard_at_s(operator, spans, at.original.start_s),
            segment=at.segment,
            words=at.words,
            share=_share(at.original, at.segment_span),
        )

    return ChainFacts(
        chain=row.chain,
        edit=row.edit.words(row.sound),
        places=tuple(place(position) for position in row.positions),
        decoys=tuple(place(decoy) for decoy in row.decoys),
        relations={relation.segments: relation.text for relation in row.relations},
    )


def heard_at_s(operator: Operator, spans: tuple[Span, ...], time_s: float) -> float:
    """Return where a moment of the original clip is heard after an edit, to the hundredth second.

    From the operator's numbers alone, before anything is rendered.

    Parameters
    ----------
    operator : Operator
        The edit.
    spans : tuple of Span
        Where it acts, in order of time.
    time_s : float
        In the original clip's time.

    Examples
    --------
    >>> from perturb.operators.speed import Speed
    >>> heard_at_s(Speed(rate=2.0), (Span(1.0, 3.0), Span(8.0, 9.0)), 5.0)
    4.0
    """
    before = tuple(
        Span(span.start_s, min(span.end_s, time_s)) for span in spans if span.start_s < time_s
    )
    return round(operator.result_duration_s(time_s, before), 2) if before else round(time_s, 2)


def _share(window: Span, segment: Span | None) -> tuple[float, float]:
    """Return from where to where a window lies in its segment, 0 to 1."""
    if segment is None or segment.duration_s <= 0.0:
        return (0.0, 1.0)
    start, stop = (
        min(1.0, max(0.0, (edge_s - segment.start_s) / segment.duration_s))
        for edge_s in (window.start_s, window.end_s)
    )
    return (start, stop)
