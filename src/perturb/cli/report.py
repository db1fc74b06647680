"""``perturb report``: a finished score as one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import json_path, print_json
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.report.figures.figure import Figure

__all__ = ["report_command"]

_PAGE_SUFFIXES = (".html", ".htm")
_PAGE_NAME = "report.html"


def report_command(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT", help="A score (.json), or a split that holds one as score.json."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page; by default report.html beside the score."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for each figure as a file of its own, .svg.")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Write a score as one HTML page that needs no network and no script."""
    from perturb.audio_io import write_text_atomic
    from perturb.audio_io.paths import printable_path
    from perturb.cli.outputs import check_outputs
    from perturb.report.page.document import make_report
    from perturb.report.result import find_result, read_result

    source = find_result(path)
    target = output if output is not None else source.with_name(_PAGE_NAME)
    if target.suffix.lower() not in _PAGE_SUFFIXES:
        raise ParameterError(f"output is {target}; accepted: a name that ends in .html")
    result = read_result(source)
    report = make_report(result)
    drawn = [] if figures is None else [_figure_path(figures, one) for one in report.figures]
    if figures is not None and figures.exists() and not figures.is_dir():
        raise ParameterError(f"figures is {printable_path(figures)}, a file; name a folder")
    check_outputs([target, *drawn], [source], [path] if path.is_dir() else [])
    write_text_atomic(target, report.page)
    written = [] if figures is None else _write_figures(figures, report.figures)
    if json:
        shown = {
            "score": json_path(source),
            "output": json_path(target),
            "figures": [one.name for one in report.figures],
            "files": [json_path(each) for each in written],
        }
        print_json("report", shown, is_ok=True)
        return 0
    typer.echo(f"{target}: {len(report.figures)} figures of {source}")
    if figures is not None:
        typer.echo(f"{figures}: {len(written)} files")
    return 0


def _figure_path(folder: Path, one: Figure) -> Path:
    return folder / f"{one.name}.svg"


def _write_figures(folder: Path, figures: tuple[Figure, ...]) -> list[Path]:
    from perturb.audio_io import write_text_atomic
    from perturb.report.svg.drawing import standalone

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for one in figures:
        target = _figure_path(folder, one)
        write_text_atomic(target, standalone(one.wide, one.name, one.title, one.caption))
        written.append(target)
    return written
