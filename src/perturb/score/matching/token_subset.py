"""The rule that MMAU and MMAR score by: the gold's words, and none of the other options' own."""

from __future__ import annotations

import re

from perturb.score.matching.protocol import ANSWERED, UNPARSED, AnswerReader, Asked, Match

__all__ = ["TokenSubsetMatcher"]

_WORD = re.compile(r"\b\w+\b")


class TokenSubsetMatcher:
    """Takes an answer for an option if it holds all words of it and no word of another's alone.

    An answer is correct if it is so taken for the gold; it counts as a choice if it is so taken for
    exactly one option. Word order, repetition and words of no option do not matter, so that "not
    calm" is taken for "calm", and a bare letter for no option but one that consists of it.
    """

    name: str
    rule = "all words of the option and no word that only other options have"

    def reader(self, asked: Asked) -> AnswerReader:
        """Return what reads the answers to a question."""
        options = [_words(choice) for choice in asked.choices]
        gold = asked.choices[asked.gold] if asked.gold >= 0 else asked.answer
        own = None if gold is None else _words(gold)
        foreign = [_foreign(option, options) for option in options]
        foreign_to_gold = set() if own is None else _foreign(own, options)

        def read(text: str) -> Match:
            words = _words(text)
            taken = [
                place
                for place, option in enumerate(options)
                if words and option <= words and not words & foreign[place]
            ]
            if own is None:
                correct = float("nan")
            else:
                correct = float(bool(words) and own <= words and not words & foreign_to_gold)
            if not taken and correct != 1.0:
                return Match(-1, UNPARSED, correct)
            distinct = {frozenset(options[place]) for place in taken}
            return Match(taken[0] if len(distinct) == 1 else -1, ANSWERED, correct)

        return read


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _foreign(option: set[str], options: list[set[str]]) -> set[str]:
    """Return the words of other options that an option does not have."""
    return {word for other in options if other != option for word in other - option}
