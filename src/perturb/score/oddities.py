"""Findings about answers: of one run, and of how runs fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from perturb.score.filling import looks_drawn
from perturb.score.findings import FindingKind, ScoreFinding, examples_of
from perturb.score.grading import Graded
from perturb.score.matching.judge_file import JudgeFile
from perturb.score.matching.protocol import (
    ANSWERED,
    EMPTY,
    INVALID,
    MISSING,
    REFUSED,
    UNGRADED,
    UNPARSED,
)
from perturb.score.runs import Run
from perturb.score.split_table import SplitTable

if TYPE_CHECKING:
    from perturb.score.answers import Answers

__all__ = ["FAILING", "completeness_findings", "run_findings"]

_BY_STATE: tuple[tuple[int, FindingKind, str], ...] = (
    (MISSING, "missing", "rows without an answer; they count neither as right nor as wrong"),
    (EMPTY, "empty", "answers that are empty or an error; they count as wrong"),
    (REFUSED, "refused", "answers that refuse; they count as wrong"),
    (UNPARSED, "unparsed", "answers that the rule cannot read; they count as wrong"),
    (
        UNGRADED,
        "ungraded",
        "open-ended answers without a grade, which do not count; --matcher judge-file:PATH grades "
        "them",
    ),
)
FAILING = 0.2
"""Share of the answers that name no option from which a model is said to fail."""
_BY_ODDITY: tuple[tuple[str, FindingKind, str], ...] = (
    ("ambiguous", "ambiguous", "answers that are one option's letter and another one's text"),
    ("contradictory", "ambiguous", "answers with the letter of one option and another one's text"),
    ("blank", "judge", "grades of empty answers, which are left aside"),
    (
        "filled",
        "filled",
        "answers that the harness gave where the model said nothing of the kind: drawn at random, "
        "most likely; what the model said counts",
    ),
)


def run_findings(split: SplitTable, run: Run, graded: Graded) -> Iterator[ScoreFinding]:
    """Yield what is to be said of one run."""
    where = f" (repeat {run.repeat})" if run.repeat else ""

    def found(kind: FindingKind, message: str, places: Sequence[int]) -> ScoreFinding:
        return ScoreFinding(
            kind=kind,
            message=message + where,
            count=len(places),
            model=run.model,
            condition=run.condition,
            examples=examples_of(split.items[place].pair_id for place in places),
        )

    for state, kind, message in _BY_STATE:
        places = np.flatnonzero(graded.state == state).tolist()
        if places:
            yield found(kind, message, places)
    for name, kind, message in _BY_ODDITY:
        if graded.odd.get(name):
            yield found(kind, message, graded.odd[name])
    asked = np.isin(graded.state, (ANSWERED, UNPARSED, REFUSED, EMPTY, UNGRADED))
    failed = np.flatnonzero(np.isin(graded.state, (UNPARSED, REFUSED, EMPTY))).tolist()
    if len(failed) >= FAILING * asked.sum() > 0:
        yield found(
            "failing",
            f"of {asked.sum()} answers name no option: here the model fails rather than guesses, "
            "and its accuracy is no sign of what it heard",
            failed,
        )
    table = split.conditions[run.condition]
    places = np.flatnonzero(np.isin(graded.state, (ANSWERED, UNPARSED, REFUSED, EMPTY))).tolist()
    options = np.array(
        [len(table.choices(split.items[place], place)) for place in places], dtype=np.int16
    )
    if "filled" not in graded.odd and looks_drawn(
        graded.choice[places], table.gold[places], options
    ):
        yield found(
            "filled",
            "every answer is an option, spread evenly over the places and right as often as "
            "chance: a guesser, or a harness that draws where it cannot parse; its raw output "
            "would tell",
            places,
        )


def completeness_findings(
    split: SplitTable,
    answers: Sequence[Answers],
    unheard: Mapping[str, Mapping[str, int]],
    limits: Mapping[str, float],
    judge: JudgeFile | None,
) -> Iterator[ScoreFinding]:
    """Yield how the runs do not fit together: conditions missing, counts that differ."""
    models = dict.fromkeys(one.model for one in answers)
    for model in models:
        own = [one for one in answers if one.model == model]
        missing = [name for name in split.conditions if all(one.condition != name for one in own)]
        if missing:
            yield ScoreFinding(
                kind="missing_condition",
                message=f"no predictions in {', '.join(missing)}",
                count=len(missing),
                model=model,
            )
        shares = {one.condition: int(np.isin(one.state, (MISSING, INVALID)).sum()) for one in own}
        if len(set(shares.values())) > 1:
            counts = ", ".join(
                f"{len(split.items) - lost} in {name}" for name, lost in shares.items()
            )
            yield ScoreFinding(
                kind="denominators",
                message=f"rows that count differ between conditions: {counts}; contrasts take "
                "those that count in both",
                count=len(set(shares.values())),
                model=model,
            )
        for condition, count in unheard.get(model, {}).items():
            yield ScoreFinding(
                kind="unheard",
                message=f"rows whose edit begins after the {limits[model]:g} s that the model "
                "hears; they do not count",
                count=count,
                model=model,
                condition=condition,
            )
    if judge is not None:
        for name, count in judge.unused({(one.model, one.condition) for one in answers}).items():
            yield ScoreFinding(
                kind="judge", message=f"grades for {name}, which was not answered", count=count
            )
