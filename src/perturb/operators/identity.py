"""`identity`: the clip, untouched. The neutral element of every chain, and a condition's zero."""

from __future__ import annotations

from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    PROPERTIES,
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
)
from perturb.signal import Signal
from perturb.span import Span
from perturb.time_map import TimeMap

__all__ = ["Identity"]


class Identity(Operator, frozen=True):
    """Leave the clip as it is: equal samples, never scaled."""

    proof_description = "largest difference to the original exactly 0"
    source = "the `original` and `repeat` conditions of every split"

    @property
    def is_neutral(self) -> bool:
        """Always."""
        return True

    def ledger(self) -> Ledger:
        """Keeps everything."""
        return Ledger(keeps=PROPERTIES)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Return the input."""
        return Edited(signal, TimeMap.identity(signal.duration_s))

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove equal samples."""
        return self.measure_sham(before, after, spans, ctx)
