"""`Measured`: one line of proof. Requested, achieved, tolerance, verdict, instrument."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import msgspec

from perturb.errors import PlanError
from perturb.record import Record, bounds

__all__ = ["Bound", "Instrument", "Measured", "Verdict"]

Verdict = Literal["ok", "off_target", "undefined"]
Bound = Literal["within", "at_most", "at_least"]
Instrument = Literal["independent", "self-consistent"]


class Measured(Record, frozen=True, kw_only=True):
    """One requested value and what was measured on the result.

    Parameters
    ----------
    name, unit : str
        What was measured.
    requested : float
        The value asked for; for `at_most` and `at_least`, the bound itself.
    achieved : float or None
        The value measured; None where the statistic is undefined, with the `reason`.
    tolerance : float
        Largest accepted deviation from `requested`.
    bound : {'within', 'at_most', 'at_least'}
        Which side of the requested value is accepted.
    instrument : {'independent', 'self-consistent'}
        Whether the instrument shares nothing with the algorithm that drove the edit.
    span : int or None
        Number of the span, None for the whole result.
    reason : str or None
        Why the value is undefined, or a caveat that belongs to it.
    verdict : {'ok', 'off_target', 'undefined'}
        Follows from the numbers; a record in which it does not is refused on loading.
    """

    name: str
    unit: str = ""
    requested: float
    achieved: float | None
    tolerance: Annotated[float, bounds(0.0, None, "", "largest accepted deviation")] = 0.0
    bound: Bound = "within"
    instrument: Instrument = "self-consistent"
    span: int | None = None
    reason: str | None = None
    verdict: Verdict | None = None

    def check(self) -> None:
        """Compute the verdict, or refuse one that the numbers contradict."""
        if self.achieved is None and not self.reason:
            raise PlanError(
                f"measured {self.name}: achieved is undefined without a reason; give one"
            )
        verdict = self._judge()
        if self.verdict is not None and self.verdict != verdict:
            raise PlanError(
                f"measured {self.name}: the recorded verdict {self.verdict!r} contradicts its "
                f"numbers ({verdict!r}); the record was altered"
            )
        msgspec.structs.force_setattr(self, "verdict", verdict)

    def _judge(self) -> Verdict:
        if self.achieved is None:
            return "undefined"
        deviation = self.achieved - self.requested
        missed = {
            "within": abs(deviation),
            "at_most": deviation,
            "at_least": -deviation,
        }[self.bound]
        return "ok" if missed <= self.tolerance else "off_target"

    @classmethod
    def within(
        cls, name: str, requested: float, achieved: float | None, tolerance: float, **more: Any
    ) -> Measured:
        """Return a two-sided proof: achieved = requested ± tolerance."""
        return cls(
            name=name,
            requested=float(requested),
            achieved=_finite(achieved),
            tolerance=float(tolerance),
            **more,
        )

    @classmethod
    def at_most(cls, name: str, limit: float, achieved: float | None, **more: Any) -> Measured:
        """Return a one-sided proof: achieved ≤ limit."""
        return cls(
            name=name, requested=float(limit), achieved=_finite(achieved), bound="at_most", **more
        )

    @classmethod
    def at_least(cls, name: str, limit: float, achieved: float | None, **more: Any) -> Measured:
        """Return a one-sided proof: achieved ≥ limit."""
        return cls(
            name=name, requested=float(limit), achieved=_finite(achieved), bound="at_least", **more
        )


def _finite(value: float | None) -> float | None:
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else None
