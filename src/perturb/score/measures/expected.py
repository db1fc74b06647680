"""Flip to expected: answers that become what the edit makes right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, difference
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.split_table import EXPECTATIONS
from perturb.score.statistics.flip_to_expected import flip_to_expected

__all__ = ["expected"]

_TITLES = {
    "reached": "Answered with the new gold",
    "moved": "Of the items that were right before, answered with the new gold",
    "stuck": "Of the items that were right before, still answered with the old gold",
}
_NONE = "no item with a new gold counts in both conditions"


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    flips = EXPECTATIONS.index("flips")
    names = [
        name for name in arms.edited if (arms.found.conditions[name].expectation == flips).any()
    ]
    if not names or arms.plain is None:
        return "no row expects another answer than the original's: a rule of the task map says so"
    return [draft for name in names for draft in _of(arms, name, arms.plain)]


def _of(arms: ModelArms, name: str, plain: str) -> Iterator[Draft]:
    table = arms.found.conditions[name]
    flips = table.expectation == EXPECTATIONS.index("flips")

    def at(places: NDArray[np.int16], condition: str) -> Floats:
        def hits(run: Answers, counts: Bools) -> Floats:
            asked = counts & flips & (places >= 0)
            return np.where(asked, (run.choice == places).astype(np.float64), np.nan)

        return arms.over_runs(condition, hits)

    new, old = at(table.expected, name), at(table.gold, name)
    found = flip_to_expected(arms.strict(plain), new, old)
    for part, value in zip(_TITLES, found, strict=True):
        yield Draft(
            name=part,
            title=_TITLES[part],
            unit="share",
            value=value,
            condition=name,
            against=None if part == "reached" else plain,
        )
    yield Draft(
        name="reached_excess",
        title=f"Answered with the new gold, beyond that on {plain}",
        unit="difference",
        value=difference(new, at(table.expected, plain), _NONE),
        condition=name,
        against=plain,
    )


expected = Family("expected", "Flip to the expected answer", _drafts)
