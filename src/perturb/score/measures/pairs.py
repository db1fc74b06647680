"""Pairs within a table of items: both right, the same answer to both, orphans (HEAR)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, Ints, mean
from perturb.score.matching.normalising import normalise
from perturb.score.measures.draft import Draft, Family, Found, fixed, on_items
from perturb.score.statistics.paired_accuracy import both_right, count_orphans, paired_floor
from perturb.score.statistics.pairs import Pairs, pair_up
from perturb.score.statistics.same_answer import same_answer, same_answer_floor

__all__ = ["pairs"]

_NONE = "no pair has two members that count"


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    labelled = [place for place, name in enumerate(arms.labels.pair) if name is not None]
    if not labelled:
        return (
            "no items are known to be pairs: give a column `pair` by --labels, or ids that end in "
            "_original and _hallucinated"
        )
    rows = np.array(labelled, np.int64)
    local = pair_up([str(arms.labels.pair[place]) for place in labelled])
    found = Pairs(rows[local.first], rows[local.second], rows[local.orphans])
    codes = _codes(arms, found)
    return [draft for name in arms.names for draft in _of(arms, name, found, codes)]


def _codes(arms: ModelArms, found: Pairs) -> NDArray[np.int64]:
    """Return for each option of a second member its place in the first's, shape (items, options).

    Options that the first does not offer get numbers of their own.
    """
    items = arms.found.items
    most = max((len(item.choices) for item in items), default=0)
    table = np.tile(np.arange(most, dtype=np.int64), (len(items), 1))
    for first, second in zip(found.first.tolist(), found.second.tolist(), strict=True):
        if items[first].choices == items[second].choices:
            continue
        labels = [normalise(choice) for choice in items[first].choices]
        for place, choice in enumerate(items[second].choices):
            label = normalise(choice)
            table[second, place] = labels.index(label) if label in labels else most + place
    return table


def _of(arms: ModelArms, name: str, found: Pairs, codes: NDArray[np.int64]) -> Iterator[Draft]:
    scores = arms.strict(name)
    first, second = scores[found.first], scores[found.second]
    count = len(arms.found.items)
    options = arms.options[found.first], arms.options[found.second]

    def same(run: Answers, counts: Bools) -> Floats:
        held = counts[found.first] & counts[found.second]
        return same_answer(run.said[found.first], _coded(run, found.second, codes), held)

    yield Draft(
        name="paired_accuracy",
        title="Both members of a pair right",
        unit="share",
        value=mean(on_items(both_right(first, second), found.first.tolist(), count), _NONE),
        condition=name,
        beside=(("an independent guesser's", fixed(paired_floor(*options))),),
    )
    yield Draft(
        name="same_answer_rate",
        title="The same answer to both members of a pair (lower is better)",
        unit="share",
        value=mean(on_items(arms.over_runs(name, same), found.first.tolist(), count), _NONE),
        condition=name,
        beside=(("an independent guesser's", fixed(same_answer_floor(options[0]))),),
    )
    yield Draft(
        name="orphans",
        title="Pairs of which one member does not count, and members without a partner",
        unit="count",
        value=fixed(float(count_orphans(first, second) + found.orphans.size)),
        condition=name,
    )


def _coded(run: Answers, members: Ints, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    said = run.said[members].astype(np.int64)
    if not codes.shape[1]:
        return said
    known = np.clip(said, 0, codes.shape[1] - 1)
    return np.where((said >= 0) & (said == known), codes[members, known], said)


pairs = Family("pairs", "Pairs", _drafts)
