"""One shard: its clips rendered, its traces written; the journal that a run resumes from.

A worker writes audio and traces under their names, each whole or not at all. The driver alone marks
a shard as done, in the journal, once everything of it lies on disk; what the journal does not know
is made again. The same shard gives the same bytes, so that doing one twice does no harm.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io import file_sha256, write_bytes_atomic
from perturb.audio_io.paths import errors_named
from perturb.errors import AudioError, OutputError
from perturb.plan.trace import Trace
from perturb.render.environment import current_environment
from perturb.split.work.rendering import failed_clip, render_clip
from perturb.split.work.tasks import (
    TRACE_FOLDER,
    ClipResult,
    ClipTask,
    ShardResult,
    ShardTask,
    trace_file_name,
)

__all__ = [
    "JOURNAL_FOLDER",
    "file_hash",
    "finished_shard",
    "mark_finished",
    "render_shard",
    "shard_key",
]

JOURNAL_FOLDER = "journal"

HashOf = Callable[[Path], str | None]
"""Returns the SHA-256 of a file's bytes, None where it cannot be read."""


class _JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    result: ShardResult


def render_shard(task: ShardTask) -> ShardResult:
    """Render every clip of a shard and write its traces.

    Returns
    -------
    ShardResult
        With `stopped` set where the split cannot be written to.
    """
    clips: list[ClipResult] = []
    lines: list[bytes] = []
    sources: dict[str, str | None] = {}
    try:
        for clip in task.clips:
            result, traces = _render(clip, task)
            sources.update(_source_hashes(clip, task, result))
            _remove_unmade(clip, task, result)
            variants = list(result.variants)
            for index, trace in enumerate(traces):
                if trace is None:
                    continue
                lines.append(trace.to_json(is_compact=True))
                pointer = f"{trace_file_name(task.index)}#{len(lines)}"
                variants[index] = msgspec.structs.replace(variants[index], trace=pointer)
                sources.update(_reference_hashes(trace))
            clips.append(ClipResult(clip=result.clip, variants=tuple(variants)))
        content = b"".join(lines)
        write_bytes_atomic(task.folder / trace_file_name(task.index), content)
    except OutputError as error:
        return ShardResult(index=task.index, stopped=str(error))
    return ShardResult(
        index=task.index,
        clips=tuple(clips),
        trace_sha256=hashlib.sha256(content).hexdigest(),
        sources=dict(sorted(sources.items())),
    )


def _render(clip: ClipTask, task: ShardTask) -> tuple[ClipResult, list[Trace | None]]:
    if clip.key in task.lost:
        return failed_clip(clip, task.lost[clip.key], is_fault=True), []
    return render_clip(clip, task.folder, task.treatments, task.seed)


def _source_hashes(
    clip: ClipTask, task: ShardTask, result: ClipResult
) -> Iterator[tuple[str, str | None]]:
    """Yield the files that a clip was made from, with hashes; those of what failed too, so that a
    run that resumes finds out whether they have changed. A lost clip is always tried again.
    """
    known = None if clip.key in task.lost else result.clip.file_sha256 or file_hash(clip.path)
    yield _relative(clip.path, task.folder), known
    for variant, made in zip(clip.variants, result.variants, strict=True):
        for path in variant.references.values() if made.status == "failed" else ():
            yield _relative(path, task.folder), file_hash(path)


def _remove_unmade(clip: ClipTask, task: ShardTask, result: ClipResult) -> None:
    """Remove what an earlier try, or a worker that died, left of variants that there are not."""
    for variant, made in zip(clip.variants, result.variants, strict=True):
        if made.path is None:
            path = task.folder / variant.output
            with errors_named(path, OutputError):
                path.unlink(missing_ok=True)


def file_hash(path: Path) -> str | None:
    """Return the SHA-256 of a file's bytes, None where it cannot be read."""
    try:
        return file_sha256(path)
    except AudioError:
        return None


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _reference_hashes(trace: Trace) -> dict[str, str | None]:
    return {
        Path(os.path.normpath(Path(TRACE_FOLDER, record.path))).as_posix(): record.file_sha256
        for record in trace.references.values()
        if record.path is not None
    }


def shard_key(task: ShardTask) -> str:
    """Return a hash of everything that a shard's bytes depend on but the files it reads."""
    described: dict[str, Any] = {
        "seed": task.seed,
        "treatments": {
            name: [
                treatment.condition,
                treatment.recipe,
                treatment.role,
                treatment.stream,
                None if treatment.make_steps is None else treatment.make_steps.given,
            ]
            for name, treatment in sorted(task.treatments.items())
        },
        "clips": [
            [clip.key, [[v.condition, v.extra, v.output, v.ref, v.steps] for v in clip.variants]]
            for clip in task.clips
        ],
        "environment": current_environment(),
    }
    return hashlib.sha256(msgspec.json.encode(described, order="sorted")).hexdigest()


def mark_finished(task: ShardTask, result: ShardResult) -> None:
    """Enter a shard in the journal: everything of it lies on disk.

    Raises
    ------
    OutputError
        The journal cannot be written.
    """
    entry = _JournalEntry(key=shard_key(task), result=result)
    write_bytes_atomic(_journal_path(task), msgspec.json.encode(entry) + b"\n")


def _journal_path(task: ShardTask) -> Path:
    return task.folder / JOURNAL_FOLDER / f"shard-{task.index:05d}.json"


def finished_shard(task: ShardTask, hash_of: HashOf) -> ShardResult | None:
    """Return what the journal knows of a shard, or None where it has to be made (again).

    Parameters
    ----------
    task : ShardTask
        The shard as this run would make it.
    hash_of : callable
        Hashes a file; every file that the shard read or wrote is hashed, none is trusted.
    """
    try:
        entry = msgspec.json.decode(_journal_path(task).read_bytes(), type=_JournalEntry)
    except (OSError, msgspec.DecodeError):
        return None
    result = entry.result
    if entry.key != shard_key(task):
        return None
    expected: dict[str, str | None] = dict(result.sources)
    expected[trace_file_name(task.index)] = result.trace_sha256
    for clip in result.clips:
        for variant in clip.variants:
            if variant.path is not None:
                expected[variant.path] = variant.sha256_out
    for name, recorded in expected.items():
        if hash_of(task.folder / name) != recorded:
            return None
    return result
