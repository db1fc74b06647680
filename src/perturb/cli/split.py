"""``perturb split``: a benchmark in every condition, paired and proven, for a lab's harness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.options import (
    AudioRoot,
    Debug,
    Json,
    Overwrite,
    Reader,
    Resume,
    Seed,
    Workers,
    Writers,
    mode_of,
)
from perturb.cli.reporting import announce_compiling
from perturb.cli.split_printing import print_forecast, print_regeneration, print_summary
from perturb.cli.split_progress import SplitProgress
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.split.folder import Mode
    from perturb.split.making import SplitSummary
    from perturb.split.preparation import PreparedSplit

__all__ = ["split_command"]

_SUITE = "seabed/controls"


def split_command(
    benchmark: Annotated[
        Path | None, typer.Argument(metavar="BENCH", help="A benchmark: a file, or a folder of it.")
    ] = None,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the split.")],
    suite: Annotated[str, typer.Option(help="A suite of the catalogue, or a .toml file.")] = _SUITE,
    audio_root: AudioRoot = None,
    reader: Reader = "auto",
    writer: Writers = None,
    seed: Seed = 0,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value that recipes ask for."),
    ] = None,
    jobs: Workers = 1,
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
    manifest: Annotated[
        Path | None,
        typer.Option("--from", help="manifest.jsonl of a published split that is made again."),
    ] = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made; write nothing.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Make the counterfactual split of a benchmark: every item in every condition, with proof."""
    from perturb.recipes.for_clip import parse_given
    from perturb.split.assembling import assemble
    from perturb.split.preparation import prepare

    mode = mode_of(resume, overwrite)
    if manifest is not None:
        if audio_root is None:
            raise ParameterError("--from needs --audio-root, the folder of the recordings")
        recorded = {
            "--suite": suite != _SUITE,
            "--seed": seed != 0,
            "--set": given,
            "--sample": sample,
            "--stratify": stratify,
            "--limit": limit is not None,
            "--transcripts": transcripts,
            "--questions": questions,
            "--task-map": task_map,
            "--abstain": abstain,
            "--dry-run": dry_run,
        }
        _refuse_asked_otherwise([name for name, is_given in recorded.items() if is_given])
        return _make_again(
            manifest, audio_root, output, benchmark, reader, tuple(writer or ()), jobs, mode, json
        )
    if benchmark is None:
        raise ParameterError("name a benchmark, or a published split with --from")
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
            summary = _make(prepared, mode, progress)
    if dry_run:
        return print_forecast(request, prepared, json)
    return print_summary(request, summary, json)


def _refuse_asked_otherwise(names: list[str]) -> None:
    """Refuse what a published split has settled, rather than pass it over."""
    if names:
        raise ParameterError(
            f"{', '.join(names)}: --from makes a published split again as it was asked for; "
            "leave it out, or split the benchmark itself"
        )


def _make(prepared: PreparedSplit, mode: Mode, progress: SplitProgress) -> SplitSummary:
    from perturb.split.making import make_split

    progress.start_rendering(len(prepared.shards))
    return make_split(prepared, mode, advance=progress.advance_shard, say=progress.say)


def _make_again(
    manifest: Path,
    audio_root: Path,
    output: Path,
    benchmark: Path | None,
    reader: str,
    writers: tuple[str, ...],
    jobs: int,
    mode: Mode,
    is_json: bool,
) -> int:
    from perturb.split.republishing.republishing import republish

    announce_compiling()
    with SplitProgress() as progress:
        progress.say("rendering")
        done = republish(
            manifest,
            audio_root,
            output,
            benchmark=benchmark,
            reader=reader,
            writers=writers,
            workers=jobs,
            mode=mode,
            advance=progress.advance_files,
        )
    return print_regeneration(output, done, is_json)
