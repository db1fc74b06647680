"""The whole result of a score: accuracies, contrasts, every measure, and what they show."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from perturb._version import __version__
from perturb.score.answers import ScoreInput
from perturb.score.arms import ModelArms
from perturb.score.baselines import baselines
from perturb.score.claims.claiming import claims_of
from perturb.score.comparing_models import models_compared
from perturb.score.comparisons import ArmPair, compare, paired_tables, pairs_of
from perturb.score.conditions import condition_facts
from perturb.score.dose_curves import dose_curves
from perturb.score.groups import group_scores
from perturb.score.inference.contrasts import Contrast, contrast_of
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.estimating import Estimator
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import mean
from perturb.score.inference.verdict import Verdict, decide_all
from perturb.score.matching.protocol import STATE_NAMES
from perturb.score.measures.noise import ONCE, correctness_noise
from perturb.score.measuring import Measuring
from perturb.score.records.condition import ConditionScore
from perturb.score.records.measure import Measure, NotApplicable
from perturb.score.records.overview import ModelScore, Overview, Provenance
from perturb.score.split_table import STATUSES
from perturb.score.statistics.accuracy import accuracy

__all__ = ["overview"]

_DEFAULT = Settings()


@dataclass(frozen=True)
class _Inferred:
    """What one pass of the bootstrap gives for a model; of each contrast also the loose one."""

    arms: ModelArms
    scores: tuple[ConditionScore, ...]
    floor: Estimate
    pairs: tuple[ArmPair, ...]
    strict: tuple[Contrast, ...]
    loose: tuple[Contrast, ...]
    measures: tuple[Measure, ...]
    not_applicable: tuple[NotApplicable, ...]
    verdicts: tuple[Verdict | None, ...] = ()


def overview(found: ScoreInput, settings: Settings = _DEFAULT) -> Overview:
    """Return accuracies, contrasts, measures and verdicts of every model."""
    facts = condition_facts(found.conditions)
    everyone = [ModelArms(found, model, facts) for model in found.models]
    inferred = _decided([_infer(arms, everyone, settings) for arms in everyone], settings)
    models = tuple(_model_score(one, settings) for one in inferred)
    by_all, by_group = baselines(found.items, found.clusters, settings)
    return Overview(
        items=len(found.items),
        clusters=int(np.unique(found.clusters).size),
        matcher=found.matcher,
        settings=settings,
        provenance=Provenance(
            benchmark=found.split.benchmark,
            suite=found.split.suite,
            seed=found.split.seed,
            versions=dict(found.split.versions),
            scored_by=__version__,
        ),
        conditions=tuple(facts.values()),
        baselines=by_all,
        group_baselines=by_group,
        models=models,
        compared=models_compared(everyone, settings),
        not_applicable=_missing_for_all(inferred),
    )


def _infer(arms: ModelArms, everyone: Sequence[ModelArms], settings: Settings) -> _Inferred:
    estimator = Estimator(arms.found.clusters, settings)
    accuracies = {name: estimator.add(accuracy(arms.strict(name))) for name in arms.names}
    floor = estimator.add(mean(correctness_noise(arms), ONCE))
    pairs = tuple(pairs_of(arms))
    for values in (arms.strict, arms.loose):
        for pair in pairs:
            estimator.add_pair(values(pair.first), values(pair.second))
    measuring = Measuring(arms, everyone, estimator)
    estimator.finish()
    contrasts = tuple(contrast_of(one, settings) for one in estimator.pairs)
    return _Inferred(
        arms=arms,
        scores=tuple(
            _condition_score(arms, name, estimator.estimates[place])
            for name, place in accuracies.items()
        ),
        floor=estimator.estimates[floor],
        pairs=pairs,
        strict=contrasts[: len(pairs)],
        loose=contrasts[len(pairs) :],
        measures=tuple(measuring.made()),
        not_applicable=tuple(measuring.not_applicable),
    )


def _decided(inferred: Sequence[_Inferred], settings: Settings) -> list[_Inferred]:
    """Decide the primary contrasts of all models as one family."""
    primary = [
        contrast
        for one in inferred
        for pair, contrast in zip(one.pairs, one.strict, strict=True)
        if pair.role == "primary"
    ]
    verdicts = iter(decide_all(primary, settings))
    return [
        dataclasses.replace(
            one,
            verdicts=tuple(
                next(verdicts) if pair.role == "primary" else None for pair in one.pairs
            ),
        )
        for one in inferred
    ]


def _model_score(one: _Inferred, settings: Settings) -> ModelScore:
    arms = one.arms
    score = ModelScore(
        model=arms.model,
        conditions=one.scores,
        comparisons=tuple(
            compare(arms, *parts, settings)
            for parts in zip(one.pairs, one.strict, one.loose, one.verdicts, strict=True)
        ),
        noise_floor=one.floor,
        groups=group_scores(arms, settings),
        paired=paired_tables(arms, one.pairs),
        dose=dose_curves(arms, settings),
        measures=one.measures,
    )
    return msgspec.structs.replace(score, claims=claims_of(score, arms.facts, settings))


def _condition_score(arms: ModelArms, name: str, estimate: Estimate) -> ConditionScore:
    runs = arms.runs[name]
    counts = np.sum([np.bincount(run.state, minlength=len(STATE_NAMES)) for run in runs], axis=0)
    status = arms.found.conditions[name].status
    return ConditionScore(
        condition=name,
        sham_of=arms.facts[name].sham_of,
        repeats=len(runs),
        states={
            label: int(count) for label, count in zip(STATE_NAMES, counts, strict=True) if count
        },
        off_target=int(np.count_nonzero(status == STATUSES.index("off_target"))),
        accuracy=estimate,
    )


def _missing_for_all(inferred: Sequence[_Inferred]) -> tuple[NotApplicable, ...]:
    """Return the families that no model has input for, each once."""
    if not inferred:
        return ()
    common = set.intersection(*({each.family for each in one.not_applicable} for one in inferred))
    return tuple(each for each in inferred[0].not_applicable if each.family in common)
