"""MMAU: the benchmark's rows with ``model_output`` or, in later versions, ``model_prediction``."""

from __future__ import annotations

from typing import ClassVar

from perturb.score.predictions.fields import FieldForm

__all__ = ["MmauForm"]


class MmauForm(FieldForm):
    """Reads ``model_prediction``, else ``model_output``; with both, the latter is what was said."""

    name = "mmau"
    looked_for = "the benchmark's rows with model_output or model_prediction"
    answer_fields: ClassVar = ("model_prediction", "model_output")
    raw_fields: ClassVar = ("model_output",)
