"""Our stated rule: an exact letter, an option's exact text, or a lettered text; nothing else."""

from __future__ import annotations

import re

from perturb.score.matching.normalising import normalise, normalise_answer
from perturb.score.matching.protocol import (
    ANSWERED,
    UNGRADED,
    UNPARSED,
    AnswerReader,
    Asked,
    Match,
    grade_choice,
)

__all__ = ["StatedMatcher", "StatedReader"]

_NAN = float("nan")
_LETTER = re.compile(r"(?:option |choice )?[\(\[]?([a-z])[\)\]]?[.:]?")
_LETTERED = re.compile(r"[\(\[]?([a-z])(?:[\)\]]\.?|\.|:|\s*[-–—]\s)\s*(.+)", re.DOTALL)


class StatedMatcher:
    """Accepts ``B``, ``(b)``, ``B.``; the option's text; ``B. text`` where both name one option.

    Texts are compared after normalisation. A letter that is another option's text, and a letter
    with the text of another option, are unparsed. An answer to an open-ended question is right
    where it is the gold's text, and else not graded: that takes a judge.
    """

    name = "stated"
    rule = "exact letter, exact option text, or lettered text, after normalisation"

    def reader(self, asked: Asked) -> AnswerReader:
        """Return what reads the answers to a question."""
        return StatedReader(asked) if asked.choices else _OpenReader(asked)


class StatedReader:
    """Reads the answers to a question with options; equal answers are read once."""

    __slots__ = ("_asked", "_labels", "_places", "_seen")

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._labels = [normalise(choice) for choice in asked.choices]
        self._places: dict[str, int] = {}
        for place, label in enumerate(self._labels):
            self._places.setdefault(label, place)
        self._seen: dict[str, Match] = {}

    def __call__(self, text: str) -> Match:
        """Return what an answer was read as."""
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = self._read(text)
        return found

    def _read(self, text: str) -> Match:
        label = normalise_answer(text)
        place = self._place_of_text(text, label)
        letter = self._place_of_letter(_LETTER.fullmatch(label))
        if place >= 0 and letter >= 0 and not self._are_equal(place, letter):
            return Match(-1, UNPARSED, 0.0, "ambiguous")
        if place >= 0 or letter >= 0:
            return self._answered(letter if place < 0 else place)
        parted = _LETTERED.fullmatch(label)
        place = -1 if parted is None else self._places.get(normalise(parted[2]), -1)
        if parted is None or place < 0:
            return Match(-1, UNPARSED, 0.0)
        letter = self._place_of_letter(parted)
        if letter < 0 or not self._are_equal(place, letter):
            return Match(-1, UNPARSED, 0.0, "contradictory")
        return self._answered(letter)

    def _place_of_text(self, text: str, label: str) -> int:
        if text in self._asked.choices:
            return self._asked.choices.index(text)
        place = self._places.get(label, -1)
        return self._places.get(normalise(text), -1) if place < 0 else place

    def _place_of_letter(self, match: re.Match[str] | None) -> int:
        place = -1 if match is None else ord(match[1]) - ord("a")
        return place if place < len(self._labels) else -1

    def _are_equal(self, first: int, second: int) -> bool:
        return self._labels[first] == self._labels[second]

    def _answered(self, choice: int) -> Match:
        return Match(choice, ANSWERED, grade_choice(self._asked, choice))


class _OpenReader:
    """Reads the answers to an open-ended question."""

    __slots__ = ("_gold",)

    def __init__(self, asked: Asked) -> None:
        self._gold = None if asked.answer is None else normalise(asked.answer)

    def __call__(self, text: str) -> Match:
        """Return what an answer was read as."""
        if self._gold is not None and normalise_answer(text) == self._gold:
            return Match(-1, ANSWERED, 1.0)
        return Match(-1, UNGRADED, _NAN)
