"""The base of the operators that give a voice another contour: gate, splicing, sham and proofs.

Each says which contour it wants, and what may be asked of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
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
from perturb.synthesis.trusted_pitch import trusted_pitch

__all__ = ["KEPT", "SHAM_LIMITS", "ContourMaker", "Repitching", "check_speech"]

ContourMaker = Callable[[F0Track], F0Track]
"""From a span's own track to the one wanted, at the same frames and as voiced."""

_MOST_DISAGREEMENT = 0.04
_MOST_VOICING_DISAGREEMENT = 0.12
_MOST_UNTRUSTED_PERCENT = 8.0
_MOST_UNPROVEN_PERCENT = 10.0
_LEAST_PERIODS = 2.0
"""A pitch that does not last so long cannot be given, heard or measured."""

_LEAST_VOICING_S = 2.0
"""Shorter stretches have so many ends of voiced runs that clean speech would be refused, too."""

KEPT: tuple[Property, ...] = ("words", "segments", "intensity", "timing", "background", "channel")
_SHAM_LEDGER = Ledger(keeps=(*KEPT, "lexical_tone", "intonation", "voice_quality", "speaker"))
SHAM_LIMITS: Mapping[str, float] = {
    "f0_median_error": 12.0,
    "f0_gross_error": 1.0,
    "voicing_lost": 15.0,
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

    def edited(self, f0: F0Track) -> F0Track:
        """Return the part of a span's pitch that is edited; by default all."""
        return f0

    def prove_more(self, pair: ProsodyPair) -> Iterator[Measured]:
        """Yield further proofs of a span; by default none."""
        yield from ()

    def sham_ledger(self) -> Ledger:
        """Nothing is meant to change."""
        return _SHAM_LEDGER

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold the speech of one voice, of a pitch that can be changed so."""
        wanted = self._wanted(ctx)
        check_speech(signal, spans, ctx, wanted)
        for span in spans:
            f0 = ctx.analysis.f0.slice(span.start_s, span.end_s)
            unproven = _left_out_percent(f0, _lasting(wanted(f0), f0))
            if unproven > _MOST_UNPROVEN_PERCENT:
                raise InapplicableError(
                    f"{span.start_s:.6g} to {span.end_s:.6g} s have a voice in pieces: "
                    f"no pitch can be asked of {unproven:.1f} % of the voiced frames, at most "
                    f"{_MOST_UNPROVEN_PERCENT:g} % accepted: they end before a second period, as "
                    "they are or as asked for, or are a leap that is left alone"
                )

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Give each span the contour wanted."""
        return _repitch_spans(signal, spans, ctx, self.edited, self._wanted(ctx))

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Give each span the contour it has."""
        return _repitch_spans(signal, spans, ctx, _own_pitch, _own_pitch)

    def _wanted(self, ctx: EditContext | ProofContext) -> ContourMaker:
        """Return what makes the contour wanted of a span's own, unvoiced where none is."""
        maker = self.contour_maker(ctx)

        def wanted(f0: F0Track) -> F0Track:
            return maker(self.edited(f0))

        return wanted

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the contour, the level kept and the unvoiced runs untouched."""
        found = _prove_whole(before, after, spans, ctx, self.edited)
        for pair in pair_spans(before, after, spans, ctx, self._wanted(ctx)):
            lasting = replace(pair, f0_requested=_lasting(pair.f0_requested, pair.f0_tracked))
            inside = lasting.within_joins(spans[pair.index], before)
            found += [
                *inside.prove(self.limits),
                Measured.at_most(
                    "unproven_frames",
                    _MOST_UNPROVEN_PERCENT,
                    _left_out_percent(pair.f0_tracked, lasting.f0_requested),
                    unit="%",
                    span=pair.index,
                ),
                *self.prove_more(inside),
            ]
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove pitch and level kept and the unvoiced runs untouched."""
        found = _prove_whole(before, after, spans, ctx, _own_pitch)
        for pair in pair_spans(before, after, spans, ctx):
            found += pair.against_itself().prove(SHAM_LIMITS)
        return found


def _own_pitch(f0: F0Track) -> F0Track:
    """Return the track itself: what the shams edit, and ask for."""
    return f0


def _repitch_spans(
    signal: Signal,
    spans: tuple[Span, ...],
    ctx: EditContext,
    edited: ContourMaker,
    contour: ContourMaker,
) -> Edited:
    """Give the edited part of each span the contour made of its own."""

    def render(segment: Segment) -> FloatArray:
        f0 = ctx.analysis.f0.slice(segment.start_s, segment.stop_s)
        wanted_hz = contour(f0).f0_hz
        return repitch(segment.samples, segment.sample_rate_hz, edited(f0), wanted_hz)

    return ctx.splice(signal, spans, render)


def _prove_whole(
    before: Signal,
    after: Signal,
    spans: tuple[Span, ...],
    ctx: ProofContext,
    edited: ContourMaker,
) -> list[Measured]:
    """Prove the length, and that what lies between the edited runs, within the spans, is equal."""
    is_kept = np.zeros(before.sample_count, dtype=np.bool_)
    for span in spans:
        start, stop = span.to_samples(before.sample_rate_hz)
        is_kept[start:stop] = True
        f0 = edited(ctx.before.f0.slice(span.start_s, span.end_s))
        for first, last in run_extents(f0, before.sample_rate_hz, stop - start):
            is_kept[start + first : start + last] = False
    expected = ctx.as_written(before).samples[:, is_kept]
    difference = np.abs(expected - after.samples[:, is_kept])
    return [
        Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples"),
        Measured.within("unvoiced_difference", 0.0, float(difference.max(initial=0.0)), 0.0),
    ]


def _lasting(wanted: F0Track, own: F0Track) -> F0Track:
    """Return a contour without the runs that end before its second period, or their own."""
    lasting_hz = wanted.f0_hz.copy()
    for start, stop in wanted.voiced_runs():
        lowest_hz = min(float(np.median(track.f0_hz[start:stop])) for track in (wanted, own))
        if (stop - start) * wanted.hop_s * lowest_hz < _LEAST_PERIODS:
            lasting_hz[start:stop] = 0.0
    return replace(wanted, f0_hz=lasting_hz)


def _left_out_percent(f0: F0Track, part: F0Track) -> float:
    """Return how much of a voice is not voiced in a part of it, in %; 0 where there is no voice."""
    voiced = int(f0.is_voiced.sum())
    return 100.0 * (1.0 - int(part.is_voiced.sum()) / voiced) if voiced else 0.0


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
        leaping = _left_out_percent(f0, trusted_pitch(f0))
        if leaping > _MOST_UNTRUSTED_PERCENT:
            raise InapplicableError(
                f"{span.start_s:.6g} to {span.end_s:.6g} s have a pitch that leaps: "
                f"{leaping:.1f} % of the voiced frames are half an octave and more off the rest, "
                f"at most {_MOST_UNTRUSTED_PERCENT:g} % accepted; creak, a room or another sound "
                "may be in it"
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
