"""The command line: one file per command. `main` is the entry point."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

# One thread each for the libraries under numpy: the same bytes on any machine, and no fight between
# workers. Has to stand before numpy is imported, in this process and in every worker.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")


def main() -> None:
    """Run the command line and exit with its code."""
    from perturb.cli.app import run

    for stream in (sys.stdout, sys.stderr):
        # A terminal of another alphabet shows what it can; it does not end the run.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (head, less): nothing more to say, and nothing to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)
