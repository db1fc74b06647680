"""`Join`: how clips are joined into one stimulus."""

from __future__ import annotations

from typing import Annotated

from perturb.errors import ParameterError
from perturb.record import Record, bounds

__all__ = ["Join"]


class Join(Record, frozen=True, kw_only=True):
    """Stimuli that are joined: the item's clip among others, in a drawn order, with gaps.

    Parameters
    ----------
    utterances : int
        How many clips make one stimulus, the item's own included.
    gap_s : pair of float
        Shortest and longest silence between two clips, drawn evenly.
    """

    utterances: Annotated[int, bounds(2, 16, "", "clips in a stimulus")] = 4
    gap_s: tuple[
        Annotated[float, bounds(0.0, 10.0, "s", "shortest gap")],
        Annotated[float, bounds(0.0, 10.0, "s", "longest gap")],
    ] = (0.3, 0.6)

    def check(self) -> None:
        """The shorter gap comes first."""
        if self.gap_s[0] > self.gap_s[1]:
            raise ParameterError(f"gap_s is {list(self.gap_s)}; accepted: the shorter gap first")
