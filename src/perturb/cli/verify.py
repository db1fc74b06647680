"""``perturb verify``: is what lies on disk what the record says?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import print_json, slow_notice
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from perturb.render.verify import Verification

__all__ = ["verify_command"]

_SHOWN_FINDINGS = 40


def verify_command(
    path: Annotated[
        Path, typer.Argument(help="A split, a trace, the audio beside it, or a folder of traces.")
    ],
    input_path: Annotated[
        Path | None, typer.Option("--input", help="Where the input is now, if it moved.")
    ] = None,
    replay: Annotated[
        str, typer.Option(help="Which part of a split is rendered again: 2%, or all.")
    ] = "2%",
    jobs: Annotated[int, typer.Option(help="Worker processes, for a split.")] = 1,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Check hashes, replay the edit, measure it again from disk. Exit 1 on a finding."""
    from perturb.render.verify import verify_trace
    from perturb.split.checking.verification import is_split

    if path.is_dir() and is_split(path):
        return _verify_split(path, _share(replay), jobs, json)
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


def _share(text: str) -> float:
    """Return which part of the variants is replayed: a percentage, or all."""
    if text == "all":
        return 1.0
    try:
        share = float(text.removesuffix("%")) / 100.0 if text.endswith("%") else -1.0
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ParameterError(f"--replay is {text!r}; accepted: 0% to 100%, or all")
    return share


def _verify_split(folder: Path, share: float, jobs: int, is_json: bool) -> int:
    from perturb.split.checking.verification import verify_split

    with slow_notice(f"verifying {folder}"):
        found = verify_split(folder, share, jobs)
    if is_json:
        result = {
            "rows": found.rows,
            "variants": found.variants,
            "replayed": found.replayed,
            "missed": found.missed,
            "unchecked": found.unchecked,
        }
        print_json("verify", result, is_ok=not found.findings, findings=found.findings)
        return 1 if found.findings else 0
    for finding in found.findings[:_SHOWN_FINDINGS]:
        typer.echo(f"finding  {finding.kind}: {finding.path}: {finding.message}")
    if len(found.findings) > _SHOWN_FINDINGS:
        typer.echo(f"… and {len(found.findings) - _SHOWN_FINDINGS} more; --json lists all")
    for line in found.unchecked:
        typer.echo(f"not checked  {line}")
    typer.echo(
        f"{folder}: {found.rows} rows, {found.variants} variants hashed, {found.replayed} rendered "
        f"and measured again ({found.missed} recorded misses among them): "
        f"{len(found.findings)} findings"
    )
    return 1 if found.findings else 0


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
