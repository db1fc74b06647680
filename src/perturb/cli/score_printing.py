"""What ``perturb score`` prints and writes: tables, one JSON object, a CSV of all numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from perturb.cli.reporting import print_json, print_table
from perturb.cli.score_csv import STATES, csv_text

if TYPE_CHECKING:
    from perturb.score.answers import ScoreInput
    from perturb.score.inference.estimate import Estimate
    from perturb.score.records.claim import Claim
    from perturb.score.records.comparison import Comparison
    from perturb.score.records.condition import ConditionScore
    from perturb.score.records.measure import Measure
    from perturb.score.records.overview import ModelScore, Overview

__all__ = ["print_score", "write_reports"]

_SHOWN_FINDINGS = 40
_NONE = "–"
_MAX_MEASURES = 12
_SHOWN_MEASURES = (
    "net_contribution",
    "still_correct_without_audio",
    "flip_excess",
    "follows_donor",
    "reached",
    "abstention_where_unanswerable",
    "paired_accuracy",
    "same_answer_rate",
    "chain_score",
    "mislead_rate",
    "conflict_gap",
    "rubric_score",
    "tonal_difference",
    "audit_share",
)
"""Measures that are printed; the files have all."""


def print_score(shown: Overview, found: ScoreInput, *, is_json: bool) -> int:
    """Print a score, and return the exit code: 1 where there are findings."""
    if is_json:
        print_json("score", _result(shown, found), is_ok=not found.findings, findings=_plain(found))
        return 1 if found.findings else 0
    for note in found.notes:
        typer.echo(note)
    typer.echo(f"answers are read by {shown.matcher}")
    for model in shown.models:
        columns = ("condition", "n", "accuracy", "interval", *STATES, "off target")
        rows = [_accuracy_row(one) for one in model.conditions]
        print_table(*_told(columns, rows), title=model.model)
        if model.comparisons:
            print_table(
                ("contrast", "n", "points", "interval", "p", "verdict"),
                [_contrast_row(one) for one in model.comparisons],
            )
        _print_claims(model)
        _print_measures(model)
        typer.echo(f"noise floor: two runs on the same bytes differ in {_show(model.noise_floor)}")
    baselines = msgspec.structs.asdict(shown.baselines)
    parts = [f"{name.replace('_', ' ')} {_show(one)}" for name, one in baselines.items()]
    typer.echo("without audio or reading: " + ", ".join(parts))
    for finding in found.findings[:_SHOWN_FINDINGS]:
        place = ", ".join(part for part in (finding.model, finding.condition) if part)
        where = place or finding.file or ""
        typer.echo(f"finding  {finding.kind}: {where}: {finding.count} × {finding.message}")
    if len(found.findings) > _SHOWN_FINDINGS:
        typer.echo(f"… and {len(found.findings) - _SHOWN_FINDINGS} more; --json lists all")
    typer.echo(
        f"{shown.items} items of {shown.clusters} clips, {len(shown.models)} models: "
        f"{len(found.findings)} findings"
    )
    return 1 if found.findings else 0


def _told(
    columns: tuple[str, ...], rows: list[tuple[str, ...]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return a table without the columns of failures that nobody had."""
    kept = [
        at
        for at, name in enumerate(columns)
        if name not in (*STATES, "off target") or any(row[at] != _NONE for row in rows)
    ]
    return tuple(columns[at] for at in kept), [tuple(row[at] for at in kept) for row in rows]


def write_reports(paths: Sequence[Path], shown: Overview, found: ScoreInput) -> None:
    """Write the report in each form that is asked for; a file appears whole or not at all."""
    from perturb.audio_io import write_bytes_atomic

    for path in paths:
        if path.suffix.lower() == ".csv":
            write_bytes_atomic(path, csv_text(shown).encode())
        else:
            report = {**_result(shown, found), "findings": _plain(found)}
            write_bytes_atomic(path, msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def _result(shown: Overview, found: ScoreInput) -> dict[str, Any]:
    result: dict[str, Any] = msgspec.to_builtins(shown)
    return {**result, "unheard": found.unheard, "notes": list(found.notes)}


def _plain(found: ScoreInput) -> list[Any]:
    return [msgspec.to_builtins(finding) for finding in found.findings]


def _accuracy_row(one: ConditionScore) -> tuple[str, ...]:
    name = one.condition if one.sham_of is None else f"{one.condition} (sham)"
    failures = [str(one.states.get(state, _NONE)) for state in STATES]
    return (
        name,
        str(one.accuracy.n),
        _percent(one.accuracy.value),
        _interval(one.accuracy),
        *failures,
        str(one.off_target or _NONE),
    )


def _contrast_row(one: Comparison) -> tuple[str, ...]:
    difference, p_value = one.contrast.difference, one.verdict.p_adjusted
    return (
        _name(one),
        str(difference.n),
        _NONE if difference.value is None else f"{100.0 * difference.value:+.1f}",
        _interval(difference),
        _NONE if p_value is None else f"{p_value:.3g}",
        one.verdict.verdict if one.role == "primary" else f"{one.verdict.verdict} (exploratory)",
    )


def _name(one: Comparison) -> str:
    return f"{one.first} − {one.second}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100.0 * value:.1f} %"


def _interval(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return "none"
    return f"{100.0 * one.low:.1f} to {100.0 * one.high:.1f}"


def _show(one: Estimate) -> str:
    return f"{_NONE} ({one.reason})" if one.value is None else _percent(one.value)


def _print_claims(model: ModelScore) -> None:
    width = max((len(_verdict(one)) for one in model.claims), default=0)
    for one in model.claims:
        typer.echo(f"{_verdict(one):{width}}  {one.title}")


def _verdict(one: Claim) -> str:
    is_exploratory = one.role == "exploratory" and one.verdict != "not tested"
    return f"{one.verdict} (exploratory)" if is_exploratory else one.verdict


def _print_measures(model: ModelScore) -> None:
    chosen = [one for one in model.measures if one.name in _SHOWN_MEASURES]
    rows = [_measure_row(one) for one in chosen[:_MAX_MEASURES]]
    if rows:
        print_table(("measure", "condition", "n", "value", "interval", "beside"), rows)
    left = len(model.measures) - len(rows)
    typer.echo(f"{left} more measures, by task and language too: -o FILE.json, -o FILE.csv")


def _measure_row(one: Measure) -> tuple[str, ...]:
    words = ", ".join(one.group.values())
    beside = ", ".join(f"{each.label} {_percent(each.estimate.value)}" for each in one.beside)
    return (
        f"{one.name.replace('_', ' ')} {words}".rstrip(),
        one.condition or _NONE,
        str(one.estimate.n),
        _percent(one.estimate.value),
        _interval(one.estimate),
        beside or _NONE,
    )
