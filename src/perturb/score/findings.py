"""What is odd about predictions: shown and counted, never repaired in silence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from perturb.record import Record, bounds

__all__ = ["FindingKind", "ScoreFinding", "examples_of"]

FindingKind = Literal[
    "ambiguous",
    "condition",
    "conflict",
    "denominators",
    "duplicate",
    "empty",
    "error",
    "extra",
    "failing",
    "filled",
    "judge",
    "labels",
    "missing",
    "missing_condition",
    "mismatch",
    "refused",
    "skipped",
    "ungraded",
    "unheard",
    "unparsed",
]

_EXAMPLES = 5


class ScoreFinding(Record, frozen=True, kw_only=True):
    """One oddity of the predictions.

    Parameters
    ----------
    kind : str
        What it is.
    message : str
        In one line for people, with what was done about it.
    count : int
        Rows concerned.
    file : str or None
        The file it was found in.
    model, condition : str or None
        Whose answers.
    examples : tuple of str
        Some of the rows, by pair id or as they call themselves.
    """

    kind: FindingKind
    message: str
    count: Annotated[int, bounds(0, None, "", "rows")] = 1
    file: str | None = None
    model: str | None = None
    condition: str | None = None
    examples: tuple[str, ...] = ()


def examples_of(values: Iterable[object]) -> tuple[str, ...]:
    """Return a few values as text, to be shown."""
    return tuple(str(value)[:120] for value, _ in zip(values, range(_EXAMPLES), strict=False))
