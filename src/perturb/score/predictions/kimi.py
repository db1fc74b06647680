"""Kimi-Audio-Evalkit: rows with ``index`` and ``prediction``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perturb.score.predictions.fields import FieldForm

__all__ = ["KimiForm"]


class KimiForm(FieldForm):
    """Reads ``prediction`` of rows with an ``index``."""

    name = "kimi"
    looked_for = "rows with index and prediction"
    answer_fields: ClassVar = ("prediction",)

    def recognises(self, path: Path, names: Sequence[str]) -> bool:
        """Whether the rows have both fields and no id of another kind."""
        return {"index", "prediction"} <= set(names) and "id" not in names
