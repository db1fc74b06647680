"""`voice`: the same words, melody and timing in another voice.

The pitch moves, and with it the resonances of the vocal tract: pitch alone leaves a voice that is
still known. What signal processing gives is not the same voice; whose it is, nobody can say, and
the trace does not. It hides nobody's identity: it must not be called anonymisation. The sham goes
the same way to the clip's own pitch, its resonances left where they are.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.f0_track import F0Track
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import pair_spans
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Property,
    Segment,
)
from perturb.operators.repitching import SHAM_LIMITS, check_speech
from perturb.operators.voice_proof import check_room, prove_formants, prove_height
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.pitch_contours import HIGHEST_HZ, LOWEST_HZ, height_and_spread, remapped
from perturb.synthesis.voice import revoice

__all__ = ["Voice"]

_LOW_VOICE_HZ = 165.0
"""Between the usual heights of men's and women's voices."""

_RAISED, _LOWERED = 1.3, 1.0 / 1.5
_HIGHER_FORMANTS, _LOWER_FORMANTS = 1.19, 0.84
_LEAST_FORMANT_MOVE = math.log(1.15)
"""The speaker is promised gone from here on: less was never shown to be enough."""

_LIMITS = {
    "f0_median_error": 12.0,
    "f0_gross_error": 3.0,
    "voicing_lost": 35.0,
    "level_correlation": 0.985,
}
_FORMANT_TOLERANCE, _SHAM_FORMANT_TOLERANCE = 0.03, 0.02

_KEPT: tuple[Property, ...] = ("words", "segments", "intensity", "timing", "channel")


class _Map(NamedTuple):
    """From one voice to the other, the same in all spans."""

    own_hz: float
    target_hz: float
    range_ratio: float
    formant_ratio: float

    def contour(self, f0: F0Track) -> F0Track:
        """Return the contour wanted of a span's own."""
        return remapped(f0, self.own_hz, self.target_hz, self.range_ratio)


class Voice(Operator, frozen=True, kw_only=True):
    """Keep what is said and how, and say it in another voice.

    Parameters
    ----------
    target_hz : float, optional
        The new voice's median pitch over all spans.
    pitch_ratio : float, optional
        The same as a factor on its own; 1 leaves the pitch.
    ref : str, optional
        The same as that of another speaker's recording, and that one's range of melody with it:
        `file:PATH`, or another reference. It is not that speaker's voice that results. With none
        of the three the pitch goes towards the other sex: a voice under 165 Hz × 1.3, another
        / 1.5.
    range_ratio : float, optional
        How much further the melody goes from its median, in octaves; None: that of `ref`, else 1.
    formant_ratio : float, optional
        Factor on the resonances; None: 1.19 where the pitch rises, .84 where it falls, 1 where it
        stays.
    """

    target_hz: (
        Annotated[float, bounds(LOWEST_HZ, HIGHEST_HZ, "Hz", "median pitch of the new voice")]
        | None
    ) = None
    pitch_ratio: Annotated[float, bounds(0.4, 2.5, "x", "factor on the pitch")] | None = None
    ref: str | None = None
    range_ratio: Annotated[float, bounds(0.25, 3.0, "x", "how much wider the melody")] | None = None
    formant_ratio: Annotated[float, bounds(0.75, 1.35, "x", "factor on the resonances")] | None = (
        None
    )

    sham_kind = "own"
    sham_description = "the same engine with the clip's own pitch and resonances"
    proof_description = (
        "length exact; by instruments that had no part: median pitch within 60 cents of the "
        "target, 12 cents off the contour asked for at the median, gross errors ≤ 3 %, ≤ 35 % of "
        "the voice no more heard, spectral envelope moved by the ratio ± 3 %; level r ≥ .985; at "
        "most 10 % of the voiced frames held at 60 or 480 Hz; sham: median error ≤ 12 cents, gross "
        "≤ 1 %, envelope ± 2 %, level r ≥ .99; outside bit-equal"
    )
    source = "HEAR, voice-swap pairs; Moulines and Charpentier 1990 (TD-PSOLA)"

    def check(self) -> None:
        """At most one pitch is named."""
        named = [
            name for name in ("target_hz", "pitch_ratio", "ref") if getattr(self, name) is not None
        ]
        if len(named) > 1:
            raise ParameterError(
                f"voice: {' and '.join(named)} are given; accepted: one of target_hz, pitch_ratio "
                "and ref (file:PATH), or none"
            )
        if self.ref is not None and ":" not in self.ref:
            raise ParameterError(f"voice: ref is {self.ref!r}; accepted: file:PATH (or file=PATH)")

    @property
    def is_neutral(self) -> bool:
        """Every factor is given as 1."""
        return (
            self.pitch_ratio == 1.0
            and self.formant_ratio in (1.0, None)
            and self.range_ratio in (1.0, None)
        )

    @property
    def _moves_speaker(self) -> bool:
        if self.formant_ratio is None:
            return self.pitch_ratio != 1.0
        return abs(math.log(self.formant_ratio)) >= _LEAST_FORMANT_MOVE

    def references(self) -> tuple[str, ...]:
        """The other speaker's recording, where there is one."""
        return () if self.ref is None else (self.ref,)

    def ledger(self) -> Ledger:
        """The speaker goes where resonances move by 15 %; the melody's shape stays at range 1."""
        keeps: tuple[Property, ...] = _KEPT
        if self.ref is None and self.range_ratio in (1.0, None):
            keeps = (*keeps, "lexical_tone", "intonation")
        return Ledger(keeps=keeps, destroys=("speaker",) if self._moves_speaker else ())

    def sham_ledger(self) -> Ledger:
        """Nothing is meant to change but the noise between the words."""
        return Ledger(keeps=(*_KEPT, "lexical_tone", "intonation", "voice_quality", "speaker"))

    @classmethod
    def examples(cls) -> tuple[Voice, ...]:
        """Towards the other sex, another speaker's pitch, and numbers."""
        return (
            cls(),
            cls(ref="file:other.wav"),
            cls(target_hz=160.0, range_ratio=0.8, formant_ratio=1.1),
            cls(pitch_ratio=0.9, formant_ratio=0.85),
        )

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by what moves."""
        return {
            "formants by 15 % and more, range 1": cls().ledger(),
            "formants by less, range 1": cls(formant_ratio=1.1).ledger(),
            "another range": cls(range_ratio=0.8).ledger(),
        }

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold speech of one voice, of a pitch that can be moved."""
        for span in spans:
            reason = ctx.analysis.speech_gate(span.start_s, span.end_s)
            if reason is not None:
                raise InapplicableError(reason)
        voice_map = self._map(ctx.analysis, spans, ctx)
        check_speech(signal, spans, ctx, voice_map.contour)
        for span in spans:
            f0 = ctx.analysis.f0.slice(span.start_s, span.end_s)
            check_room(span, voice_map.own_hz, voice_map.contour(f0))

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Speak each span in the other voice."""
        voice_map = self._map(ctx.analysis, spans, ctx)
        edited = _revoice_spans(signal, spans, ctx, voice_map)
        notes = {name: round(value, 4) for name, value in voice_map._asdict().items()}
        return replace(
            edited, notes={**notes, "claim": "not the same voice; nobody's in particular"}
        )

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Speak each span in its own voice, on the same way."""
        own_hz = self._map(ctx.analysis, spans, ctx).own_hz
        return _revoice_spans(signal, spans, ctx, _Map(own_hz, own_hz, 1.0, 1.0))

    def _map(
        self, analysis: Analysis, spans: tuple[Span, ...], ctx: EditContext | ProofContext
    ) -> _Map:
        """Return the way from the voice of all spans to the new one."""
        tracks = [analysis.f0.slice(span.start_s, span.end_s) for span in spans]
        voiced_hz = np.concatenate([f0.f0_hz[f0.is_voiced] for f0 in tracks])
        own_hz, spread = height_and_spread(voiced_hz, "the clip")
        range_ratio = self.range_ratio
        if self.ref is not None:
            other = Analysis(ctx.resolve(self.ref)).f0
            target_hz, other_spread = height_and_spread(
                other.f0_hz[other.is_voiced], f"the recording {self.ref!r}"
            )
            if range_ratio is None:
                low, high = 0.25, 3.0
                range_ratio = min(max(other_spread / max(spread, 1e-3), low), high)
        elif self.target_hz is not None:
            target_hz = self.target_hz
        else:
            usual = _RAISED if own_hz < _LOW_VOICE_HZ else _LOWERED
            target_hz = own_hz * (usual if self.pitch_ratio is None else self.pitch_ratio)
        if not LOWEST_HZ <= target_hz <= HIGHEST_HZ:
            raise InapplicableError(
                f"the voice lies at {own_hz:.0f} Hz and would come to lie at {target_hz:.0f} Hz; "
                f"accepted: {LOWEST_HZ:g} to {HIGHEST_HZ:g} Hz"
            )
        formant_ratio = self.formant_ratio
        if formant_ratio is None:
            formant_ratio = _HIGHER_FORMANTS if target_hz > own_hz else _LOWER_FORMANTS
            if target_hz == own_hz:
                formant_ratio = 1.0
        return _Map(own_hz, target_hz, 1.0 if range_ratio is None else range_ratio, formant_ratio)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove pitch, resonances and level, span by span."""
        voice_map = self._map(ctx.before, spans, ctx)
        found = [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
        ]
        for pair in pair_spans(before, after, spans, ctx, voice_map.contour):
            inner = pair.within_joins(spans[pair.index], before)
            found += [
                *inner.prove(_LIMITS),
                *prove_height(inner, pair.f0_requested),
                prove_formants(pair, voice_map.formant_ratio, _FORMANT_TOLERANCE),
            ]
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove pitch, resonances and level kept."""
        found = [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
        ]
        for pair in pair_spans(before, after, spans, ctx):
            found += [
                *pair.against_itself().prove(SHAM_LIMITS),
                prove_formants(pair, 1.0, _SHAM_FORMANT_TOLERANCE),
            ]
        return found


def _revoice_spans(
    signal: Signal, spans: tuple[Span, ...], ctx: EditContext, voice_map: _Map
) -> Edited:
    def render(segment: Segment) -> FloatArray:
        f0 = ctx.analysis.f0.slice(segment.start_s, segment.stop_s)
        uniforms = ctx.generator(f"grains/{segment.index}").random
        wanted_hz = voice_map.contour(f0).f0_hz
        ratio = voice_map.formant_ratio
        return revoice(segment.samples, segment.sample_rate_hz, f0, wanted_hz, ratio, uniforms)

    return ctx.splice(signal, spans, render)
