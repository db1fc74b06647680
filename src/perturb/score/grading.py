"""One run graded: what each answer was read as, aligned with the items of the split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perturb.score.filling import is_filled
from perturb.score.matching.judge_file import Grade
from perturb.score.matching.normalising import normalise
from perturb.score.matching.protocol import (
    ANSWERED,
    EMPTY,
    INVALID,
    MISSING,
    REFUSED,
    UNGRADED,
    UNPARSED,
    AnswerReader,
    Asked,
    Match,
    Matcher,
)
from perturb.score.matching.refusal import is_refusal
from perturb.score.runs import Given, Run
from perturb.score.split_table import ConditionTable, SplitTable
from perturb.split.records.manifest import ItemRow

__all__ = ["Graded", "Grader"]

_NAN = float("nan")
_EMPTY = Match(-1, EMPTY, 0.0)


@dataclass
class Graded:
    """What became of the answers of one run.

    Parameters
    ----------
    state : ndarray of uint8
        `ANSWERED` to `UNGRADED`, of `perturb.score.matching.protocol`.
    correct : ndarray of float64
        See `perturb.score.answers.Answers`.
    choice, said : ndarray of int16
        See `perturb.score.answers.Answers`.
    odd : dict of str to list of int
        Items whose answers are ambiguous, contradictory, filled by the harness, or blank and
        graded all the same.
    """

    state: NDArray[np.uint8]
    correct: NDArray[np.float64]
    choice: NDArray[np.int16]
    said: NDArray[np.int16]
    odd: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


class Grader:
    """Grades runs by one rule.

    Parameters
    ----------
    split : SplitTable
        What the runs belong to.
    matcher : Matcher
        The rule.
    """

    def __init__(self, split: SplitTable, matcher: Matcher) -> None:
        self._split = split
        self._matcher = matcher
        self._usual: list[tuple[Asked, AnswerReader] | None] = [None] * len(split.items)
        self._changed: dict[Asked, AnswerReader] = {}
        self._labels: dict[int, dict[str, int]] = {}
        self._refusals: dict[str, bool] = {}

    def grade(
        self,
        run: Run,
        grades: Mapping[str, Grade],
        is_heard: NDArray[np.bool_] | None = None,
    ) -> Graded:
        """Return what the answers of a run were read as.

        Parameters
        ----------
        run : Run
            The answers.
        grades : mapping
            What a judge gave, by pair id or item id.
        is_heard : ndarray of bool, optional
            Which rows' edits the model can have heard; all by default.
        """
        table = self._split.conditions[run.condition]
        count = len(self._split.items)
        found = Graded(
            state=np.full(count, MISSING, np.uint8),
            correct=np.full(count, _NAN),
            choice=np.full(count, -1, np.int16),
            said=np.full(count, -1, np.int16),
        )
        is_valid = table.is_valid if is_heard is None else table.is_valid & is_heard
        for place, given in run.given.items():
            if not is_valid[place]:
                continue
            item = self._split.items[place]
            match = self._read(table, item, place, given, found)
            said = self._said(table, item, place, match.choice)
            grade = grades.get(item.pair_id) or grades.get(item.item_id) if grades else None
            if grade is not None and match.state == EMPTY:
                found.odd["blank"].append(place)
            elif grade is not None:
                match = Match(match.choice, ANSWERED, grade.score)
                if match.choice < 0 and grade.label is not None:
                    said = self._label(place, grade.label)
            found.state[place], found.correct[place] = match.state, match.correct
            found.choice[place], found.said[place] = match.choice, said
        found.state[~is_valid] = INVALID
        return found

    def _read(
        self, table: ConditionTable, item: ItemRow, place: int, given: Given, found: Graded
    ) -> Match:
        asked, reader = self._reader(table, item, place)
        text = given.said
        if given.parsed is not None:
            if is_filled(given.said, given.parsed, asked.choices):
                found.odd["filled"].append(place)
            elif given.is_parsed_read:
                text = given.parsed
        if text is None or not text.strip():
            return _EMPTY
        match = reader(text)
        if match.state == UNPARSED:
            if match.why:
                found.odd[match.why].append(place)
            if self._is_refusal(text):
                return Match(match.choice, REFUSED, match.correct)
        elif match.state == UNGRADED and self._is_refusal(text):
            return Match(-1, REFUSED, 0.0)
        return match

    def _reader(
        self, table: ConditionTable, item: ItemRow, place: int
    ) -> tuple[Asked, AnswerReader]:
        """Return how an item is asked and what reads its answers; made once where it can be."""
        if place not in table.questions:
            usual = self._usual[place]
            if usual is None:
                asked = table.asked(item, place)
                usual = self._usual[place] = asked, self._matcher.reader(asked)
            return usual
        asked = table.asked(item, place)
        reader = self._changed.get(asked)
        if reader is None:
            reader = self._changed[asked] = self._matcher.reader(asked)
        return asked, reader

    def _is_refusal(self, text: str) -> bool:
        known = self._refusals.get(text)
        if known is None:
            known = self._refusals[text] = is_refusal(text)
        return known

    def _said(self, table: ConditionTable, item: ItemRow, place: int, choice: int) -> int:
        """Return which of the item's own options a choice says, -1 where none."""
        if choice < 0 or place not in table.questions:
            return choice
        choices = table.questions[place].choices
        label = normalise(choices[choice])
        own = [normalise(option) for option in item.choices]
        if label in own:
            return own.index(label)
        # A table in another language keeps the order of the options.
        return choice if len(choices) == len(own) else -1

    def _label(self, place: int, label: str) -> int:
        """Return a number for what a judge says that an answer says, the same for equal labels."""
        known = self._labels.setdefault(place, {})
        return known.setdefault(normalise(label), len(known))
