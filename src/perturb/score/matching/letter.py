"""``letter``: the letter that an answer begins with, whatever follows it."""

from __future__ import annotations

import re

from perturb.score.matching.normalising import normalise_answer
from perturb.score.matching.protocol import (
    ANSWERED,
    UNPARSED,
    AnswerReader,
    Asked,
    Match,
    grade_choice,
)

__all__ = ["LetterMatcher"]

_LEADING = re.compile(r"[\(\[]?([a-z])(?:[\)\]]|[.:,]|\s*[-–—]\s|\s*\Z)", re.DOTALL)


class LetterMatcher:
    """Reads ``B``, ``(B) anything``, ``B. anything`` as the second option.

    What follows the letter is not looked at: "B. calm" is B where calm is option A, too.
    """

    name = "letter"
    rule = "the letter that the answer begins with, whatever follows it"

    def reader(self, asked: Asked) -> AnswerReader:
        """Return what reads the answers to a question."""

        def read(text: str) -> Match:
            match = _LEADING.match(normalise_answer(text))
            place = -1 if match is None else ord(match[1]) - ord("a")
            if not 0 <= place < len(asked.choices):
                return Match(-1, UNPARSED, 0.0)
            return Match(place, ANSWERED, grade_choice(asked, place))

        return read
