"""`noise_vocode`: words coarsened band by band, as a cochlear implant would pass them on.

Each of 1 to 32 bands (80 Hz to 7 kHz, of equal length on the cochlea) keeps its envelope up to
30 Hz and its level; what else it holds becomes noise. The number of bands is the dose: with one
band no word is left, with four a listener follows most of a sentence, with sixteen nearly all is
there. Pitch goes first and comes back last: up to four bands nothing of it is left, from sixteen
on the lowest bands tell the harmonics of a high voice apart and a pitch tracker finds them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_of
from perturb.measure.analysis import Analysis
from perturb.measure.f0_judge import judge_f0
from perturb.measure.f0_track import F0Track
from perturb.measure.level import mean_power
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Property,
    Segment,
    ShamKind,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.cochlear_bands import LOWEST_HZ, compare_bands, highest_hz
from perturb.synthesis.filters import band_pass
from perturb.synthesis.noise_vocode import noise_vocode

__all__ = ["NoiseVocode"]

_SHAM_BANDS = 32
_FIRST_WITHOUT_SHAM = 24
_LAST_WITHOUT_PITCH = 8
_LEVEL_TOLERANCE_DB = 1.0
_LEAST_CORRELATION = 0.93
_LEAST_VOICING_LOST_PERCENT = 50.0
_LEAST_VOICED_FRAMES = 10
_NOTHING_POWER = 1e-12


class NoiseVocode(Operator, frozen=True, kw_only=True):
    """Replace what each frequency band holds by noise with the band's envelope.

    Parameters
    ----------
    bands : int
        Number of bands: the fewer, the coarser.
    """

    bands: Annotated[int, bounds(1, 32, "", "number of frequency bands, the dose")] = 4

    sham_kind: ClassVar[ShamKind] = "own"
    sham_description = "32 bands, words kept; none from 24 bands on"
    proof_description = (
        "band levels ± 1 dB; mean correlation of band envelopes ≥ .93; up to 8 bands, half of the "
        "voiced frames or more have lost their voice; outside bit-equal"
    )
    source = "SEABED, counterfactual controls; Shannon et al. 1995; Greenwood 1990"

    def sham_exists(self) -> bool:
        """Whether 32 bands are something else than the probe."""
        return self.bands < _FIRST_WITHOUT_SHAM

    def ledger(self) -> Ledger:
        """Loudness and its timing stay; how much of the rest goes depends on the bands."""
        keeps: tuple[Property, ...] = ("intensity", "timing")
        destroys: tuple[Property, ...] = ()
        if self.bands == 1:
            destroys = ("words", "segments")
        if self.bands <= 4:
            destroys = (*destroys, "lexical_tone", "intonation")
        if self.bands <= _LAST_WITHOUT_PITCH:
            destroys = (*destroys, "voice_quality")
        if self.bands >= 16:
            keeps = ("words", *keeps)
        return Ledger(keeps=keeps, destroys=destroys)

    def sham_ledger(self) -> Ledger:
        """The sham is the same with 32 bands, and promises what these do."""
        return NoiseVocode(bands=_SHAM_BANDS).ledger()

    @classmethod
    def examples(cls) -> tuple[NoiseVocode, ...]:
        """The standard dose, the strongest, and one that keeps the words and has a sham."""
        return (cls(), cls(bands=1), cls(bands=16))

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by number of bands."""
        rows = {"bands=1": 1, "bands=2–4": 4, "bands=5–8": 8, "bands=9–15": 12, "bands=16–32": 16}
        return {label: cls(bands=bands).ledger() for label, bands in rows.items()}

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """A span must hold something within the bands."""
        rate = signal.sample_rate_hz
        whole = band_pass(LOWEST_HZ, highest_hz(rate), rate)
        for span in spans:
            start, stop = span.to_samples(rate)
            part = signal.samples[:, start:stop]
            if not np.any(part):
                raise InapplicableError(f"span {span} is digital silence: there is no envelope")
            powers = (mean_power(whole.run(channel)) for channel in part)
            if max(powers) < _NOTHING_POWER:
                raise InapplicableError(
                    f"span {span} holds nothing between {LOWEST_HZ:g} and {highest_hz(rate):g} Hz"
                )

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Vocode each span."""
        return _vocode(signal, spans, self.bands, ctx)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Vocode each span with 32 bands, from the same draws."""
        return _vocode(signal, spans, _SHAM_BANDS, ctx)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare levels and envelopes band by band; ask another pitch tracker about voicing."""
        found = list(_measure_bands(before, after, spans, self.bands))
        if self.bands <= _LAST_WITHOUT_PITCH:
            found += _measure_voicing(spans, ctx)
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare levels and envelopes of the sham's own bands."""
        return list(_measure_bands(before, after, spans, _SHAM_BANDS))


def _vocode(signal: Signal, spans: tuple[Span, ...], bands: int, ctx: EditContext) -> Edited:
    def render(segment: Segment) -> FloatArray:
        generator = ctx.generator(f"noise/{segment.index}")

        def normals(count: int) -> FloatArray:
            return generator.standard_normal(count, dtype=np.float32)

        core = _core(segment.start, segment.stop, signal)
        return noise_vocode(segment.samples, segment.sample_rate_hz, bands, normals, core)

    return ctx.splice(signal, spans, render)


def _core(start: int, stop: int, signal: Signal) -> slice:
    """Return the part of a span that no join touches, counted from the span's start."""
    low, high = core_of(start, stop, signal.sample_count, signal.sample_rate_hz)
    return slice(low - start, high - start)


def _measure_bands(
    before: Signal, after: Signal, spans: tuple[Span, ...], bands: int
) -> Iterator[Measured]:
    """Yield the worst band level and the mean envelope correlation of each span."""
    rate = before.sample_rate_hz
    for index, span in enumerate(spans):
        start, stop = span.to_samples(rate)
        core = _core(start, stop, before)
        compared = [
            compare_bands(old[start:stop], new[start:stop], rate, bands, core)
            for old, new in zip(before.samples, after.samples, strict=True)
        ]
        differences_db = np.concatenate([part.level_differences_db for part in compared])
        correlations = np.concatenate([part.correlations for part in compared])
        left_out = sum(part.left_out for part in compared)
        reason = None
        if left_out:
            reason = f"{left_out} bands not judged: faint, short, or outshone by a neighbour"
        yield Measured.at_most(
            "band_level_deviation",
            _LEVEL_TOLERANCE_DB,
            float(np.abs(differences_db).max()) if differences_db.size else None,
            unit="dB",
            span=index,
            reason=reason,
        )
        yield Measured.at_least(
            "envelope_correlation",
            _LEAST_CORRELATION,
            float(correlations.mean()) if correlations.size else None,
            span=index,
            reason=reason or (None if correlations.size else "no band's envelope moves"),
        )


def _measure_voicing(spans: tuple[Span, ...], ctx: ProofContext) -> Iterator[Measured]:
    """Yield the share of the clip's voiced frames that another pitch algorithm finds no more."""
    channel = ctx.before.strongest_channel
    track_before, track_after = ctx.before.f0_judge, _judge(ctx.after, channel)
    for index, span in enumerate(spans):
        was_voiced = track_before.slice(span.start_s, span.end_s).f0_hz > 0.0
        is_voiced = track_after.slice(span.start_s, span.end_s).f0_hz > 0.0
        voiced = int(was_voiced.sum())
        lost = int((was_voiced & ~is_voiced).sum())
        is_enough = voiced >= _LEAST_VOICED_FRAMES
        yield Measured.at_least(
            "voicing_lost",
            _LEAST_VOICING_LOST_PERCENT,
            100.0 * lost / voiced if is_enough else None,
            unit="%",
            instrument="independent",
            span=index,
            reason=None
            if is_enough
            else f"{voiced} frames are voiced; {_LEAST_VOICED_FRAMES} are needed",
        )


def _judge(analysis: Analysis, channel: int) -> F0Track:
    """Judge the pitch of one channel, shared where it is the strongest."""
    if analysis.strongest_channel == channel:
        return analysis.f0_judge
    return judge_f0(analysis.signal.samples[channel], analysis.signal.sample_rate_hz)
