"""Options that commands share, so that they are called and explained alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.split.folder import Mode

__all__ = [
    "AudioRoot",
    "Debug",
    "Json",
    "NamedPaths",
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


class NamedPaths(TyperCommand):
    """A command that refuses '' where a path belongs.

    An unset variable of a shell leaves ''; `Path` would make the current folder of it.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Look at the words as given, before they become paths."""
        if any(word == "" or word.endswith("=") for word in args):
            given, _, _ = self.make_parser(ctx).parse_args(list(args))
            kinds = get_type_hints(self.callback)
            params: list[Any] = list(self.params)  # as each version of typer has them
            for param in params:
                words = given.get(param.name)
                is_empty = "" in words if isinstance(words, list | tuple) else words == ""
                if is_empty and _is_of_paths(kinds.get(param.name)):
                    raise typer.BadParameter(
                        "'' names nothing; name a file or folder, '.' for this folder", ctx, param
                    )
        return super().parse_args(ctx, args)


def _is_of_paths(kind: Any) -> bool:
    """Whether an annotation is `Path`, or several of it, or none."""
    return kind is Path or any(_is_of_paths(part) for part in get_args(kind))


def mode_of(resume: bool, overwrite: bool) -> Mode:
    """Return what becomes of a split that is there already."""
    if resume and overwrite:
        raise ParameterError("--resume and --overwrite exclude each other")
    return "resume" if resume else "overwrite" if overwrite else "new"
