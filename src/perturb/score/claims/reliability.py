"""Does the model answer at all, better than a guesser, and the same twice?"""

from __future__ import annotations

from collections.abc import Iterator

from perturb.score.claims.evidence import Evidence
from perturb.score.oddities import FAILING
from perturb.score.records.claim import Claim

__all__ = ["reliability"]

_UNSTABLE = 0.05
"""Share of items with another answer to the same bytes, from which answers are called unstable."""


def reliability(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims."""
    for one in evidence.measures("names_no_option"):
        condition = str(one.condition)
        is_told = evidence.facts[condition].kind in ("original", "control")
        if not is_told and not one.estimate.value:
            continue
        yield evidence.by_interval(
            "fails",
            f"fails to answer under {condition}",
            one.estimate,
            subject=f"answers under {condition} that name no option",
            condition=condition,
            is_share=True,
            bar=FAILING,
            counts_failures=True,
        )
    first = next((name for name in ("original", "repeat") if name in evidence.names), None)
    guess = evidence.measure("above_chance", first)
    if guess is not None:
        yield evidence.by_interval(
            "above_chance",
            "answers better than a guesser",
            guess.estimate,
            subject=f"accuracy on {first} minus that of a guesser",
            condition=first,
        )
    yield _unstable(evidence)


def _unstable(evidence: Evidence) -> Claim:
    title = "answers the same audio differently from run to run"
    noise = evidence.measure("answer_noise_floor")
    if noise is None:
        return Claim(
            name="unstable",
            title=title,
            verdict="not tested",
            sentence="the original's bytes were not run twice",
        )
    return evidence.by_interval(
        "unstable",
        title,
        noise.estimate,
        subject="items with different answers to the same bytes",
        is_share=True,
        bar=_UNSTABLE,
    )
