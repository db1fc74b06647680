"""Weak and strong items: accuracy on those that k of the m models do not answer without audio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Floats, mean
from perturb.score.measures.contribution import NO_CONTROL
from perturb.score.measures.draft import Draft, Family, Found, fixed
from perturb.score.statistics.chance import chance
from perturb.score.statistics.weak_strong import expected_weak, weak_items

__all__ = ["weak_strong"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    first = arms.first
    if first is None or not arms.controls:
        return NO_CONTROL
    control = arms.controls[0]
    others = [one for one in everyone if control in one.runs]
    silenced = np.array([one.strict(control) for one in others])
    guess = chance(arms.options_in(control))
    return [
        draft
        for k in range(1, len(others) + 1)
        for draft in _of(arms, first, control, weak_items(silenced, k), (k, len(others)), guess)
    ]


def _of(
    arms: ModelArms, first: str, control: str, weak: Floats, k_of_m: tuple[int, int], guess: Floats
) -> Iterator[Draft]:
    k, m = k_of_m
    group = {"weak": f"{k} of {m} models"}
    who = "the model answers" if m == 1 else f"at least {k} of {m} models answer"
    yield Draft(
        name="weak_share",
        title=f"Items that {who} under {control}",
        unit="share",
        value=mean(weak),
        condition=control,
        group=group,
        beside=(("guessers'", fixed(expected_weak(guess, m, k))),),
    )
    for label, code in (("strong", 0.0), ("weak", 1.0)):
        yield Draft(
            name=f"accuracy_on_{label}",
            title=f"Accuracy on {label} items",
            unit="share",
            value=mean(
                np.where(weak == code, arms.strict(first), np.nan), f"no {label} item counts"
            ),
            condition=first,
            against=control,
            group=group,
        )


weak_strong = Family("weak_strong", "Weak and strong items", _drafts)
