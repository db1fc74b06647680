"""`polarity`: a span turned upside down. An operator that lives in a package of its own.

    pip install ./examples/third_party
    perturb apply in.wav -o out.wav --op polarity@1.0-2.0

Ears do not hear absolute polarity, so a model that reacts to this edit reacts to its joins.
"""

from __future__ import annotations

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_of
from perturb.operators.protocol import (
    PROPERTIES,
    EditContext,
    Edited,
    Ledger,
    Measured,
    Operator,
    ProofContext,
    Segment,
)
from perturb.signal import FloatArray, Signal
from perturb.span import Span

__all__ = ["Polarity"]


class Polarity(Operator, frozen=True, kw_only=True):
    """Turn the waveform of a span upside down."""

    proof_description = "each span's core is the original's negative, sample by sample"
    source = "an example of an operator from another package"

    def ledger(self) -> Ledger:
        """Everything that is heard stays."""
        return Ledger(keeps=PROPERTIES)

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Silence has no polarity."""
        for span in spans:
            start, stop = span.to_samples(signal.sample_rate_hz)
            if not np.any(signal.samples[:, start:stop]):
                raise InapplicableError(f"span {span} is digital silence: it has no polarity")

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Negate each span; the splicer joins it."""

        def render(segment: Segment) -> FloatArray:
            return -segment.samples

        return ctx.splice(signal, spans, render)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Add each core to the original's: nothing but rounding is left."""
        found = []
        # A file's integers reach one step further down than up.
        rounding = 2.0**-15 if ctx.as_written(before) is not before else 0.0
        for index, span in enumerate(spans):
            start, stop = span.to_samples(before.sample_rate_hz)
            low, high = core_of(start, stop, before.sample_count, before.sample_rate_hz)
            rest = before.samples[:, low:high] + after.samples[:, low:high]
            found.append(
                Measured.within("residual", 0.0, float(np.max(np.abs(rest))), rounding, span=index)
            )
        return found
