"""Weighted averages over tasks, languages and axes, on the items as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.score.arms import ModelArms
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.weighted_average import weighted_average

__all__ = ["averages"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    if arms.first is None:
        return "neither `original` nor `repeat` was answered"
    items = arms.found.items
    groups = {
        "task": [item.task for item in items],
        "language": [item.language for item in items],
        "axis": list(arms.labels.axis),
    }
    drafts = []
    for by, names in groups.items():
        if len({*names} - {None}) < 2:
            continue
        known = np.array([name is not None for name in names])
        scores = np.where(known, arms.strict(arms.first), np.nan)
        labels = np.array([name or "" for name in names])
        alike = {**dict.fromkeys(labels[known].tolist(), 1.0), "": 0.0}
        for weights, words in (("items", "by items"), (alike, "alike")):
            drafts.append(
                Draft(
                    name="weighted_average",
                    title=f"Average of the accuracies by {by}, weighted {words}",
                    unit="share",
                    value=weighted_average(scores, labels, weights),  # type: ignore[arg-type]
                    condition=arms.first,
                    group={"by": by, "weights": words},
                )
            )
    return drafts or "the items have no tasks, languages or axes that differ"


averages = Family("averages", "Weighted averages", _drafts)
