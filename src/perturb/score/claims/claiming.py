"""All claims about one model, from its finished numbers alone."""

from __future__ import annotations

from collections.abc import Mapping

from perturb.score.claims.audio import audio
from perturb.score.claims.contents import contents
from perturb.score.claims.edits import edits
from perturb.score.claims.evidence import Evidence
from perturb.score.claims.reliability import reliability
from perturb.score.inference.settings import Settings
from perturb.score.records.claim import Claim
from perturb.score.records.condition import ConditionFacts
from perturb.score.records.overview import ModelScore

__all__ = ["claims_of"]


def claims_of(
    score: ModelScore, facts: Mapping[str, ConditionFacts], settings: Settings
) -> tuple[Claim, ...]:
    """Return what the numbers show: whether the model uses the audio, what of it, how reliably.

    Parameters
    ----------
    score : ModelScore
        The model's numbers.
    facts : mapping of str to ConditionFacts
        What the conditions are.
    settings : Settings
        The margin.
    """
    evidence = Evidence(score, facts, settings)
    return tuple(
        claim for part in (audio, edits, contents, reliability) for claim in part(evidence)
    )
