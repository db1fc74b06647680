"""What a reader of predictions hands over: the rows of one file, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

__all__ = ["PredictionReader", "PredictionRows"]


@dataclass(frozen=True)
class PredictionRows:
    """The predictions of one file.

    Parameters
    ----------
    path : Path
        The file.
    form : str
        Name of the reader.
    described : str
        What it recognised, in one line.
    answers : list of str or None
        What the model answered, row by row.
    ids : mapping of str to list
        Fields that may say which item a row is about, the surest first.
    places : list of int or None
        Each row's place in the condition's data, for forms that name it.
    parsed : list of str or None
        What the harness took the answer for, where the row has both.
    is_parsed_read : bool
        Whether `parsed` is what the benchmark scores, and so what is read here.
    conditions, models : list of str or None
        Named in the rows.
    repeats : list of int or None
        Which run a row belongs to, named in the rows.
    checks : mapping of str to list
        `question` and `target` as the rows have them, to prove a join by.
    model : str or None
        Named for the whole file.
    failed : int
        Rows that are an error in the place of an answer.
    """

    path: Path
    form: str
    described: str
    answers: list[str | None]
    ids: Mapping[str, list[Any]] = field(default_factory=dict)
    places: list[Any] | None = None
    parsed: list[str | None] | None = None
    is_parsed_read: bool = False
    conditions: list[Any] | None = None
    models: list[Any] | None = None
    repeats: list[Any] | None = None
    checks: Mapping[str, list[Any]] = field(default_factory=dict)
    model: str | None = None
    failed: int = 0


class PredictionReader(Protocol):
    """Reads one form of predictions."""

    name: str
    looked_for: str
    """What a file of this form has, for messages."""

    def recognises(self, path: Path, names: Sequence[str]) -> bool:
        """Whether a file is of this form, by its name and the fields of its first rows."""
        ...

    def read(self, path: Path) -> PredictionRows:
        """Read it all.

        Raises
        ------
        ScoreError
            It cannot be read, or is damaged.
        """
        ...
