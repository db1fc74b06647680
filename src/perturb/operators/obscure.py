"""`obscure`: a span that stays in place and cannot be made out.

A zero-phase low-pass at 300 Hz leaves the voice's hum; noise with the smoothed spectrum of what it
took stands in its place, and the whole is as loud as before. The noise rises and falls like another
talker (`icra`), with the span's own loudness (`speech`, which keeps the rhythm), or not at all
(`steady`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_of, core_within
from perturb.measure.coherence import coherence
from perturb.measure.level import mean_power, rms_dbfs
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
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.obscure import (
    CUTOFF_HZ,
    own_contour,
    power_above,
    recombine,
    spectral_noise,
    talker_contour,
    veil,
)

__all__ = ["Obscure"]

_LEVEL_TOLERANCE_DB = 0.2
_EXPLAINED_FROM_HZ = 1_000.0
_MOST_EXPLAINED_PERCENT = 5.0
_LEAST_EXPLAINED_PERCENT = 95.0
_NOTHING_POWER = 1e-12
_NOTHING_SHARE = 1e-6


class Obscure(Operator, frozen=True, kw_only=True):
    """Low-pass a span at 300 Hz and fill what that took with noise of its colour.

    Parameters
    ----------
    modulation : {'icra', 'speech', 'steady'}
        How the noise moves: like another talker, with the span's own envelope, or not.
    """

    modulation: Literal["icra", "speech", "steady"] = "icra"

    sham_kind: ClassVar[ShamKind] = "own"
    sham_description = "split at 300 Hz by the same filters and joins, and added up again"
    proof_description = (
        "level of each span's core ± 0.2 dB; of its energy above 1 kHz, less than 5 % is explained "
        "by the original; outside bit-equal"
    )
    source = "AudioSpan, deletion by smearing; ICRA noises (Dreschler et al. 2001)"

    def ledger(self) -> Ledger:
        """Words go; the hum under 300 Hz keeps a pitch, `speech` keeps the rhythm."""
        keeps: tuple[Property, ...] = ("timing",) if self.modulation == "speech" else ()
        return Ledger(keeps=keeps, destroys=("words", "segments", "voice_quality"))

    @classmethod
    def examples(cls) -> tuple[Obscure, ...]:
        """Each modulation."""
        return (cls(), cls(modulation="speech"), cls(modulation="steady"))

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by modulation."""
        return {
            "modulation=icra, steady": cls().ledger(),
            "modulation=speech": cls(modulation="speech").ledger(),
        }

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """A span must hold something above 300 Hz that can be obscured."""
        for span in spans:
            start, stop = span.to_samples(signal.sample_rate_hz)
            part = signal.samples[:, start:stop]
            if not np.any(part):
                raise InapplicableError(
                    f"span {span} is digital silence: there is nothing to obscure"
                )
            power = power_above(part, signal.sample_rate_hz)
            if power < max(_NOTHING_POWER, _NOTHING_SHARE * mean_power(part)):
                raise InapplicableError(
                    f"span {span} holds nothing above {CUTOFF_HZ:g} Hz that could be obscured"
                )

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Obscure each span."""

        def render(segment: Segment) -> FloatArray:
            edges = segment.start, segment.stop
            core = core_within(*edges, signal.sample_count, segment.sample_rate_hz)
            return self._obscure(segment, core, ctx)

        return ctx.splice(signal, spans, render)

    def _obscure(self, segment: Segment, core: slice, ctx: EditContext) -> FloatArray:
        rate = segment.sample_rate_hz
        generator = ctx.generator(f"noise/{segment.index}")

        def normals(count: int) -> FloatArray:
            return generator.standard_normal(count, dtype=np.float32)

        noise = spectral_noise(segment.samples, rate, normals)
        contour = np.ones(1, dtype=np.float32)
        if self.modulation == "icra":
            talker = ctx.generator(f"talker/{segment.index}")
            contour = talker_contour(
                noise.shape[1], rate, lambda count: talker.standard_normal(count, dtype=np.float32)
            )
        for channel, result in zip(segment.samples, noise, strict=True):
            if self.modulation == "speech":
                contour = own_contour(channel, rate)
            result[:] = veil(channel, result, contour, rate, core)
        return noise

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Split and add up each span."""
        return ctx.splice(
            signal, spans, lambda segment: recombine(segment.samples, segment.sample_rate_hz)
        )

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare the level of each core, and look for the original in it."""
        return _measure_cores(before, after, spans, Measured.at_most, _MOST_EXPLAINED_PERCENT)

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare the level of each core, and find the original in it."""
        return _measure_cores(before, after, spans, Measured.at_least, _LEAST_EXPLAINED_PERCENT)


def _measure_cores(
    before: Signal,
    after: Signal,
    spans: tuple[Span, ...],
    bounded: Callable[..., Measured],
    bound_percent: float,
) -> list[Measured]:
    found = []
    for index, (old, new) in enumerate(_cores(before, after, spans)):
        share, reason = _explained_percent(old, new, before.sample_rate_hz)
        found += [
            _measure_level(old, new, index),
            bounded(
                "explained_by_original",
                bound_percent,
                share,
                unit="%",
                instrument="independent",
                span=index,
                reason=reason,
            ),
        ]
    return found


def _cores(
    before: Signal, after: Signal, spans: tuple[Span, ...]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return each span's core before and after, shape (channels, samples)."""
    rate = before.sample_rate_hz
    bounds_of = [core_of(*span.to_samples(rate), before.sample_count, rate) for span in spans]
    return [(before.samples[:, low:high], after.samples[:, low:high]) for low, high in bounds_of]


def _measure_level(old: FloatArray, new: FloatArray, index: int) -> Measured:
    asked, achieved = rms_dbfs(old), rms_dbfs(new)
    return Measured.within(
        "level",
        asked.value if asked.value is not None else 0.0,
        achieved.value if asked.value is not None else None,
        _LEVEL_TOLERANCE_DB,
        unit="dBFS",
        span=index,
        reason=asked.reason or achieved.reason,
    )


def _explained_percent(
    old: FloatArray, new: FloatArray, sample_rate_hz: int
) -> tuple[float | None, str | None]:
    share = coherence(old, new, sample_rate_hz).explained_share(_EXPLAINED_FROM_HZ)
    return None if share.value is None else 100.0 * share.value, share.reason
