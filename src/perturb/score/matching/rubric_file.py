"""``rubric-file:PATH``: criteria that open-ended answers were graded by, after AudioSpan.

One row a criterion; the criteria of an answer together are its grade, as a judge's would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.errors import ParameterError, ScoreError
from perturb.score.matching.judge_file import Grade, JudgeFile, read_repeat
from perturb.score.predictions.columns import ID_FIELDS, as_id, first_field, read_columns
from perturb.score.statistics.rubric import Criterion, rubric_score

__all__ = ["read_rubric_file"]

_COLUMNS = ("condition", "kind", "semantic", "reference_s", "answered_s", "model", "repeat")
_HALVES = {0.0: 0, 0.5: 1, 1.0: 2}

_Key = tuple[str | None, str, int | None]


def read_rubric_file(path: Path) -> JudgeFile:
    """Read a table of criteria: CSV, TSV, JSON or JSONL.

    Its columns are an id, `condition`, `kind` (essential, localisation or supporting) and
    `semantic` (0, .5 or 1); where it has them `reference_s` and `answered_s`, in seconds, `model`
    and `repeat`.

    Raises
    ------
    ScoreError
        A column is missing, or a criterion is none; with the row.
    """
    where = printable_path(path)
    columns = read_columns(path, (*ID_FIELDS, *_COLUMNS)).values
    key = first_field(columns, ID_FIELDS)
    missing = [name for name in _COLUMNS[:3] if name not in columns]
    if key is None or missing:
        raise ScoreError(
            f"{where}: a file of criteria has columns for an id ({', '.join(ID_FIELDS[:4])}, …), "
            f"condition, kind and semantic; found {', '.join(columns) or 'none of them'}"
        )
    nothing = [None] * len(columns[key])
    table = zip(columns[key], *(columns.get(name, nothing) for name in _COLUMNS), strict=True)
    criteria: dict[_Key, dict[str, list[Criterion]]] = {}
    for number, (item, condition, *graded, model, repeat) in enumerate(table):
        place = f"{where}: row {number}"
        name = as_id(item)
        if name is None:
            raise ScoreError(f"{place} has no id")
        run = (str(model) if model else None, str(condition), read_repeat(repeat, place))
        criteria.setdefault(run, {}).setdefault(name, []).append(_criterion(graded, place))
    return JudgeFile(path, _grades(criteria), name="rubric-file")


def _grades(
    criteria: Mapping[_Key, Mapping[str, Sequence[Criterion]]],
) -> dict[_Key, dict[str, Grade]]:
    return {
        run: {name: Grade(rubric_score(several)) for name, several in part.items()}
        for run, part in criteria.items()
    }


def _criterion(graded: Sequence[Any], place: str) -> Criterion:
    kind, semantic, reference_s, answered_s = graded
    grade = _number(semantic, f"{place}: semantic")
    if grade not in _HALVES:
        raise ScoreError(f"{place}: semantic is {semantic!r}; accepted: 0, .5 or 1")
    try:
        return Criterion(
            kind=kind,
            semantic=_HALVES[grade],  # type: ignore[arg-type]
            reference_s=_number(reference_s, f"{place}: reference_s"),
            answered_s=_number(answered_s, f"{place}: answered_s"),
        )
    except ParameterError as error:
        raise ScoreError(f"{place}: {error}") from None


def _number(value: Any, what: str) -> float | None:
    if value in (None, ""):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ScoreError(f"{what} is {value!r}; accepted: a number") from None
