"""What a condition does to the audio, by the split's own record of it: kind, ledger, doses."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from perturb.errors import PerturbError
from perturb.operators.ledger import Ledger
from perturb.recipes.draws import read_draw
from perturb.recipes.recipe import Recipe, RecipeStep
from perturb.recipes.suite import UNEDITED, Condition
from perturb.score.records.condition import ConditionKind
from perturb.split.expectations.condition_ledger import condition_ledger

__all__ = ["RecordedCondition", "kind_of", "ledger_of"]

_ANY_SPAN = "somewhere"


class RecordedCondition(msgspec.Struct, frozen=True):
    """One condition of ``split.json``.

    Parameters
    ----------
    condition : dict
        As the suite has it, without defaults.
    recipe : dict or None
        The recipe in full; a sham's is its probe's.
    """

    condition: dict[str, Any]
    recipe: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.condition["name"])

    @property
    def sham_of(self) -> str | None:
        """The condition whose sham it is."""
        return self.condition.get("sham_of")

    @property
    def has_audio(self) -> bool:
        """Whether its rows carry audio."""
        return bool(self.condition.get("audio", "own") == "own")

    @property
    def has_donor(self) -> bool:
        """Whether another item's clip, with another answer, stands in for the own one."""
        return self.condition.get("donor") in ("hard", "easy")

    @property
    def has_transcript(self) -> bool:
        """Whether the words of the audio are told."""
        return bool(self.condition.get("transcript", "none") != "none")

    @property
    def title(self) -> str:
        """What is done, in one line."""
        if self.recipe is not None:
            title = str(self.recipe.get("title", ""))
            return title if self.sham_of is None else f"The sham of {self.sham_of}"
        return {"original": "The clip itself", "repeat": "The clip's bytes again"}.get(
            self.name, _asked(self.condition)
        )


def _asked(condition: Mapping[str, Any]) -> str:
    """Return in words how a condition without a recipe asks."""
    transcript = condition.get("transcript", "none")
    parts = [
        "" if condition.get("audio", "own") == "own" else "without audio",
        {"plain": "with the transcript", "oracle": "with the transcript and the edits"}.get(
            transcript, ""
        ),
        "open-ended" if condition.get("open_ended") else "",
        f"with {condition['options']} options" if condition.get("options") else "",
        "in the words of another table" if condition.get("table") else "",
        "joined with other clips" if condition.get("join") else "",
    ]
    text = ", ".join(part for part in parts if part)
    return f"The question {text}" if text else ""


def kind_of(one: RecordedCondition, ledger: Ledger) -> ConditionKind:
    """Return what a condition is in the experiment.

    A control leaves nothing of the clip to answer from: its ledger keeps nothing but background
    and channel and destroys the words, or another clip stands in; no transcript tells the words.
    """
    if one.name in UNEDITED:
        return "original" if one.name == "original" else "repeat"
    if one.sham_of is not None:
        return "sham"
    is_emptied = "words" in ledger.destroys and not set(ledger.keeps) - {"background", "channel"}
    if not one.has_transcript and (one.has_donor or is_emptied or not one.has_audio):
        return "control"
    return "probe" if one.recipe is not None and one.has_audio else "question"


def ledger_of(one: RecordedCondition, conditions: Iterable[RecordedCondition]) -> Ledger:
    """Return what a condition is known to keep and destroy.

    Nothing is promised where its record cannot be understood here: an operator of another package,
    or of another version.
    """
    everything = list(conditions)
    recipes = {str(each.condition.get("recipe")): each.recipe for each in everything if each.recipe}
    try:
        suite = [_condition(each) for each in everything]
        own = next(each for each in suite if each.name == one.name)
        return condition_ledger(own, suite, functools.partial(_recipe, recipes))
    except (PerturbError, msgspec.MsgspecError, KeyError, TypeError):
        return Ledger()


def _condition(one: RecordedCondition) -> Condition:
    return msgspec.convert(one.condition, Condition)


def _recipe(recipes: Mapping[str, Mapping[str, Any]], name: str) -> Recipe:
    """Return a recipe of a record; where it acts matters to a ledger, not where exactly."""
    table = recipes[name]
    return Recipe(
        name=name,
        title=str(table["title"]),
        steps=tuple(
            RecipeStep(
                op=step["op"],
                fields={key: _field(value) for key, value in step["fields"].items()},
                at=(_ANY_SPAN,) if step["at"] else (),
            )
            for step in table["steps"]
        ),
    )


def _field(value: Any) -> Any:
    if not isinstance(value, dict) or "draw" not in value:
        return value
    return read_draw({key: part for key, part in value.items() if key != "draw"})
