"""Yes-rate: how often yes–no questions are answered with yes, beside how often that is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, mean
from perturb.score.matching.normalising import normalise
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.yes_rate import says_yes

__all__ = ["yes"]

_YES = frozenset(("yes", "true", "ya", "ใช่", "是"))
_NO = frozenset(("no", "false", "tidak", "ไม่ใช่", "ไม่", "不是", "否"))
_NONE = "no yes–no question was answered with an option"


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    places = np.array([_place_of_yes(item.choices) for item in arms.found.items], np.int64)
    if not (places >= 0).any():
        return "no question has yes and no as its options"

    def hits(run: Answers, counts: Bools) -> Floats:
        return says_yes(run.said, places, counts)

    golds = mean(says_yes(arms.golds, places, np.ones(places.size, np.bool_)), _NONE)
    return [
        Draft(
            name="yes_rate",
            title="Yes among the answers to yes–no questions",
            unit="share",
            value=mean(arms.over_runs(name, hits), _NONE),
            condition=name,
            beside=(("of the golds", golds),),
        )
        for name in arms.names
    ]


def _place_of_yes(choices: Sequence[str]) -> int:
    if len(choices) != 2:
        return -1
    labels = [normalise(choice) for choice in choices]
    if {*labels} & _YES and {*labels} & _NO:
        return next(place for place, label in enumerate(labels) if label in _YES)
    return -1


yes = Family("yes", "Yes-rate", _drafts)
