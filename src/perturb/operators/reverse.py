"""`reverse`: a span, or the whole clip, played backwards in its place.

Long-term spectrum, pitch range and loudness stay; every order in time goes. The result is the
reversed samples themselves, joined over 10 ms inside the span.
"""

from __future__ import annotations

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_within
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Segment,
)
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = ["Reverse"]


class Reverse(Operator, frozen=True, kw_only=True):
    """Play a span backwards in its place."""

    proof_description = "the core of each span holds the reversed samples, equal; outside bit-equal"
    source = "time-reversed speech as a control; Saberi and Perrott (1999), Nature 398, 760"

    def ledger(self) -> Ledger:
        """Who speaks and where stays; what is said, and how it moves, goes."""
        return Ledger(
            keeps=("speaker", "channel"),
            destroys=("words", "segments", "lexical_tone", "intonation", "intensity", "timing"),
        )

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """What sounds the same backwards (silence, a constant) cannot be reversed."""
        for span in spans:
            start, stop = span.to_samples(signal.sample_rate_hz)
            part = signal.samples[:, start:stop]
            if np.array_equal(part, part[:, ::-1]):
                raise InapplicableError(f"span {span} is the same backwards: nothing to reverse")

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Reverse each span."""
        edited = ctx.splice(signal, spans, _backwards)
        rate = signal.sample_rate_hz
        edges = [span.to_samples(rate) for span in spans]
        pieces = [
            Piece(start / rate, stop / rate, start / rate, stop / rate, True)
            for start, stop in edges
        ]
        return Edited(edited.signal, TimeMap.in_place(signal.duration_s, pieces))

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare each core with the reversed samples."""
        expected = ctx.as_written(before)
        found = []
        for index, span in enumerate(spans):
            start, stop = span.to_samples(before.sample_rate_hz)
            core = core_within(start, stop, before.sample_count, before.sample_rate_hz)
            backwards = expected.samples[:, start:stop][:, ::-1]
            differences = after.samples[:, start:stop][:, core] - backwards[:, core]
            difference = float(np.max(np.abs(differences)))
            found.append(
                Measured.within("difference_from_reversed", 0.0, difference, 0.0, span=index)
            )
        return found


def _backwards(segment: Segment) -> FloatArray:
    return segment.samples[:, ::-1]
