"""Scores made up for tests: any number of models and conditions, every kind of gap in them."""

from __future__ import annotations

import random

from perturb.report.result import ScoreResult
from perturb.score.findings import ScoreFinding
from perturb.score.inference.contrasts import Contrast
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.models import Ranking, RankStability
from perturb.score.inference.settings import Settings
from perturb.score.inference.sign_flip import Test
from perturb.score.inference.verdict import decide
from perturb.score.inference.worst_case import WorstCase
from perturb.score.records.claim import Claim
from perturb.score.records.comparison import (
    Comparison,
    ModelComparison,
    ModelsCompared,
    PairedTable,
)
from perturb.score.records.condition import (
    Baselines,
    ConditionFacts,
    ConditionScore,
    GroupBaselines,
    GroupScore,
)
from perturb.score.records.dose import DoseCurve
from perturb.score.records.measure import Beside, Measure, NotApplicable
from perturb.score.records.overview import ModelScore, Provenance
from perturb.score.statistics.dose_response import DoseResponse

ITEMS, CLIPS = 480, 120
SETTINGS = Settings(n_samples=1000)
TASKS = ("emotion", "speaker & setting", "ภาษาไทย")
NAMES = ("qwen", "<b>loud</b> & co", "مستمع", "whisper-gpt", "deaf", "听者", "m" * 60, "salmonn")
PROBES = ("silence", "noise", "prosody_only", "noise_vocoded_4", "words_only", "mismatched")


def share(value: float, half: float = 0.04, n: int = ITEMS) -> Estimate:
    """Return an estimate with a plain interval."""
    return Estimate(
        value=value,
        low=max(0.0, value - half),
        high=min(1.0, value + half),
        n=n,
        clusters=min(CLIPS, n),
        method="bootstrap",
    )


def missing(reason: str = "no item counts", n: int = 0) -> Estimate:
    """Return an estimate that is not there."""
    return Estimate(n=n, clusters=min(CLIPS, n), reason=reason)


def contrast(value: float, half: float = 0.05) -> Contrast:
    """Return a contrast with a plain interval."""
    found = Estimate(
        value=value, low=value - half, high=value + half, n=470, clusters=118, method="bootstrap"
    )
    inner = 0.8 * half
    test = Test(
        p_value=0.8 if abs(value) < half else 0.0004,
        method="sign-flip exact",
        n=470,
        clusters=118,
    )
    return Contrast(
        difference=found,
        inner_low=value - inner,
        inner_high=value + inner,
        test=test,
        margin=SETTINGS.margin,
    )


def undefined_contrast(reason: str = "no item counts in both") -> Contrast:
    """Return a contrast that says nothing."""
    test = Test(method="none", n=0, clusters=0, reason=reason)
    return Contrast(
        difference=missing(reason),
        inner_low=None,
        inner_high=None,
        test=test,
        margin=SETTINGS.margin,
    )


def comparison(first: str, second: str, found: Contrast, *, against: str = "sham") -> Comparison:
    """Return a comparison with the verdict that follows from its contrast."""
    is_known = found.difference.value is not None
    return Comparison(
        first=first,
        second=second,
        role="primary" if against == "sham" else "exploratory",
        against=against,
        contrast=found,
        verdict=decide(found, found.test.p_value, SETTINGS),
        worst_case=WorstCase(
            low=-0.4 if is_known else None,
            high=0.3 if is_known else None,
            n=480 if is_known else 0,
            n_missing_first=0,
            n_missing_second=0,
        ),
    )


def baselines(value: float = 0.25) -> Baselines:
    """Return baselines around a guesser."""
    return Baselines(
        chance=share(value, 0.0),
        majority=share(value + 0.06, 0.02),
        always_first=share(value + 0.01, 0.02),
        longest_option=missing("no item has options"),
    )


def dose_curve(*, has_threshold: bool = True) -> DoseCurve:
    """Return a curve that rises over six doses, with a threshold or without."""
    doses = (-12.0, -6.0, 0.0, 6.0, 12.0, 18.0)
    values = (0.26, 0.31, 0.44, 0.66, 0.79, 0.81)
    threshold = (
        Estimate(value=2.4, low=0.8, high=4.1, n=ITEMS, clusters=CLIPS, method="bootstrap")
        if has_threshold
        else missing("accuracy does not change over the doses by more than chance")
    )
    return DoseCurve(
        series="snr",
        field="event.snr_db",
        unit="dB",
        conditions=tuple(f"snr_{at}" for at in range(len(doses))),
        rises=True,
        response=DoseResponse(
            doses=doses,
            accuracies=tuple(share(value) for value in values),
            threshold=threshold,
            floor=0.25,
            ceiling=0.82 if has_threshold else None,
            width=2.5 if has_threshold else None,
        ),
        repeat=0.83,
    )


def condition_names(count: int) -> list[tuple[str, str | None]]:
    """Return names of conditions, each with the one whose sham it is."""
    found: list[tuple[str, str | None]] = [("original", None), ("repeat", None)]
    for at in range(count):
        name = PROBES[at % len(PROBES)] + ("" if at < len(PROBES) else f"_{at}")
        found += [(name, None), (f"{name}_sham", name)]
    return found[:count]


def facts(name: str, sham_of: str | None) -> ConditionFacts:
    """Return what a condition is, and what became of its rows."""
    kind = "sham" if sham_of else name if name in ("original", "repeat") else "probe"
    if name.startswith(("silence", "noise")) and sham_of is None and "vocoded" not in name:
        kind = "control"
    lost = 0 if kind in ("original", "repeat") else 12
    return ConditionFacts(
        condition=name,
        kind=kind,
        title="What it does, & how",
        sham_of=sham_of,
        keeps=("melody", "timing"),
        destroys=("words",),
        rows=ITEMS,
        statuses={"ok": ITEMS - 2 * lost, "off_target": lost, "inapplicable": lost},
    )


def model(name: str, names: list[tuple[str, str | None]], draws: random.Random) -> ModelScore:
    """Return a model with something in every field."""
    values = {each: draws.uniform(0.2, 0.9) for each, _ in names}
    scores = tuple(
        ConditionScore(
            condition=each,
            sham_of=sham_of,
            repeats=1,
            states={"answered": ITEMS - 40, "unparsed": 20, "empty": 8, "invalid": 12},
            off_target=12,
            accuracy=share(values[each]),
        )
        for each, sham_of in names
    )
    held = {each for each, _ in names}
    comparisons = [
        comparison(sham_of, each, contrast(values[sham_of] - values[each]))
        for each, sham_of in names
        if sham_of in held
    ]
    if {"original", "repeat"} <= held:
        found = contrast(0.004, 0.012)
        comparisons.append(comparison("repeat", "original", found, against="original"))
    paired = tuple(
        PairedTable(
            first=one.first, second=one.second, both=150, only_first=40, only_second=181, neither=99
        )
        for one in comparisons
    )
    groups = tuple(
        GroupScore(
            by=by, group=group, condition=each, accuracy=share(draws.uniform(0.2, 0.9), 0.08, 160)
        )
        for by, wanted in (("task", TASKS), ("language", ("en", "th")))
        for group in wanted
        for each, _ in names
    )
    last = names[-1][0]
    return ModelScore(
        model=name,
        conditions=scores,
        comparisons=tuple(comparisons),
        noise_floor=share(0.06, 0.02),
        claims=(
            claim("uses_audio", "uses the audio", "yes", last),
            claim("prosody", "hears prosody beyond the words", "undecided", last),
            claim("text_prior", "answers without listening", "no", None),
            claim("traps", "is misled by the transcript", "not tested", None),
        ),
        groups=groups,
        paired=paired,
        dose=(dose_curve(), dose_curve(has_threshold=False)),
        measures=measures(last),
    )


def claim(name: str, title: str, verdict: str, condition: str | None) -> Claim:
    """Return a claim."""
    return Claim(
        name=name,
        title=title,
        verdict=verdict,
        condition=condition,
        against=None if condition is None else "original",
        role="primary" if verdict == "yes" else "exploratory",
        sentence=f"−23.4 points (95 % interval −28.1 to −18.9): {title}, <so> it & they say",
    )


def measures(condition: str) -> tuple[Measure, ...]:
    """Return measures of each unit, one of them undefined."""
    floor = Beside(label="noise floor", estimate=share(0.06, 0.02))
    return (
        Measure(
            family="flips",
            name="flip_rate",
            title="answers that flip",
            unit="share",
            condition=condition,
            against="original",
            estimate=share(0.31),
            beside=(floor, Beside(label="the sham's", estimate=missing("no sham"))),
        ),
        Measure(
            family="pairs",
            name="paired_accuracy",
            title="paired accuracy",
            unit="share",
            estimate=missing("no pairs in this split"),
            beside=(floor,),
        ),
        Measure(
            family="contribution",
            name="retained_ratio",
            title="retained ratio",
            unit="ratio",
            condition=condition,
            group={"language": "th"},
            estimate=share(0.62),
        ),
    )


def result(n_models: int = 2, n_conditions: int = 8, seed: int = 0) -> ScoreResult:
    """Return a score with something in every field."""
    draws = random.Random(seed)
    names = condition_names(n_conditions)
    models = tuple(model(NAMES[at], names, draws) for at in range(n_models))
    return ScoreResult(
        items=ITEMS,
        clusters=CLIPS,
        matcher="stated: a letter, an option's text, or both",
        settings=SETTINGS,
        provenance=Provenance(
            benchmark="bench <1> & more.json",
            suite="seabed/controls",
            seed=7,
            versions={"perturb": "0.1.0", "numpy": "2.4.0"},
            scored_by="0.1.0",
        ),
        conditions=tuple(facts(*each) for each in names),
        baselines=baselines(),
        group_baselines=tuple(
            GroupBaselines(by=by, group=group, items=160, baselines=baselines(value))
            for by, wanted in (("task", TASKS), ("language", ("en", "th")))
            for group, value in zip(wanted, (0.2, 0.25, 0.5), strict=False)
        ),
        models=models,
        compared=(compared(models),) if n_models > 1 else (),
        not_applicable=(
            NotApplicable(family="chain", title="chain score", reason="the items hold no chains"),
        ),
        unheard={models[0].model: {names[-1][0]: 4}},
        notes=("runs/a.json: inspect, model qwen", "runs/<b>.csv: table"),
        findings=(
            ScoreFinding(
                kind="unparsed",
                message="answers name no option & count as wrong",
                count=20,
                model=models[0].model,
                condition=names[-1][0],
                examples=("item-3", "<item> 4"),
            ),
        ),
    )


def compared(models: tuple[ModelScore, ...]) -> ModelsCompared:
    """Return models in an order that their intervals hardly bear out."""
    pairs = tuple(
        ModelComparison(
            first=first.model,
            second=second.model,
            contrast=(found := contrast(0.04 * (other - at), 0.05)),
            verdict=decide(found, found.test.p_value, SETTINGS),
        )
        for at, first in enumerate(models)
        for other, second in enumerate(models[at + 1 :], at + 1)
    )
    rankings = tuple(
        Ranking(
            model=one.model,
            score=0.8 - 0.04 * at,
            rank=at + 1.0,
            low=max(1.0, at),
            high=min(len(models), at + 2.0),
            share_first=1.0 / (at + 1) ** 2,
        )
        for at, one in enumerate(models)
    )
    return ModelsCompared(
        condition="original",
        pairs=pairs,
        ranks=RankStability(rankings=rankings, same_order=0.42, n=ITEMS),
    )


def empty_model(name: str) -> ModelScore:
    """Return a model of which nothing is known, in two conditions."""
    states = {"missing": ITEMS}
    scores = tuple(
        ConditionScore(
            condition=each,
            sham_of=None,
            repeats=1,
            states=states,
            off_target=0,
            accuracy=missing("every row is missing"),
        )
        for each in ("original", "silence")
    )
    return ModelScore(
        model=name,
        conditions=scores,
        comparisons=(comparison("silence", "original", undefined_contrast(), against="original"),),
        noise_floor=missing("the original's bytes were not run twice"),
        paired=(
            PairedTable(
                first="silence", second="original", both=0, only_first=0, only_second=0, neither=0
            ),
        ),
        dose=(),
    )


def empty_result() -> ScoreResult:
    """Return a score of an early version in which everything is null."""
    nothing = missing("no item has options")
    return ScoreResult(
        items=0,
        clusters=0,
        matcher="stated",
        settings=SETTINGS,
        baselines=Baselines(
            chance=nothing, majority=nothing, always_first=nothing, longest_option=nothing
        ),
        models=(empty_model("nobody"),),
    )
