"""`contour`: a voice's words with another melody: that of another recording, or one written down.

The other contour is filled where its voice has none, smoothed, and stretched from the first voiced
frame of the span to the last. Words, timing, loudness and voicing stay the clip's. The sham goes
the same way to the clip's own contour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from perturb.errors import ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.f0_track import F0Track
from perturb.operators.protocol import EditContext, Ledger, ProofContext
from perturb.operators.repitching import KEPT, ContourMaker, Repitching
from perturb.synthesis.pitch_contours import (
    contour_from_points,
    contour_from_track,
    stretched,
    with_register,
)

__all__ = ["Contour"]

_POINTS_PER_CONTOUR = 512


class Contour(Repitching, frozen=True, kw_only=True):
    """Keep the words of a voice and give it another melody.

    Parameters
    ----------
    ref : str, optional
        The recording whose melody it is: `file:PATH`, or another reference. Each span gets the
        whole of it.
    points : list of (float, float), optional
        The melody itself, in place of `ref`: places from 0 (the first voiced frame) to 1 (the
        last), rising, and pitches in Hz, 60 to 480; log-linear between.
    register : {'donor', 'own'}
        'donor': at the height it has. 'own': moved, in octaves, to the median of the voice.
    """

    ref: str | None = None
    points: tuple[tuple[float, float], ...] | None = None
    register: Literal["donor", "own"] = "donor"

    limits: ClassVar[Mapping[str, float]] = {
        "f0_median_error": 12.0,
        "f0_gross_error": 3.0,
        "f0_fine_correlation": 0.95,
        "voicing_lost": 15.0,
        "level_correlation": 0.985,
    }
    proof_description = (
        "length exact; unvoiced runs bit-equal; by a second algorithm, in runs of two periods and "
        "more, ≥ 90 % of the voice: 12 cents off the contour asked for at the median, gross errors "
        "≤ 3 %, r without these ≥ .95; ≤ 15 % of the voice no more heard; level r ≥ .985; sham: "
        "median error ≤ 12 cents, gross ≤ 1 %, level r ≥ .99; outside bit-equal"
    )
    source = "Prosody transplanted; Moulines and Charpentier 1990 (TD-PSOLA)"

    def check(self) -> None:
        """Exactly one melody, of a pitch that a voice can be given."""
        if (self.ref is None) == (self.points is None):
            raise ParameterError("contour: give ref (file:PATH) or points, exactly one")
        if self.ref is not None and ":" not in self.ref:
            raise ParameterError(
                f"contour: ref is {self.ref!r}; accepted: file:PATH (or file=PATH)"
            )
        if self.points is not None:
            contour_from_points(self.points, 1)

    def references(self) -> tuple[str, ...]:
        """The recording, where there is one."""
        return () if self.ref is None else (self.ref,)

    def ledger(self) -> Ledger:
        """The voice's own melody goes, and lexical tone with it."""
        return Ledger(keeps=KEPT, destroys=("lexical_tone", "intonation"))

    @classmethod
    def examples(cls) -> tuple[Contour, ...]:
        """Another recording's, at the voice's own height, and one written down."""
        return (
            cls(ref="file:other.wav"),
            cls(ref="file:other.wav", register="own"),
            cls(points=((0.0, 120.0), (0.6, 180.0), (1.0, 100.0))),
        )

    def contour_maker(self, ctx: EditContext | ProofContext) -> ContourMaker:
        """Return what lays the other melody over the voice; the recording has to have one."""
        if self.points is not None:
            melody_hz = contour_from_points(self.points, _POINTS_PER_CONTOUR)
        else:
            name = str(self.ref)
            melody_hz = contour_from_track(Analysis(ctx.resolve(name)).f0, repr(name))

        def contour(f0: F0Track) -> F0Track:
            wanted = stretched(melody_hz, f0)
            return with_register(wanted, f0) if self.register == "own" else wanted

        return contour
