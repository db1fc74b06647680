"""Places that are offered as wrong answers: in other segments, far from every edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perturb.anchors.placement import Placement
from perturb.anchors.questions.hearings import useful_decoys
from perturb.anchors.segment import Segment
from perturb.record import Record
from perturb.span import Span

__all__ = ["Decoy", "draw_decoys", "far_s"]

_FAR_S = 10.0
_LEAST_FAR_S = 2.0
"""Times are given to the second: nearer ones would read alike or nearly."""

_FAR_SHARE = 1 / 8


class Decoy(Record, frozen=True, kw_only=True):
    """A place that an edit might have been taken to be at.

    Parameters
    ----------
    span : Span
        In the original clip's time, as long as a window or its segment.
    segment : int or None
        Index of its segment; None for a place between segments.
    """

    span: Span
    segment: int | None = None


def far_s(duration_s: float) -> float:
    """Return how far from every edit a wrong place lies at least, in seconds.

    Ten seconds, twice what a listener's answer may be off; on a clip under 80 s an eighth of it,
    and never under two seconds.

    Examples
    --------
    >>> far_s(600.0), far_s(40.0), far_s(5.0)
    (10.0, 5.0, 2.0)
    """
    return max(_LEAST_FAR_S, min(_FAR_S, _FAR_SHARE * duration_s))


def draw_decoys(
    placement: Placement,
    segments: Sequence[Segment],
    duration_s: float,
    generator: np.random.Generator,
) -> tuple[Decoy, ...]:
    """Draw wrong places for an edit: as many as its four hearings can use, or as there are.

    Segments whose words are known come first, each with words of its own; then other segments;
    then any place. All are far from the edit's places, and apart enough to be told from each other.

    Parameters
    ----------
    placement : Placement
        Where the edit is.
    segments : sequence of Segment
        In order of time.
    duration_s : float
        Of the clip, or of what is heard of it, in seconds.
    generator : numpy.random.Generator
        At the start of the stream of decoys.

    Returns
    -------
    tuple of Decoy
        In the order of their draw.
    """
    wanted = useful_decoys(len(placement.windows))
    apart_s = far_s(duration_s)
    edits = [window.span.start_s for window in placement.windows]
    said = {_plain(segments[window.segment]) for window in placement.windows}
    found: list[Decoy] = []
    for decoy in _candidates(placement, segments, duration_s, generator):
        words = None if decoy.segment is None else _plain(segments[decoy.segment])
        start_s = decoy.span.start_s
        others = [other.span.start_s for other in found]
        is_near = _is_near(start_s, edits, apart_s) or _is_near(start_s, others, _LEAST_FAR_S)
        if is_near or (words is not None and words in said):
            continue
        found.append(decoy)
        said.add(words)
        if len(found) == wanted:
            break
    return tuple(found)


def _candidates(
    placement: Placement,
    segments: Sequence[Segment],
    duration_s: float,
    generator: np.random.Generator,
) -> Iterator[Decoy]:
    """Yield places in a drawn order, the better ones first."""
    low_s, high_s = placement.edge_s, duration_s - placement.edge_s
    edited = {window.segment for window in placement.windows}
    free = [int(at) for at in generator.permutation(len(segments)) if int(at) not in edited]
    for at in sorted(free, key=lambda at: segments[at].text is None):
        start_s = max(segments[at].start_s, low_s)
        stop_s = min(segments[at].stop_s, high_s)
        room_s = max(0.0, stop_s - start_s - placement.length_s)
        if stop_s > start_s:
            start_s += room_s * generator.random()
            span = _span(start_s, min(stop_s, start_s + placement.length_s))
            yield Decoy(span=span, segment=at)
    last_s = high_s - placement.length_s
    if last_s > low_s:
        for start_s in generator.permutation(np.arange(low_s, last_s, _LEAST_FAR_S / 2)):
            yield Decoy(span=_span(float(start_s), float(start_s) + placement.length_s))


def _span(start_s: float, stop_s: float) -> Span:
    start_s = round(start_s, 2)
    return Span(start_s, max(round(stop_s, 2), round(start_s + 0.01, 2)))


def _is_near(start_s: float, taken: Sequence[float], apart_s: float) -> bool:
    return any(abs(start_s - other_s) < apart_s for other_s in taken)


def _plain(segment: Segment) -> str | None:
    """Return what a segment says without case and spacing, None where that is not known."""
    return " ".join(segment.text.casefold().split()) if segment.text else None
