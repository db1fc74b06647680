"""The common part of forms whose rows are a benchmark's own with the answer in a further field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.predictions.columns import ID_FIELDS, Columns, as_text, read_columns
from perturb.score.predictions.protocol import PredictionRows

__all__ = ["FieldForm", "rows_of"]

_CONDITION_FIELDS = ("perturb_condition", "condition")
_MODEL_FIELDS = ("model", "model_name")
_REPEAT_FIELDS = ("repeat",)
_QUESTION_FIELDS = ("question", "instruction")


class FieldForm:
    """Reads rows of fields, one of which is the answer.

    Subclasses name the fields that answer, the surest first, and those that hold what the model
    said before somebody parsed it.
    """

    name: str
    looked_for: str
    answer_fields: ClassVar[tuple[str, ...]]
    raw_fields: ClassVar[tuple[str, ...]] = ()

    def recognises(self, path: Path, names: Sequence[str]) -> bool:
        """Whether the rows have a field that this form answers in."""
        return any(name in names for name in self.answer_fields)

    def read(self, path: Path) -> PredictionRows:
        """Read it all; see `PredictionReader`."""
        wanted = list(dict.fromkeys((*self.answer_fields, *self.raw_fields)))
        columns = read_columns(path, (*wanted, *_shared_fields(wanted)))
        answer = next((name for name in self.answer_fields if name in columns.values), None)
        if answer is None:
            raise ScoreError(
                f"{printable_path(path)}: no predictions of the form {self.name}, which has "
                f"{self.looked_for}"
            )
        raw = next((n for n in self.raw_fields if n in columns.values and n != answer), None)
        said = None if raw is None else [as_text(value) for value in columns.values[raw]]
        return rows_of(self.name, path, columns, answer, raw=said)


def _shared_fields(taken: Sequence[str]) -> list[str]:
    shared = (
        *ID_FIELDS,
        *_CONDITION_FIELDS,
        *_MODEL_FIELDS,
        *_REPEAT_FIELDS,
        *_QUESTION_FIELDS,
    )
    return [name for name in dict.fromkeys(shared) if name not in taken]


def rows_of(
    form: str,
    path: Path,
    columns: Columns,
    answer: str,
    *,
    raw: list[str | None] | None = None,
) -> PredictionRows:
    """Return the predictions of a table whose column `answer` answers.

    Parameters
    ----------
    form, path
        As in `PredictionRows`.
    columns : Columns
        Of the table.
    answer : str
        The column.
    raw : list of str or None, optional
        What the model said, where `answer` is what somebody parsed out of it.
    """
    values = columns.values
    parsed = [as_text(value) for value in values[answer]]
    question = _column(values, _QUESTION_FIELDS)
    ids = {name: values[name] for name in ID_FIELDS if name in values and name != answer}
    beside = "" if raw is None else ", what the model said beside it"
    joined = f"ids in {', '.join(ids)}" if ids else "no ids"
    return PredictionRows(
        path=path,
        form=form,
        described=f"{columns.form} of {columns.length} rows, answers in {answer}{beside}, {joined}",
        answers=parsed if raw is None else raw,
        parsed=None if raw is None else parsed,
        is_parsed_read=raw is not None,
        ids=ids,
        conditions=_column(values, _CONDITION_FIELDS),
        models=_column(values, _MODEL_FIELDS),
        repeats=_column(values, _REPEAT_FIELDS),
        checks={} if question is None else {"question": question},
    )


def _column(values: dict[str, list[Any]], names: Sequence[str]) -> list[Any] | None:
    return next((values[name] for name in names if name in values), None)
