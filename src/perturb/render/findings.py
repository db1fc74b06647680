"""What verification finds: disagreements between what is on disk and what is recorded."""

from __future__ import annotations

from typing import Literal

from perturb.record import Record

__all__ = ["Finding", "Kind", "Verification"]

Kind = Literal["trace", "input", "output", "replay", "proof"]


class Finding(Record, frozen=True, kw_only=True):
    """One disagreement between what is on disk and what is recorded.

    Parameters
    ----------
    kind : str
        What disagrees.
    path : str
        The trace concerned.
    message : str
        Recorded and found.
    """

    kind: Kind
    path: str
    message: str


class Verification(Record, frozen=True, kw_only=True):
    """The outcome of checking one trace.

    Parameters
    ----------
    path : str
        The trace.
    status : str or None
        As recorded; None where the trace cannot be read.
    checks : tuple of str
        What was checked and agreed.
    findings : tuple of Finding
        What disagreed.
    missed : int
        Proofs that are honestly recorded as off target.
    """

    path: str
    status: str | None
    checks: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    missed: int = 0
