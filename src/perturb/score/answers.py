"""Predictions joined to a split and graded: what every statistic starts from."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perturb.errors import ParameterError
from perturb.score.clusters import join_clusters
from perturb.score.findings import ScoreFinding
from perturb.score.grading import Graded, Grader
from perturb.score.hearing import EditStarts, read_edit_starts
from perturb.score.labels.labels import Labels
from perturb.score.labels.reading import LABEL_FILES, read_labels
from perturb.score.matching.judge_file import Grade, JudgeFile
from perturb.score.matching.protocol import (
    ANSWERED,
    EMPTY,
    INVALID,
    MISSING,
    REFUSED,
    UNGRADED,
    UNPARSED,
)
from perturb.score.matching.registry import find_matcher
from perturb.score.oddities import completeness_findings, run_findings
from perturb.score.predictions.naming import parse_sources
from perturb.score.runs import Run, RunSorter
from perturb.score.split_table import ConditionTable, SplitTable, read_split_table
from perturb.split.records.manifest import ItemRow

__all__ = [
    "ANSWERED",
    "EMPTY",
    "INVALID",
    "MISSING",
    "REFUSED",
    "UNGRADED",
    "UNPARSED",
    "Answers",
    "ScoreInput",
    "read_answers",
]


@dataclass(frozen=True)
class Answers:
    """One model in one condition, once; every array has one entry an item, in row order.

    Parameters
    ----------
    model, condition : str
        Whose answers, and where.
    repeat : int
        From 0; 0 for a single run.
    state : ndarray of uint8
        `ANSWERED`, `UNPARSED`, `REFUSED`, `EMPTY`, `MISSING` (no row), `INVALID` (the row does not
        count in this condition: not rendered, or not heard) or `UNGRADED` (open-ended, and neither
        the gold's text nor graded by a judge).
    correct : ndarray of float64
        Against the gold as this condition asks: 1 or 0, or a judge's grade between; 0 for what is
        unparsed, refused or empty; NaN where nothing can be said: missing, invalid, ungraded, or
        without a known gold.
    choice : ndarray of int16
        Place of the chosen option among those of this condition, -1 where none.
    said : ndarray of int16
        The same among the item's own options, so that conditions with fewer or translated options
        compare; for answers that a judge labelled, the label's number for that item. -1 where none.
    """

    model: str
    condition: str
    repeat: int
    state: NDArray[np.uint8]
    correct: NDArray[np.float64]
    choice: NDArray[np.int16]
    said: NDArray[np.int16]


@dataclass(frozen=True)
class ScoreInput:
    """All answers to a split.

    Parameters
    ----------
    split : SplitTable
        Items, clusters and conditions.
    answers : tuple of Answers
        By model, then by condition in the order of the suite, then by repeat.
    matcher : str
        The rule by which answers were read, in one line.
    unheard : mapping of str to dict of str to int
        By model and condition: rows that count as invalid since the model could not hear the edit.
    notes : tuple of str
        What each file was taken for.
    findings : tuple of ScoreFinding
        Everything that does not fit, with counts.
    labels : Labels or None
        What is known of the items beyond the split's records.
    """

    split: SplitTable
    answers: tuple[Answers, ...]
    matcher: str
    unheard: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    findings: tuple[ScoreFinding, ...] = ()
    labels: Labels | None = None

    @property
    def items(self) -> tuple[ItemRow, ...]:
        """The items, in row order."""
        return self.split.items

    @functools.cached_property
    def clusters(self) -> NDArray[np.int64]:
        """A number for each item, equal where items share a recording or clip, or are paired."""
        if self.labels is None:
            return self.split.clusters
        return join_clusters(self.split.clusters, self.labels.belonging())

    @property
    def conditions(self) -> Mapping[str, ConditionTable]:
        """The conditions by name, in the order of the suite."""
        return self.split.conditions

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in alphabetical order."""
        return tuple(dict.fromkeys(one.model for one in self.answers))

    def of(self, model: str, condition: str) -> tuple[Answers, ...]:
        """Return the repeats of a model in a condition; none where it was not run."""
        wanted = (model, condition)
        return tuple(one for one in self.answers if (one.model, one.condition) == wanted)


def read_answers(
    folder: Path,
    predictions: Sequence[str | Path],
    *,
    matcher: str = "stated",
    heard_limit_s: float | Mapping[str, float] | None = None,
    labels: Sequence[Path] = (),
    say: Callable[[str], None] = lambda text: None,
) -> ScoreInput:
    """Read predictions, join them to a split, and grade them.

    Parameters
    ----------
    folder : Path
        A finished split.
    predictions : sequence of str or Path
        Files and folders, with or without ``CONDITION=``, ``MODEL=`` or ``MODEL:CONDITION=`` in
        front; see `perturb.score.predictions.naming`.
    matcher : str
        The rule; see `perturb.score.matching.registry`.
    heard_limit_s : float or mapping of str to float, optional
        How many seconds of audio models hear, all of them or each; edits that begin later count as
        invalid rows.
    labels : sequence of Path
        Files of labels, beside the one that lies in the split's folder; see
        `perturb.score.labels.reading`.
    say : callable
        Told what is going on.

    Raises
    ------
    ScoreError
        The folder is no finished split; a file cannot be read, joined, or placed in a condition.
    ParameterError
        No such rule; a limit that is no time, or that of a model that there is not.
    """
    rule, judge = find_matcher(matcher)
    say("reading the split")
    split = read_split_table(folder)
    own = [folder / name for name in LABEL_FILES if (folder / name).exists()]
    labelled, odd_labels = read_labels([*own, *labels], split.items)
    sorter = RunSorter(split)
    for source in parse_sources([str(word) for word in predictions], split.conditions):
        say(f"reading {source.path.name}")
        sorter.take(source)
    runs = sorter.runs()
    limits = _limits(heard_limit_s, {run.model for run in runs})
    starts = read_edit_starts(split) if limits else None
    grader = Grader(split, rule)
    answers: list[Answers] = []
    findings = [*odd_labels, *sorter.findings]
    unheard: dict[str, dict[str, int]] = {}
    say("grading")
    for run in runs:
        is_heard = _heard(starts, run, limits)
        graded = grader.grade(run, _grades(judge, run), is_heard)
        if is_heard is not None:
            table = split.conditions[run.condition]
            lost = int((table.is_valid & ~is_heard).sum())
            if lost:
                unheard.setdefault(run.model, {})[run.condition] = lost
        findings += run_findings(split, run, graded)
        answers.append(_answers(run, graded))
        run.given.clear()  # a hundred thousand texts that nobody needs any more
    findings += completeness_findings(split, answers, unheard, limits, judge)
    return ScoreInput(
        split=split,
        answers=tuple(answers),
        matcher=_described(rule.name, rule.rule, judge),
        unheard=unheard,
        notes=(*(f"{name}: labels" for name in labelled.sources), *sorter.notes),
        findings=tuple(findings),
        labels=labelled,
    )


def _answers(run: Run, graded: Graded) -> Answers:
    return Answers(
        model=run.model,
        condition=run.condition,
        repeat=run.repeat,
        state=graded.state,
        correct=graded.correct,
        choice=graded.choice,
        said=graded.said,
    )


def _grades(judge: JudgeFile | None, run: Run) -> Mapping[str, Grade]:
    return {} if judge is None else judge.of(run.model, run.condition, run.repeat)


def _described(name: str, rule: str, judge: JudgeFile | None) -> str:
    if judge is None:
        return f"{name}: {rule}"
    return f"{judge.name}: {len(judge)} grades of {judge.path.name}; else {name}: {rule}"


def _heard(
    starts: EditStarts | None, run: Run, limits: Mapping[str, float]
) -> NDArray[np.bool_] | None:
    if starts is None or run.model not in limits:
        return None
    return ~starts.unheard(run.condition, limits[run.model])


def _limits(given: float | Mapping[str, float] | None, models: Collection[str]) -> dict[str, float]:
    """Return the limit of each model that has one."""
    if given is None:
        return {}
    limits = dict(given) if isinstance(given, Mapping) else dict.fromkeys(models, float(given))
    unknown = sorted(set(limits) - set(models))
    if unknown:
        raise ParameterError(
            f"heard_limit_s names {unknown[0]!r}; accepted: the models that were found, "
            f"{', '.join(sorted(models))}"
        )
    for model, limit_s in limits.items():
        if not 0.0 < limit_s < float("inf"):
            raise ParameterError(
                f"heard_limit_s of {model} is {limit_s!r}; accepted: seconds, above 0"
            )
    return limits
