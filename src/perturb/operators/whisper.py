"""`whisper`: the words of a voice without the voice.

What the mouth does is kept, as a moving spectral envelope; what the vocal folds do is replaced by
noise. Melody goes, and with it lexical tone and the quality of the voice; timing and loudness stay.
The sham takes the speech apart the same way and puts it together from its own residual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.f0_track import F0Track
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import pair_spans
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
from perturb.synthesis.noise import NormalSource
from perturb.synthesis.whisper import whisper_segment, whisper_sham_segment

__all__ = ["Whisper"]

_LIMITS = {"voiced_frames": 15.0, "level_correlation": 0.98}
_SHAM_LIMITS = {
    "f0_median_error": 12.0,
    "f0_gross_error": 1.0,
    "voicing_error": 8.0,
    "level_correlation": 0.99,
}

_Synthesis = Callable[[FloatArray, int, F0Track, NormalSource], FloatArray]


class Whisper(Operator, frozen=True, kw_only=True):
    """Keep the words of a voice and whisper them."""

    sham_kind = "own"
    sham_description = "taken apart by the same linear prediction, and its own residual put back"
    proof_description = (
        "length exact; at most 15 % of the frames voiced by a second algorithm; level r ≥ .98; "
        "sham: pitch within 12 cents at the median, gross errors ≤ 1 %, voicing error ≤ 8 %, level "
        "r ≥ .99; outside bit-equal"
    )
    source = "Words without prosody; Markel and Gray 1976 (linear prediction)"

    def ledger(self) -> Ledger:
        """Words, loudness and timing stay; all that the vocal folds do goes."""
        return Ledger(
            keeps=("words", "segments", "intensity", "timing", "channel"),
            destroys=("lexical_tone", "intonation", "voice_quality"),
        )

    def sham_ledger(self) -> Ledger:
        """Nothing is meant to change."""
        return Ledger(
            keeps=(
                *self.ledger().keeps,
                "lexical_tone",
                "intonation",
                "voice_quality",
                "speaker",
                "background",
            )
        )

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold speech: .3 s active, a tenth of it voiced."""
        for span in spans:
            reason = ctx.analysis.speech_gate(span.start_s, span.end_s)
            if reason is not None:
                raise InapplicableError(reason)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Whisper each span."""
        return _resynthesise(whisper_segment, signal, spans, ctx)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Take each span apart and put it together again."""
        return _resynthesise(whisper_sham_segment, signal, spans, ctx)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the voice gone and the level kept, span by span."""
        return _prove(_LIMITS, before, after, spans, ctx)

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove pitch, voicing and level kept."""
        return _prove(_SHAM_LIMITS, before, after, spans, ctx)


def _resynthesise(
    synthesis: _Synthesis, signal: Signal, spans: tuple[Span, ...], ctx: EditContext
) -> Edited:
    def render(segment: Segment) -> FloatArray:
        f0 = ctx.analysis.f0.slice(segment.start_s, segment.stop_s)
        generator = ctx.generator(f"noise/{segment.index}")

        def normals(count: int) -> FloatArray:
            return generator.standard_normal(count, dtype=np.float32)

        return synthesis(segment.samples, segment.sample_rate_hz, f0, normals)

    return ctx.splice(signal, spans, render)


def _prove(
    limits: Mapping[str, float],
    before: Signal,
    after: Signal,
    spans: tuple[Span, ...],
    ctx: ProofContext,
) -> list[Measured]:
    found = [
        Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
    ]
    for pair in pair_spans(before, after, spans, ctx):
        found.extend(pair.against_itself().prove(limits))
    return found
