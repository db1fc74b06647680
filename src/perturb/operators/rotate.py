"""`rotate`: the spectrum turned upside down about a centre; what was low is high.

Rotated speech keeps the rhythm, the bandwidth and much of the complexity of speech, and next to
none of its words. What lies outside the band (0.1 to 1.9 times the centre) is left out; the level
is that of the original within the band. The sham is rotated twice and holds the original, in the
band.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_within
from perturb.measure.coherence import coherence
from perturb.measure.level import mean_power
from perturb.measure.mirror import mirror_correlation
from perturb.measure.reading import Reading
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Segment,
    ShamKind,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.rotate import band_limit, band_of, rotate

__all__ = ["Rotate"]

_LEVEL_TOLERANCE_DB = 0.2
_LEAST_EXPLAINED_PERCENT = 95.0
_LEAST_CORRELATION = 0.9
_NOTHING_POWER = 1e-12


class Rotate(Operator, frozen=True, kw_only=True):
    """Turn the spectrum of a span upside down about a centre frequency.

    Parameters
    ----------
    centre_hz : float
        What stays in place, in Hz; a component at f goes to twice the centre minus f.
    """

    centre_hz: Annotated[float, bounds(500.0, 10_000.0, "Hz", "frequency that stays")] = 2_000.0

    sham_kind: ClassVar[ShamKind] = "own"
    sham_description = "rotated twice: the original within the band"
    proof_description = (
        "level ± 0.2 dB of the original's within the band; mean correlation of each band's "
        "envelope with its mirror band's ≥ .9; outside bit-equal"
    )
    source = "Blesser 1972, spectral rotation"

    def ledger(self) -> Ledger:
        """Words and voice go, timing stays."""
        return Ledger(keeps=("timing",), destroys=("words", "segments", "voice_quality"))

    @classmethod
    def examples(cls) -> tuple[Rotate, ...]:
        """The usual centre, and a lower one."""
        return (cls(), cls(centre_hz=1_500.0))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """The clip must be able to hold the band, and a span must hold something in it."""
        rate = signal.sample_rate_hz
        low_hz, high_hz = band_of(self.centre_hz)
        if high_hz > 0.48 * rate:
            raise InapplicableError(
                f"rotation about {self.centre_hz:g} Hz needs the band up to {high_hz:g} Hz; at "
                f"{rate} Hz there is sound up to {0.48 * rate:g} Hz. Take a lower centre_hz"
            )
        for span in spans:
            start, stop = span.to_samples(rate)
            part = signal.samples[:, start:stop]
            if not np.any(part):
                raise InapplicableError(f"span {span} is digital silence: nothing can be rotated")
            if _powers(band_limit(part, rate, self.centre_hz)).max() < _NOTHING_POWER:
                raise InapplicableError(
                    f"span {span} holds nothing between {low_hz:g} and {high_hz:g} Hz"
                )

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Rotate each span."""
        return self._rotate(signal, spans, ctx, times=1)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Rotate each span there and back."""
        return self._rotate(signal, spans, ctx, times=2)

    def _rotate(
        self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext, *, times: int
    ) -> Edited:
        rate = signal.sample_rate_hz

        def render(segment: Segment) -> FloatArray:
            turned = rotate(segment.samples, rate, self.centre_hz, times=times)
            core = core_within(segment.start, segment.stop, signal.sample_count, rate)
            wanted = _powers(band_limit(segment.samples, rate, self.centre_hz)[:, core])
            found = _powers(turned[:, core])
            gains = np.sqrt(np.divide(wanted, found, out=np.ones_like(found), where=found > 0.0))
            turned *= gains.astype(np.float32)[:, np.newaxis]
            return turned

        return ctx.splice(signal, spans, render)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare the level within the band, and each band with its mirror band."""
        found = []
        low_hz, high_hz = band_of(self.centre_hz)
        for index, old, new, core in _pairs(before, after, spans):
            mirrored = mirror_correlation(
                old[:, core], new[:, core], before.sample_rate_hz, low_hz, high_hz
            )
            found += [
                self._measure_level(old, new, core, before.sample_rate_hz, index),
                Measured.at_least(
                    "mirror_correlation",
                    _LEAST_CORRELATION,
                    mirrored.value,
                    instrument="independent",
                    span=index,
                    reason=mirrored.reason,
                ),
            ]
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare the level within the band, and find the original there."""
        found = []
        for index, old, new, core in _pairs(before, after, spans):
            share = coherence(old[:, core], new[:, core], before.sample_rate_hz).explained_share(
                *band_of(self.centre_hz)
            )
            found += [
                self._measure_level(old, new, core, before.sample_rate_hz, index),
                Measured.at_least(
                    "explained_by_original",
                    _LEAST_EXPLAINED_PERCENT,
                    None if share.value is None else 100.0 * share.value,
                    unit="%",
                    instrument="independent",
                    span=index,
                    reason=share.reason,
                ),
            ]
        return found

    def _measure_level(
        self, old: FloatArray, new: FloatArray, core: slice, sample_rate_hz: int, index: int
    ) -> Measured:
        """Compare the result's level with the original's within the band."""
        limited = band_limit(old, sample_rate_hz, self.centre_hz)
        asked, achieved = (
            Reading.of_power(float(_powers(side[:, core]).mean()), "silent within the band")
            for side in (limited, new)
        )
        return Measured.within(
            "band_level",
            asked.value if asked.value is not None else 0.0,
            achieved.value if asked.value is not None else None,
            _LEVEL_TOLERANCE_DB,
            unit="dBFS",
            span=index,
            reason=asked.reason or achieved.reason,
        )


def _pairs(
    before: Signal, after: Signal, spans: tuple[Span, ...]
) -> Iterator[tuple[int, FloatArray, FloatArray, slice]]:
    """Yield each span's number, its samples before and after, and its core."""
    for index, span in enumerate(spans):
        start, stop = span.to_samples(before.sample_rate_hz)
        core = core_within(start, stop, before.sample_count, before.sample_rate_hz)
        yield index, before.samples[:, start:stop], after.samples[:, start:stop], core


def _powers(samples: FloatArray) -> npt.NDArray[np.float64]:
    """Return each channel's power, shape (channels,)."""
    return np.array([mean_power(channel) for channel in samples], dtype=np.float64)
