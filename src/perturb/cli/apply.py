"""``perturb apply``: edit one file, many files or a folder, and prove each edit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from perturb.cli.options import Debug, Json, Seed
from perturb.cli.reporting import (
    announce_compiling,
    format_proof,
    json_path,
    print_json,
    print_table,
    slow_notice,
    stderr_console,
)
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.execution.local import Outcome
    from perturb.plan.step import Plan, Role
    from perturb.plan.trace import Trace
    from perturb.recipes.for_clip import RecipeSteps
    from perturb.render.files import FileJob

__all__ = ["apply_command"]

_SHOWN_ROWS = 40


def apply_command(
    inputs: Annotated[
        list[Path], typer.Argument(metavar="IN...", help="Audio files, or folders of them.")
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The file to write; a folder for several inputs."),
    ],
    op: Annotated[
        list[str] | None,
        typer.Option(
            "--op",
            metavar="STEP",
            help="NAME[:field=value,...][@start[-stop][+start[-stop]...]], seconds. Repeatable.",
        ),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="A recipe of the catalogue, or a .toml file; instead of --op."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="SPANS", help="start-stop[+start-stop...], where a recipe asks for it."
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value that a recipe asks for."),
    ] = None,
    sham: Annotated[bool, typer.Option("--sham", help="Render each step's sham instead.")] = False,
    seed: Seed = 0,
    overflow: Annotated[
        str, typer.Option(help="Past the ceiling: scale (one recorded gain), error or limit.")
    ] = "scale",
    stems: Annotated[
        bool, typer.Option("--stems", help="Write the parts of a sum too, as OUT.NAME.wav.")
    ] = False,
    bank: Annotated[
        Path | None,
        typer.Option(help="Take bank:CATEGORY#SEED from a folder per category, or a CSV table."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Worker processes, for several files.")] = 1,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Edit audio and prove the edit. The trace goes beside the output: OUT.json."""
    from perturb.plan.step import Plan
    from perturb.plan.step_text import parse_step
    from perturb.render.batch import plan_batch

    if jobs < 1:
        raise ParameterError(f"jobs is {jobs}; accepted: at least 1")
    role: Role = "sham" if sham else "probe"
    steps = tuple(parse_step(text, role) for text in op or ())
    make_steps = _recipe_steps(recipe, bool(op), at, given or [], seed, role, bank)
    # Checks seed and overflow before any file is opened.
    plan = Plan.of(
        steps,
        clip_id="",
        seed=seed,
        stream="main" if make_steps is None else make_steps.stream,
        overflow=overflow,  # type: ignore[arg-type]
    )
    announce_compiling()
    if len(inputs) == 1 and not inputs[0].is_dir() and not _is_folder(output):
        return _apply_one(inputs[0], output, plan, make_steps, stems, bank, json)
    if stems:
        raise ParameterError("--stems goes with one input and one output file")
    _check_available(plan, make_steps)
    batch = [replace(job, bank=bank) for job in plan_batch(inputs, output, plan, make_steps)]
    return _apply_many(batch, jobs, json, debug)


def _recipe_steps(
    name: str | None,
    has_op: bool,
    at: str | None,
    given: list[str],
    seed: int,
    role: Role,
    bank: Path | None,
) -> RecipeSteps | None:
    """Return what makes the steps of a recipe, or None where steps are named by --op."""
    from perturb.anchors.finding import ClipFinder
    from perturb.anchors.sounds import SoundBank
    from perturb.recipes.catalogue import load_recipe
    from perturb.recipes.for_clip import RecipeSteps, parse_given, parse_spans

    if (name is None) != has_op:
        raise ParameterError("give --op STEP or --recipe NAME, one of the two")
    if name is None:
        if at is not None or given:
            raise ParameterError("--at and --set go with --recipe; a step has its own @ and fields")
        return None
    return RecipeSteps(
        recipe=load_recipe(name),
        seed=seed,
        role=role,
        given=parse_given(given),
        spans=None if at is None else parse_spans(at),
        find=ClipFinder(SoundBank(bank)),
    )


def _check_available(plan: Plan, make_steps: RecipeSteps | None) -> None:
    """Find out once, not for each file of a batch, that a package or program is missing."""
    if make_steps is not None:
        make_steps.check_available()
    for step in plan.steps:
        if not step.operator.is_neutral:
            step.operator.check_available()


def _is_folder(output: Path) -> bool:
    return output.is_dir() or output.suffix == ""


def _apply_one(
    source: Path,
    output: Path,
    plan: Plan,
    make_steps: RecipeSteps | None,
    has_stems: bool,
    bank: Path | None,
    is_json: bool,
) -> int:
    from perturb.render.files import FileJob, apply_to_file, trace_path_for

    job = FileJob(
        source=source,
        output=output,
        steps=plan.steps,
        seed=plan.seed,
        stream=plan.stream,
        overflow=plan.overflow,
        make_steps=make_steps,
        stems=has_stems,
        bank=bank,
    )
    with slow_notice(f"editing {source.name}"):
        trace = apply_to_file(job)
    if is_json:
        print_json(
            "apply",
            {
                "output": json_path(output),
                "trace_path": json_path(trace_path_for(output)),
                "trace": trace,
            },
            is_ok=trace.status == "ok",
            findings=_findings(source, trace),
        )
    else:
        _print_trace(output, trace)
    return 0 if trace.status == "ok" else 1


def _findings(source: Path, trace: Trace) -> list[dict[str, str | None]]:
    if trace.status == "ok":
        return []
    return [{"kind": trace.status, "path": json_path(source), "message": trace.reason}]


def _print_trace(output: Path, trace: Trace) -> None:
    from perturb.audio_io.paths import printable_path

    rows: list[tuple[str, ...]] = []
    for planned, done in zip(trace.plan.steps, trace.steps, strict=False):
        name = planned.name + (" (sham)" if planned.role == "sham" else "")
        rows.extend((name, *format_proof(proof)) for proof in done.measured)
    if rows:
        print_table(("step", "measured", "asked", "achieved", "verdict"), rows)
    for record in (trace.input, trace.output):
        if record is not None:
            for note in record.notes:
                typer.echo(f"note: {printable_path(str(record.path))}: {note}")
    if trace.output is None:
        typer.echo(f"{trace.status}: {trace.reason}. No audio written; the trace says so")
        return
    if trace.output.clipped_samples:
        typer.echo(f"warning: {trace.output.clipped_samples} samples clipped on writing")
    gain = trace.headroom.gain_db if trace.headroom is not None else 0.0
    headroom = f", headroom {gain:.2f} dB" if gain else ""
    typer.echo(f"{printable_path(output)}: {trace.status}{headroom}")


def _apply_many(batch: list[FileJob], workers: int, is_json: bool, is_debug: bool) -> int:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from perturb.execution.local import run_jobs
    from perturb.render.files import apply_to_file

    outcomes: list[Outcome[Trace] | None] = [None] * len(batch)
    console = stderr_console()
    columns = (TextColumn("editing"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("editing", total=len(batch))
        for outcome in run_jobs(apply_to_file, batch, workers):
            outcomes[outcome.index] = outcome
            progress.advance(task)
            if is_debug and outcome.traceback:
                typer.echo(outcome.traceback, err=True)
    rows = [_row(job, outcome) for job, outcome in zip(batch, outcomes, strict=True)]
    counts = Counter(row["status"] for row in rows)
    bad = [row for row in rows if row["status"] != "ok"]
    if is_json:
        result = {"files": rows, "counts": dict(sorted(counts.items()))}
        findings = [
            {"kind": row["status"], "path": row["input"], "message": row["reason"]} for row in bad
        ]
        print_json("apply", result, is_ok=not bad, findings=findings)
    else:
        _print_batch(rows, bad, counts)
    return 1 if bad else 0


def _row(job: FileJob, outcome: Outcome[Trace] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"input": json_path(job.source), "output": None, "reason": None}
    if outcome is None or outcome.result is None:
        reason = "never ran" if outcome is None else outcome.reason
        return row | {"status": "failed", "reason": reason, "proofs": 0, "met": 0, "gain_db": None}
    trace = outcome.result
    return row | {
        "output": None if trace.output is None else json_path(job.output),
        "status": trace.status,
        "reason": trace.reason,
        "proofs": len(trace.measured),
        "met": sum(proof.verdict == "ok" for proof in trace.measured),
        "gain_db": None if trace.headroom is None else trace.headroom.gain_db,
        "measured": msgspec.to_builtins(trace.measured),
    }


def _print_batch(
    rows: list[dict[str, Any]], bad: list[dict[str, Any]], counts: Counter[str]
) -> None:
    from perturb.audio_io.paths import printable_path

    shown = rows if len(rows) <= _SHOWN_ROWS else bad[:_SHOWN_ROWS]
    table = [
        (
            printable_path(row["input"]),
            row["status"],
            f"{row['met']}/{row['proofs']}",
            f"{row['gain_db']:.2f} dB" if row["gain_db"] else "–",
            row["reason"] or "",
        )
        for row in shown
    ]
    if table:
        print_table(("input", "status", "proofs met", "headroom", "reason"), table)
    if len(rows) > _SHOWN_ROWS and len(bad) > _SHOWN_ROWS:
        typer.echo(f"… and {len(bad) - _SHOWN_ROWS} more; --json lists all")
    typer.echo(
        f"{len(rows)} files: " + ", ".join(f"{count} {name}" for name, count in counts.items())
    )
