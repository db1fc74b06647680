"""Conflict of words and voice: mislead rate, and accuracy on both kinds of item (ContraTalk)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, difference, mean
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.mislead_rate import conflict_gap, misled, share_misled

__all__ = ["conflict"]

_NONE = "no {} item counts"


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    labels = arms.labels
    if not (labels.conflict >= 0).any():
        return (
            "no items are known to be in conflict or consistent: give columns `trap` or `conflict` "
            "by --labels"
        )

    def hits(run: Answers, counts: Bools) -> Floats:
        return misled(run.said, labels.trap, counts)

    rates = {name: arms.over_runs(name, hits) for name in arms.names}
    return [draft for name in arms.names for draft in _of(arms, name, rates)]


def _of(arms: ModelArms, name: str, rates: dict[str, Floats]) -> Iterator[Draft]:
    scores, known = arms.strict(name), arms.labels.conflict
    plain = arms.plain
    yield Draft(
        name="mislead_rate",
        title="Conflict items answered with what the words suggest",
        unit="share",
        value=share_misled(rates[name]),
        condition=name,
    )
    if plain is not None and name in arms.edited:
        yield Draft(
            name="mislead_excess",
            title=f"The same, beyond that on {plain}",
            unit="difference",
            value=difference(rates[name], rates[plain], _NONE.format("conflict")),
            condition=name,
            against=plain,
        )
    for label, code in (("conflict", 1), ("consistent", 0)):
        yield Draft(
            name="accuracy_by_conflict",
            title=f"Accuracy on {label} items",
            unit="share",
            value=mean(np.where(known == code, scores, np.nan), _NONE.format(label)),
            condition=name,
            group={"conflict": label},
        )
    labelled = np.where(known >= 0, scores, np.nan)
    yield Draft(
        name="conflict_gap",
        title="Accuracy on consistent items minus that on conflict items",
        unit="difference",
        value=conflict_gap(labelled, known == 1),
        condition=name,
    )


conflict = Family("conflict", "Conflict of words and voice", _drafts)
