"""`monotone`: a voice without its melody.

Every voiced period is kept and put where a flat pitch has it; words, timing and loudness stay. It
asks whether a model needs more than the words, and in a tonal language whether it misses the tones.
The sham goes the same way to the clip's own contour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from perturb.measure.f0_track import F0Track
from perturb.operators.protocol import EditContext, Ledger, ProofContext
from perturb.operators.repitching import KEPT, ContourMaker, Repitching
from perturb.record import bounds
from perturb.synthesis.pitch_contours import HIGHEST_HZ, LOWEST_HZ, flat

__all__ = ["Monotone"]


class Monotone(Repitching, frozen=True, kw_only=True):
    """Keep the words of a voice and flatten its pitch.

    Parameters
    ----------
    target_hz : float, optional
        The pitch; None keeps the median of each span.
    """

    target_hz: Annotated[float, bounds(LOWEST_HZ, HIGHEST_HZ, "Hz", "the flat pitch")] | None = None

    limits: ClassVar[Mapping[str, float]] = {
        "f0_span": 60.0,
        "f0_median_error": 12.0,
        "f0_gross_error": 0.5,
        "voicing_lost": 15.0,
        "level_correlation": 0.985,
    }
    proof_description = (
        "length exact; unvoiced runs bit-equal; by a second algorithm, in runs of two periods and "
        "more, ≥ 90 % of the voice: pitch within 60 cents (5th to 95th percentile), 12 cents off "
        "the target at the median, gross errors ≤ 0.5 %; ≤ 15 % of the voice no more heard; level "
        "r ≥ .985; sham: median error ≤ 12 cents, gross ≤ 1 %, level r ≥ .99; outside bit-equal"
    )
    source = "Words without prosody; Moulines and Charpentier 1990 (TD-PSOLA)"

    def ledger(self) -> Ledger:
        """Melody goes, and lexical tone with it."""
        return Ledger(keeps=KEPT, destroys=("lexical_tone", "intonation"))

    @classmethod
    def examples(cls) -> tuple[Monotone, ...]:
        """At the voice's own height, and at another."""
        return (cls(), cls(target_hz=140.0))

    def contour_maker(self, ctx: EditContext | ProofContext) -> ContourMaker:
        """Return what is flat wherever the voice is."""

        def contour(f0: F0Track) -> F0Track:
            return flat(f0, self.target_hz)

        return contour
