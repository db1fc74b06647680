"""The command line: one file per command. `main` is the entry point."""

from __future__ import annotations

import os

__all__ = ["main"]

# One thread each for the libraries under numpy: the same bytes on any machine, and no fight between
# workers. Has to stand before numpy is imported, in this process and in every worker.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")


def main() -> None:
    """Run the command line and exit with its code."""
    from perturb.cli.app import run

    raise SystemExit(run())
