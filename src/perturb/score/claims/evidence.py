"""`Evidence`: the finished numbers of one model, and how a verdict follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from perturb.score.inference.estimate import Estimate
from perturb.score.inference.settings import Settings
from perturb.score.oddities import FAILING
from perturb.score.records.claim import Claim, ClaimVerdict
from perturb.score.records.comparison import Comparison
from perturb.score.records.condition import ConditionFacts
from perturb.score.records.measure import Measure
from perturb.score.records.overview import ModelScore

__all__ = ["Evidence", "percent", "points"]


class Evidence:
    """What claims rest on.

    Parameters
    ----------
    score : ModelScore
        Of the model, without its claims.
    facts : mapping of str to ConditionFacts
        What the conditions are.
    settings : Settings
        The margin.
    """

    def __init__(
        self, score: ModelScore, facts: Mapping[str, ConditionFacts], settings: Settings
    ) -> None:
        self.score = score
        self.facts = facts
        self.margin = settings.margin
        self.names = tuple(one.condition for one in score.conditions)
        self.controls = tuple(name for name in self.names if facts[name].kind == "control")

    def measures(self, name: str) -> list[Measure]:
        """Return the measures of a name, in order of the conditions."""
        return [one for one in self.score.measures if one.name == name]

    def measure(self, name: str, condition: str | None = None) -> Measure | None:
        """Return one measure, or None where there is none."""
        found = (one for one in self.measures(name) if one.condition == condition)
        return next(found, None)

    def comparisons(self, *against: str) -> list[Comparison]:
        """Return the comparisons with arms of some kinds."""
        return [one for one in self.score.comparisons if one.against in against]

    def failing(self, *conditions: str) -> str | None:
        """Return why accuracy under these conditions is no sign of what was heard, or None."""
        for condition in conditions:
            found = self.measure("names_no_option", condition)
            share = None if found is None else found.estimate.value
            if share is not None and share >= FAILING:
                return (
                    f"under {condition} {100.0 * share:.0f} % of the answers name no option: there "
                    "the model fails rather than answers, so its accuracy is no sign of what it "
                    "heard"
                )
        return None

    def by_interval(
        self,
        name: str,
        title: str,
        estimate: Estimate,
        *,
        subject: str,
        condition: str | None = None,
        against: str | None = None,
        is_share: bool = False,
        bar: float = 0.0,
        counts_failures: bool = False,
    ) -> Claim:
        """Return the claim that a number lies above a bar.

        `yes` where the whole interval lies above it; `no` where the whole interval lies below the
        bar (of a share), or below the bar and the margin together (of a difference). Where the
        model fails to answer nothing is decided, unless the number itself counts failures.
        """
        arms = () if counts_failures else (condition, against)
        failing = self.failing(*(one for one in arms if one))
        show = percent if is_share else points
        ceiling = bar if is_share else bar + self.margin
        verdict: ClaimVerdict = "undecided"
        if estimate.low is None or estimate.high is None:
            outcome = f"no interval: {estimate.reason}"
        elif failing is not None:
            outcome = failing
        elif estimate.low > bar:
            verdict, outcome = "yes", f"above {show(bar)}" if bar else "above zero"
        elif estimate.high < ceiling:
            verdict, outcome = "no", f"below {show(ceiling)}"
        else:
            outcome = "the interval allows both"
        return Claim(
            name=name,
            title=title,
            condition=condition,
            against=against,
            verdict=verdict,
            sentence=f"{subject}: {_measured(estimate, is_share)}: {outcome}",
        )

    def by_comparison(
        self, name: str, title: str, one: Comparison, sign: Literal[-1, 0, 1], note: str = ""
    ) -> Claim:
        """Return the claim that the first arm is better (1), worse (−1) or other (0).

        `no` where the arms are equivalent, or differ the other way round.
        """
        difference = one.contrast.difference.value or 0.0
        failing = self.failing(one.first, one.second)
        verdict: ClaimVerdict = "undecided"
        if failing is None and one.verdict.verdict == "equivalent":
            verdict = "no"
        elif failing is None and one.verdict.verdict == "differs":
            verdict = "yes" if sign in (0, 1 if difference > 0 else -1) else "no"
        sentence = f"{one.first} − {one.second}: {one.verdict.sentence}"
        return Claim(
            name=name,
            title=title,
            condition=one.first,
            against=one.second,
            verdict=verdict,
            role=one.role,
            sentence="; ".join(part for part in (sentence, note, failing) if part),
        )


def percent(value: float) -> str:
    """Return a share as it is printed."""
    return f"{100.0 * value:.1f} %"


def points(value: float) -> str:
    """Return a difference as it is printed."""
    return f"{100.0 * value:+.1f} points"


def _measured(estimate: Estimate, is_share: bool) -> str:
    if estimate.value is None:
        return "undefined"
    text = percent(estimate.value) if is_share else points(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    form = ".1f" if is_share else "+.1f"
    low, high = (format(100.0 * end, form) for end in (estimate.low, estimate.high))
    return f"{text} ({100.0 * estimate.confidence:g} % interval {low} to {high})"
