"""``exact``: the option's text and nothing else, letters included."""

from __future__ import annotations

from perturb.score.matching.normalising import normalise
from perturb.score.matching.protocol import (
    ANSWERED,
    UNPARSED,
    AnswerReader,
    Asked,
    Match,
    grade_choice,
)

__all__ = ["ExactMatcher"]


class ExactMatcher:
    """Accepts an option's text after normalisation, without lead, letter or thinking taken off.

    An answer to an open-ended question is right where it is the gold's text, and wrong otherwise.
    """

    name = "exact"
    rule = "the option's text alone, case and surplus space aside"

    def reader(self, asked: Asked) -> AnswerReader:
        """Return what reads the answers to a question."""
        places: dict[str, int] = {}
        for place, choice in enumerate(asked.choices):
            places.setdefault(normalise(choice), place)
        gold = None if asked.answer is None else normalise(asked.answer)

        def read(text: str) -> Match:
            label = normalise(text)
            if not asked.choices:
                correct = float("nan") if gold is None else float(label == gold)
                return Match(-1, ANSWERED, correct)
            place = places.get(label, -1)
            if text in asked.choices:
                place = asked.choices.index(text)
            if place < 0:
                return Match(-1, UNPARSED, 0.0)
            return Match(place, ANSWERED, grade_choice(asked, place))

        return read
