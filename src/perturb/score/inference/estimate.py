"""`Estimate`: a number, its interval, and what it rests on; or the reason why there is none."""

from __future__ import annotations

from typing import Annotated, Literal

from perturb.errors import ParameterError
from perturb.record import Record, bounds

__all__ = ["Estimate", "IntervalMethod"]

IntervalMethod = Literal["wilson", "bootstrap", "none"]


class Estimate(Record, frozen=True, kw_only=True):
    """A statistic of one set of answers.

    Parameters
    ----------
    value : float or None
        The number; None where it is undefined.
    low, high : float or None
        Ends of its confidence interval; None where there is none.
    n : int
        Items it rests on.
    clusters : int
        Source clips (or recordings, or dialogues) that these items come from.
    confidence : float
        Of the interval.
    method : {'wilson', 'bootstrap', 'none'}
        Which interval: Wilson's on the effective number of items, or percentiles of a bootstrap
        of clips.
    reason : str or None
        Why there is no number, or no interval.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: Annotated[int, bounds(0, None, "", "items")]
    clusters: Annotated[int, bounds(0, None, "", "clips")]
    confidence: Annotated[float, bounds(0.5, 1.0 - 1e-9, "", "confidence level")] = 0.95
    method: IntervalMethod = "none"
    reason: str | None = None

    def check(self) -> None:
        """Check that what is missing has a reason, and that the ends are in order."""
        if (self.low is None) != (self.high is None) or (self.low is None) != (
            self.method == "none"
        ):
            raise ParameterError(
                f"Estimate: low {self.low}, high {self.high} and method {self.method!r} must say "
                "together whether there is an interval"
            )
        if self.low is None and self.reason is None:
            raise ParameterError("Estimate: a missing value or interval needs a reason")
        if self.low is not None and self.high is not None and not self.low <= self.high:
            raise ParameterError(f"Estimate: low {self.low} lies above high {self.high}")
        if self.value is None and self.low is not None:
            raise ParameterError("Estimate: an interval without a value")
