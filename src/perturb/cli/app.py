"""The application: commands, and what becomes of errors.

Exit codes: 0 done; 1 done, with findings; 2 the user's mistake, in one line. A traceback only with
``--debug``.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer

from perturb._version import __version__
from perturb.cli.anchors import anchors_command
from perturb.cli.apply import apply_command
from perturb.cli.events import events_app
from perturb.cli.measure import measure_command
from perturb.cli.ops import ops_command
from perturb.cli.options import NamedPaths
from perturb.cli.recipes import recipes_command
from perturb.cli.replay import replay_command
from perturb.cli.report import report_command
from perturb.cli.reporting import print_error
from perturb.cli.score import score_command
from perturb.cli.split import split_command
from perturb.cli.verify import verify_command
from perturb.errors import BenchmarkError, PerturbError, RecipeError

__all__ = ["app", "run"]

app = typer.Typer(
    name="perturb",
    help="Find out whether an audio-language model listens: controlled, measured, provable edits "
    "of audio.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("apply", cls=NamedPaths)(apply_command)
app.command("ops", cls=NamedPaths)(ops_command)
app.command("recipes", cls=NamedPaths)(recipes_command)
app.command("split", cls=NamedPaths)(split_command)
app.command("anchors", cls=NamedPaths)(anchors_command)
app.command("score", cls=NamedPaths)(score_command)
app.command("report", cls=NamedPaths)(report_command)
app.command("measure", cls=NamedPaths)(measure_command)
app.command("verify", cls=NamedPaths)(verify_command)
app.command("replay", cls=NamedPaths)(replay_command)
app.add_typer(events_app, name="events")

_INTERRUPTED = 130

# Typer carries its own copy of click or uses the installed one, by version.
_USAGE_ERROR: Any = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"perturb {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def run(arguments: Sequence[str | os.PathLike[str]] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str or path, optional
        The command line without the program's name; by default the process's own.
    """
    from perturb.execution.memory import keep_freed_memory

    keep_freed_memory()
    words = [os.fspath(word) for word in (sys.argv[1:] if arguments is None else arguments)]
    command = next((word for word in words if not word.startswith("-")), "")
    try:
        result = app(args=words, prog_name="perturb", standalone_mode=False)
    except _USAGE_ERROR as error:
        if error.__class__.__name__ == "NoArgsIsHelpError":
            typer.echo(error.format_message())
            return 2
        return print_error(command, error.format_message(), is_json="--json" in words)
    except BrokenPipeError:
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return print_error(command, "interrupted", is_json="--json" in words, code=_INTERRUPTED)
    except Exception as error:
        if "--debug" in words:
            traceback.print_exc()
        return print_error(command, _in_words(error), is_json="--json" in words)
    if result == _INTERRUPTED:  # some versions of typer turn Ctrl-C into this themselves
        return print_error(command, "interrupted", is_json="--json" in words, code=_INTERRUPTED)
    return result if isinstance(result, int) else 0


def _in_one_line(message: str) -> str:
    """Return a message of several problems, one to a line, as one line that tells them apart."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return "; ".join(lines).replace(":; ", ": ")


def _in_words(error: Exception) -> str:
    if isinstance(error, BenchmarkError | RecipeError):
        return _in_one_line(str(error))
    if isinstance(error, PerturbError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        from perturb.audio_io.paths import printable_path

        return f"{printable_path(error.filename)}: {error.strerror}"
    return f"{type(error).__name__}: {error} (a fault of perturb; --debug shows where)"
