"""The first table of a score: accuracy by condition, and each probe against what it stands beside.

Repeats are averaged item by item. The primary contrast of a condition is with its sham; of one
without a sham, with `repeat`, or where that was not run with `original`, and it says so. Rows that
missed a proof (`off_target`) are left out, and put in again in the sensitivity row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from perturb.score.answers import INVALID, Answers, ScoreInput
from perturb.score.inference.contrasts import Contrast, infer_all
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats, Statistic, mean
from perturb.score.inference.verdict import Verdict, decide, decide_all
from perturb.score.inference.worst_case import worst_case
from perturb.score.matching.protocol import STATE_NAMES
from perturb.score.records.comparison import Comparison
from perturb.score.records.condition import Baselines, ConditionScore
from perturb.score.records.overview import ModelScore, Overview
from perturb.score.split_table import STATUSES
from perturb.score.statistics.accuracy import accuracy
from perturb.score.statistics.always_first import always_first
from perturb.score.statistics.chance import chance
from perturb.score.statistics.longest_option import longest_option
from perturb.score.statistics.majority import majority
from perturb.score.statistics.noise_floor import noise_floor

__all__ = ["overview"]

_DEFAULT = Settings()
_UNEDITED = ("original", "repeat")


class _Pair(NamedTuple):
    first: str
    second: str
    role: Literal["primary", "exploratory"]
    against: Literal["sham", "repeat", "original"]


def overview(found: ScoreInput, settings: Settings = _DEFAULT) -> Overview:
    """Return accuracies, contrasts and verdicts of every model."""
    drafts = [(model, *_infer(found, model, settings)) for model in found.models]
    primary = [
        contrast
        for _, _, _, pairs, contrasts in drafts
        for pair, contrast in zip(pairs, contrasts, strict=False)
        if pair.role == "primary"
    ]
    verdicts = iter(decide_all(primary, settings))
    models = []
    for model, scores, floor, pairs, contrasts in drafts:
        comparisons = tuple(
            _comparison(found, model, pair, contrasts, at, settings, verdicts)
            for at, pair in enumerate(pairs)
        )
        models.append(
            ModelScore(model=model, conditions=scores, comparisons=comparisons, noise_floor=floor)
        )
    return Overview(
        items=len(found.items),
        clusters=int(np.unique(found.clusters).size),
        matcher=found.matcher,
        settings=settings,
        baselines=_baselines(found, settings),
        models=tuple(models),
    )


def _infer(
    found: ScoreInput, model: str, settings: Settings
) -> tuple[tuple[ConditionScore, ...], Estimate, list[_Pair], list[Contrast]]:
    """Return what one pass of the bootstrap gives for a model; sensitivity contrasts come last."""
    runs = {name: found.of(model, name) for name in found.conditions}
    runs = {name: repeats for name, repeats in runs.items() if repeats}
    strict = {name: _values(found, repeats, is_strict=True) for name, repeats in runs.items()}
    loose = {name: _values(found, repeats, is_strict=False) for name, repeats in runs.items()}
    pairs = list(_pairs(found, strict))
    statistics = [accuracy(values) for values in strict.values()]
    unedited = [one.correct for name in _UNEDITED for one in runs.get(name, ())]
    floor = noise_floor(np.array(unedited).reshape(-1, len(found.items)))
    statistics.append(mean(floor, "the original's bytes were not run twice"))
    arms = [(strict[pair.first], strict[pair.second]) for pair in pairs]
    arms += [(loose[pair.first], loose[pair.second]) for pair in pairs]
    estimates, contrasts = infer_all(statistics, arms, found.clusters, settings)
    scores = tuple(
        _condition_score(found, name, repeats, estimate)
        for (name, repeats), estimate in zip(runs.items(), estimates, strict=False)
    )
    return scores, estimates[-1], pairs, contrasts


def _values(found: ScoreInput, repeats: tuple[Answers, ...], *, is_strict: bool) -> Floats:
    """Return the mean score of each item over the repeats that count; NaN where none does."""
    scores = np.array([one.correct for one in repeats])
    counts = ~np.isnan(scores)
    held = counts.sum(axis=0)
    sums = np.where(counts, scores, 0.0).sum(axis=0)
    values = np.full(held.shape, np.nan)
    np.divide(sums, held, out=values, where=held > 0)
    if is_strict:
        status = found.conditions[repeats[0].condition].status
        values[status == STATUSES.index("off_target")] = np.nan
    return values


def _condition_score(
    found: ScoreInput, name: str, repeats: tuple[Answers, ...], estimate: Estimate
) -> ConditionScore:
    states = sum(np.bincount(one.state, minlength=len(STATE_NAMES)) for one in repeats)
    table = found.conditions[name]
    return ConditionScore(
        condition=name,
        sham_of=table.sham_of,
        repeats=len(repeats),
        states={
            label: int(count)
            for label, count in zip(STATE_NAMES, np.asarray(states), strict=True)
            if count
        },
        off_target=int((table.status == STATUSES.index("off_target")).sum()),
        accuracy=estimate,
    )


def _pairs(found: ScoreInput, runs: Mapping[str, Floats]) -> Iterator[_Pair]:
    """Yield what is compared with what: probes, then shams, then the noise of the model."""
    shams = {
        found.conditions[name].sham_of: name for name in runs if found.conditions[name].sham_of
    }
    plain = next((name for name in reversed(_UNEDITED) if name in runs), None)
    for name in runs:
        if name in _UNEDITED or found.conditions[name].sham_of is not None:
            continue
        if name in shams:
            yield _Pair(name, shams[name], "primary", "sham")
        elif plain is not None:
            yield _Pair(name, plain, "primary", plain)  # type: ignore[arg-type]
    for name in shams.values():
        if plain is not None:
            yield _Pair(name, plain, "exploratory", plain)  # type: ignore[arg-type]
    if set(_UNEDITED) <= runs.keys():
        yield _Pair("repeat", "original", "exploratory", "original")


def _comparison(
    found: ScoreInput,
    model: str,
    pair: _Pair,
    contrasts: list[Contrast],
    at: int,
    settings: Settings,
    verdicts: Iterator[Verdict],
) -> Comparison:
    contrast, loose = contrasts[at], contrasts[at + len(contrasts) // 2]
    is_primary = pair.role == "primary"
    verdict = next(verdicts) if is_primary else decide(contrast, contrast.test.p_value, settings)
    arms = [found.of(model, name) for name in (pair.first, pair.second)]
    expected = np.all([one.state != INVALID for arm in arms for one in arm], axis=0)
    first, second = (_values(found, arm, is_strict=False) for arm in arms)
    return Comparison(
        **pair._asdict(),
        contrast=contrast,
        verdict=verdict,
        worst_case=worst_case(first, second, expected),
        with_off_target=None if loose.difference.n == contrast.difference.n else loose.difference,
    )


def _baselines(found: ScoreInput, settings: Settings) -> Baselines:
    items = found.items
    golds = np.array([-1 if item.answer_index is None else item.answer_index for item in items])
    options = np.array([len(item.choices) for item in items])
    tasks = np.array([item.task or "" for item in items])
    texts: dict[str, int] = {}
    labels = np.array(
        [-1 if item.answer is None else texts.setdefault(item.answer, len(texts)) for item in items]
    )
    hits: list[Statistic] = [
        mean(chance(options), "no item has options"),
        mean(majority(labels, tasks), "no item has a gold"),
        mean(always_first(golds), "no item has a gold among options"),
        mean(longest_option([item.choices for item in items], golds), "no item has options"),
    ]
    estimates, _ = infer_all(hits, [], found.clusters, settings)
    return Baselines(
        chance=estimates[0],
        majority=estimates[1],
        always_first=estimates[2],
        longest_option=estimates[3],
    )
