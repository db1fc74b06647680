"""What every command prints: the JSON envelope, one-line errors, tables, notices of slow work."""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perturb._version import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from perturb.operators.proof import Measured

__all__ = [
    "announce_compiling",
    "format_proof",
    "json_path",
    "print_error",
    "print_json",
    "print_reasons",
    "print_table",
    "slow_notice",
    "stderr_console",
]

_SLOW_S = 2.0
_SHOWN_REASONS = 5


def print_json(command: str, result: Any, *, is_ok: bool, findings: Sequence[Any] = ()) -> None:
    """Print the one object that a program reads: command, version, ok, result, findings."""
    envelope = {
        "command": command,
        "version": __version__,
        "ok": is_ok,
        "result": result,
        "findings": list(findings),
    }
    try:
        text = msgspec.json.encode(envelope).decode()
    except UnicodeEncodeError:  # the name of a file that is no Unicode, somewhere in a message
        text = json.dumps(msgspec.to_builtins(envelope))
    sys.stdout.write(text + "\n")


def json_path(path: Path) -> str:
    """Return a path as JSON can hold it: itself, or escaped where its bytes are no Unicode."""
    return os.fsencode(path).decode(errors="backslashreplace")


def print_error(command: str, message: str, *, is_json: bool, code: int = 2) -> int:
    """Say what went wrong in one line on stderr (and in the envelope), and return the exit code."""
    line = " ".join(message.split()).encode(errors="backslashreplace").decode()
    if is_json:
        finding = {"kind": "error", "message": line}
        print_json(command, None, is_ok=False, findings=[finding])
    sys.stderr.write(f"perturb: {line}\n")
    return code


def stderr_console() -> Console:
    """Return the console for progress and notices: never mixed with results."""
    from rich.console import Console

    return Console(stderr=True)


def print_reasons(reasons: Mapping[str, Mapping[str, int]]) -> None:
    """Print why, under each name, alike reasons as one; the rest of many kinds is counted."""
    from perturb.split.alike import alike

    for name, given in reasons.items():
        kinds = alike(given)
        for line in kinds[:_SHOWN_REASONS]:
            sys.stdout.write(f"{name}: {line}\n")
        if len(kinds) > _SHOWN_REASONS:
            sys.stdout.write(f"{name}: … and {len(kinds) - _SHOWN_REASONS} kinds of reason more\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Print a short table for people."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(_styled(Text, cell) for cell in row))
    Console().print(table)


def _styled(text: Any, cell: str) -> Any:
    styles = {"ok": "green", "off_target": "bold red", "undefined": "yellow", "failed": "bold red"}
    return text(cell, style=styles.get(cell, "yellow" if cell == "inapplicable" else ""))


def format_proof(proof: Measured) -> tuple[str, str, str, str]:
    """Return name, asked, achieved and verdict of a proof as a table shows them."""
    sign = {"within": "", "at_most": "≤ ", "at_least": "≥ "}[proof.bound]
    unit = f" {proof.unit}" if proof.unit else ""
    asked = f"{sign}{_number(proof.requested)}"
    if proof.bound == "within" and proof.tolerance > 0.0:
        asked += f" ± {_number(proof.tolerance)}"
    achieved = "–" if proof.achieved is None else f"{_number(proof.achieved)}{unit}"
    if proof.achieved is None and proof.reason:
        achieved += f" ({proof.reason})"
    name = proof.name.replace("_", " ")
    if proof.span is not None and proof.span > 0:
        name += f" [{proof.span + 1}]"
    return name, asked + unit, achieved, str(proof.verdict)


def _number(value: float) -> str:
    if value == int(value) and abs(value) < 1e9:
        return str(int(value))
    return f"{value:.3g}" if abs(value) < 1.0 else f"{value:.2f}"


@contextmanager
def slow_notice(text: str) -> Iterator[None]:
    """Show that work goes on, once it has taken longer than two seconds."""
    console = stderr_console()
    status = console.status(text)
    timer = threading.Timer(_SLOW_S, status.start if console.is_terminal else lambda: None)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        status.stop()


@functools.cache
def announce_compiling() -> None:
    """Say so, once, when numba has to compile a kernel instead of taking it from its cache."""
    from numba.core import event

    class Announcer(event.Listener):
        is_silent = False

        def on_start(self, event: object) -> None:
            if not self.is_silent:
                self.is_silent = True
                sys.stderr.write("perturb: compiling kernels, once on this machine …\n")
                sys.stderr.flush()

        def on_end(self, event: object) -> None:
            pass

    register: Any = event.register
    register("numba:compile", Announcer())
