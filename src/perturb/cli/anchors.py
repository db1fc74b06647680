"""``perturb anchors``: one edit at planned places of recordings, and chain questions about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from perturb.cli.anchors_printing import print_chains, print_plan
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
from perturb.cli.split_progress import SplitProgress
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.anchors.placement import PlacementRules

__all__ = ["anchors_command"]


def anchors_command(
    benchmark: Annotated[
        Path, typer.Argument(metavar="BENCH", help="A benchmark, or a folder of recordings.")
    ],
    *,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of the split.")],
    operation: Annotated[str, typer.Option(help="addition, deletion or modification.")],
    edit: Annotated[
        str | None, typer.Option(help="event; silence or smear; gain or speed.")
    ] = None,
    direction: Annotated[str | None, typer.Option(help="up or down, of a modification.")] = None,
    positions: Annotated[
        str, typer.Option(metavar="FEWEST-MOST", help="Places of each recording, 1 to 3.")
    ] = "1-3",
    segments: Annotated[
        Path | None,
        typer.Option(
            "--segments", "--transcripts", help="Table of segments: clip, start_s, stop_s, text …"
        ),
    ] = None,
    heard_limit_s: Annotated[
        float | None, typer.Option(help="Only what is heard by then is edited, in seconds.")
    ] = None,
    bank: Annotated[
        Path | None,
        typer.Option(help="Sounds from a folder per category, or a CSV table."),
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(help="Draw sounds from these categories. Repeatable.")
    ] = None,
    audio_root: AudioRoot = None,
    reader: Reader = "auto",
    writer: Writers = None,
    seed: Seed = 0,
    jobs: Workers = 1,
    resume: Resume = False,
    overwrite: Overwrite = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Plan, and say what would be made; write nothing.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Edit each recording at one to three planned places, and ask chains of questions about it."""
    from perturb.anchors.edits import anchor_edit
    from perturb.anchors.sounds import SoundBank
    from perturb.split.anchored.assembling import assemble_anchors
    from perturb.split.making import make_split
    from perturb.split.preparation import prepare

    mode = mode_of(resume, overwrite)
    asked = anchor_edit(cast("Any", operation), cast("Any", edit), cast("Any", direction))
    if asked.edit != "event" and (bank is not None or category):
        raise ParameterError("--bank and --category go with --operation addition")
    with SplitProgress() as progress:
        progress.say("planning")
        announce_compiling()
        anchored = assemble_anchors(
            benchmark,
            output,
            asked,
            rules=_rules(positions, heard_limit_s),
            bank=SoundBank(bank, tuple(category or ())),
            segments=segments,
            audio_root=audio_root,
            reader=reader,
            writers=writer or ("source",),
            seed=seed,
            jobs=jobs,
            start=progress.start_planning,
            advance=progress.advance_scan,
        )
        progress.start_scan(len(anchored.request.benchmark.clips))
        prepared = prepare(anchored.request, progress.advance_scan)
        if not dry_run:
            progress.start_rendering(len(prepared.shards))
            summary = make_split(prepared, mode, advance=progress.advance_shard, say=progress.say)
    if dry_run:
        return print_plan(anchored, prepared, json)
    return print_chains(anchored, summary, json)


def _rules(positions: str, heard_limit_s: float | None) -> PlacementRules:
    from perturb.anchors.placement import MOST_POSITIONS, PlacementRules

    fewest, dash, most = positions.partition("-")
    try:
        pair = (int(fewest), int(most if dash else fewest))
    except ValueError:
        pair = (0, 0)
    if not 1 <= pair[0] <= pair[1] <= MOST_POSITIONS:
        raise ParameterError(
            f"--positions is {positions!r}; accepted: a number or FEWEST-MOST, 1 to "
            f"{MOST_POSITIONS}"
        )
    return PlacementRules(positions=pair, hearing_limit_s=heard_limit_s)
