"""`Overview`: the whole result of a score."""

from __future__ import annotations

from typing import Annotated

from perturb.record import Record, bounds
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.settings import Settings
from perturb.score.records.claim import Claim
from perturb.score.records.comparison import Comparison, ModelsCompared, PairedTable
from perturb.score.records.condition import (
    Baselines,
    ConditionFacts,
    ConditionScore,
    GroupBaselines,
    GroupScore,
)
from perturb.score.records.dose import DoseCurve
from perturb.score.records.measure import Measure, NotApplicable

__all__ = ["ModelScore", "Overview", "Provenance"]


class Provenance(Record, frozen=True, kw_only=True):
    """Where the split comes from.

    Parameters
    ----------
    benchmark : str
        Name of the source.
    suite : str
        Name of the suite.
    seed : int
        Of the split.
    versions : dict of str to str
        Of the packages that made it.
    scored_by : str
        Version of this package that scored it.
    """

    benchmark: str
    suite: str
    seed: int
    versions: dict[str, str]
    scored_by: str


class ModelScore(Record, frozen=True, kw_only=True):
    """One model.

    Parameters
    ----------
    model : str
        Its name.
    conditions : tuple of ConditionScore
        In the order of the suite.
    comparisons : tuple of Comparison
        Probes first, then shams, then `repeat` against `original`, then what probes leave against
        a control.
    noise_floor : Estimate
        How often two runs on the original's bytes disagree.
    claims : tuple of Claim
        What it all shows, in words.
    groups : tuple of GroupScore
        Accuracy by task and by language in each condition.
    paired : tuple of PairedTable
        For each comparison, and for each condition with `original`.
    dose : tuple of DoseCurve
        Series of conditions that differ in strength alone.
    measures : tuple of Measure
        All other statistics, family by family.
    """

    model: str
    conditions: tuple[ConditionScore, ...]
    comparisons: tuple[Comparison, ...]
    noise_floor: Estimate
    claims: tuple[Claim, ...] = ()
    groups: tuple[GroupScore, ...] = ()
    paired: tuple[PairedTable, ...] = ()
    dose: tuple[DoseCurve, ...] = ()
    measures: tuple[Measure, ...] = ()


class Overview(Record, frozen=True, kw_only=True):
    """The result of a score.

    Parameters
    ----------
    items, clusters : int
        Of the split.
    matcher : str
        The rule by which answers were read.
    settings : Settings
        Confidence, margin, samples and seed.
    provenance : Provenance or None
        Where the split comes from.
    conditions : tuple of ConditionFacts
        The split's conditions in the order of the suite, with their attrition.
    baselines : Baselines
        To hold accuracies against.
    group_baselines : tuple of GroupBaselines
        The same by task and by language.
    models : tuple of ModelScore
        In alphabetical order.
    compared : tuple of ModelsCompared
        The models with each other, for each condition that several of them answered unedited.
    not_applicable : tuple of NotApplicable
        Statistics that there is no input for, with the reason.
    """

    items: Annotated[int, bounds(0, None, "", "items")]
    clusters: Annotated[int, bounds(0, None, "", "clips")]
    matcher: str
    settings: Settings
    provenance: Provenance | None = None
    conditions: tuple[ConditionFacts, ...] = ()
    baselines: Baselines
    group_baselines: tuple[GroupBaselines, ...] = ()
    models: tuple[ModelScore, ...]
    compared: tuple[ModelsCompared, ...] = ()
    not_applicable: tuple[NotApplicable, ...] = ()
