"""`Piece`: one straight line of a time map."""

from __future__ import annotations

from typing import Annotated

from perturb.errors import ParameterError
from perturb.record import Record, bounds

__all__ = ["EPSILON_S", "Piece"]

EPSILON_S = 1e-9
"""Below any sampling interval, above the rounding of sums of float64 seconds."""


class Piece(Record, frozen=True, array_like=True, kw_only=False):
    """One stretch of the result and the stretch of the source that is heard in it.

    Parameters
    ----------
    target_start_s, target_stop_s : float
        Half-open interval of the result, in seconds.
    source_start_s, source_stop_s : float, optional
        Half-open interval of the source, in seconds; both None where nothing of it is heard.
    is_reversed : bool
        Whether the source runs backwards in it.
    """

    target_start_s: Annotated[float, bounds(0.0, None, "s", "start in the result")]
    target_stop_s: Annotated[float, bounds(0.0, None, "s", "end in the result")]
    source_start_s: Annotated[float, bounds(0.0, None, "s", "start in the source")] | None = None
    source_stop_s: Annotated[float, bounds(0.0, None, "s", "end in the source")] | None = None
    is_reversed: bool = False

    def check(self) -> None:
        """Refuse empty and half-given intervals."""
        if self.target_stop_s <= self.target_start_s:
            raise ParameterError(
                f"time map: a piece of the result runs from {self.target_start_s} to "
                f"{self.target_stop_s} s; accepted: a stop after its start"
            )
        if (self.source_start_s is None) != (self.source_stop_s is None):
            raise ParameterError("time map: a piece names both ends of its source, or neither")
        if self.source_start_s is not None and self.source_stop_s is not None:
            if self.source_stop_s <= self.source_start_s:
                raise ParameterError(
                    f"time map: a piece of the source runs from {self.source_start_s} to "
                    f"{self.source_stop_s} s; accepted: a stop after its start "
                    "(is_reversed says that it runs backwards)"
                )
        elif self.is_reversed:
            raise ParameterError("time map: a piece without a source cannot be reversed")

    def to_target(self, time_s: float) -> float:
        """Map a moment of the source inside this piece to the result."""
        if self.source_start_s is None or self.source_stop_s is None:
            raise ParameterError("time map: a piece without a source maps nothing")
        share = (time_s - self.source_start_s) / (self.source_stop_s - self.source_start_s)
        return _between(self.target_start_s, self.target_stop_s, share, self.is_reversed)

    def to_source(self, time_s: float) -> float:
        """Map a moment of the result inside this piece back to the source."""
        if self.source_start_s is None or self.source_stop_s is None:
            raise ParameterError("time map: a piece without a source maps nothing")
        share = (time_s - self.target_start_s) / (self.target_stop_s - self.target_start_s)
        return _between(self.source_start_s, self.source_stop_s, share, self.is_reversed)

    @property
    def rate(self) -> float:
        """Seconds of the source for each second of the result."""
        source_s = (self.source_stop_s or 0.0) - (self.source_start_s or 0.0)
        return source_s / (self.target_stop_s - self.target_start_s)

    def is_continued_by(self, other: Piece) -> bool:
        """Whether this piece and its successor are one straight line of time."""
        if None in (self.source_start_s, other.source_start_s):
            return False
        if self.is_reversed != other.is_reversed:
            return False
        ends = (self.source_stop_s, other.source_start_s)
        if self.is_reversed:
            ends = (self.source_start_s, other.source_stop_s)
        if abs((ends[0] or 0.0) - (ends[1] or 0.0)) > EPSILON_S:
            return False
        return abs(self.rate - other.rate) <= 1e-9 * self.rate


def _between(start: float, stop: float, share: float, is_reversed: bool) -> float:
    if is_reversed:
        share = 1.0 - share
    # Exact at both ends, unlike start + share * (stop - start).
    return start * (1.0 - share) + stop * share
