"""``perturb events``: the bank of sound events: its list, one event as a file, all in a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perturb.cli.options import NamedPaths
from perturb.cli.reporting import (
    announce_compiling,
    json_path,
    print_json,
    print_table,
    slow_notice,
)
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.events.bank import EventBank

__all__ = ["events_app"]

events_app = typer.Typer(
    help="Generated sound events: list them, render one, draw them all.", no_args_is_help=True
)

_Bank = Annotated[
    Path | None,
    typer.Option("--bank", help="A folder per category, or a CSV table; instead of the generated."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


@events_app.command("list", cls=NamedPaths)
def list_command(bank: _Bank = None, json: _Json = False, debug: _Debug = False) -> int:
    """List the categories of the bank; of a bank of files, also those that cannot be used."""
    findings: list[dict[str, str]] = []
    categories = _generated() if bank is None else _in_files(bank, findings)
    if json:
        print_json("events", {"categories": categories}, is_ok=not findings, findings=findings)
        return 1 if findings else 0
    rows = [(one["name"], one["family"] or "–", one["description"] or "–") for one in categories]
    print_table(("category", "family", "how it sounds"), rows)
    typer.echo(f"{len(categories)} categories; what a name says was vouched for by nobody yet")
    for finding in findings:
        typer.echo(f"passed over  {finding['message']}")
    return 1 if findings else 0


def _generated() -> list[dict[str, Any]]:
    from perturb.events.registry import all_categories

    return [
        {
            "name": one.name,
            "family": one.family,
            "description": one.description,
            "recognised_by": list(one.recognised_by),
            "duration_s": list(one.duration_s),
        }
        for one in all_categories().values()
    ]


def _in_files(path: Path, findings: list[dict[str, str]]) -> list[dict[str, Any]]:
    from perturb.events.folder_bank import FolderBank

    bank = FolderBank(path)
    with slow_notice(f"reading {path.name}"):
        problems = bank.check()
    findings += [
        {"kind": "clip", "path": json_path(file), "message": reason}
        for file, reason in problems.items()
    ]
    return [
        {"name": name, "family": None, "description": None, "recognised_by": []}
        for name in bank.categories()
    ]


@events_app.command("render", cls=NamedPaths)
def render_command(
    category: Annotated[str, typer.Argument(help="Its name, as `perturb events list` has it.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    seed: Annotated[int, typer.Option(help="Which of its renderings.")] = 0,
    rate: Annotated[int, typer.Option(help="Sampling rate in Hz, 8000 to 48000.")] = 48_000,
    bank: _Bank = None,
    json: _Json = False,
    debug: _Debug = False,
) -> int:
    """Write one event to a file."""
    from perturb.audio_io import OutputFormat, write_audio
    from perturb.events.bank import GeneratedBank
    from perturb.events.folder_bank import FolderBank
    from perturb.measure.level import gated_level_dbfs

    source: EventBank = GeneratedBank() if bank is None else FolderBank(bank)
    if output.suffix.lower() != ".wav":
        raise ParameterError(f"output {output} is no .wav; accepted: a name that ends in .wav")
    announce_compiling()
    event = source.render(category, seed, rate)
    output.parent.mkdir(parents=True, exist_ok=True)
    written = write_audio(output, event, OutputFormat())
    level = gated_level_dbfs(event.samples, event.sample_rate_hz).value
    if json:
        result = {
            "output": json_path(output),
            "category": category,
            "seed": seed,
            "sample_rate_hz": event.sample_rate_hz,
            "duration_s": event.duration_s,
            "active_level_dbfs": level,
            "audio_sha256": written.signal.audio_sha256,
        }
        print_json("events", result, is_ok=True)
    else:
        typer.echo(
            f"{output}: {category}#{seed}, {event.duration_s:.2f} s at {event.sample_rate_hz} Hz, "
            f"active level {level:.1f} dBFS"
        )
    return 0


@events_app.command("sheet", cls=NamedPaths)
def sheet_command(
    output: Annotated[Path, typer.Option("-o", "--output", help="The .png file to write.")],
    seed: Annotated[int, typer.Option(help="Which rendering of each category.")] = 0,
    bank: _Bank = None,
    json: _Json = False,
    debug: _Debug = False,
) -> int:
    """Draw the spectrogram of one event of each category. Needs matplotlib."""
    from perturb.events.bank import GeneratedBank
    from perturb.events.folder_bank import FolderBank
    from perturb.events.sheet import draw_sheet

    source: EventBank = GeneratedBank() if bank is None else FolderBank(bank)
    announce_compiling()
    with slow_notice("drawing the bank"):
        count = draw_sheet(source, output, seed)
    if json:
        print_json("events", {"output": json_path(output), "categories": count}, is_ok=True)
    else:
        typer.echo(f"{output}: {count} categories, seed {seed}")
    return 0
