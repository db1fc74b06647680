"""``perturb score``: predictions against the split they answer; what the audio contributed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perturb.cli.options import Debug, Json
from perturb.cli.reporting import announce_compiling, slow_notice
from perturb.cli.score_printing import print_score, write_reports
from perturb.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["score_command"]


def score_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A finished split.")],
    predictions: Annotated[
        list[str],
        typer.Argument(
            metavar="PREDICTIONS…",
            help="Files and folders; CONDITION=, MODEL= or MODEL:CONDITION= may stand in front.",
        ),
    ],
    *,
    output: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help="Report to write, .json or .csv. Repeatable."),
    ] = None,
    matcher: Annotated[
        str,
        typer.Option(
            help="stated, exact, letter, mmau, mmar, regex:…, judge-file:PATH, rubric-file:PATH."
        ),
    ] = "stated",
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Table of pairs, chains, traps or audits by item. Repeatable.",
        ),
    ] = None,
    heard_limit_s: Annotated[
        list[str] | None,
        typer.Option(
            "--heard-limit-s",
            metavar="[MODEL=]S",
            help="Seconds of audio that models, or one model, hear. Repeatable.",
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option(help="Points of accuracy that do not matter, declared beforehand.")
    ] = 3.0,
    samples: Annotated[int, typer.Option(help="Bootstrap samples.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Score predictions: accuracy by condition, probes against shams. Exit 1 on a finding."""
    from perturb.cli.outputs import check_outputs
    from perturb.score.answers import read_answers
    from perturb.score.inference.settings import Settings
    from perturb.score.matching.registry import matcher_file
    from perturb.score.overview import overview
    from perturb.score.predictions.naming import files_of

    for path in output or ():
        if path.suffix.lower() not in (".json", ".csv"):
            raise ParameterError(f"output is {path}; accepted: a file that ends in .json or .csv")
    graded = matcher_file(matcher)
    inputs = [*files_of(predictions), *(labels or ()), *([] if graded is None else [graded])]
    check_outputs(output or (), inputs, [folder])
    settings = Settings(margin=margin / 100.0, n_samples=samples, seed=seed)
    announce_compiling()
    with slow_notice("scoring"):
        found = read_answers(
            folder,
            predictions,
            matcher=matcher,
            heard_limit_s=_limits(heard_limit_s or []),
            labels=labels or [],
        )
        shown = overview(found, settings)
    write_reports(output or [], shown, found)
    return print_score(shown, found, is_json=json)


def _limits(words: list[str]) -> float | Mapping[str, float] | None:
    """Return the limit of all models, or of each that is named."""
    limits: dict[str, float] = {}
    for word in words:
        model, _, text = word.rpartition("=")
        try:
            limits[model] = float(text)
        except ValueError:
            raise ParameterError(
                f"--heard-limit-s is {word!r}; accepted: seconds, such as 30, or MODEL=30"
            ) from None
    if not limits:
        return None
    if set(limits) == {""}:
        return limits[""]
    if "" in limits:
        raise ParameterError("--heard-limit-s names a limit for all models and one for a model")
    return limits
