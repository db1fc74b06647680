"""``perturb split``: a benchmark in every condition, paired and proven, for a lab's harness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from perturb.cli.reporting import announce_compiling, json_path, print_json, print_table
from perturb.cli.split_progress import SplitProgress
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.split.folder import Mode
    from perturb.split.making import SplitSummary
    from perturb.split.preparation import PreparedSplit, SplitRequest

__all__ = ["split_command"]

_SHOWN_REASONS = 3
_STATUSES = ("ok", "off_target", "inapplicable", "failed")


def split_command(
    benchmark: Annotated[
        Path, typer.Argument(metavar="BENCH", help="A benchmark: a file, or a folder of it.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the split.")],
    suite: Annotated[
        str, typer.Option(help="A suite of the catalogue, or a .toml file.")
    ] = "seabed/controls",
    audio_root: Annotated[
        Path | None, typer.Option(help="Folder that audio paths are relative to.")
    ] = None,
    reader: Annotated[str, typer.Option(help="How the benchmark is read.")] = "auto",
    writer: Annotated[
        list[str] | None,
        typer.Option(help="source, parquet, audiofolder or inspect. Repeatable; default source."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random stream.")] = 0,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value that recipes ask for."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 1,
    sample: Annotated[
        str | None, typer.Option(help="A part of the items: 10%, or a number of them.")
    ] = None,
    stratify: Annotated[
        str | None, typer.Option(metavar="FIELDS", help="Strata of the sample: task,language.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="The first items alone.")] = None,
    transcripts: Annotated[
        Path | None, typer.Option(help="Table of transcripts, by item id or clip.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Table of questions in other words, by item id.")
    ] = None,
    task_map: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What each task needs: a map's name, or a .toml file."),
    ] = None,
    abstain: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="An option that says it cannot be told. Repeatable."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what an interrupted run left.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Make a split that is there again.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made; write nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> int:
    """Make the counterfactual split of a benchmark: every item in every condition, with proof."""
    from perturb.recipes.for_clip import parse_given
    from perturb.split.assembling import assemble
    from perturb.split.preparation import prepare

    if resume and overwrite:
        raise ParameterError("--resume and --overwrite exclude each other")
    request = assemble(
        benchmark,
        output,
        suite=suite,
        audio_root=audio_root,
        reader=reader,
        writers=writer or ("source",),
        seed=seed,
        given=parse_given(given or []),
        jobs=jobs,
        sample=sample,
        stratify=[field for field in (stratify or "").split(",") if field],
        limit=limit,
        transcripts=transcripts,
        questions=questions,
        task_map=task_map,
        abstain=abstain or (),
    )
    with SplitProgress() as progress:
        progress.start_scan(len(request.benchmark.clips))
        prepared = prepare(request, progress.advance_scan)
        if not dry_run:
            announce_compiling()
            mode: Mode = "resume" if resume else "overwrite" if overwrite else "new"
            summary = _make(prepared, mode, progress)
    if dry_run:
        return _print_forecast(request, prepared, json)
    return _print_summary(request, summary, json)


def _make(prepared: PreparedSplit, mode: Mode, progress: SplitProgress) -> SplitSummary:
    from perturb.split.making import make_split

    progress.start_rendering(len(prepared.shards))
    return make_split(prepared, mode, advance=progress.advance_shard, say=progress.say)


def _print_forecast(request: SplitRequest, prepared: PreparedSplit, is_json: bool) -> int:
    from perturb.split.forecast import forecast

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
    for one in expected.conditions:
        for reason, count in list(one.reasons.items())[:_SHOWN_REASONS]:
            typer.echo(f"{one.condition}: {count} × {reason}")
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
    typer.echo(f"{request.benchmark.reader}: {request.benchmark.reason}")
    for note in request.benchmark.notes:
        typer.echo(f"note: {note}")


def _print_summary(request: SplitRequest, summary: SplitSummary, is_json: bool) -> int:
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
    for name, reasons in summary.reasons.items():
        for reason, count in list(reasons.items())[:_SHOWN_REASONS]:
            typer.echo(f"{name}: {count} × {reason}")
        if len(reasons) > _SHOWN_REASONS:
            typer.echo(
                f"{name}: … and {len(reasons) - _SHOWN_REASONS} reasons more, in the manifest"
            )
    for fault in summary.faults[:_SHOWN_REASONS]:
        typer.echo(f"fault of perturb: {fault}", err=True)
    rows_made = sum(sum(counts.values()) for counts in summary.counts.values())
    typer.echo(f"{request.folder}: {rows_made} rows, {summary.audio_s / 60:.1f} min of audio")
    return 0 if is_ok else 1
