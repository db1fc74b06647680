"""Retained ratio: how much of the accuracy on `repeat` each condition keeps."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.score.arms import ModelArms
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.retained_ratio import retained_ratio

__all__ = ["retained"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    plain = arms.plain
    if plain is None or not arms.edited:
        return "it takes `repeat` (or `original`) and another condition"
    return [
        Draft(
            name="retained_ratio",
            title=f"Accuracy over that on {plain}",
            unit="ratio",
            value=retained_ratio(arms.strict(name), arms.strict(plain)),
            condition=name,
            against=plain,
        )
        for name in arms.edited
    ]


retained = Family("retained", "Retained ratio", _drafts)
