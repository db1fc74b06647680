"""What a listener would do with an item in a condition: by the task map, never guessed."""

from __future__ import annotations

from typing import NamedTuple

from perturb.benchmark.item import Item
from perturb.benchmark.variant import Question
from perturb.operators.ledger import Ledger
from perturb.recipes.suite import Condition
from perturb.split.donors.strata import as_label
from perturb.split.expectations.task_map import FlipRule, TaskMap
from perturb.split.records.manifest import Expectation

__all__ = ["Expected", "expect"]


class Expected(NamedTuple):
    """An expectation, and the answer that goes with it where a rule gives one."""

    expectation: Expectation
    answer: str | None = None


_UNKNOWN = Expected("unknown")


def expect(
    item: Item,
    condition: Condition,
    ledger: Ledger,
    task_map: TaskMap | None,
    *,
    question: Question | None = None,
    donor_answer: str | None = None,
) -> Expected:
    """Return what is to be expected of an item whose audio was edited as the condition says.

    For rows that were rendered: one that carries the original in the place of an edit that could
    not be made has the expectation of `original`.

    Parameters
    ----------
    item : Item
        As it was read.
    condition : Condition
        The condition; rules go by its name.
    ledger : Ledger
        Its own, from `condition_ledger`.
    task_map : TaskMap or None
        Without one nothing is known.
    question : Question, optional
        As this condition asks it; by default as the source does.
    donor_answer : str, optional
        Gold of the donor, where it has exactly one.

    Returns
    -------
    Expected
        A rule that gives a new gold: `flips`, with that (`invariant` where it is the old one). Else
        all that the task needs destroyed: `unanswerable`, with the abstaining option where there is
        exactly one. All kept: `invariant`, with the gold. Else `unknown`. A new gold that the
        question does not offer is no answer, so there the ledger decides.
    """
    asked = Question.of(item) if question is None else question
    task = None if task_map is None else task_map.task_of(item)
    if task is None or task_map is None:
        return _UNKNOWN
    rule = task.rule_for(condition.name)
    new_gold = None if rule is None else _new_gold(rule, item, donor_answer)
    if new_gold is not None:
        text = _as_asked(new_gold, item, asked)
        if text is not None and item.answer is not None:
            is_same = as_label(new_gold) == as_label(item.answer)
            return Expected("invariant" if is_same else "flips", text)
    if set(task.needs) <= set(ledger.destroys):
        abstaining = task_map.abstaining(asked.choices)
        return Expected(
            "unanswerable", asked.choices[abstaining[0]] if len(abstaining) == 1 else None
        )
    if set(task.needs) <= set(ledger.keeps):
        return Expected("invariant", asked.answer)
    return _UNKNOWN


def _new_gold(rule: FlipRule, item: Item, donor_answer: str | None) -> str | None:
    if rule.gold == "donor":
        return donor_answer
    if item.answer is None:
        return None
    by_label = {as_label(old): new for old, new in rule.gold.items()}
    return by_label.get(as_label(item.answer))


def _as_asked(gold: str, item: Item, asked: Question) -> str | None:
    """Return a gold as this condition's options put it, or None where they do not offer it."""
    label = as_label(gold)
    offered = {as_label(choice): choice for choice in asked.choices}
    if label in offered:
        return offered[label]
    if len(asked.choices) == len(item.choices):
        # A table in another language keeps the order of the options.
        places = [at for at, choice in enumerate(item.choices) if as_label(choice) == label]
        return asked.choices[places[0]] if places else (None if item.choices else gold)
    return None if asked.choices else gold
