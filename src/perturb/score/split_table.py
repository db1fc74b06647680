"""A split as a score needs it: items, conditions and rows as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from perturb.errors import PlanError, ScoreError
from perturb.score.clusters import find_clusters
from perturb.score.matching.normalising import normalise
from perturb.score.matching.protocol import Asked
from perturb.score.recorded_condition import RecordedCondition
from perturb.split.records.manifest import Expectation, ItemRow, QuestionRow
from perturb.split.records.recording import (
    ITEMS_FILE,
    MANIFEST_FILE,
    QUESTIONS_FILE,
    SPLIT_FILE,
    read_lines,
)

__all__ = [
    "EXPECTATIONS",
    "STATUSES",
    "ConditionTable",
    "SplitTable",
    "read_split_table",
]

STATUSES = ("ok", "off_target", "inapplicable", "failed")
"""Statuses by their code in `ConditionTable.status`."""

EXPECTATIONS: tuple[Expectation, ...] = ("unknown", "invariant", "unanswerable", "flips")
"""Expectations by their code in `ConditionTable.expectation`."""

_ABSENT = 255


class _Row(msgspec.Struct, gc=False):
    """The part of a manifest's row that a score needs; the rest is not decoded."""

    pair_id: str
    condition: str
    status: str
    expectation: str = "unknown"
    expected_answer: str | None = None
    donor_answer: str | None = None
    gold_index: int | None = None


class _Split(msgspec.Struct):
    conditions: list[RecordedCondition]
    source: dict[str, Any]
    suite: str = ""
    seed: int = 0
    environment: dict[str, Any] = {}


@dataclass(frozen=True)
class ConditionTable:
    """One condition, with its rows in the order of the items.

    Parameters
    ----------
    name : str
        Its name.
    sham_of : str or None
        The condition whose sham it is.
    has_audio : bool
        Whether its rows carry audio.
    status : ndarray of uint8
        Codes in `STATUSES`.
    expectation : ndarray of uint8
        Codes in `EXPECTATIONS`.
    gold, expected, donor : ndarray of int16
        Place of the gold, of the expected answer and of the donor's gold among the options of this
        condition, -1 where there is none.
    recorded : RecordedCondition
        The condition and its recipe, as the split was asked for them.
    questions : mapping of int to QuestionRow
        What is asked otherwise than in the source, by item.
    """

    name: str
    sham_of: str | None
    has_audio: bool
    status: NDArray[np.uint8]
    expectation: NDArray[np.uint8]
    gold: NDArray[np.int16]
    expected: NDArray[np.int16]
    donor: NDArray[np.int16]
    recorded: RecordedCondition
    questions: Mapping[int, QuestionRow] = field(default_factory=dict)

    @property
    def is_valid(self) -> NDArray[np.bool_]:
        """Whether each row was rendered: `ok` or `off_target`."""
        return self.status < STATUSES.index("inapplicable")

    def choices(self, item: ItemRow, place: int) -> tuple[str, ...]:
        """Return the options of an item in this condition."""
        question = self.questions.get(place)
        return item.choices if question is None else question.choices

    def asked(self, item: ItemRow, place: int) -> Asked:
        """Return how an item is asked in this condition."""
        question = self.questions.get(place)
        answer = item.answer if question is None else question.answer
        return Asked(self.choices(item, place), answer, int(self.gold[place]))


@dataclass(frozen=True)
class SplitTable:
    """A split as a score reads it.

    Parameters
    ----------
    folder : Path
        Where it is.
    items : tuple of ItemRow
        In row order; all arrays of a score are aligned with them.
    clusters : ndarray of int64
        A number for each item, equal where items share a recording, or where none is known the
        clip in the first role.
    conditions : dict of str to ConditionTable
        In the order of the suite.
    benchmark : str
        Stem of the source's name.
    suite : str
        Name of the suite.
    seed : int
        Of the split.
    versions : dict of str to str
        Of the packages that made it.
    """

    folder: Path
    items: tuple[ItemRow, ...]
    clusters: NDArray[np.int64]
    conditions: dict[str, ConditionTable]
    benchmark: str
    suite: str = ""
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)


def read_split_table(folder: Path) -> SplitTable:
    """Read what a score needs of a finished split.

    Raises
    ------
    ScoreError
        It is no split, was not finished, or its records do not fit together.
    """
    try:
        split = msgspec.json.decode((folder / SPLIT_FILE).read_bytes(), type=_Split)
    except FileNotFoundError:
        raise ScoreError(
            f"{folder}: holds no {SPLIT_FILE}: it is no split, or one that was not finished"
        ) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise ScoreError(f"{folder / SPLIT_FILE}: cannot be read: {error}") from None
    try:
        items = tuple(read_lines(folder / ITEMS_FILE, ItemRow))
        questions = _read_questions(folder, {item.pair_id: at for at, item in enumerate(items)})
        conditions = _read_rows(folder, items, split.conditions, questions)
    except PlanError as error:
        raise ScoreError(str(error)) from None
    return SplitTable(
        folder=folder,
        items=items,
        clusters=find_clusters(items),
        conditions=conditions,
        benchmark=PurePosixPath(str(split.source.get("path", ""))).stem,
        suite=split.suite,
        seed=split.seed,
        versions=split.environment.get("versions", {}),
    )


def _read_questions(folder: Path, places: Mapping[str, int]) -> dict[str, dict[int, QuestionRow]]:
    found: dict[str, dict[int, QuestionRow]] = {}
    path = folder / QUESTIONS_FILE
    if path.exists():
        for row in read_lines(path, QuestionRow):
            found.setdefault(row.condition, {})[places[row.pair_id]] = row
    return found


def _read_rows(
    folder: Path,
    items: tuple[ItemRow, ...],
    described: list[RecordedCondition],
    questions: Mapping[str, dict[int, QuestionRow]],
) -> dict[str, ConditionTable]:
    places = {item.pair_id: place for place, item in enumerate(items)}
    tables = {
        one.name: ConditionTable(
            name=one.name,
            sham_of=one.sham_of,
            has_audio=one.has_audio,
            status=np.full(len(items), _ABSENT, np.uint8),
            expectation=np.zeros(len(items), np.uint8),
            gold=np.full(len(items), -1, np.int16),
            expected=np.full(len(items), -1, np.int16),
            donor=np.full(len(items), -1, np.int16),
            recorded=one,
            questions=questions.get(one.name, {}),
        )
        for one in described
    }
    status_codes = {name: code for code, name in enumerate(STATUSES)}
    expectation_codes = {str(name): code for code, name in enumerate(EXPECTATIONS)}
    path = folder / MANIFEST_FILE
    for row in read_lines(path, _Row):
        table, place = tables.get(row.condition), places.get(row.pair_id)
        if table is None or place is None or row.status not in status_codes:
            raise ScoreError(
                f"{path}: a row of {row.pair_id!r} in {row.condition!r} ({row.status}) that "
                f"{SPLIT_FILE} or {ITEMS_FILE} does not know; perturb verify tells what was changed"
            )
        table.status[place] = status_codes[row.status]
        table.expectation[place] = expectation_codes.get(row.expectation, 0)
        if row.gold_index is not None:
            table.gold[place] = row.gold_index
        if row.expected_answer is not None or row.donor_answer is not None:
            choices = table.choices(items[place], place)
            table.expected[place] = _place_of(row.expected_answer, choices)
            table.donor[place] = _place_of(row.donor_answer, choices)
    for table in tables.values():
        missing = np.flatnonzero(table.status == _ABSENT)
        if len(missing):
            raise ScoreError(
                f"{path}: {table.name} lacks {len(missing)} of {len(items)} items, "
                f"{items[missing[0]].pair_id!r} for one; perturb verify tells what was changed"
            )
    return tables


def _place_of(answer: str | None, choices: tuple[str, ...]) -> int:
    """Return which option says an answer, -1 where none does."""
    if answer is None:
        return -1
    if answer in choices:
        return choices.index(answer)
    label = normalise(answer)
    return next((at for at, choice in enumerate(choices) if normalise(choice) == label), -1)
