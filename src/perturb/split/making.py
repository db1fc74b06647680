"""`make_split`: a prepared split from its first write to its last record."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from perturb.audio_io.paths import errors_named
from perturb.benchmark.embedded import extract_all
from perturb.benchmark.writers.registry import find_writer
from perturb.errors import AudioError, OutputError
from perturb.render.environment import current_environment
from perturb.split.folder import (
    SOURCES_FOLDER,
    Mode,
    check_folder,
    opened,
    recorded_writers,
    remove_unknown,
    sweep,
)
from perturb.split.forecasting.hearing import hearing_warnings
from perturb.split.preparation import PreparedSplit, with_edits
from perturb.split.presentation import Presentation
from perturb.split.questions.told_edits import told_edits
from perturb.split.records.manifest import ManifestRow, QuestionRow, SplitRecord
from perturb.split.records.recording import (
    CLIPS_FILE,
    DONORS_FILE,
    ITEMS_FILE,
    MANIFEST_FILE,
    QUESTIONS_FILE,
    SPLIT_FILE,
    StatusCounter,
    item_row,
    record_hashes,
    write_json,
    write_lines,
)
from perturb.split.records.request_record import describe_request
from perturb.split.rows import ConditionRows, RowMaker
from perturb.split.work.running import Advance, render_shards
from perturb.split.work.tasks import ClipResult, trace_file_name
from perturb.split.work.warming import warm_up

__all__ = ["SplitSummary", "make_split"]


@dataclass(frozen=True)
class SplitSummary:
    """What came of a split.

    Parameters
    ----------
    counts : dict of str to dict of str to int
        Rows by condition and status.
    reasons : dict of str to dict of str to int
        By condition, reasons and how often each was given.
    audio_s : float
        Seconds of audio that were written.
    warnings : tuple of str
        What common harnesses will not hear of it.
    faults : tuple of str
        Faults of the program rather than of the input.
    """

    counts: Mapping[str, Mapping[str, int]]
    reasons: Mapping[str, Mapping[str, int]]
    audio_s: float
    warnings: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def make_split(
    prepared: PreparedSplit,
    mode: Mode,
    *,
    advance: Advance = lambda task, result, was_done: None,
    say: Callable[[str], None] = lambda text: None,
) -> SplitSummary:
    """Render, record and write a split.

    Parameters
    ----------
    prepared : PreparedSplit
        What `prepare` made ready.
    mode : {'new', 'resume', 'overwrite'}
        What becomes of a split that lies there already.
    advance : callable
        Called for each shard that is done, and whether an earlier run had done it.
    say : callable
        Told what the run is about to do, for progress.

    Returns
    -------
    SplitSummary

    Raises
    ------
    ParameterError
        The folder is not ours to write to; nothing was written.
    BenchmarkError
        A writer cannot hold this split; nothing was written.
    OutputError
        The disk is full or closed. What the journal knows stays.
    """
    request = prepared.request
    described = describe_request(request)
    check_folder(request.folder, described, mode)
    names = request.writers
    if mode == "resume":  # forms that an earlier run has written are written again
        names = tuple(dict.fromkeys((*recorded_writers(request.folder), *names)))
    writers = [find_writer(name) for name in names]
    audible = {name: t.condition.has_audio for name, t in request.treatments.items()}
    for writer in writers:
        writer.check(request.source, audible)
    folders = {v.condition for shard in prepared.shards for c in shard.clips for v in c.variants}
    with (
        _hint_to_resume(),
        opened(request.folder, described, sorted(folders), writers=names, mode=mode),
    ):
        _take_out(prepared)
        say("rendering" if request.jobs == 1 else "warming up (a first run compiles its kernels)")
        clips = _render_shards(prepared, advance, mode)
        remove_unknown(request.folder, _made(prepared, clips))
        say("writing rows")
        maker = RowMaker(_informed(prepared, clips), clips, request.expect)
        counter = _write_records(prepared, maker, clips)
        rows = ConditionRows(maker, request.items, prepared.conditions, request.folder)
        for writer in writers:
            say(f"writing {writer.name}")
            target = request.folder / writer.name
            with errors_named(target, OutputError):
                shutil.rmtree(target, ignore_errors=True)
            writer.write(target, request.source, rows)
        _write_split(prepared, described, names, counter)
    return SplitSummary(
        counts=counter.as_dict(),
        reasons={name: dict(reasons) for name, reasons in counter.reasons.items()},
        audio_s=sum(_seconds(result) for result in clips.values()),
        warnings=tuple(hearing_warnings(prepared)),
        faults=tuple(dict.fromkeys(_faults(clips))),
    )


@contextmanager
def _hint_to_resume() -> Iterator[None]:
    """Say of a split that cannot be written what becomes of it. Clips that cannot be read are rows
    by now, so that whatever is wrong with a file is wrong with one of the split's.
    """
    try:
        yield
    except AudioError as error:
        raise OutputError(f"{error}; what is finished stays, --resume goes on") from error


def _informed(prepared: PreparedSplit, clips: Mapping[str, ClipResult]) -> Presentation:
    """Return the presentation, told what was done where a condition tells it."""
    request = prepared.request
    names = {c.edits_of for c in request.suite.conditions if c.edits_of is not None}
    if not names:
        return prepared.presentation
    edits = told_edits(
        request.folder, names, request.items, prepared.presentation, clips, request.called
    )
    return with_edits(prepared, edits)


def _render_shards(prepared: PreparedSplit, advance: Advance, mode: Mode) -> dict[str, ClipResult]:
    """Render what is left to do; whatever interrupts it, nothing unfinished lies about."""
    request = prepared.request
    try:
        return render_shards(
            prepared.shards,
            request.jobs,
            advance,
            is_resumed=mode == "resume",
            warm_up=warm_up(prepared.shards, prepared.scan.durations_s),
        )
    except BaseException:
        with suppress(OSError):
            sweep(request.folder)
        raise


def _take_out(prepared: PreparedSplit) -> None:
    """Write embedded audio as files, as it is."""
    wanted = {clip.key for shard in prepared.shards for clip in shard.clips}
    wanted |= {
        key for s in prepared.shards for c in s.clips for v in c.variants for key in v.references
    }
    clips = prepared.request.benchmark.clips
    embedded = [clips[key] for key in sorted(wanted) if clips[key].embedded is not None]
    if embedded:
        folder = prepared.request.folder / SOURCES_FOLDER
        with errors_named(folder, OutputError):
            folder.mkdir(exist_ok=True)
        extract_all(embedded, folder)


def _write_records(
    prepared: PreparedSplit, maker: RowMaker, clips: Mapping[str, ClipResult]
) -> StatusCounter:
    request = prepared.request
    folder = request.folder
    places = request.material.abstaining
    counter = StatusCounter(prepared.conditions)
    write_lines(folder / MANIFEST_FILE, counter.watch(_manifest(prepared, maker)))
    write_lines(
        folder / ITEMS_FILE,
        (item_row(item, tuple(places.get(item.pair_id, ()))) for item in request.items),
    )
    if any(t.probe.changes_question for t in request.treatments.values()):
        write_lines(folder / QUESTIONS_FILE, _questions(prepared, maker))
    write_lines(folder / CLIPS_FILE, (clips[key].clip for key in sorted(clips)))
    for name, make in request.extra_records.items():
        write_lines(folder / name, make(folder, clips))
    if prepared.donors:
        write_json(folder / DONORS_FILE, prepared.donors)
    return counter


def _manifest(prepared: PreparedSplit, maker: RowMaker) -> Iterator[ManifestRow]:
    for item in prepared.request.items:
        for name in prepared.conditions:
            yield maker.manifest_row(item, name)


def _questions(prepared: PreparedSplit, maker: RowMaker) -> Iterator[QuestionRow]:
    for item in prepared.request.items:
        for name, treatment in prepared.request.treatments.items():
            if treatment.probe.changes_question:
                row = maker.question_row(item, name)
                if row is not None:
                    yield row


def _made(prepared: PreparedSplit, clips: Mapping[str, ClipResult]) -> Iterator[str]:
    """Yield the audio and traces of a split, relative to its folder."""
    for shard in prepared.shards:
        yield trace_file_name(shard.index)
    for result in clips.values():
        for variant in result.variants:
            if variant.path is not None:
                yield variant.path


def _write_split(
    prepared: PreparedSplit,
    described: Mapping[str, Any],
    writers: tuple[str, ...],
    counter: StatusCounter,
) -> None:
    request = prepared.request
    record = SplitRecord(
        source={**described["source"], "reason": request.benchmark.reason},
        suite=described["suite"],
        conditions=described["conditions"],
        seed=request.seed,
        selection=described["selection"],
        writers=writers,
        environment=current_environment(),
        counts=counter.as_dict(),
        gold_positions=counter.gold_positions(),
        files=record_hashes(request.folder),
        notes=(*request.benchmark.notes, *hearing_warnings(prepared)),
    )
    write_json(request.folder / SPLIT_FILE, record)


def _seconds(result: ClipResult) -> float:
    rate = result.clip.sample_rate_hz or 1
    return sum(variant.samples for variant in result.variants) / rate


def _faults(clips: Mapping[str, ClipResult]) -> Iterator[str]:
    for result in clips.values():
        for variant in result.variants:
            if variant.is_fault:
                yield f"{result.clip.clip_id}, {variant.condition}: {variant.reason}"
