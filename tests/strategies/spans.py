"""Hypothesis strategies for spans and time maps."""

from __future__ import annotations

from hypothesis import strategies as st

from perturb.signal import Signal
from perturb.span import Span
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = ["spans_of", "time_maps"]


@st.composite
def spans_of(draw: st.DrawFn, signal: Signal, *, max_count: int = 3) -> tuple[Span, ...]:
    """Return spans that lie in the signal, in order and apart; possibly none (the whole clip)."""
    count = draw(st.integers(0, max_count))
    places = sorted(
        draw(
            st.lists(
                st.integers(0, signal.sample_count),
                min_size=2 * count,
                max_size=2 * count,
                unique=True,
            )
            if signal.sample_count >= 2 * count
            else st.just([])
        )
    )
    rate = signal.sample_rate_hz
    pairs = zip(places[::2], places[1::2], strict=True)
    return tuple(Span(start / rate, stop / rate) for start, stop in pairs)


@st.composite
def time_maps(draw: st.DrawFn, duration_s: float, *, max_pieces: int = 5) -> TimeMap:
    """Return maps of every shape: removal, insertion, repetition, reversal, any rate."""
    count = draw(st.integers(1, max_pieces))
    at = 0.0
    pieces = []
    for _ in range(count):
        length = draw(st.floats(0.01, 3.0))
        if draw(st.booleans()) or count == 1:
            start = draw(st.floats(0.0, 0.9)) * duration_s
            stop = start + draw(st.floats(0.01, 1.0)) * (duration_s - start)
            if stop - start > 1e-3:
                pieces.append(Piece(at, at + length, start, stop, draw(st.booleans())))
                at += length
                continue
        pieces.append(Piece(at, at + length))
        at += length
    return TimeMap(source_duration_s=duration_s, pieces=tuple(pieces))
