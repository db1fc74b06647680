"""MMAR: the benchmark's rows with ``answer_prediction``."""

from __future__ import annotations

from typing import ClassVar

from perturb.score.predictions.fields import FieldForm

__all__ = ["MmarForm"]


class MmarForm(FieldForm):
    """Reads ``answer_prediction``; ``thinking_prediction`` is left aside."""

    name = "mmar"
    looked_for = "the benchmark's rows with answer_prediction"
    answer_fields: ClassVar = ("answer_prediction",)
