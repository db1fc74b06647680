"""`TimeMap`: where each moment of a clip went.

A map is a list of pieces that tile the result's time. A piece says which stretch of the source is
heard there, or that none is (`removal`), and whether it runs backwards. Maps compose, so that a
span given in the original clip's time is found after any chain of edits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Annotated

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.span import Span
from perturb.time_piece import EPSILON_S, Piece

__all__ = ["Piece", "TimeMap"]

_ROUNDING_S = 2e-4
"""A map is exact, the audio that it describes is a whole number of samples, of 125 µs at 8 kHz."""


class TimeMap(Record, frozen=True, kw_only=True):
    """The path of time through an edit, or through a chain of them.

    Parameters
    ----------
    source_duration_s : float
        Duration of the audio before the edit, in seconds.
    pieces : tuple of Piece
        They tile the result from 0 without a gap, in order. Sources may be missing (removal,
        inserted audio), repeated, out of order (shuffle) or reversed.

    Raises
    ------
    ParameterError
        The pieces leave a gap, overlap, or name source time outside the clip.

    Examples
    --------
    >>> twice_as_fast = TimeMap.stretch(10.0, start_s=4.0, stop_s=6.0, rate=2.0)
    >>> twice_as_fast.target_duration_s
    9.0
    >>> [str(span) for span in twice_as_fast.map_span(Span(5.0, 8.0))]
    ['@4.5-7']
    """

    source_duration_s: Annotated[float, bounds(0.0, None, "s", "source duration", open_low=True)]
    pieces: tuple[Piece, ...]

    def check(self) -> None:
        """Refuse a map that does not tile its result or leaves its source."""
        if not self.pieces:
            raise ParameterError("time map: no pieces; accepted: at least one")
        at = 0.0
        for piece in self.pieces:
            if abs(piece.target_start_s - at) > EPSILON_S:
                raise ParameterError(
                    f"time map: a piece starts at {piece.target_start_s} s where {at} s was "
                    "expected; accepted: pieces that tile the result"
                )
            at = piece.target_stop_s
            stop = piece.source_stop_s
            if stop is not None and stop > self.source_duration_s + EPSILON_S:
                raise ParameterError(
                    f"time map: a piece ends at {stop} s of a source of {self.source_duration_s} s"
                )

    @classmethod
    def identity(cls, duration_s: float) -> TimeMap:
        """Return the map of an edit that moves nothing."""
        return cls(source_duration_s=duration_s, pieces=(Piece(0.0, duration_s, 0.0, duration_s),))

    @classmethod
    def removal(cls, source_duration_s: float, target_duration_s: float) -> TimeMap:
        """Return the map of a result in which nothing of the source is heard."""
        return cls(source_duration_s=source_duration_s, pieces=(Piece(0.0, target_duration_s),))

    @classmethod
    def stretch(cls, duration_s: float, start_s: float, stop_s: float, rate: float) -> TimeMap:
        """Return the map of a tempo edit: `rate` > 1 shortens the span ``(stop-start)/rate``."""
        start_s, stop_s = _snapped(start_s, stop_s, duration_s)
        new_stop_s = start_s + (stop_s - start_s) / rate
        middle = Piece(start_s, new_stop_s, start_s, stop_s)
        return cls._around(duration_s, middle)

    @classmethod
    def reversal(cls, duration_s: float, start_s: float, stop_s: float) -> TimeMap:
        """Return the map of a span played backwards in its place."""
        start_s, stop_s = _snapped(start_s, stop_s, duration_s)
        return cls._around(duration_s, Piece(start_s, stop_s, start_s, stop_s, is_reversed=True))

    @classmethod
    def in_place(cls, duration_s: float, parts: Iterable[Piece]) -> TimeMap:
        """Return the map that moves nothing but what `parts` say.

        Parameters
        ----------
        duration_s : float
            Duration before and after, in seconds.
        parts : iterable of Piece
            In order of their place in the result, apart or touching.

        Examples
        --------
        >>> swapped = TimeMap.in_place(3.0, [Piece(0.0, 1.0, 1.0, 2.0), Piece(1.0, 2.0, 0.0, 1.0)])
        >>> [str(span) for span in swapped.map_span(Span(0.5, 2.5))]
        ['@0-1', '@1.5-2.5']
        """
        pieces: list[Piece] = []
        at = 0.0
        for part in parts:
            if part.target_start_s - at > EPSILON_S:
                pieces.append(Piece(at, part.target_start_s, at, part.target_start_s))
            pieces.append(part)
            at = part.target_stop_s
        if duration_s - at > EPSILON_S:
            pieces.append(Piece(at, duration_s, at, duration_s))
        return cls(source_duration_s=duration_s, pieces=tuple(pieces))

    @classmethod
    def _around(cls, duration_s: float, middle: Piece) -> TimeMap:
        """Return the map that leaves everything before and after one piece as it is."""
        start_s, stop_s = middle.source_start_s or 0.0, middle.source_stop_s or 0.0
        pieces = [middle]
        if start_s > 0.0:
            pieces.insert(0, Piece(0.0, start_s, 0.0, start_s))
        if stop_s < duration_s:
            end_s = middle.target_stop_s
            pieces.append(Piece(end_s, end_s + duration_s - stop_s, stop_s, duration_s))
        return cls(source_duration_s=duration_s, pieces=tuple(pieces))

    @property
    def target_duration_s(self) -> float:
        """Duration of the result in seconds."""
        return self.pieces[-1].target_stop_s

    @property
    def is_identity(self) -> bool:
        """Whether every moment stays where it was."""
        return (
            abs(self.target_duration_s - self.source_duration_s) <= EPSILON_S and not self.moved()
        )

    def moved(self) -> tuple[Span, ...]:
        """Return the stretches of the result that do not hold the same stretch of the source."""
        return tuple(
            Span(piece.target_start_s, piece.target_stop_s)
            for piece in self.pieces
            if piece.source_start_s is None
            or piece.source_stop_s is None
            or piece.is_reversed
            or abs(piece.source_start_s - piece.target_start_s) > EPSILON_S
            or abs(piece.source_stop_s - piece.target_stop_s) > EPSILON_S
        )

    def map_span(self, span: Span) -> tuple[Span, ...]:
        """Return where the span is heard in the result: in order, touching parts merged.

        Parameters
        ----------
        span : Span
            A span (or point) of the source.

        Returns
        -------
        tuple of Span
            Empty where the edit removed it; several where it was cut apart or repeated.
        """
        if span.is_point:
            return tuple(Span(time) for time in self.map_point(span.start_s))
        found: list[tuple[float, float]] = []
        for piece in self.pieces:
            if piece.source_start_s is None or piece.source_stop_s is None:
                continue
            start = max(span.start_s, piece.source_start_s)
            stop = min(span.end_s, piece.source_stop_s)
            if stop - start <= EPSILON_S:
                continue
            ends = sorted((piece.to_target(start), piece.to_target(stop)))
            if ends[1] - ends[0] <= EPSILON_S:
                continue
            if found and ends[0] - found[-1][1] <= EPSILON_S:
                found[-1] = (found[-1][0], ends[1])
            else:
                found.append((ends[0], ends[1]))
        return tuple(Span(start, stop) for start, stop in found)

    def map_point(self, time_s: float) -> tuple[float, ...]:
        """Return the moments of the result at which a moment of the source is heard."""
        found = []
        for piece in self.pieces:
            if piece.source_start_s is None or piece.source_stop_s is None:
                continue
            is_last = piece.source_stop_s >= self.source_duration_s - EPSILON_S
            if piece.source_start_s <= time_s < piece.source_stop_s or (
                is_last and abs(time_s - piece.source_stop_s) <= EPSILON_S
            ):
                found.append(piece.to_target(time_s))
        return tuple(found)

    def then(self, second: TimeMap) -> TimeMap:
        """Return the map of this edit followed by `second`, in time linear in their pieces.

        Raises
        ------
        ParameterError
            `second` starts from another duration than this one ends with.
        """
        if abs(second.source_duration_s - self.target_duration_s) > _ROUNDING_S:
            raise ParameterError(
                f"time map: an edit of {second.source_duration_s} s cannot follow one that leaves "
                f"{self.target_duration_s} s"
            )
        pieces: list[Piece] = []
        starts = [piece.target_start_s for piece in self.pieces]
        for outer in second.pieces:
            for part in self._through(outer, starts):
                _append_merged(pieces, part)
        return TimeMap(source_duration_s=self.source_duration_s, pieces=tuple(pieces))

    def _through(self, outer: Piece, starts: list[float]) -> Iterator[Piece]:
        """Yield the parts of `outer`, a piece over this map's result, in order of its target."""
        if outer.source_start_s is None or outer.source_stop_s is None:
            yield outer
            return
        first = max(bisect_right(starts, outer.source_start_s + EPSILON_S) - 1, 0)
        parts: list[tuple[float, float, Piece]] = []
        for inner in self.pieces[first:]:
            if inner.target_start_s >= outer.source_stop_s - EPSILON_S:
                break
            start = max(inner.target_start_s, outer.source_start_s)
            stop = min(inner.target_stop_s, outer.source_stop_s)
            if stop - start > EPSILON_S:
                parts.append((start, stop, inner))
        if outer.is_reversed:
            parts.reverse()
        at = outer.target_start_s
        for index, (start, stop, inner) in enumerate(parts):
            # The end of each part is the start of the next, so that rounding leaves no gap.
            if index == len(parts) - 1:
                end = outer.target_stop_s
            else:
                end = outer.to_target(start if outer.is_reversed else stop)
            if inner.source_start_s is None:
                yield Piece(at, end)
            else:
                low, high = sorted((inner.to_source(start), inner.to_source(stop)))
                yield Piece(at, end, low, high, outer.is_reversed != inner.is_reversed)
            at = end

    def inverse(self) -> TimeMap:
        """Return the way back, where there is one.

        Raises
        ------
        ParameterError
            The map removes, repeats, re-orders or reverses: it does more than stretch.
        """
        at = 0.0
        pieces = []
        for piece in self.pieces:
            start, stop = piece.source_start_s, piece.source_stop_s
            if start is None or stop is None or piece.is_reversed or abs(start - at) > EPSILON_S:
                raise ParameterError("time map: only a map that merely stretches has an inverse")
            pieces.append(Piece(at, stop, piece.target_start_s, piece.target_stop_s))
            at = stop
        if abs(at - self.source_duration_s) > EPSILON_S:
            raise ParameterError("time map: only a map that merely stretches has an inverse")
        return TimeMap(source_duration_s=self.target_duration_s, pieces=tuple(pieces))


def _snapped(start_s: float, stop_s: float, duration_s: float) -> tuple[float, float]:
    """Move an edge that all but touches the clip's own onto it: no piece is shorter than that."""
    return (
        0.0 if start_s <= EPSILON_S else start_s,
        duration_s if duration_s - stop_s <= EPSILON_S else stop_s,
    )


def _append_merged(pieces: list[Piece], part: Piece) -> None:
    """Append a piece, or lengthen the last one where the two are one straight line of time."""
    last = pieces[-1] if pieces else None
    if last is None or not last.is_continued_by(part):
        pieces.append(part)
        return
    low = min(last.source_start_s or 0.0, part.source_start_s or 0.0)
    high = max(last.source_stop_s or 0.0, part.source_stop_s or 0.0)
    pieces[-1] = Piece(last.target_start_s, part.target_stop_s, low, high, part.is_reversed)
