"""lmms-eval: ``*_samples_*.jsonl``, which name a row's place (``doc_id``) and no item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.predictions.columns import as_text, read_columns
from perturb.score.predictions.protocol import PredictionRows

__all__ = ["LmmsEvalForm"]

_RESPONSES = ("filtered_resps", "resps")
_PARSED_FIELDS = ("model_prediction", "parsed_pred", "pred", "prediction")
_FIELDS = ("doc_id", "target", *_RESPONSES, "submission", "doc")


class LmmsEvalForm:
    """Reads what the model said (``filtered_resps``), not what the task made of it.

    Tasks fill what they cannot parse with an option drawn at random. Where the row keeps the
    task's answer, in ``submission`` or another metric's record, it is compared with what was said.
    """

    name = "lmms_eval"
    looked_for = "a *_samples_*.jsonl of lmms-eval: rows with doc_id and filtered_resps"

    def recognises(self, path: Path, names: Sequence[str]) -> bool:
        """Whether rows have a place and responses."""
        return "doc_id" in names and any(name in names for name in _RESPONSES)

    def read(self, path: Path) -> PredictionRows:
        """Read it all; see `PredictionReader`."""
        columns = read_columns(path, _FIELDS)
        values = columns.values
        said = next((values[name] for name in _RESPONSES if name in values), None)
        if said is None or "doc_id" not in values:
            raise ScoreError(
                f"{printable_path(path)}: no predictions of the form {self.name}, which is "
                f"{self.looked_for}"
            )
        records = values.get("submission", [None] * columns.length)
        parsed = [_parsed(record) for record in records]
        ids, conditions = _from_records(records, values.get("doc", [None] * columns.length))
        beside = "" if all(one is None for one in parsed) else ", the task's answer beside it"
        return PredictionRows(
            path=path,
            form=self.name,
            described=f"{columns.form} of {columns.length} rows, answers in filtered_resps{beside}",
            answers=[_first(value) for value in said],
            parsed=None if all(one is None for one in parsed) else parsed,
            ids=ids,
            places=values["doc_id"],
            conditions=conditions,
            checks={"target": values["target"]} if "target" in values else {},
        )


def _first(value: Any) -> str | None:
    """Return the first of nested lists of responses."""
    while isinstance(value, list) and value:
        value = value[0]
    return None if value == [] else as_text(value)


def _parsed(record: Any) -> str | None:
    if not isinstance(record, dict):
        return None
    return next((as_text(record[name]) for name in _PARSED_FIELDS if name in record), None)


def _from_records(
    records: Sequence[Any], docs: Sequence[Any]
) -> tuple[dict[str, list[Any]], list[Any] | None]:
    """Return pair ids and conditions that came along from the split, where every row has them."""
    found = []
    for pair in zip(records, docs, strict=True):
        kept = [one for one in pair if isinstance(one, dict) and "perturb_pair_id" in one]
        if not kept:
            return {}, None
        found.append(kept[0])
    ids = {"perturb_pair_id": [one["perturb_pair_id"] for one in found]}
    return ids, [one.get("perturb_condition") for one in found]
