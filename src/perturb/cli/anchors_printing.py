"""What ``perturb anchors`` prints: the chains that were made, and why others were not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from perturb.cli.reporting import json_path, print_json, print_reasons, print_table

if TYPE_CHECKING:
    from perturb.split.anchored.assembling import AnchoredSet
    from perturb.split.making import SplitSummary
    from perturb.split.preparation import PreparedSplit

__all__ = ["print_chains", "print_plan"]

_SHOWN_FAULTS = 5
_STATUSES = ("ok", "off_target", "inapplicable", "failed")
_LINKS = {1: "perception", 2: "perception, understanding", 3: "all three links"}


def print_plan(anchored: AnchoredSet, prepared: PreparedSplit, is_json: bool) -> int:
    """Print what an anchored split would hold; nothing was written."""
    from perturb.split.forecasting.forecast import forecast

    expected = forecast(prepared)
    if is_json:
        result = {**_result(anchored), "forecast": msgspec.structs.asdict(expected)}
        print_json("anchors", result, is_ok=True, findings=_findings(anchored))
        return 0
    _print_chains(anchored)
    for warning in expected.warnings:
        typer.echo(f"warning: {warning}")
    heard_s = sum(one.heard_s for one in expected.conditions)
    typer.echo(f"{expected.model_calls} model calls, {heard_s / 3600:.2f} h to be heard")
    typer.echo("dry run: nothing was written")
    return 0


def print_chains(anchored: AnchoredSet, summary: SplitSummary, is_json: bool) -> int:
    """Print what came of an anchored split; 1 where a clip carries no edit or a row is not ok."""
    findings = _findings(anchored) + [
        {"kind": "reason", "condition": name, "message": reason, "rows": count}
        for name, reasons in summary.reasons.items()
        for reason, count in reasons.items()
    ]
    if is_json:
        result = {
            **_result(anchored),
            "folder": json_path(anchored.request.folder),
            "counts": summary.counts,
            "audio_s": summary.audio_s,
            "warnings": summary.warnings,
            "faults": summary.faults,
        }
        print_json("anchors", result, is_ok=not findings, findings=findings)
        return 1 if findings else 0
    _print_chains(anchored)
    print_table(
        ("condition", *_STATUSES),
        [
            (name, *(str(counts.get(status, "–")) for status in _STATUSES))
            for name, counts in summary.counts.items()
        ],
    )
    print_reasons(summary.reasons)
    for warning in summary.warnings:
        typer.echo(f"warning: {warning}")
    for fault in summary.faults[:_SHOWN_FAULTS]:
        typer.echo(f"fault of perturb: {fault}", err=True)
    rows_made = sum(sum(counts.values()) for counts in summary.counts.values())
    typer.echo(
        f"{anchored.request.folder}: {rows_made} rows, {summary.audio_s / 60:.1f} min of audio"
    )
    return 1 if findings else 0


def _print_chains(anchored: AnchoredSet) -> None:
    for note in (*anchored.request.benchmark.notes, *anchored.notes):
        typer.echo(f"note: {note}")
    print_table(
        ("positions", "links", "chains"),
        [
            (str(positions), _LINKS[links], str(count))
            for (positions, links), count in anchored.chains.items()
        ],
    )
    print_reasons({f"no {level}": reasons for level, reasons in _missing(anchored).items()})
    print_reasons({"no chain": anchored.reasons})


def _missing(anchored: AnchoredSet) -> dict[str, Counter[str]]:
    """Return why links are missing in chains that have some, by level."""
    found: dict[str, Counter[str]] = {}
    for row in anchored.rows:
        for link in row.missing if row.questions else ():
            found.setdefault(link.level, Counter())[link.reason] += 1
    return found


def _result(anchored: AnchoredSet) -> dict[str, Any]:
    return {
        "chains": [
            {"positions": positions, "links": links, "chains": count}
            for (positions, links), count in anchored.chains.items()
        ],
        "missing_links": {level: dict(found) for level, found in _missing(anchored).items()},
        "inapplicable": anchored.reasons,
        "notes": [*anchored.request.benchmark.notes, *anchored.notes],
    }


def _findings(anchored: AnchoredSet) -> list[dict[str, Any]]:
    """Return the clips that carry no edit."""
    return [
        {"kind": row.status, "clip": row.chain, "constraint": row.constraint, "message": row.reason}
        for row in anchored.rows
        if not row.questions
    ]
