"""``perturb split``: a benchmark in every condition, paired and proven, for the lab's own harness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.reporting import announce_compiling
from perturb.errors import ParameterError

__all__ = ["split_command"]


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
    )
    if resume and overwrite:
        raise ParameterError("--resume and --overwrite exclude each other")
    announce_compiling()
    return 0
