"""``perturb replay``: a trace and its input give the variant again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import announce_compiling, print_json, slow_notice

__all__ = ["replay_command"]


def replay_command(
    trace: Annotated[Path, typer.Argument(help="The trace, or the audio beside it.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    input_path: Annotated[
        Path | None, typer.Option("--input", help="Where the input is now, if it moved.")
    ] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Write a variant again from its trace: byte-identical, or exit 1."""
    from perturb.audio_io import file_sha256
    from perturb.render.replay import replay_to_file

    announce_compiling()
    with slow_notice(f"replaying {trace}"):
        recorded = replay_to_file(trace, output, input_path)
    expected = recorded.output.file_sha256 if recorded.output is not None else None
    found = file_sha256(output)
    is_same = found == expected
    message = f"{output}: " + (
        "byte-identical to the recorded variant"
        if is_same
        else f"other bytes than recorded (sha256 {found[:12]}…, recorded {str(expected)[:12]}…); "
        "perturb verify tells whether they are within 1 LSB"
    )
    if json:
        result = {"output": str(output), "file_sha256": found, "recorded_sha256": expected}
        findings = [] if is_same else [{"kind": "replay", "message": message}]
        print_json("replay", result, is_ok=is_same, findings=findings)
    else:
        typer.echo(message)
    return 0 if is_same else 1
