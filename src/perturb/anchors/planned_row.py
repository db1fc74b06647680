"""A line of the edit manifest as planned: everything but what rendering will show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from perturb.anchors.clip_plan import ClipPlan
from perturb.anchors.edits import AnchorEdit
from perturb.anchors.manifest import AnchorDecoy, AnchorPosition, AnchorRow, GivenRelation
from perturb.anchors.segment import Segment
from perturb.span import Span

__all__ = ["planned_row"]

_MOST_OTHER_RELATIONS = 8
"""Relations between segments that are no place of the chain; they fill up options."""


def planned_row(plan: ClipPlan, edit: AnchorEdit, asked_floor_s: float) -> AnchorRow:
    """Return the line of a planned clip.

    Parameters
    ----------
    plan : ClipPlan
        Of the clip.
    edit : AnchorEdit
        What is done.
    asked_floor_s : float
        Least length of a window, as asked for.
    """
    segmentation, placement = plan.segmentation, plan.placement
    row = AnchorRow(
        chain=plan.key,
        status=plan.status,
        reason=plan.reason,
        constraint=plan.constraint,
        edit=edit,
        recipe=edit.recipe,
        duration_s=plan.duration_s,
        segments=None if segmentation is None else segmentation.source,
        asked_floor_s=asked_floor_s,
        notes=() if segmentation is None else segmentation.notes,
    )
    if segmentation is None or placement is None:
        return row
    segments = segmentation.segments
    positions = tuple(
        AnchorPosition(
            original=window.span,
            segment=window.segment,
            segment_span=_span_of(segments[window.segment]),
            words=segments[window.segment].text,
            speaker=segments[window.segment].speaker,
            active=window.active,
        )
        for window in placement.windows
    )
    decoys = tuple(
        AnchorDecoy(
            original=decoy.span,
            segment=decoy.segment,
            segment_span=None if decoy.segment is None else _span_of(segments[decoy.segment]),
            words=None if decoy.segment is None else segments[decoy.segment].text,
        )
        for decoy in plan.decoys
    )
    places = {position.segment for position in positions}
    places |= {decoy.segment for decoy in decoys if decoy.segment is not None}
    (step,) = plan.steps
    return msgspec.structs.replace(
        row,
        operator=msgspec.to_builtins(step.operator),
        sound=None if plan.sound is None else plan.sound.words,
        floor_s=placement.floor_s,
        positions=positions,
        decoys=decoys,
        relations=tuple(_relations(segments, places)),
    )


def _span_of(segment: Segment) -> Span:
    return Span(segment.start_s, segment.stop_s)


def _relations(segments: Sequence[Segment], places: set[int]) -> Iterator[GivenRelation]:
    """Yield the relations that touch a place, and a few of the others, each pair once."""
    seen: set[tuple[int, int]] = set()
    others = 0
    for index, segment in enumerate(segments):
        for relation in segment.relations:
            pair = (min(index, relation.to), max(index, relation.to))
            is_other = not places & set(pair)
            if pair in seen or (is_other and others == _MOST_OTHER_RELATIONS):
                continue
            seen.add(pair)
            others += is_other
            text = relation.text or f"One of them {relation.kind} the other"
            yield GivenRelation(segments=pair, text=text)
