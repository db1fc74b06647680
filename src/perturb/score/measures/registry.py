"""Every family of measures, in the order of a report."""

from __future__ import annotations

from perturb.score.measures.abstaining import abstaining
from perturb.score.measures.audit import audit
from perturb.score.measures.averages import averages
from perturb.score.measures.chains import chains
from perturb.score.measures.conflict import conflict
from perturb.score.measures.contribution import contribution
from perturb.score.measures.donor import donor
from perturb.score.measures.draft import Family
from perturb.score.measures.expected import expected
from perturb.score.measures.failures import failures
from perturb.score.measures.flips import flips
from perturb.score.measures.guessing import guessing
from perturb.score.measures.noise import noise
from perturb.score.measures.pairs import pairs
from perturb.score.measures.retained import retained
from perturb.score.measures.rubric import rubric
from perturb.score.measures.tonal import tonal
from perturb.score.measures.weak_strong import weak_strong
from perturb.score.measures.yes import yes

__all__ = ["FAMILIES"]

FAMILIES: tuple[Family, ...] = (
    noise,
    contribution,
    guessing,
    retained,
    flips,
    donor,
    expected,
    failures,
    abstaining,
    averages,
    weak_strong,
    tonal,
    pairs,
    chains,
    conflict,
    rubric,
    audit,
    yes,
)
