"""`shuffle`: a span cut into segments, which are played in another order.

Inside a segment nothing changes; across segments all order is gone. Every cut has a 5 ms
raised-cosine fade on either side. The order is drawn once for all channels and is never the
segments' own.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_of
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Segment,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.synthesis.shuffle import cut_evenly, draw_order, rejoin
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = ["Shuffle"]

_FADE_S = 0.005


class Shuffle(Operator, frozen=True, kw_only=True):
    """Play the segments of a span in another order.

    Parameters
    ----------
    segment_s : float
        Length of a segment in seconds; the last of a span is .5 to 1.5 times as long.
    """

    segment_s: Annotated[float, bounds(0.02, 60.0, "s", "length of a segment")] = 0.25

    sham_kind = "own"
    sham_description = "the same cuts and fades, the segments in their own order"
    proof_description = (
        "each segment's core holds the samples of another place, equal; two or more have moved; "
        "outside bit-equal. Sham: each core holds its own samples"
    )
    source = "segment-shuffled speech as a control: long-term spectrum kept, order destroyed"

    def ledger(self) -> Ledger:
        """Within segments all stays; what spans them goes."""
        return Ledger(
            keeps=("voice_quality", "speaker", "background", "channel"),
            destroys=("words", "intonation", "intensity", "timing"),
        )

    @classmethod
    def examples(cls) -> tuple[Shuffle, ...]:
        """Syllables, and short segments."""
        return (cls(), cls(segment_s=0.05))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """A span needs two segments that sound."""
        for span, (start, stop) in zip(spans, _edges(signal, spans), strict=True):
            if len(self._cuts(stop - start, signal.sample_rate_hz)) < 3:
                raise InapplicableError(
                    f"span {span} holds one segment of {self.segment_s:g} s; accepted: two or more"
                )
            if not np.any(signal.samples[:, start:stop]):
                raise InapplicableError(f"span {span} is digital silence in any order")

    def _cuts(self, length: int, sample_rate_hz: int) -> npt.NDArray[np.int64]:
        return cut_evenly(length, max(1, seconds_to_sample(self.segment_s, sample_rate_hz)))

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Cut, and rejoin in a drawn order."""
        orders = [
            draw_order(
                len(self._cuts(stop - start, signal.sample_rate_hz)) - 1,
                ctx.generator(f"order/{index}"),
            )
            for index, (start, stop) in enumerate(_edges(signal, spans))
        ]
        return self._rejoin(signal, spans, ctx, orders)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Cut, and rejoin in the same order."""
        rate = signal.sample_rate_hz
        orders = [
            np.arange(len(self._cuts(stop - start, rate)) - 1)
            for start, stop in _edges(signal, spans)
        ]
        return self._rejoin(signal, spans, ctx, orders)

    def _rejoin(
        self,
        signal: Signal,
        spans: tuple[Span, ...],
        ctx: EditContext,
        orders: list[npt.NDArray[np.int64]],
    ) -> Edited:
        rate = signal.sample_rate_hz
        fade_samples = seconds_to_sample(_FADE_S, rate)

        def render(segment: Segment) -> FloatArray:
            cuts = self._cuts(segment.samples.shape[1], rate)
            return rejoin(segment.samples, cuts, orders[segment.index], fade_samples)

        edited = ctx.splice(signal, spans, render)
        pieces: list[Piece] = []
        for (start, stop), order in zip(_edges(signal, spans), orders, strict=True):
            cuts = start + self._cuts(stop - start, rate)
            at = start
            for low, high in ((int(cuts[place]), int(cuts[place + 1])) for place in order):
                end = at + high - low
                pieces.append(Piece(at / rate, end / rate, low / rate, high / rate))
                at = end
        return Edited(
            edited.signal,
            TimeMap.in_place(signal.duration_s, pieces),
            {"orders": [order.tolist() for order in orders]},
        )

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare each segment with its source by the recorded map, and count those that moved."""
        found = []
        for index, span in enumerate(spans):
            difference, moved = self._compare(before, after, span, ctx)
            found += [
                Measured.at_least("segments_moved", 2, moved, span=index),
                Measured.within("difference_from_source", 0.0, difference, 0.0, span=index),
            ]
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare each segment with itself."""
        found = []
        for index, span in enumerate(spans):
            difference, moved = self._compare(before, after, span, ctx)
            found += [
                Measured.within("segments_moved", 0, moved, 0.0, span=index),
                Measured.within("difference_from_source", 0.0, difference, 0.0, span=index),
            ]
        return found

    def _compare(
        self, before: Signal, after: Signal, span: Span, ctx: ProofContext
    ) -> tuple[float, int]:
        """Return the largest difference of a segment's core from its source, and how many moved."""
        rate = before.sample_rate_hz
        expected = ctx.as_written(before).samples
        low, high = core_of(*span.to_samples(rate), before.sample_count, rate)
        fade = seconds_to_sample(_FADE_S, rate)
        largest, moved = 0.0, 0
        for piece in ctx.time_map.pieces:
            place = Span(piece.target_start_s, piece.target_stop_s).to_samples(rate)
            if place[0] >= high or place[1] <= low:
                continue
            source = seconds_to_sample(float(piece.source_start_s or 0.0), rate)
            moved += source != place[0]
            # Short segments fade over a quarter of themselves.
            edge = min(fade, (place[1] - place[0]) // 4)
            first, last = max(place[0] + edge, low), min(place[1] - edge, high)
            if first < last:
                there = expected[:, source + first - place[0] : source + last - place[0]]
                largest = max(largest, float(np.max(np.abs(after.samples[:, first:last] - there))))
        return largest, moved


def _edges(signal: Signal, spans: tuple[Span, ...]) -> list[tuple[int, int]]:
    return [span.to_samples(signal.sample_rate_hz) for span in spans]
