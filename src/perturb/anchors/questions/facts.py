"""What chain questions are made of, and what a finished question is. Plain values, no audio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from perturb.anchors.questions.wording import EditWords

__all__ = [
    "LEVELS",
    "OPTION_COUNT",
    "ChainFacts",
    "ChainQuestion",
    "Error",
    "Level",
    "Place",
]

Level = Literal["perception", "understanding", "reasoning"]

LEVELS: tuple[Level, ...] = ("perception", "understanding", "reasoning")
"""The links of a chain, in order."""

OPTION_COUNT = 4
"""Options of each link."""

Error = Literal[
    "none",
    "count",
    "position",
    "count and position",
    "one position",
    "other positions",
    "no relation",
]
"""What has been heard or understood wrong where an option is chosen: nothing (the gold); one place
too many or too few; other places than the edit's; both. In reasoning besides: one of the two places
taken for another, both for two others, or no relation seen between them."""


@dataclass(frozen=True)
class Place:
    """A place of the edited audio, that of an edit or one that is offered in its stead.

    Parameters
    ----------
    at_s : float
        Where it starts in the edited audio, in seconds.
    segment : int or None
        Number of its segment, where there are segments.
    words : str or None
        What the segment says.
    share : pair of float
        From where to where the place lies in its segment, 0 to 1.
    """

    at_s: float
    segment: int | None = None
    words: str | None = None
    share: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True)
class ChainFacts:
    """Everything that the questions of one chain follow from; an edit manifest's line holds it.

    Parameters
    ----------
    chain : str
        Name of the chain; keys its draws.
    edit : EditWords
        How the edit is called.
    places : tuple of Place
        Where it was made, in order of time.
    decoys : tuple of Place
        Places far from all of these, for wrong options.
    relations : mapping of (int, int) to str
        How segments relate, by their numbers, the earlier one first.
    """

    chain: str
    edit: EditWords
    places: tuple[Place, ...]
    decoys: tuple[Place, ...] = ()
    relations: Mapping[tuple[int, int], str] = field(default_factory=dict)


@dataclass(frozen=True)
class ChainQuestion:
    """One link of a chain.

    Parameters
    ----------
    level : {'perception', 'understanding', 'reasoning'}
        Which link.
    question : str
        As it is asked.
    choices : tuple of str
        Four, all different.
    gold : int
        Place of the right one.
    errors : tuple of tuple of str
        For each choice, the errors that lead to it; `none` leads to the gold.
    """

    level: Level
    question: str
    choices: tuple[str, ...]
    gold: int
    errors: tuple[tuple[Error, ...], ...]

    def choice_after(self, error: Error) -> int | None:
        """Return which option a mistake at an earlier link leads to, None where it is not told."""
        return next((at for at, errors in enumerate(self.errors) if error in errors), None)
