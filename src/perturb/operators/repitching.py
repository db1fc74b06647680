"""The base of the operators that give a voice another contour: gate, splicing, sham and proofs.

Each says which contour it wants, and what may be asked of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import compare_f0
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import ProsodyPair, pair_spans
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Property,
    Segment,
)
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.psola import repitch, run_extents

__all__ = ["KEPT", "ContourMaker", "Repitching", "check_speech"]

ContourMaker = Callable[[F0Track], F0Track]
"""From a span's own track to the one wanted, at the same frames and as voiced."""

_MOST_DISAGREEMENT = 0.04
_MOST_VOICING_DISAGREEMENT = 0.12
_LEAST_VOICING_S = 2.0
"""Shorter stretches have so many ends of voiced runs that clean speech would be refused, too."""

KEPT: tuple[Property, ...] = ("words", "segments", "intensity", "timing", "background", "channel")
_SHAM_LEDGER = Ledger(keeps=(*KEPT, "lexical_tone", "intonation", "voice_quality", "speaker"))
_SHAM_LIMITS: Mapping[str, float] = {
    "f0_median_error": 12.0,
    "f0_gross_error": 1.0,
    "level_correlation": 0.99,
}


class Repitching(Operator, frozen=True, kw_only=True):
    """Keep the words of a voice and give it another contour, span by span.

    Attributes
    ----------
    limits : mapping of str to float
        What the result has to meet, as `ProsodyPair.prove` takes it.
    """

    limits: ClassVar[Mapping[str, float]] = {}
    sham_kind = "own"
    sham_description = "the same engine with the clip's own contour"

    def contour_maker(self, ctx: EditContext | ProofContext) -> ContourMaker:
        """Return what makes the contour wanted of a span's own."""
        raise NotImplementedError

    def prove_more(self, pair: ProsodyPair) -> Iterator[Measured]:
        """Yield further proofs of a span; by default none."""
        yield from ()

    def sham_ledger(self) -> Ledger:
        """Nothing is meant to change."""
        return _SHAM_LEDGER

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold the speech of one voice, of a pitch that can be changed so."""
        check_speech(signal, spans, ctx, self.contour_maker(ctx))

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Give each span the contour wanted."""
        return _repitch_spans(signal, spans, ctx, self.contour_maker(ctx))

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Give each span the contour it has."""
        return _repitch_spans(signal, spans, ctx, _own_pitch)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the contour, the level kept and the unvoiced runs untouched."""
        found = _prove_whole(before, after, spans, ctx)
        for pair in pair_spans(before, after, spans, ctx, self.contour_maker(ctx)):
            found += [*pair.prove(self.limits), *self.prove_more(pair)]
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove pitch and level kept and the unvoiced runs untouched."""
        found = _prove_whole(before, after, spans, ctx)
        for pair in pair_spans(before, after, spans, ctx):
            found += pair.against_itself().prove(_SHAM_LIMITS)
        return found


def _own_pitch(f0: F0Track) -> F0Track:
    """Return the track itself: what the shams ask for."""
    return f0


def check_speech(
    signal: Signal, spans: tuple[Span, ...], ctx: EditContext, contour: ContourMaker
) -> None:
    """Refuse spans that are not the speech of one voice, or that the contour cannot be made for.

    Where the two pitch algorithms disagree there is no one pitch: on clean and noisy speech they
    do in under 3 % of the voiced frames, with music under it or another voice in 4 to 30 %. Nor
    where they disagree about what is voiced: on clean speech, over 2 s and more, they do in at most
    11.5 % of the frames (371 stretches of four voices at 8 kHz and one at 16), with an engine or
    music 10 dB under it in 15 to 24 %.
    """
    for span in spans:
        reason = ctx.analysis.speech_gate(span.start_s, span.end_s)
        if reason is not None:
            raise InapplicableError(reason)
        f0 = ctx.analysis.f0.slice(span.start_s, span.end_s)
        contour(f0)
        judged = ctx.analysis.f0_judge
        gross = compare_f0(judged.slice(span.start_s, span.end_s), f0).gross_error_ratio
        if gross is not None and gross > _MOST_DISAGREEMENT:
            raise InapplicableError(
                f"{span.start_s:.6g} to {span.end_s:.6g} s have no one pitch: two algorithms "
                f"disagree in {gross:.0%} of the voiced frames, at most {_MOST_DISAGREEMENT:.0%} "
                "accepted; music or another voice may be under it"
            )
        _check_voicing(span, signal.duration_s, ctx)


def _check_voicing(span: Span, duration_s: float, ctx: EditContext) -> None:
    """Refuse a span where it is not clear what is voiced, judged on 2 s about it or all of it."""
    length_s = max(span.end_s - span.start_s, _LEAST_VOICING_S)
    if length_s > duration_s:
        return
    middle_s = 0.5 * (span.start_s + span.end_s)
    start_s = min(max(middle_s - 0.5 * length_s, 0.0), duration_s - length_s)
    judged, f0 = (
        track.slice(start_s, start_s + length_s)
        for track in (ctx.analysis.f0_judge, ctx.analysis.f0)
    )
    disagreement = compare_f0(judged, f0).voicing_error_ratio
    if disagreement is not None and disagreement > _MOST_VOICING_DISAGREEMENT:
        raise InapplicableError(
            f"{start_s:.6g} to {start_s + length_s:.6g} s have no clear voicing: two algorithms "
            f"disagree in {disagreement:.0%} of the frames, at most "
            f"{_MOST_VOICING_DISAGREEMENT:.0%} accepted; another sound may be under it"
        )


def _repitch_spans(
    signal: Signal, spans: tuple[Span, ...], ctx: EditContext, contour: ContourMaker
) -> Edited:
    """Give each span the contour made of its own."""

    def render(segment: Segment) -> FloatArray:
        f0 = ctx.analysis.f0.slice(segment.start_s, segment.stop_s)
        return repitch(segment.samples, segment.sample_rate_hz, f0, contour(f0).f0_hz)

    return ctx.splice(signal, spans, render)


def _prove_whole(
    before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
) -> list[Measured]:
    """Prove the length, and that unvoiced runs are untouched."""
    return [
        Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples"),
        _prove_unvoiced(before, after, spans, ctx),
    ]


def _prove_unvoiced(
    before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
) -> Measured:
    """Compare what lies between the voiced runs, within the spans."""
    expected = ctx.as_written(before)
    is_unvoiced = np.zeros(before.sample_count, dtype=np.bool_)
    for span in spans:
        start, stop = span.to_samples(before.sample_rate_hz)
        is_unvoiced[start:stop] = True
        f0 = ctx.before.f0.slice(span.start_s, span.end_s)
        for first, last in run_extents(f0, before.sample_rate_hz, stop - start):
            is_unvoiced[start + first : start + last] = False
    difference = np.abs(expected.samples[:, is_unvoiced] - after.samples[:, is_unvoiced])
    return Measured.within("unvoiced_difference", 0.0, float(difference.max(initial=0.0)), 0.0)
