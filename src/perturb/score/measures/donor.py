"""Follows the donor: answers with another clip's gold where that clip is heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, difference, mean
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.follows_donor import follows_donor

__all__ = ["donor"]

_NONE = "no item that counts has a donor whose gold is another of its options"


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    names = [name for name in arms.edited if arms.has_donor(name)]
    if not names:
        return "no condition puts another item's clip in the place of the own one (mismatched)"
    return [draft for name in names for draft in _of(arms, name)]


def _of(arms: ModelArms, name: str) -> Iterator[Draft]:
    table = arms.found.conditions[name]

    def follows(run: Answers, counts: Bools) -> Floats:
        return follows_donor(run.choice, table.donor, table.gold, counts)

    under = arms.over_runs(name, follows)
    plain = arms.plain
    own = None if plain is None else arms.over_runs(plain, follows)
    yield Draft(
        name="follows_donor",
        title="Answered with the gold of the clip that was heard",
        unit="share",
        value=mean(under, _NONE),
        condition=name,
        beside=() if own is None else ((f"the same answer on {plain}", mean(own, _NONE)),),
    )
    if own is not None:
        yield Draft(
            name="follows_donor_excess",
            title=f"The same, beyond that answer on {plain}",
            unit="difference",
            value=difference(under, own, _NONE),
            condition=name,
            against=plain,
        )


donor = Family("donor", "Follows the donor", _drafts)
