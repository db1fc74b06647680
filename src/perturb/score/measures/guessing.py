"""Above chance: accuracy minus that of a guesser, on the items as they are and without audio."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.score.arms import ModelArms
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.chance import above_chance

__all__ = ["guessing"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    if not arms.options.any():
        return "no item has options"
    return [
        Draft(
            name="above_chance",
            title="Accuracy minus that of a guesser",
            unit="difference",
            value=above_chance(arms.strict(name), arms.options_in(name)),
            condition=name,
        )
        for name in arms.names
        if name in (arms.first, arms.plain) or name in arms.controls
    ]


guessing = Family("guessing", "Above chance", _drafts)
