"""Several models on the same items: paired differences, adjusted together, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from perturb.score.arms import ModelArms
from perturb.score.inference.models import compare_models, rank_models
from perturb.score.inference.settings import Settings
from perturb.score.inference.verdict import decide_all
from perturb.score.records.comparison import ModelComparison, ModelsCompared

__all__ = ["models_compared"]


def models_compared(
    everyone: Sequence[ModelArms], settings: Settings
) -> tuple[ModelsCompared, ...]:
    """Return the models compared on the items as they are; nothing where one model answered."""
    for condition in ("original", "repeat"):
        answered = [arms for arms in everyone if condition in arms.runs]
        if len(answered) > 1:
            return (_compared(condition, answered, settings),)
    return ()


def _compared(condition: str, everyone: Sequence[ModelArms], settings: Settings) -> ModelsCompared:
    names = [arms.model for arms in everyone]
    scores = np.array([arms.strict(condition) for arms in everyone])
    clusters = everyone[0].found.clusters
    contrasts = compare_models(scores, clusters, settings)
    verdicts = decide_all(list(contrasts.values()), settings)
    return ModelsCompared(
        condition=condition,
        pairs=tuple(
            ModelComparison(first=first, second=second, contrast=contrast, verdict=verdict)
            for (first, second), contrast, verdict in zip(
                combinations(names, 2), contrasts.values(), verdicts, strict=True
            )
        ),
        ranks=rank_models(names, scores, clusters, settings),
    )
