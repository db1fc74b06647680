"""Claims about items of which more is known: pairs, chains, traps, answers that an edit changes."""

from __future__ import annotations

from collections.abc import Iterator

from perturb.score.claims.evidence import Evidence
from perturb.score.records.claim import Claim

__all__ = ["contents"]


def contents(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims."""
    first = next((name for name in ("original", "repeat") if name in evidence.names), None)
    for one in evidence.measures("reached_excess"):
        yield evidence.by_interval(
            "hears_the_change",
            f"moves to the answer that {one.condition} makes right",
            one.estimate,
            subject="items answered with the new gold, beyond that answer before",
            condition=one.condition,
            against=one.against,
        )
    gap = evidence.measure("conflict_gap", first)
    if gap is not None:
        yield evidence.by_interval(
            "misled_by_words",
            "is misled by words: worse where they contradict the voice",
            gap.estimate,
            subject="accuracy on consistent items minus that on conflict items",
            condition=first,
        )
    for name, title, key in (
        ("tells_pairs_apart", "tells the members of pairs apart", "paired_accuracy"),
        ("follows_chains", "follows chains of questions", "chain_score"),
    ):
        found = evidence.measure(key, first)
        floor = None if found is None else found.beside[0].estimate.value
        if found is not None and floor is not None:
            yield evidence.by_interval(
                name,
                f"{title}, more than a guesser",
                found.estimate,
                subject=f"{found.title.lower()}, beside a guesser's",
                condition=first,
                is_share=True,
                bar=floor,
            )
