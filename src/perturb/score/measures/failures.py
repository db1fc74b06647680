"""Answers that name no option: unparsed, refused, empty; and rows without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perturb.score.answers import (
    EMPTY,
    INVALID,
    MISSING,
    REFUSED,
    UNPARSED,
    Answers,
)
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, mean
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.answer_states import in_state

__all__ = ["failures"]

_NONE = "no row was asked"
_STATES = {"unparsed": UNPARSED, "refused": REFUSED, "empty": EMPTY, "missing": MISSING}
_NAMELESS = (UNPARSED, REFUSED, EMPTY)


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    return [draft for name in arms.names for draft in _of(arms, name)]


def _of(arms: ModelArms, name: str) -> Iterator[Draft]:
    def nameless(run: Answers, counts: Bools) -> Floats:
        return np.where(counts, np.isin(run.state, _NAMELESS).astype(np.float64), np.nan)

    yield Draft(
        name="names_no_option",
        title="Answers that name no option: unparsed, refused or empty",
        unit="share",
        value=mean(arms.over_runs(name, nameless), "no row was answered"),
        condition=name,
    )
    for state, code in _STATES.items():
        if not any((run.state == code).any() for run in arms.runs[name]):
            continue

        def hits(run: Answers, counts: Bools, code: int = code) -> Floats:
            return in_state(run.state, code, run.state != INVALID)

        yield Draft(
            name=state,
            title=f"Rows asked whose answer is {state}",
            unit="share",
            value=mean(arms.over_runs(name, hits), _NONE),
            condition=name,
        )


failures = Family("failures", "Answers that name no option", _drafts)
