"""AIR-Bench, HEAR, VoiceBench and their kind: rows with ``response``."""

from __future__ import annotations

from typing import ClassVar

from perturb.score.predictions.fields import FieldForm

__all__ = ["ResponseForm"]


class ResponseForm(FieldForm):
    """Reads ``response``; VoiceBench's rows have no id and go by their order."""

    name = "response"
    looked_for = "rows with response"
    answer_fields: ClassVar = ("response",)
