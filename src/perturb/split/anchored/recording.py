"""The edit manifest once everything is rendered: times, values and files by the traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from perturb.anchors.clip_plan import EDITED
from perturb.anchors.manifest import AnchorPosition, AnchorRow
from perturb.plan.trace import StepTrace, Trace
from perturb.span import Span
from perturb.split.records.traces import read_traces
from perturb.split.work.tasks import ClipResult

__all__ = ["finished_row", "finished_rows", "traced_row"]


def finished_rows(
    rows: Sequence[AnchorRow], folder: Path, clips: Mapping[str, ClipResult]
) -> Iterator[AnchorRow]:
    """Yield the lines of the manifest as they are written.

    Parameters
    ----------
    rows : sequence of AnchorRow
        As planned.
    folder : Path
        The split.
    clips : mapping of str to ClipResult
        What became of each clip.
    """
    pointers = {
        key: variant.trace
        for key, result in clips.items()
        for variant in result.variants
        if variant.condition == EDITED and variant.trace is not None
    }
    traces = dict(read_traces(folder, pointers.values()))
    for row in rows:
        if row.chain not in clips:
            yield row
            continue
        pointer = pointers.get(row.chain)
        yield finished_row(row, clips[row.chain], None if pointer is None else traces[pointer])


def finished_row(row: AnchorRow, result: ClipResult, trace: Trace | None) -> AnchorRow:
    """Return a line with what rendering showed.

    Parameters
    ----------
    row : AnchorRow
        As planned.
    result : ClipResult
        What became of the clip.
    trace : Trace or None
        Of the edited clip; None where there is none.
    """
    variants = {variant.condition: variant for variant in result.variants}
    edited = variants[EDITED]
    done = msgspec.structs.replace(
        row,
        status=edited.status,
        reason=edited.reason,
        files={name: one.path for name, one in variants.items() if one.path is not None},
        traces={name: one.trace for name, one in variants.items() if one.trace is not None},
    )
    return done if trace is None else traced_row(done, trace)


def traced_row(row: AnchorRow, trace: Trace) -> AnchorRow:
    """Return a line with the times and values of a trace; unchanged where nothing was rendered.

    Parameters
    ----------
    row : AnchorRow
        Of the clip.
    trace : Trace
        Of the edited clip.
    """
    if trace.output is None or trace.headroom is None:
        return row
    return msgspec.structs.replace(
        row,
        edited_duration_s=trace.output.samples / trace.output.sample_rate_hz,
        headroom_db=trace.headroom.gain_db,
        positions=tuple(
            msgspec.structs.replace(
                position,
                edited=_heard(position, index, trace),
                measured=tuple(proof for proof in trace.steps[0].measured if proof.span == index),
            )
            for index, position in enumerate(row.positions)
        ),
    )


def _heard(position: AnchorPosition, index: int, trace: Trace) -> Span:
    """Return where an edit is heard: through the time map, an event as long as it lasts."""
    (step,) = trace.steps
    event = _event(step, index)
    if event is not None:
        return event
    if trace.time_map is None:
        return position.original
    # From the samples that were cut: a hundredth of a second may end amid one, and be heard so.
    rate = trace.input.sample_rate_hz
    start, stop = position.original.to_samples(rate)
    parts = trace.time_map.map_span(Span(start / rate, stop / rate))
    return Span(parts[0].start_s, parts[-1].end_s)


def _event(step: StepTrace, index: int) -> Span | None:
    events = step.notes.get("events")
    if not isinstance(events, list):
        return None
    return Span(events[index]["start_s"], events[index]["stop_s"])
