"""A plain table: an id and a prediction, in CSV, TSV, JSON or JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from perturb.errors import ScoreError
from perturb.score.predictions.columns import ID_FIELDS, Columns
from perturb.score.predictions.fields import FieldForm, rows_of
from perturb.score.predictions.protocol import PredictionRows

__all__ = ["TableForm"]


class TableForm(FieldForm):
    """Reads ``prediction``, ``predicted``, ``pred``, ``output`` or ``model_answer`` beside an id.

    Columns `condition`, `model` and `repeat` are taken where they stand. A JSON object of texts is
    read as answers by id.
    """

    name = "table"
    looked_for = "a column for the id and one for the prediction"
    answer_fields: ClassVar = ("prediction", "predicted", "pred", "output", "model_answer")

    def recognises(self, path: Path, names: Sequence[str]) -> bool:
        """Whether there is an id and a prediction, or answers by id."""
        if super().recognises(path, names):
            return any(name in names for name in ID_FIELDS)
        return path.suffix.lower() == ".json" and _answers_by_id(path) is not None

    def read(self, path: Path) -> PredictionRows:
        """Read it all; see `PredictionReader`."""
        answers = _answers_by_id(path) if path.suffix.lower() == ".json" else None
        if answers is None:
            return super().read(path)
        values: dict[str, list[Any]] = {"id": list(answers), "prediction": list(answers.values())}
        columns = Columns(values, len(answers), "a JSON object")
        return rows_of(self.name, path, columns, "prediction")


def _answers_by_id(path: Path) -> dict[str, str | None] | None:
    """Return the answers of a file that is one object of texts; None where it is another."""
    try:
        with path.open("rb") as file:
            if file.read(64).lstrip()[:1] != b"{":
                return None
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str | None])
    except msgspec.MsgspecError:
        return None
    except OSError as error:
        raise ScoreError(f"{path}: {error.strerror}") from None
