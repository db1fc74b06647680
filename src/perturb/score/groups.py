"""Accuracy by task and by language in each condition.

Each group is resampled by its own clips, so that all groups together cost what the whole does.
"""

from __future__ import annotations

from perturb.score.arms import ModelArms
from perturb.score.baselines import groups_of
from perturb.score.inference.estimating import estimate_all
from perturb.score.inference.settings import Settings
from perturb.score.records.condition import GroupScore
from perturb.score.statistics.accuracy import accuracy

__all__ = ["group_scores"]


def group_scores(arms: ModelArms, settings: Settings) -> tuple[GroupScore, ...]:
    """Return the accuracies of a model by task, then by language."""
    found = []
    for by, group, members in groups_of(arms.found.items):
        statistics = [accuracy(arms.strict(name)[members]) for name in arms.names]
        estimates = estimate_all(statistics, arms.found.clusters[members], settings)
        found += [
            GroupScore(by=by, group=group, condition=name, accuracy=estimate)
            for name, estimate in zip(arms.names, estimates, strict=True)
        ]
    return tuple(found)
