"""Strata, one for each task and language, and their labels: a closed set, one alone, or neither."""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from perturb.benchmark.item import Item
from perturb.split.donors.table import Labels

__all__ = ["LabelSet", "StratumKey", "answered_by_language", "as_label", "decide_labels"]

StratumKey = tuple[str | None, str | None]
"""Task and language."""

_REPEATS = 3
_MOST_LABELS = 64


class LabelSet(NamedTuple):
    """Whether the answers of a stratum are a closed set, and how that was decided."""

    labels: Labels
    decided: str
    one_option_set: bool = False


@functools.lru_cache(maxsize=2**16)
def as_label(text: str) -> str:
    """Return a text as answers are compared: composed, without case and surplus space."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def decide_labels(items: Sequence[Item]) -> LabelSet:
    """Decide whether the items of one stratum draw their answers from one closed set.

    They do where every item that has options offers the same ones, and every gold is among them
    (open-ended twins of such items included); or where no more than 64 golds are each met three
    times on average. Otherwise the set is open.

    Parameters
    ----------
    items : sequence of Item
        Of one task and language; their order does not matter.
    """
    golds = [as_label(item.answer) for item in items if item.answer is not None]
    if not golds:
        return LabelSet("unknown", "no item states its answer")
    different = set(golds)
    offered = {frozenset(as_label(choice) for choice in item.choices) for item in items}
    offered.discard(frozenset())
    if len(offered) == 1:
        options = next(iter(offered))
        if different <= options:
            return LabelSet("closed", f"all options are the same {len(options)}", True)
    met = f"{len(different)} different answers in {len(golds)} items"
    if len(different) <= _MOST_LABELS and len(golds) >= _REPEATS * len(different):
        return LabelSet("closed", met)
    return LabelSet("open", met)


def answered_by_language(items: Iterable[Item]) -> dict[StratumKey, str]:
    """Return the strata whose answer follows from the language, with what was counted.

    There all golds that are known are one, while the task has others in other languages (as where
    it asks for the language): only those can give another answer. Items of unknown language say
    nothing about it.

    Parameters
    ----------
    items : iterable of Item
        Of all tasks and languages; their order does not matter.
    """
    golds: dict[StratumKey, Counter[str]] = defaultdict(Counter)
    for item in items:
        if item.language and item.answer is not None:
            golds[item.task, item.language][as_label(item.answer)] += 1
    of_task: dict[str | None, set[str]] = defaultdict(set)
    for (task, _), known in golds.items():
        of_task[task].update(known)
    languages = Counter(task for task, _ in golds)
    return {
        (task, language): f"one answer in {known.total()} items of this language, "
        f"{len(of_task[task])} in the {languages[task]} languages of the task"
        for (task, language), known in golds.items()
        if len(known) == 1 and len(of_task[task]) > 1
    }
