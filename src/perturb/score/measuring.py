"""From drafts to measures: every statistic of a model in the pass that its contrasts need too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from perturb.score.arms import ModelArms
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.estimating import Estimator
from perturb.score.inference.statistic import Statistic
from perturb.score.measures.draft import Draft
from perturb.score.measures.registry import FAMILIES
from perturb.score.records.measure import Beside, Measure, NotApplicable

__all__ = ["Measuring"]

_Place = int | Estimate
"""Where an estimate will stand, or the estimate itself."""


class _Taken(NamedTuple):
    family: str
    draft: Draft
    place: _Place
    beside: list[tuple[str, _Place]]


class Measuring:
    """The measures of one model: taken before the bootstrap, made after it.

    Parameters
    ----------
    arms : ModelArms
        Of the model.
    everyone : sequence of ModelArms
        Of all models.
    estimator : Estimator
        That estimates their statistics.
    """

    def __init__(
        self, arms: ModelArms, everyone: Sequence[ModelArms], estimator: Estimator
    ) -> None:
        self._estimator = estimator
        self._taken: list[_Taken] = []
        self.not_applicable: list[NotApplicable] = []
        for family in FAMILIES:
            found = family.drafts(arms, everyone)
            if isinstance(found, str):
                missing = NotApplicable(family=family.name, title=family.title, reason=found)
                self.not_applicable.append(missing)
                continue
            # What a draft holds per item is summed here, so that few of them live at a time.
            self._taken += [self._take(family.name, draft) for draft in found]

    def made(self) -> Iterator[Measure]:
        """Yield the measures, once the estimator has finished."""
        for family, draft, place, beside in self._taken:
            yield Measure(
                family=family,
                name=draft.name,
                title=draft.title,
                unit=draft.unit,
                condition=draft.condition,
                against=draft.against,
                group=dict(draft.group),
                estimate=self._estimate(place),
                beside=tuple(
                    Beside(label=label, estimate=self._estimate(one)) for label, one in beside
                ),
            )

    def _take(self, family: str, draft: Draft) -> _Taken:
        beside = [(label, self._add(value)) for label, value in draft.beside]
        place = self._add(draft.value)
        return _Taken(family, draft, place, beside)

    def _add(self, value: Statistic | Estimate) -> _Place:
        return value if isinstance(value, Estimate) else self._estimator.add(value)

    def _estimate(self, place: _Place) -> Estimate:
        return place if isinstance(place, Estimate) else self._estimator.estimates[place]
