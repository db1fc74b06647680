"""Joined stimuli as the split needs them: steps for rendering, plans for the questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from perturb.benchmark.item import Item
from perturb.errors import InapplicableError
from perturb.plan.step import Step
from perturb.split.joining.planning import JoinPlan, JoinPlanner
from perturb.split.presentation import Joined

if TYPE_CHECKING:
    from perturb.split.treatment import Treatment

__all__ = ["Joins"]


class Joins(Mapping[tuple[str, str], JoinPlan]):
    """The joined stimuli of a benchmark by condition and pair id, each planned when asked for.

    Parameters
    ----------
    planner : callable
        Returns what draws the other clips, the order and the gaps; called when a plan is needed.
    treatments : mapping of str to Treatment
        By condition.
    items : mapping of str to Item
        By pair id.
    """

    def __init__(
        self,
        planner: Callable[[], JoinPlanner],
        treatments: Mapping[str, Treatment],
        items: Mapping[str, Item],
    ) -> None:
        self._planner = planner
        self._treatments = treatments
        self._items = items

    def stimulus(self, name: str, item: Item) -> Joined | str:
        """Return what joins an item's clip in a condition, or why it cannot be joined."""
        treatment = self._treatments[name]
        try:
            plan = self._planner().plan(item, treatment.probe)
        except InapplicableError as error:
            return str(error)
        step = Step(operator=plan.operator(), role=treatment.role)
        own = plan.position - 1
        others = tuple(clip.clip for at, clip in enumerate(plan.clips) if at != own)
        return Joined((step,), others, plan, item.task)

    def __getitem__(self, key: tuple[str, str]) -> JoinPlan:
        name, pair_id = key
        try:
            return self._planner().plan(self._items[pair_id], self._treatments[name].probe)
        except InapplicableError:
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for name, treatment in self._treatments.items():
            if treatment.probe.join is not None:
                yield from ((name, pair_id) for pair_id in self._items)

    def __len__(self) -> int:
        return sum(1 for _ in self)
