"""What each edit takes away and leaves, and whether its artefacts alone change the answers."""

from __future__ import annotations

from collections.abc import Iterator

from perturb.score.claims.evidence import Evidence
from perturb.score.records.claim import Claim
from perturb.score.records.comparison import Comparison

__all__ = ["edits"]


def edits(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims."""
    for one in evidence.score.comparisons:
        kind = evidence.facts[one.first].kind
        if kind in ("probe", "question") and one.against != "control":
            yield _needs(evidence, one)
    for one in evidence.comparisons("control"):
        keeps = _listed(evidence.facts[one.first].keeps)
        yield evidence.by_comparison(
            "left_carries",
            f"answers from what {one.first} leaves" + (f" ({keeps})" if keeps else ""),
            one,
            sign=1,
        )
    shams = [one for one in evidence.score.comparisons if evidence.facts[one.first].kind == "sham"]
    for one in shams:
        yield evidence.by_comparison(
            "artefacts",
            f"is sensitive to artefacts of the edit: {one.first} differs from {one.second}",
            one,
            sign=0,
        )
    if not shams:
        yield Claim(
            name="artefacts",
            title="is sensitive to artefacts of the edits",
            verdict="not tested",
            sentence="no sham was answered with `repeat` or `original` beside it",
        )


def _needs(evidence: Evidence, one: Comparison) -> Claim:
    facts = evidence.facts[one.first]
    if facts.kind == "question":
        return evidence.by_comparison(
            "asked_otherwise", f"answers otherwise under {one.first}", one, sign=0
        )
    takes = _listed(facts.destroys)
    note = (
        ""
        if one.against == "sham"
        else "there is no sham to tell the loss from artefacts of the edit"
    )
    return evidence.by_comparison(
        "needs",
        f"needs what {one.first} takes away ({takes})"
        if takes
        else f"does worse under {one.first}",
        one,
        sign=-1,
        note=note,
    )


def _listed(properties: tuple[str, ...]) -> str:
    return ", ".join(name.replace("_", " ") for name in properties)
