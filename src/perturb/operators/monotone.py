"""`monotone`: a voice without its melody.

Every voiced period is kept and put where a flat pitch has it; words, timing and loudness stay. It
asks whether a model needs more than the words, and in a tonal language whether it misses the tones.
The sham goes the same way to the clip's own contour.
"""

from __future__ import annotations

from typing import Annotated

from perturb.measure.f0_track import F0Track
from perturb.operators.proof import Measured
from perturb.operators.protocol import EditContext, Edited, Ledger, Operator, ProofContext
from perturb.operators.repitching import (
    KEPT,
    SHAM_LEDGER,
    SHAM_LIMITS,
    check_speech,
    own_pitch,
    prove_repitched,
    repitch_spans,
)
from perturb.record import bounds
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.pitch_contours import HIGHEST_HZ, LOWEST_HZ, flat

__all__ = ["Monotone"]

_LIMITS = {
    "f0_span": 60.0,
    "f0_median_error": 12.0,
    "f0_gross_error": 0.5,
    "level_correlation": 0.985,
}


class Monotone(Operator, frozen=True, kw_only=True):
    """Keep the words of a voice and flatten its pitch.

    Parameters
    ----------
    target_hz : float, optional
        The pitch; None keeps the median of each span.
    """

    target_hz: Annotated[float, bounds(LOWEST_HZ, HIGHEST_HZ, "Hz", "the flat pitch")] | None = None

    sham_kind = "own"
    sham_description = "the same engine with the clip's own contour"
    proof_description = (
        "length exact; unvoiced runs bit-equal; by a second algorithm: pitch within 60 cents (5th "
        "to 95th percentile), 12 cents off the target at the median, gross errors ≤ 0.5 %; level r "
        "≥ .985; sham: median error ≤ 12 cents, gross ≤ 1 %, level r ≥ .99; outside bit-equal"
    )
    source = "Words without prosody; Moulines and Charpentier 1990 (TD-PSOLA)"

    def ledger(self) -> Ledger:
        """Melody goes, and lexical tone with it."""
        return Ledger(keeps=KEPT, destroys=("lexical_tone", "intonation"))

    def sham_ledger(self) -> Ledger:
        """Nothing is meant to change."""
        return SHAM_LEDGER

    @classmethod
    def examples(cls) -> tuple[Monotone, ...]:
        """At the voice's own height, and at another."""
        return (cls(), cls(target_hz=140.0))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold speech, of a pitch that can be kept."""
        check_speech(spans, ctx, self._contour)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Flatten each span."""
        return repitch_spans(signal, spans, ctx, self._contour)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Give each span the contour it has."""
        return repitch_spans(signal, spans, ctx, own_pitch)

    def _contour(self, f0: F0Track) -> F0Track:
        return flat(f0, self.target_hz)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the pitch flat, the level kept and the unvoiced runs untouched."""
        return prove_repitched(_LIMITS, before, after, spans, ctx, self._contour)

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove pitch and level kept, and the unvoiced runs untouched."""
        return prove_repitched(SHAM_LIMITS, before, after, spans, ctx)
