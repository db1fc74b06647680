"""What a matching rule is given and what it says."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec

from perturb.score.matching.normalising import normalise

__all__ = [
    "ANSWERED",
    "EMPTY",
    "INVALID",
    "MISSING",
    "REFUSED",
    "STATE_NAMES",
    "UNGRADED",
    "UNPARSED",
    "AnswerReader",
    "Asked",
    "Match",
    "Matcher",
    "Why",
    "grade_choice",
]

ANSWERED = 0
"""The answer names one option, or was graded."""
UNPARSED = 1
"""There is an answer and the rule cannot tell which option it means."""
REFUSED = 2
"""Unparsed, and it says that it will not or cannot answer."""
EMPTY = 3
"""Null, blank, or an error in the place of an answer."""
MISSING = 4
"""No row."""
INVALID = 5
"""The row does not count in this condition, whatever was answered."""
UNGRADED = 6
"""An open-ended answer that no rule and no judge has graded."""

STATE_NAMES = ("answered", "unparsed", "refused", "empty", "missing", "invalid", "ungraded")
"""What states are called, by their code."""

Why = str
"""Which kind of unparsed answer: '', 'ambiguous' or 'contradictory'."""


class Asked(NamedTuple):
    """A question as one condition asks it.

    Parameters
    ----------
    choices : tuple of str
        Options without letters; empty for an open-ended question.
    answer : str or None
        The gold's text.
    gold : int
        Its place among the choices, -1 where it is not known.
    """

    choices: tuple[str, ...]
    answer: str | None
    gold: int


class Match(msgspec.Struct, frozen=True, gc=False):
    """What an answer was read as.

    Parameters
    ----------
    choice : int
        Place of the option it names, -1 where none.
    state : int
        `ANSWERED`, `UNPARSED` or `UNGRADED`.
    correct : float
        1 or 0; NaN where nothing could be graded.
    why : str
        For unparsed answers: 'ambiguous', 'contradictory', or empty.
    """

    choice: int
    state: int
    correct: float
    why: Why = ""


class AnswerReader(Protocol):
    """Reads the answers to one question."""

    def __call__(self, text: str) -> Match:
        """Return what an answer, which is not blank, was read as."""
        ...


class Matcher(Protocol):
    """A matching rule."""

    name: str
    rule: str
    """The rule in one line, for reports."""

    def reader(self, asked: Asked) -> AnswerReader:
        """Return what reads the answers to a question."""
        ...


def grade_choice(asked: Asked, choice: int) -> float:
    """Return 1 where an option is the gold, or is equal to it as answers are compared, else 0.

    Where no gold is known nothing can be right or wrong: NaN.
    """
    if choice == asked.gold and choice >= 0:
        return 1.0
    gold = asked.choices[asked.gold] if asked.gold >= 0 else asked.answer
    if gold is None:
        return float("nan")
    return float(choice >= 0 and normalise(asked.choices[choice]) == normalise(gold))
