"""What ``perturb split`` prints: the forecast of a dry run, the summary of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import typer

from perturb.cli.reporting import json_path, print_json, print_reasons, print_table

if TYPE_CHECKING:
    from pathlib import Path

    from perturb.split.making import SplitSummary
    from perturb.split.preparation import PreparedSplit, SplitRequest
    from perturb.split.republishing.regenerating import Regeneration

__all__ = ["print_forecast", "print_regeneration", "print_summary"]

_SHOWN_FAULTS = 3
_SHOWN_PROBLEMS = 20
_STATUSES = ("ok", "off_target", "inapplicable", "failed")


def print_forecast(request: SplitRequest, prepared: PreparedSplit, is_json: bool) -> int:
    """Print what a prepared split would hold and could show; nothing was written."""
    from perturb.split.forecasting.forecast import forecast

    expected = forecast(prepared)
    if is_json:
        result = {"reader": request.benchmark.reader, "reason": request.benchmark.reason}
        print_json("split", {**result, **msgspec.structs.asdict(expected)}, is_ok=True)
        return 0
    _print_source(request)
    rows = [
        (
            one.condition,
            str(one.rows),
            str(one.impossible) if one.impossible else "–",
            f"{one.file_s / 3600:.2f} h",
            f"{one.file_bytes / 1e6:,.0f} MB",
            f"{one.heard_s / 3600:.2f} h",
        )
        for one in expected.conditions
    ]
    print_table(("condition", "rows", "no edit", "audio", "on disk", "to be heard"), rows)
    print_reasons({one.condition: one.reasons for one in expected.conditions})
    for warning in expected.warnings:
        typer.echo(f"warning: {warning}")
    typer.echo(
        f"{expected.items} items on {expected.clips} clips ({expected.source_s / 3600:.2f} h, "
        f"{expected.unreadable} unreadable); {expected.model_calls} model calls, "
        f"{sum(one.heard_s for one in expected.conditions) / 3600:.2f} h to be heard"
    )
    typer.echo(expected.detectable.sentence())
    typer.echo("dry run: nothing was written")
    return 0


def _print_source(request: SplitRequest) -> None:
    from perturb.audio_io.paths import printable_path

    typer.echo(f"{request.benchmark.reader}: {request.benchmark.reason}")
    typer.echo(f"audio below {printable_path(request.benchmark.audio_root)}")
    for note in request.benchmark.notes:
        typer.echo(f"note: {note}")


def print_summary(request: SplitRequest, summary: SplitSummary, is_json: bool) -> int:
    """Print what came of a split, and return the exit code: 1 where some row is not `ok`."""
    is_ok = not any(set(counts) - {"ok"} for counts in summary.counts.values())
    if is_json:
        findings = [
            {"kind": "reason", "condition": name, "message": reason, "rows": count}
            for name, reasons in summary.reasons.items()
            for reason, count in reasons.items()
        ]
        result = {
            "folder": json_path(request.folder),
            "reader": request.benchmark.reader,
            "reason": request.benchmark.reason,
            "counts": summary.counts,
            "audio_s": summary.audio_s,
            "warnings": summary.warnings,
            "faults": summary.faults,
        }
        print_json("split", result, is_ok=is_ok, findings=findings)
        return 0 if is_ok else 1
    _print_source(request)
    columns = ("condition", *_STATUSES)
    rows = [
        (name, *(str(counts.get(status, "–")) for status in _STATUSES))
        for name, counts in summary.counts.items()
    ]
    print_table(columns, rows)
    print_reasons(summary.reasons)
    for warning in summary.warnings:
        typer.echo(f"warning: {warning}")
    for fault in summary.faults[:_SHOWN_FAULTS]:
        typer.echo(f"fault of perturb: {fault}", err=True)
    rows_made = sum(sum(counts.values()) for counts in summary.counts.values())
    typer.echo(f"{request.folder}: {rows_made} rows, {summary.audio_s / 60:.1f} min of audio")
    return 0 if is_ok else 1


def print_regeneration(folder: Path, done: Regeneration, is_json: bool) -> int:
    """Print what came of making a published split again, and return the exit code."""
    is_ok = not done.problems
    if is_json:
        findings = [{"kind": "replay", "message": problem} for problem in done.problems]
        print_json(
            "split",
            {"folder": json_path(folder), "made": done.made},
            is_ok=is_ok,
            findings=findings,
        )
        return 0 if is_ok else 1
    for problem in done.problems[:_SHOWN_PROBLEMS]:
        typer.echo(f"finding  {problem}")
    if len(done.problems) > _SHOWN_PROBLEMS:
        typer.echo(f"… and {len(done.problems) - _SHOWN_PROBLEMS} more; --json lists all")
    typer.echo(
        f"{folder}: {done.made} variants with the recorded bytes, {len(done.problems)} without"
    )
    return 0 if is_ok else 1
