"""The answers of one model as arrays by condition: what contrasts and statistics are made of.

Repeats are averaged item by item. Rows that missed a proof (`off_target`) are left out, except
where they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from perturb.score.answers import INVALID, MISSING, UNGRADED, Answers, ScoreInput
from perturb.score.inference.statistic import Bools, Floats
from perturb.score.labels.labels import Labels, no_labels
from perturb.score.records.condition import ConditionFacts
from perturb.score.split_table import STATUSES

__all__ = ["ModelArms", "mean_over"]

_UNCOUNTED = (MISSING, INVALID, UNGRADED)


class ModelArms:
    """One model's answers.

    Parameters
    ----------
    found : ScoreInput
        All answers.
    model : str
        Whose are wanted.
    facts : mapping of str to ConditionFacts
        What the conditions are.
    """

    def __init__(self, found: ScoreInput, model: str, facts: Mapping[str, ConditionFacts]) -> None:
        self.found = found
        self.model = model
        self.facts = facts
        runs = {name: found.of(model, name) for name in found.conditions}
        self.runs: dict[str, tuple[Answers, ...]] = {
            name: repeats for name, repeats in runs.items() if repeats
        }
        self._strict: dict[str, Floats] = {}

    @cached_property
    def labels(self) -> Labels:
        """What is known of the items beyond the split's records."""
        return self.found.labels or no_labels(len(self.found.items))

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions that were answered, in the order of the suite."""
        return tuple(self.runs)

    @property
    def plain(self) -> str | None:
        """The condition that edits are held against: `repeat`, else `original`, else None."""
        return next((name for name in ("repeat", "original") if name in self.runs), None)

    @property
    def first(self) -> str | None:
        """The condition in which the items are as they are: `original`, else `repeat`."""
        return next((name for name in ("original", "repeat") if name in self.runs), None)

    @property
    def edited(self) -> tuple[str, ...]:
        """The conditions that were answered but for `original` and `repeat`."""
        return tuple(name for name in self.runs if name not in ("original", "repeat"))

    @property
    def controls(self) -> tuple[str, ...]:
        """The conditions that leave nothing of the clip; those with another clip come last."""
        names = [name for name in self.runs if self.facts[name].kind == "control"]
        return tuple(sorted(names, key=self.has_donor))

    def has_donor(self, name: str) -> bool:
        """Whether another item's clip, with another answer, stands in for the own one."""
        return self.found.conditions[name].recorded.has_donor

    def sham(self, name: str) -> str | None:
        """Return the sham of a condition, or None where none was answered."""
        return next((one for one in self.runs if self.facts[one].sham_of == name), None)

    def strict(self, name: str) -> Floats:
        """Return the score of each item, NaN where it does not count or missed a proof."""
        if name not in self._strict:
            self._strict[name] = np.where(self.on_target(name), self.loose(name), np.nan)
        return self._strict[name]

    def loose(self, name: str) -> Floats:
        """Return the score of each item, NaN where it does not count."""
        return mean_over([run.correct for run in self.runs[name]])

    def on_target(self, name: str) -> Bools:
        """Return which items' edits did not miss a proof."""
        is_on_target: Bools = self.found.conditions[name].status != STATUSES.index("off_target")
        return is_on_target

    def counts(self, run: Answers) -> Bools:
        """Return which rows of a run have an answer that counts, whatever it is."""
        return ~np.isin(run.state, _UNCOUNTED) & self.on_target(run.condition)

    def over_runs(self, name: str, work: Callable[[Answers, Bools], Floats]) -> Floats:
        """Return what `work` gives for a run and the rows that count, averaged over repeats."""
        return mean_over([work(run, self.counts(run)) for run in self.runs[name]])

    def over_pairs(
        self, first: str, second: str, work: Callable[[Answers, Answers, Bools], Floats]
    ) -> Floats:
        """Return what `work` gives for runs of two conditions, averaged over all pairs of them."""
        return mean_over(
            [
                work(one, other, self.counts(one) & self.counts(other))
                for one, other in product(self.runs[first], self.runs[second])
            ]
        )

    @cached_property
    def options(self) -> NDArray[np.int64]:
        """Number of options of each item as it is in the source."""
        return np.array([len(item.choices) for item in self.found.items], np.int64)

    def options_in(self, name: str) -> NDArray[np.int64]:
        """Return the number of options of each item as a condition asks it."""
        options = self.options.copy()
        for place, question in self.found.conditions[name].questions.items():
            options[place] = len(question.choices)
        return options

    @cached_property
    def golds(self) -> NDArray[np.int64]:
        """Place of each item's gold among its own options, -1 where there is none."""
        places = [item.answer_index for item in self.found.items]
        return np.array([-1 if place is None else place for place in places], np.int64)


def mean_over(stack: list[Floats]) -> Floats:
    """Return the mean of several arrays over those that are not NaN; NaN where all are."""
    if len(stack) == 1:
        return stack[0]
    scores = np.array(stack)
    counts = ~np.isnan(scores)
    held = counts.sum(axis=0)
    values = np.full(held.shape, np.nan)
    np.divide(np.where(counts, scores, 0.0).sum(axis=0), held, out=values, where=held > 0)
    return values
