"""Noise floor: how often two runs on the very same audio disagree, in correctness and in answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from perturb.score.arms import ModelArms, mean_over
from perturb.score.inference.statistic import Floats, mean
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.influence_rate import influenced
from perturb.score.statistics.noise_floor import noise_floor

__all__ = ["ONCE", "answer_noise", "correctness_noise", "noise"]

ONCE = "the original's bytes were not run twice"
"""Why there is no floor."""

_UNEDITED = ("original", "repeat")


def correctness_noise(arms: ModelArms) -> Floats:
    """Return for each item the probability that two runs on the original's bytes disagree."""
    runs = [one.correct for name in _UNEDITED for one in arms.runs.get(name, ())]
    return noise_floor(np.array(runs).reshape(-1, len(arms.found.items)))


def answer_noise(arms: ModelArms) -> Floats:
    """Return for each item the share of pairs of such runs that answer otherwise."""
    runs = [one for name in _UNEDITED for one in arms.runs.get(name, ())]
    if len(runs) < 2:
        return np.full(len(arms.found.items), np.nan)
    return mean_over(
        [
            influenced(one.said, other.said, arms.counts(one) & arms.counts(other))
            for one, other in combinations(runs, 2)
        ]
    )


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    if sum(len(arms.runs.get(name, ())) for name in _UNEDITED) < 2:
        return f"{ONCE}: the suite's `repeat`, or a second run, gives the floor"
    return [
        Draft(
            name="noise_floor",
            title="Two runs on the same bytes differ in correctness",
            unit="share",
            value=mean(correctness_noise(arms), ONCE),
        ),
        Draft(
            name="answer_noise_floor",
            title="Two runs on the same bytes give different answers",
            unit="share",
            value=mean(answer_noise(arms), ONCE),
        ),
    ]


noise = Family("noise", "Noise floor", _drafts)
