"""What needs no audio and no reading, over all items and by task and language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from perturb.score.inference.estimating import estimate_all
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Bools, Floats, mean
from perturb.score.records.condition import Baselines, GroupBaselines, GroupKind
from perturb.score.statistics.always_first import always_first
from perturb.score.statistics.chance import chance
from perturb.score.statistics.longest_option import longest_option
from perturb.score.statistics.majority import majority
from perturb.split.records.manifest import ItemRow

__all__ = ["baselines", "groups_of"]

_UNDEFINED = {
    "chance": "no item has options",
    "majority": "no item has a gold",
    "always_first": "no item has a gold among options",
    "longest_option": "no item has options",
}


def baselines(
    items: Sequence[ItemRow], clusters: NDArray[np.int64], settings: Settings
) -> tuple[Baselines, tuple[GroupBaselines, ...]]:
    """Return the baselines of all items, and those of each task and language."""
    hits = _hits(items)
    groups = tuple(
        GroupBaselines(
            by=by,
            group=group,
            items=int(members.sum()),
            baselines=_estimated(hits, members, clusters, settings),
        )
        for by, group, members in groups_of(items)
    )
    everything = np.ones(len(items), np.bool_)
    return _estimated(hits, everything, clusters, settings), groups


def groups_of(items: Sequence[ItemRow]) -> Iterator[tuple[GroupKind, str, Bools]]:
    """Yield each task and each language with its items, where there is more than one."""
    kinds: Mapping[GroupKind, list[str | None]] = {
        "task": [item.task for item in items],
        "language": [item.language for item in items],
    }
    for by, labels in kinds.items():
        names = sorted({label for label in labels if label is not None})
        numbers = {name: number for number, name in enumerate(names)}
        places = np.array([numbers.get(label or "", -1) for label in labels], np.int64)
        if len(names) > 1:
            for name, number in numbers.items():
                yield by, name, places == number


def _hits(items: Sequence[ItemRow]) -> dict[str, Floats]:
    golds = np.array([-1 if item.answer_index is None else item.answer_index for item in items])
    texts: dict[str, int] = {}
    labels = [
        -1 if item.answer is None else texts.setdefault(item.answer, len(texts)) for item in items
    ]
    return {
        "chance": chance(np.array([len(item.choices) for item in items])),
        "majority": majority(np.array(labels), np.array([item.task or "" for item in items])),
        "always_first": always_first(golds),
        "longest_option": longest_option([item.choices for item in items], golds),
    }


def _estimated(
    hits: Mapping[str, Floats], members: Bools, clusters: NDArray[np.int64], settings: Settings
) -> Baselines:
    statistics = [mean(values[members], _UNDEFINED[name]) for name, values in hits.items()]
    estimates = estimate_all(statistics, clusters[members], settings)
    return Baselines(**dict(zip(hits, estimates, strict=True)))
