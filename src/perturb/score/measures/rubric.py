"""Rubric score: open-ended answers graded by criteria (AudioSpan)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import mean
from perturb.score.measures.draft import Draft, Family, Found

__all__ = ["rubric"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    if not arms.found.matcher.startswith("rubric-file"):
        return "no answer was graded by criteria: --matcher rubric-file:PATH"
    return [
        Draft(
            name="rubric_score",
            title="Mean rubric score of open-ended answers",
            unit="score",
            value=mean(
                np.where(arms.options_in(name) == 0, arms.strict(name), np.nan),
                "no open-ended answer was graded",
            ),
            condition=name,
        )
        for name in arms.names
    ]


rubric = Family("rubric", "Rubric score", _drafts)
