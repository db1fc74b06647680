"""Flip and influence rates under each edit, beside the noise floor's and the sham's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from perturb.score.answers import Answers
from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Bools, Floats, Statistic, difference, mean
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.measures.noise import ONCE, answer_noise, correctness_noise
from perturb.score.statistics import flip_rate
from perturb.score.statistics.influence_rate import influenced

__all__ = ["flips"]

_NOTHING = "no item counts in both conditions"


def _flipped(one: Answers, other: Answers, counts: Bools) -> Floats:
    found = flip_rate.flips(one.correct, other.correct)
    found[~counts] = float("nan")
    return found


def _influenced(one: Answers, other: Answers, counts: Bools) -> Floats:
    return influenced(one.said, other.said, counts)


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    plain = arms.plain
    if plain is None or not arms.edited:
        return "it takes `repeat` (or `original`) and another condition"
    return [
        *_rates(arms, plain, "flip", "change of correctness", _flipped, correctness_noise(arms)),
        *_rates(arms, plain, "influence", "change of answer", _influenced, answer_noise(arms)),
    ]


def _rates(
    arms: ModelArms,
    plain: str,
    name: str,
    words: str,
    work: Callable[[Answers, Answers, Bools], Floats],
    noise: Floats,
) -> Iterator[Draft]:
    floor = mean(noise, ONCE)
    rates = {one: arms.over_pairs(one, plain, work) for one in arms.edited}
    for condition, rate in rates.items():
        sham = arms.sham(condition)
        beside: list[tuple[str, Statistic]] = [("noise floor", floor)]
        if sham is not None:
            beside.append(("the sham's", mean(rates[sham], _NOTHING)))
        yield Draft(
            name=f"{name}_rate",
            title=f"Share of items with a {words}",
            unit="share",
            value=mean(rate, _NOTHING),
            condition=condition,
            against=plain,
            beside=tuple(beside),
        )
        if condition in arms.controls:
            yield Draft(
                name=f"{name}_over_noise",
                title=f"Share of items with a {words} beyond the noise floor",
                unit="difference",
                value=difference(rate, noise, ONCE),
                condition=condition,
                against=plain,
            )
        if sham is not None:
            yield Draft(
                name=f"{name}_excess",
                title=f"Share of items with a {words} beyond the sham's",
                unit="difference",
                value=difference(rate, rates[sham]),
                condition=condition,
                against=sham,
            )


flips = Family("flips", "Flip and influence rates", _drafts)
