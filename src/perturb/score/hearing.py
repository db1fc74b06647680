"""Rows whose edit lies past what a model hears, by the spans in their traces.

A model that takes the leading seconds of its input alone never hears an edit that begins after
them. What counts is where the edit lies in the variant, as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from perturb.errors import ScoreError
from perturb.score.split_table import SplitTable
from perturb.split.records.recording import MANIFEST_FILE, read_lines
from perturb.split.work.tasks import TRACE_FOLDER

__all__ = ["EditStarts", "read_edit_starts"]

_NO_EDIT = np.inf


class _Operator(msgspec.Struct, gc=False):
    op: str = ""


class _Step(msgspec.Struct, gc=False):
    operator: _Operator


class _Plan(msgspec.Struct, gc=False):
    steps: tuple[_Step, ...] = ()


class _StepTrace(msgspec.Struct, gc=False):
    spans_original: tuple[tuple[float, float | None], ...] = ()
    spans_after: tuple[tuple[float, float | None], ...] = ()


class _Trace(msgspec.Struct, gc=False):
    plan: _Plan
    steps: tuple[_StepTrace, ...] = ()


class _Audio(msgspec.Struct, gc=False):
    trace: str | None = None


class _Row(msgspec.Struct, gc=False):
    pair_id: str
    condition: str
    audios: tuple[_Audio, ...] = ()


class EditStarts:
    """Where the first edit of each row begins, in seconds of the audio that a model is given.

    Parameters
    ----------
    starts_s : dict of str to ndarray
        By condition, one number an item; infinite where nothing was edited.
    """

    def __init__(self, starts_s: dict[str, NDArray[np.float64]]) -> None:
        self._starts_s = starts_s

    def unheard(self, condition: str, limit_s: float) -> NDArray[np.bool_]:
        """Return which rows are edited, but not within the first `limit_s` seconds."""
        starts_s = self._starts_s[condition]
        return np.isfinite(starts_s) & (starts_s >= limit_s)


def read_edit_starts(split: SplitTable) -> EditStarts:
    """Read the traces of a split for where its edits begin.

    Raises
    ------
    ScoreError
        A trace is missing or unreadable: what a model heard cannot be told.
    """
    starts = dict(_trace_starts(split.folder))
    places = {item.pair_id: place for place, item in enumerate(split.items)}
    found = {name: np.full(len(split.items), _NO_EDIT) for name in split.conditions}
    for row in read_lines(split.folder / MANIFEST_FILE, _Row):
        for audio in row.audios:
            if audio.trace is None:
                continue
            start_s = starts.get(audio.trace)
            if start_s is None:
                raise ScoreError(
                    f"{split.folder}: the trace {audio.trace} is missing; without it nobody can "
                    "tell which edits a model with a limit has heard (perturb verify shows what is "
                    "there)"
                )
            column, place = found[row.condition], places[row.pair_id]
            column[place] = min(column[place], start_s)
    return EditStarts(found)


def _trace_starts(folder: Path) -> Iterator[tuple[str, float]]:
    decoder = msgspec.json.Decoder(_Trace)
    for path in sorted((folder / TRACE_FOLDER).glob("*.jsonl")):
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                pointer = f"{TRACE_FOLDER}/{path.name}#{number}"
                try:
                    yield pointer, _start_s(decoder.decode(line))
                except msgspec.MsgspecError as error:
                    raise ScoreError(f"{folder / pointer}: cannot be read: {error}") from None


def _start_s(trace: _Trace) -> float:
    """Return where the first edit of a variant begins; infinity without an edit."""
    start_s = _NO_EDIT
    for step, done in zip(trace.plan.steps, trace.steps, strict=False):
        if step.operator.op == "identity":
            continue
        if not done.spans_original:
            return 0.0
        start_s = min([start_s, *(span[0] for span in done.spans_after)])
    return start_s
