"""Abstention: how often "cannot be determined from the audio" is chosen, by condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, difference, mean
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.split_table import EXPECTATIONS
from perturb.score.statistics.abstention import abstains

__all__ = ["abstaining"]

_NONE = "no item that counts offers to abstain"
_RIGHT = "no item that counts is unanswerable and offers to abstain"


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    places = [item.abstention for item in arms.found.items]
    if not any(places):
        return 'no item offers an option that says "cannot be determined"'

    def chosen(run: Answers, counts: Bools) -> Floats:
        return abstains(run.said, places, counts)

    shares = {name: arms.over_runs(name, chosen) for name in arms.names}
    return [draft for name in arms.names for draft in _of(arms, name, shares)]


def _of(arms: ModelArms, name: str, shares: dict[str, Floats]) -> Iterator[Draft]:
    plain = arms.plain
    is_edited = plain is not None and name in arms.edited
    yield Draft(
        name="abstention",
        title="Chose that it cannot be determined",
        unit="share",
        value=mean(shares[name], _NONE),
        condition=name,
        beside=((f"on {plain}", mean(shares[plain], _NONE)),) if plain and is_edited else (),
    )
    if plain is None or not is_edited:
        return
    yield Draft(
        name="abstention_excess",
        title=f"The same, beyond that on {plain}",
        unit="difference",
        value=difference(shares[name], shares[plain], _NONE),
        condition=name,
        against=plain,
    )
    expectation = arms.found.conditions[name].expectation
    unanswerable = expectation == EXPECTATIONS.index("unanswerable")
    if unanswerable.any():
        yield Draft(
            name="abstention_where_unanswerable",
            title="Chose that it cannot be determined, where that is right",
            unit="share",
            value=mean(np.where(unanswerable, shares[name], np.nan), _RIGHT),
            condition=name,
        )


abstaining = Family("abstention", "Abstention", _drafts)
