"""``perturb verify``: is what lies on disk what the record says?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from perturb.cli.reporting import print_json, slow_notice
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.render.verify import Verification

__all__ = ["verify_command"]


def verify_command(
    path: Annotated[
        Path, typer.Argument(help="A trace, the audio beside it, or a folder of traces.")
    ],
    input_path: Annotated[
        Path | None, typer.Option("--input", help="Where the input is now, if it moved.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> int:
    """Check hashes, replay the edit, measure it again from disk. Exit 1 on a finding."""
    from perturb.render.verify import verify_trace

    traces = _traces(path)
    if input_path is not None and len(traces) > 1:
        raise ParameterError("--input goes with a single trace; this folder holds several")
    with slow_notice(f"verifying {len(traces)} variants"):
        results = [verify_trace(trace, input_path) for trace in traces]
    findings = [finding for result in results for finding in result.findings]
    if json:
        print_json("verify", msgspec.to_builtins(results), is_ok=not findings, findings=findings)
    else:
        for result in results:
            _print_result(result, is_alone=len(results) == 1)
        if len(results) > 1:
            missed = sum(result.missed > 0 for result in results)
            typer.echo(
                f"{len(results)} variants: {len(findings)} findings, "
                f"{missed} with honestly recorded misses"
            )
    return 1 if findings else 0


def _traces(path: Path) -> list[Path]:
    from perturb.audio_io import is_litter
    from perturb.errors import PlanError
    from perturb.render.replay import load_trace

    if not path.is_dir():
        if not path.exists() and not path.with_suffix(".json").exists():
            raise ParameterError(f"{path}: nothing there; accepted: a trace, its audio or a folder")
        return [path if path.suffix.lower() == ".json" else path.with_suffix(".json")]
    found = []
    for candidate in sorted(path.rglob("*.json")):
        if is_litter(candidate) or not candidate.is_file():
            continue
        try:
            load_trace(candidate)
        except PlanError:
            # Foreign JSON is not ours to judge; a trace that was altered is.
            if b"perturb-trace/" not in candidate.read_bytes():
                continue
        found.append(candidate)
    if not found:
        raise ParameterError(f"{path}: no traces in this folder")
    return found


def _print_result(result: Verification, *, is_alone: bool) -> None:
    verdict = "findings" if result.findings else "verified"
    missed = f", {result.missed} recorded misses" if result.missed else ""
    typer.echo(f"{result.path}: {verdict} (status {result.status}{missed})")
    if is_alone:
        for check in result.checks:
            typer.echo(f"  ok       {check}")
    for finding in result.findings:
        typer.echo(f"  finding  {finding.kind}: {finding.message}")
