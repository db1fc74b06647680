"""The edit manifest on disk: against traces, against the files, and the questions against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from perturb.anchors.clip_plan import EDITED
from perturb.anchors.manifest import AnchorRow, heard_at_s
from perturb.audio_io import read_audio
from perturb.errors import PerturbError, PlanError
from perturb.execution.local import run_jobs
from perturb.operators.registry import operator_from_fields
from perturb.plan.trace import Trace
from perturb.render.findings import Finding
from perturb.split.anchored.chains import answer_chains, question_id
from perturb.split.anchored.recording import traced_row
from perturb.split.anchored.remeasuring import disagreements
from perturb.split.presentation import ORIGINAL
from perturb.split.records.manifest import ItemRow, SplitRecord
from perturb.split.records.recording import ANCHORS_FILE, ITEMS_FILE
from perturb.split.records.traces import read_traces

__all__ = ["check_anchors"]

_TIME_TOLERANCE_S = 0.011
"""Times in questions are planned to the hundredth second."""

_Job = tuple[Path, AnchorRow, Trace | None]


def check_anchors(
    folder: Path, record: SplitRecord, items: Sequence[ItemRow], workers: int = 1
) -> Iterator[Finding]:
    """Yield what is wrong with the edit manifest of a split; nothing where it has none.

    Parameters
    ----------
    folder : Path
        The split.
    record : SplitRecord
        Its ``split.json``.
    items : sequence of ItemRow
        Its items.
    workers : int
        Processes, for the audio.

    Raises
    ------
    PlanError
        The manifest cannot be read.
    """
    if not (folder / ANCHORS_FILE).exists():
        return
    rows = _read(folder / ANCHORS_FILE)
    yield from _check_questions(rows, record.seed, items)
    traces = _traces(folder, rows)
    jobs: list[_Job] = [(folder, row, traces.get(row.traces.get(EDITED, ""))) for row in rows]
    for outcome in run_jobs(_check_row, jobs, workers, is_warm=True):
        for message in outcome.result or ((outcome.reason,) if outcome.reason else ()):
            yield _finding(ANCHORS_FILE, f"{rows[outcome.index].chain}: {message}")


def _read(path: Path) -> list[AnchorRow]:
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            rows.append(msgspec.json.decode(line, type=AnchorRow))
        except (msgspec.DecodeError, PerturbError) as error:
            raise PlanError(f"{path}, line {number}: {error}") from None
    return rows


def _traces(folder: Path, rows: Sequence[AnchorRow]) -> dict[str, Trace]:
    """Return the traces of edited clips; files of traces that are no good are found elsewhere."""
    pointers = [row.traces[EDITED] for row in rows if EDITED in row.traces]
    try:
        return dict(read_traces(folder, pointers))
    except (OSError, ValueError):
        return {}


def _check_questions(
    rows: Sequence[AnchorRow], seed: int, items: Sequence[ItemRow]
) -> Iterator[Finding]:
    """Yield questions that do not follow from the manifest."""
    asked = {item.item_id: item for item in items}
    for chain, (questions, _) in answer_chains(rows, seed).items():
        for level, question in questions.items():
            item = asked.pop(question_id(chain, level), None)
            found = None if item is None else (item.question, item.choices, item.answer_index)
            if found != (question.question, question.choices, question.gold):
                message = f"{question_id(chain, level)} does not follow from {ANCHORS_FILE}"
                yield _finding(ITEMS_FILE, message)
    for name in asked:
        yield _finding(ITEMS_FILE, f"{name} follows from no line of {ANCHORS_FILE}")


def _check_row(job: _Job) -> tuple[str, ...]:
    """Return what is wrong with one line."""
    folder, row, trace = job
    if row.status not in ("ok", "off_target"):
        return ()
    if trace is None:
        return ("its trace is not there",)
    return (*_by_trace(row, trace), *_by_times(row), *_by_files(folder, row))


def _by_trace(row: AnchorRow, trace: Trace) -> Iterator[str]:
    again = traced_row(row, trace)
    for name in row.__struct_fields__:
        if getattr(again, name) != getattr(row, name):
            yield f"{name} is not what its trace says"
    step = trace.plan.steps[0]
    if msgspec.to_builtins(step.operator) != row.operator:
        yield "operator is not that of its trace"
    if step.spans != tuple(position.original for position in row.positions):
        yield "its places are not those of its trace"
    if trace.status != row.status or trace.reason != row.reason:
        yield f"status is {row.status} ({row.reason}); its trace: {trace.status} ({trace.reason})"


def _by_times(row: AnchorRow) -> Iterator[str]:
    """Yield places that the questions name elsewhere than they are heard."""
    operator = operator_from_fields(dict(row.operator or {}))
    spans = tuple(position.original for position in row.positions)
    for number, position in enumerate(row.positions, 1):
        told_s = heard_at_s(operator, spans, position.original.start_s)
        if position.edited is None or abs(position.edited.start_s - told_s) > _TIME_TOLERANCE_S:
            yield f"position {number} is told at {told_s:.2f} s and heard at {position.edited}"


def _by_files(folder: Path, row: AnchorRow) -> Iterator[str]:
    try:
        before, after = (read_audio(folder / row.files[name]).signal for name in (ORIGINAL, EDITED))
    except (KeyError, PerturbError) as error:
        yield f"its files cannot be measured: {error}"
        return
    yield from disagreements(row, before, after)


def _finding(path: str, message: str) -> Finding:
    return Finding(kind="proof" if path == ANCHORS_FILE else "trace", path=path, message=message)
