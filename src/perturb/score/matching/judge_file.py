"""``judge-file:PATH``: grades that a judge, a person or a model, gave to answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.predictions.columns import ID_FIELDS, as_id, first_field, read_columns

__all__ = ["Grade", "JudgeFile", "read_judge_file", "read_repeat"]

_GRADE_FIELDS = ("score", "grade", "correct", "verdict", "judge_score", "judge_result")
_LABEL_FIELDS = ("label", "says", "same_as", "answer_class")
_OPTIONAL = ("model", "repeat")
_WORDS = {
    **dict.fromkeys(("yes", "true", "correct", "right"), 1.0),
    **dict.fromkeys(("no", "false", "incorrect", "wrong"), 0.0),
}


class Grade(NamedTuple):
    """What a judge says of one answer.

    Parameters
    ----------
    score : float
        0 to 1.
    label : str or None
        What the answer says, in the judge's words: answers to one item with equal labels say the
        same.
    """

    score: float
    label: str | None = None


_Key = tuple[str | None, str, int | None]


class JudgeFile:
    """Grades by model, condition, repeat and item.

    Parameters
    ----------
    path : Path
        Where they come from.
    grades : mapping
        By (model, condition, repeat), None where the file has no such column; then by item.
    name : str
        Of the rule that reads such files.
    """

    def __init__(
        self, path: Path, grades: Mapping[_Key, Mapping[str, Grade]], name: str = "judge-file"
    ) -> None:
        self.path = path
        self.name = name
        self._grades = grades

    def __len__(self) -> int:
        return sum(len(part) for part in self._grades.values())

    def of(self, model: str, condition: str, repeat: int) -> Mapping[str, Grade]:
        """Return the grades of one run by item; of the most particular rows that there are."""
        found: dict[str, Grade] = {}
        for key in (
            (None, condition, None),
            (None, condition, repeat),
            (model, condition, None),
            (model, condition, repeat),
        ):
            found.update(self._grades.get(key, {}))
        return found

    def unused(self, runs: Set[tuple[str, str]]) -> dict[str, int]:
        """Return how many grades go to models and conditions that were not run, by their names."""
        conditions = {condition for _, condition in runs}
        counts: dict[str, int] = {}
        for (model, condition, _), part in self._grades.items():
            is_used = condition in conditions if model is None else (model, condition) in runs
            if not is_used:
                name = condition if model is None else f"{model}, {condition}"
                counts[name] = counts.get(name, 0) + len(part)
        return counts


def read_judge_file(path: Path) -> JudgeFile:
    """Read a table of grades: CSV, TSV, JSON or JSONL.

    Its columns are an id, `condition`, a grade (`score`, `grade`, `correct` or `verdict`: 0 to 1,
    or yes and no, true and false, correct and incorrect), and where it has them `model`, `repeat`
    and `label`. Ids are the split's pair ids or item ids.

    Raises
    ------
    ScoreError
        A column is missing, a grade is none, or an answer is graded twice; with the row.
    """
    where = printable_path(path)
    wanted = (*ID_FIELDS, "condition", *_GRADE_FIELDS, *_LABEL_FIELDS, *_OPTIONAL)
    columns = read_columns(path, wanted)
    key = first_field(columns.values, ID_FIELDS)
    grade = first_field(columns.values, _GRADE_FIELDS)
    label = first_field(columns.values, _LABEL_FIELDS)
    if key is None or grade is None or "condition" not in columns.values:
        raise ScoreError(
            f"{where}: a judge's file has columns for an id ({', '.join(ID_FIELDS[:4])}, …), "
            f"`condition` and a grade ({', '.join(_GRADE_FIELDS[:4])}); found "
            f"{', '.join(columns.values) or 'none of them'}"
        )
    nothing = [None] * columns.length
    grades: dict[_Key, dict[str, Grade]] = {}
    rows = zip(
        columns.values[key],
        columns.values["condition"],
        columns.values[grade],
        columns.values[label] if label is not None else nothing,
        columns.values.get("model", nothing),
        columns.values.get("repeat", nothing),
        strict=True,
    )
    for number, (item, condition, score, says, model, repeat) in enumerate(rows):
        place = f"{where}: row {number}"
        part = grades.setdefault(
            (str(model) if model else None, str(condition), read_repeat(repeat, place)), {}
        )
        name = as_id(item)
        if name is None or name in part:
            reason = "has no id" if name is None else f"grades {name!r} a second time"
            raise ScoreError(f"{place} {reason}")
        part[name] = Grade(_score(score, place), None if says in (None, "") else str(says))
    return JudgeFile(path, grades)


def _score(value: Any, place: str) -> float:
    if isinstance(value, str):
        word = value.strip().casefold().rstrip(".")
        value = _WORDS.get(word, value)
    try:
        score = float(value)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not 0.0 <= score <= 1.0:
        raise ScoreError(
            f"{place}: the grade is {value!r}; accepted: 0 to 1, yes or no, true or false, correct "
            "or incorrect (scale others to 0 to 1)"
        )
    return score


def read_repeat(value: Any, place: str) -> int | None:
    """Return the number of a repeat, None where there is none; `place` is for messages."""
    if value in (None, ""):
        return None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise ScoreError(f"{place}: repeat is {value!r}; accepted: 0, 1, …") from None
