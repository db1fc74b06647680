"""`Ledger`: what an edit keeps and what it destroys, in the field's terms."""

from __future__ import annotations

from typing import Literal

from perturb.errors import ParameterError
from perturb.record import Record

__all__ = ["PROPERTIES", "Ledger", "Property"]

Property = Literal[
    "words",
    "segments",
    "lexical_tone",
    "intonation",
    "intensity",
    "timing",
    "voice_quality",
    "speaker",
    "background",
    "channel",
]
PROPERTIES: tuple[Property, ...] = Property.__args__  # type: ignore[attr-defined]


class Ledger(Record, frozen=True, kw_only=True):
    """What an edit keeps and what it destroys; properties in neither are not promised.

    Parameters
    ----------
    keeps, destroys : tuple of Property
        Disjoint.
    """

    keeps: tuple[Property, ...] = ()
    destroys: tuple[Property, ...] = ()

    def check(self) -> None:
        """Refuse a property that is both kept and destroyed."""
        both = set(self.keeps) & set(self.destroys)
        if both:
            raise ParameterError(f"ledger: {sorted(both)} both kept and destroyed")
