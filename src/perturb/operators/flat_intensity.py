"""`flat_intensity`: a voice as loud at every moment.

A moving gain undoes the level contour of the speech and leaves its pauses low. Words, melody and
timing stay; stress that is loudness goes, and with it what loudness told of the speaker's state.
"""

from __future__ import annotations

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.level import rms_dbfs
from perturb.measure.level_spread import level_spread
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
from perturb.synthesis.flat_level import flatten_level

__all__ = ["FlatIntensity"]

_MOST_SD_DB = 1.6
_LEVEL_TOLERANCE_DB = 2.0


class FlatIntensity(Operator, frozen=True, kw_only=True):
    """Keep the words of a voice and flatten its loudness."""

    sham_description = "the gains at 0 dB: the unchanged clip"
    proof_description = (
        "length exact; standard deviation of the level (40 ms, within 35 dB of the loudest before) "
        "≤ 1.6 dB; RMS level kept within 2 dB; outside bit-equal"
    )
    source = "Words without prosody: intensity alone"

    def ledger(self) -> Ledger:
        """Loudness goes."""
        return Ledger(
            keeps=(
                "words",
                "segments",
                "lexical_tone",
                "intonation",
                "timing",
                "voice_quality",
                "speaker",
                "channel",
            ),
            destroys=("intensity",),
        )

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold speech: .3 s active, a tenth of it voiced."""
        for span in spans:
            reason = ctx.analysis.speech_gate(span.start_s, span.end_s)
            if reason is not None:
                raise InapplicableError(reason)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Flatten each span."""

        def render(segment: Segment) -> FloatArray:
            return flatten_level(segment.samples, segment.sample_rate_hz)

        return ctx.splice(signal, spans, render)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the level flat and where it was, span by span."""
        found = [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
        ]
        channel = ctx.before.strongest_channel
        for index, span in enumerate(spans):
            start, stop = span.to_samples(before.sample_rate_hz)
            old, new = (signal.samples[channel, start:stop] for signal in (before, after))
            spread = level_spread(old, new, before.sample_rate_hz).after_db
            found.append(
                Measured.at_most(
                    "level_sd",
                    _MOST_SD_DB,
                    spread.value,
                    unit="dB",
                    span=index,
                    reason=spread.reason,
                )
            )
            levels = rms_dbfs(old[np.newaxis]), rms_dbfs(new[np.newaxis])
            found.append(
                Measured.within(
                    "level_change",
                    0.0,
                    levels[1].minus(levels[0]).value,
                    _LEVEL_TOLERANCE_DB,
                    unit="dB",
                    span=index,
                    reason=levels[1].reason or levels[0].reason,
                )
            )
        return found
