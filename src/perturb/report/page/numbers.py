"""What the tables of a page hold."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.report.figures.beside import measure_detail
from perturb.report.page.tables import Table
from perturb.report.wording import NONE, count, interval, points, quantity
from perturb.score.findings import ScoreFinding
from perturb.score.inference.estimate import Estimate
from perturb.score.records.comparison import Comparison, PairedTable
from perturb.score.records.condition import ConditionFacts, GroupScore
from perturb.score.records.dose import DoseCurve
from perturb.score.records.measure import Measure, Unit
from perturb.score.records.overview import ModelScore

__all__ = [
    "accuracy_table",
    "comparison_table",
    "dose_table",
    "edits_table",
    "findings_table",
    "groups_table",
    "measures_table",
    "paired_table",
]

_STATES = ("answered", "unparsed", "refused", "empty", "missing", "ungraded", "invalid")
_STATUSES = ("ok", "off_target", "inapplicable", "failed")


def accuracy_table(model: ModelScore) -> Table:
    """Return accuracies of a model and what became of its answers."""
    states = [state for state in _STATES if any(one.states.get(state) for one in model.conditions)]
    columns = ("condition", "n", "clips", "accuracy", "interval", "runs", *states, "off target")
    rows = tuple(
        (
            one.condition,
            *_estimate(one.accuracy),
            str(one.repeats),
            *(count(one.states.get(state, 0)) for state in states),
            count(one.off_target),
        )
        for one in model.conditions
    )
    return Table(columns, rows, frozenset(range(1, len(columns))))


def _estimate(found: Estimate, unit: Unit = "share") -> tuple[str, str, str, str]:
    """Return n, clips, value and interval; the reason in the place of what is missing."""
    if found.value is None:
        shown = (NONE, found.reason or "undefined")
    else:
        ends = interval(found, unit) if found.low is not None else f"none: {found.reason}"
        shown = (quantity(found.value, unit), ends)
    return (count(found.n), count(found.clusters), *shown)


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Return comparisons with their tests, verdicts and what could change them."""
    columns = (
        "first",
        "second",
        "n",
        "clips",
        "difference",
        "interval",
        "p",
        "p adjusted",
        "verdict",
        "role",
        "worst case",
        "with off target",
        "could detect",
    )
    rows = tuple(
        (
            one.first,
            one.second,
            *_estimate(one.contrast.difference, "difference"),
            _probability(one.contrast.test.p_value),
            _probability(one.verdict.p_adjusted),
            one.verdict.verdict,
            one.role,
            _worst_case(one),
            NONE if one.with_off_target is None else points(one.with_off_target.value),
            _detectable(one),
        )
        for one in comparisons
    )
    return Table(columns, rows, frozenset({2, 3, 4, 5, 6, 7, 10, 11, 12}))


def _probability(value: float | None) -> str:
    if value is None:
        return NONE
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def _worst_case(one: Comparison) -> str:
    if one.worst_case.low is None or one.worst_case.high is None:
        return NONE
    return f"{points(one.worst_case.low)} to {points(one.worst_case.high)}"


def _detectable(one: Comparison) -> str:
    found = None if one.sensitivity is None else one.sensitivity.detectable
    if found is None or found.difference is None:
        return NONE
    return f"{100.0 * found.difference:.1f} points"


def paired_table(found: Sequence[PairedTable]) -> Table:
    """Return 2×2 tables, one a row."""
    columns = ("first", "second", "both", "only first", "only second", "neither", "items")
    rows = []
    for one in found:
        cells = (one.both, one.only_first, one.only_second, one.neither)
        rows.append((one.first, one.second, *map(count, cells), count(sum(cells))))
    return Table(columns, tuple(rows), frozenset(range(2, 7)))


def groups_table(found: Sequence[GroupScore]) -> Table:
    """Return accuracies by task and by language."""
    columns = ("group", "by", "condition", "n", "clips", "accuracy", "interval")
    rows = tuple((one.group, one.by, one.condition, *_estimate(one.accuracy)) for one in found)
    return Table(columns, rows, frozenset(range(3, 7)))


def dose_table(curve: DoseCurve) -> Table:
    """Return accuracies by dose."""
    dose = f"dose ({curve.unit})" if curve.unit else "dose"
    columns = ("condition", dose, "n", "clips", "accuracy", "interval")
    rows = tuple(
        (name, f"{value:g}".replace("-", "−"), *_estimate(accuracy))
        for name, value, accuracy in zip(
            curve.conditions, curve.response.doses, curve.response.accuracies, strict=True
        )
    )
    return Table(columns, rows, frozenset(range(1, 6)))


def measures_table(measures: Sequence[Measure]) -> Table:
    """Return all measures of a model with what they stand beside."""
    columns = ("measure", "where", "n", "clips", "value", "interval", "to be held against")
    rows = tuple(
        (one.title, measure_detail(one) or NONE, *_estimate(one.estimate, one.unit), _beside(one))
        for one in measures
    )
    return Table(columns, rows, frozenset({2, 3, 4, 5}))


def _beside(one: Measure) -> str:
    parts = [
        f"{each.label} {quantity(each.estimate.value, one.unit)}"
        if each.estimate.value is not None
        else f"{each.label} undefined: {each.estimate.reason}"
        for each in one.beside
    ]
    return ", ".join(parts) or NONE


def edits_table(conditions: Sequence[ConditionFacts]) -> Table:
    """Return what the conditions are, and what became of their rows."""
    columns = ("condition", "kind", "what is done", "keeps", "destroys", "rows", *_STATUSES)
    rows = tuple(
        (
            one.condition,
            one.kind if one.sham_of is None else f"sham of {one.sham_of}",
            one.title or NONE,
            _properties(one.keeps),
            _properties(one.destroys),
            count(one.rows),
            *(count(one.statuses.get(status, 0)) for status in _STATUSES),
        )
        for one in conditions
    )
    return Table(tuple(name.replace("_", " ") for name in columns), rows, frozenset(range(5, 10)))


def _properties(names: Sequence[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names) or NONE


def findings_table(findings: Sequence[ScoreFinding]) -> Table:
    """Return what was odd about the predictions."""
    columns = ("finding", "where", "rows", "what", "examples")
    rows = tuple(
        (
            one.kind.replace("_", " "),
            ", ".join(part for part in (one.model, one.condition, one.file) if part) or NONE,
            count(one.count),
            one.message,
            ", ".join(one.examples) or NONE,
        )
        for one in findings
    )
    return Table(columns, rows, frozenset({2}))
