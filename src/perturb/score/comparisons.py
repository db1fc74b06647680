"""Which conditions of a model are compared, and what each comparison shows.

The primary contrast of a condition is with its sham; of one without a sham, with `repeat`, or where
that was not run with `original`, and it says so. What a probe leaves is held against the first
control. Rows that missed a proof are left out, and put in again in the sensitivity row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from perturb.score.answers import INVALID
from perturb.score.arms import ModelArms
from perturb.score.inference.contrasts import Contrast
from perturb.score.inference.mcnemar import mcnemar_test
from perturb.score.inference.sensitivity import sensitivity
from perturb.score.inference.settings import Settings
from perturb.score.inference.verdict import Verdict, decide
from perturb.score.inference.worst_case import worst_case
from perturb.score.records.comparison import Comparison, PairedTable

__all__ = ["ArmPair", "compare", "paired_tables", "pairs_of"]

_RIGHT = 0.5


class ArmPair(NamedTuple):
    """Two conditions to be compared; fields as in `Comparison`."""

    first: str
    second: str
    role: Literal["primary", "exploratory"]
    against: Literal["sham", "repeat", "original", "control"]


def pairs_of(arms: ModelArms) -> Iterator[ArmPair]:
    """Yield what is compared: probes, then shams, then the noise of the model, then controls."""
    plain = arms.plain
    shams = [name for name in arms.edited if arms.facts[name].sham_of is not None]
    for name in arms.edited:
        sham = arms.sham(name)
        if name in shams:
            continue
        if sham is not None:
            yield ArmPair(name, sham, "primary", "sham")
        elif plain is not None:
            yield ArmPair(name, plain, "primary", plain)  # type: ignore[arg-type]
    if plain is not None:
        for name in shams:
            yield ArmPair(name, plain, "exploratory", plain)  # type: ignore[arg-type]
    if {"original", "repeat"} <= arms.runs.keys():
        yield ArmPair("repeat", "original", "exploratory", "original")
    for name in arms.edited if arms.controls else ():
        if arms.facts[name].kind == "probe":
            yield ArmPair(name, arms.controls[0], "exploratory", "control")


def compare(
    arms: ModelArms,
    pair: ArmPair,
    contrast: Contrast,
    loose: Contrast,
    verdict: Verdict | None,
    settings: Settings,
) -> Comparison:
    """Return one comparison.

    Parameters
    ----------
    arms : ModelArms
        Of the model.
    pair : ArmPair
        What is compared.
    contrast, loose : Contrast
        Without the rows that missed a proof, and with them.
    verdict : Verdict or None
        Of the family of primary contrasts; None for an exploratory one, which is decided here.
    settings : Settings
        Level, margin and power.
    """
    runs = [*arms.runs[pair.first], *arms.runs[pair.second]]
    expected = np.all([one.state != INVALID for one in runs], axis=0)
    strict = arms.strict(pair.first), arms.strict(pair.second)
    clusters = arms.found.clusters
    return Comparison(
        **pair._asdict(),
        contrast=contrast,
        verdict=verdict or decide(contrast, contrast.test.p_value, settings),
        worst_case=worst_case(arms.loose(pair.first), arms.loose(pair.second), expected),
        with_off_target=None if loose.difference.n == contrast.difference.n else loose.difference,
        mcnemar=mcnemar_test(*strict, clusters),
        sensitivity=sensitivity(*strict, clusters, settings),
    )


def paired_tables(arms: ModelArms, pairs: Sequence[ArmPair]) -> tuple[PairedTable, ...]:
    """Return the table of each comparison, and of each condition with the items as they are."""
    names = [(pair.first, pair.second) for pair in pairs]
    if arms.first is not None:
        names += [(name, arms.first) for name in arms.names if name != arms.first]
    return tuple(_table(arms, first, second) for first, second in dict.fromkeys(names))


def _table(arms: ModelArms, first: str, second: str) -> PairedTable:
    scores = arms.strict(first), arms.strict(second)
    held = ~np.isnan(scores[0]) & ~np.isnan(scores[1])
    one, other = (arm[held] >= _RIGHT for arm in scores)
    return PairedTable(
        first=first,
        second=second,
        both=int(np.count_nonzero(one & other)),
        only_first=int(np.count_nonzero(one & ~other)),
        only_second=int(np.count_nonzero(~one & other)),
        neither=int(np.count_nonzero(~one & ~other)),
    )
