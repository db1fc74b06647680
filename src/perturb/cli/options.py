"""Options that commands share, so that they are called and explained alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.split.folder import Mode

__all__ = [
    "AudioRoot",
    "Debug",
    "Json",
    "Overwrite",
    "Reader",
    "Resume",
    "Seed",
    "Workers",
    "Writers",
    "mode_of",
]

AudioRoot = Annotated[Path | None, typer.Option(help="Folder that audio paths are relative to.")]
Reader = Annotated[str, typer.Option(help="How the benchmark is read.")]
Writers = Annotated[
    list[str] | None,
    typer.Option(help="source, parquet, audiofolder or inspect. Repeatable; default source."),
]
Seed = Annotated[int, typer.Option(help="Seed of every random stream.")]
Workers = Annotated[int, typer.Option(help="Worker processes.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what an interrupted run left.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Make a split that is there again.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


def mode_of(resume: bool, overwrite: bool) -> Mode:
    """Return what becomes of a split that is there already."""
    if resume and overwrite:
        raise ParameterError("--resume and --overwrite exclude each other")
    return "resume" if resume else "overwrite" if overwrite else "new"
