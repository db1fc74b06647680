"""`exaggerate`: a voice with more melody than it had, or less.

Each distance from the voice's median pitch, in octaves, is made `factor` times as far; words,
timing and loudness stay. So do short runs that are octaves off the rest: hiss heard as a voice, a
slip of the tracker, creak. None of them is melody. A series of factors is a dose: of prosody alone.
The sham goes the same way to the clip's own contour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.f0_track import F0Track
from perturb.measure.melody import f0_slope, f0_span_cents
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import ProsodyPair
from perturb.operators.protocol import EditContext, Ledger, ProofContext
from perturb.operators.repitching import KEPT, ContourMaker, Repitching
from perturb.record import bounds
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.pitch_contours import exaggerated
from perturb.synthesis.trusted_pitch import trusted_pitch

__all__ = ["Exaggerate"]

_SLOPE_TOLERANCE = 0.14
"""Of the factor: 0.25 at 1.8."""
_MOST_BENT_PERCENT = 30.0
_LEAST_MELODY_CENTS = 60.0
"""So far a voice that was made monotone may still range."""


class Exaggerate(Repitching, frozen=True, kw_only=True):
    """Keep the words of a voice and change the range of its melody.

    Parameters
    ----------
    factor : float
        How much further from its median the pitch goes, in octaves: below 1 flatter, 1 changes
        nothing. Near 60 and 480 Hz it goes less far.
    """

    factor: Annotated[float, bounds(0.25, 3.0, "x", "how much wider the melody")] = 1.8

    limits: ClassVar[Mapping[str, float]] = {
        "f0_median_error": 15.0,
        "f0_gross_error": 1.0,
        "voicing_lost": 35.0,
        "level_correlation": 0.985,
    }
    proof_description = (
        "length exact; unvoiced runs, and those octaves off the voice, bit-equal; at most 30 % of "
        "the voiced frames so near 60 or 480 Hz that they go less far; by a second algorithm, in "
        "the other runs of two periods and more, ≥ 90 % of the voice: slope of log F0 on the "
        "original's, but for the 30 %, = factor ± 14 %, 15 cents off the contour asked for at the "
        "median, gross errors ≤ 1 %; ≤ 35 % of the voice no more heard; level r ≥ .985; sham: "
        "median error ≤ 12 cents, gross ≤ 1 %, level r ≥ .99; outside bit-equal"
    )
    source = "Prosody as a dose; Moulines and Charpentier 1990 (TD-PSOLA)"

    @property
    def is_neutral(self) -> bool:
        """A factor of 1."""
        return self.factor == 1.0

    def ledger(self) -> Ledger:
        """Words and timing stay; what the melody then says is not promised either way."""
        return Ledger(keeps=KEPT)

    @classmethod
    def examples(cls) -> tuple[Exaggerate, ...]:
        """Wider and narrower."""
        return (cls(), cls(factor=0.5))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold the speech of one voice, and room for most of its melody."""
        super().check_applicable(signal, spans, ctx)
        for span in spans:
            own = self.edited(ctx.analysis.f0.slice(span.start_s, span.end_s))
            moved = f0_span_cents(own, own).value
            if moved is not None and moved < _LEAST_MELODY_CENTS:
                raise InapplicableError(
                    f"the pitch of span {span} moves by {moved:.0f} cents (5th to 95th "
                    f"percentile), at least {_LEAST_MELODY_CENTS:g} needed: there is no melody to "
                    "change"
                )
            bent = self._bent_percent(own)
            if bent > _MOST_BENT_PERCENT:
                raise InapplicableError(
                    f"span {span} has no room: at factor {self.factor:g}, {bent:.0f} % of the "
                    "voiced frames would come near 60 or 480 Hz or beyond, at most "
                    f"{_MOST_BENT_PERCENT:.0f} % accepted; a factor nearer to 1 needs less"
                )

    def edited(self, f0: F0Track) -> F0Track:
        """Return a span's pitch where a voice can have it: a leap of octaves is no melody."""
        return trusted_pitch(f0)

    def _bent_percent(self, f0: F0Track) -> float:
        return 100.0 * float(np.mean(exaggerated(f0, self.factor).is_bent[f0.is_voiced]))

    def contour_maker(self, ctx: EditContext | ProofContext) -> ContourMaker:
        """Return what goes further from the median of the voice, or less far."""

        def contour(f0: F0Track) -> F0Track:
            return exaggerated(f0, self.factor).track

        return contour

    def prove_more(self, pair: ProsodyPair) -> Iterator[Measured]:
        """Prove the range, and that most of the melody had room for it."""
        own = self.edited(pair.f0_tracked)
        is_bent = exaggerated(own, self.factor).is_bent
        wanted = pair.f0_requested
        free_hz = np.where(is_bent, np.float32(0.0), wanted.f0_hz)
        free = F0Track(wanted.times_s, free_hz, wanted.strength, wanted.hop_s)
        found = f0_slope(pair.f0_tracked, free, pair.f0_after)
        yield Measured.within(
            "f0_slope",
            self.factor,
            found.value,
            _SLOPE_TOLERANCE * self.factor,
            instrument="independent",
            span=pair.index,
            reason=found.reason,
        )
        yield Measured.at_most(
            "bent_frames",
            _MOST_BENT_PERCENT,
            self._bent_percent(own),
            unit="%",
            span=pair.index,
        )
