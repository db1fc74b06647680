"""Audit labels: rows of a table of labels that judge answers rather than items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from perturb.errors import ScoreError
from perturb.score.labels.labels import AuditLabels

__all__ = ["AUDIT_COLUMNS", "read_audits"]

AUDIT_COLUMNS = ("audit", "failure", "stands_for", "model", "condition")
"""What a row that judges an answer says; model and condition are any where they are missing."""

_Key = tuple[str | None, str | None]


def read_audits(
    columns: Mapping[str, Sequence[Any]], rows: Sequence[int], count: int, where: str
) -> dict[_Key, AuditLabels]:
    """Return the audit labels of a table by model and condition.

    Parameters
    ----------
    columns : mapping of str to sequence
        Of the table.
    rows : sequence of int
        The item of each row, below 0 where there is none.
    count : int
        Items.
    where : str
        The file, for messages.

    Raises
    ------
    ScoreError
        A weight that is not above 0, or an answer that is judged twice.
    """
    if not {"audit", "failure"} & columns.keys():
        return {}
    nothing = [None] * len(rows)
    quality: dict[_Key, dict[int, tuple[Any, Any, float]]] = {}
    table = zip(rows, *(columns.get(name, nothing) for name in AUDIT_COLUMNS), strict=True)
    for number, (place, audit, failure, weight, model, condition) in enumerate(table):
        if place < 0 or (audit in (None, "") and failure in (None, "")):
            continue
        part = quality.setdefault((_name(model), _name(condition)), {})
        if place in part:
            raise ScoreError(f"{where}: row {number} judges an answer a second time")
        part[place] = (audit, failure, _weight(weight, f"{where}: row {number}"))
    return {key: _audit(part, count, "stands_for" in columns) for key, part in quality.items()}


def _audit(
    part: Mapping[int, tuple[Any, Any, float]], count: int, is_weighted: bool
) -> AuditLabels:
    rows = [part.get(place, (None, None, 1.0)) for place in range(count)]
    return AuditLabels(
        quality=tuple(_text(row[0]) for row in rows),
        failure=tuple(_text(row[1]) for row in rows),
        weights=np.array([row[2] for row in rows]) if is_weighted else None,
    )


def _name(value: Any) -> str | None:
    return None if value in (None, "") else str(value)


def _text(value: Any) -> str | None:
    return None if value in (None, "") else str(value).strip().casefold()


def _weight(value: Any, place: str) -> float:
    if value in (None, ""):
        return 1.0
    try:
        weight = float(value)
    except (TypeError, ValueError, OverflowError):
        weight = 0.0
    if not 0.0 < weight < float("inf"):
        raise ScoreError(f"{place}: stands_for is {value!r}; accepted: a number above 0")
    return weight
