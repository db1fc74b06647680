"""The work of a split: shards to workers, each entered in the journal once it lies on disk."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from perturb.errors import OutputError, PlanError
from perturb.execution.local import Outcome, WarmUp, run_jobs
from perturb.split.work.shards import file_hash, finished_shard, mark_finished, render_shard
from perturb.split.work.tasks import ClipResult, ShardResult, ShardTask

__all__ = ["render_shards"]

Advance = Callable[[ShardTask, ShardResult, bool], None]
"""Called for each shard that is done, and whether an earlier run had done it."""


def render_shards(
    shards: Sequence[ShardTask],
    workers: int,
    advance: Advance,
    *,
    is_resumed: bool = False,
    warm_up: WarmUp | None = None,
) -> dict[str, ClipResult]:
    """Render every shard that the journal does not know, and enter each as it is done.

    Parameters
    ----------
    shards : sequence of ShardTask
        All of them.
    workers : int
        Processes.
    advance : callable
        For progress.
    is_resumed : bool
        Whether the journal may know shards.
    warm_up : callable, optional
        Fills the kernels' cache before several workers start; see `run_jobs`.

    Returns
    -------
    dict of str to ClipResult
        By key of the clip.

    Raises
    ------
    OutputError
        The split cannot be written to. What is done stays done.
    """
    clips: dict[str, ClipResult] = {}
    waiting: list[ShardTask] = []
    known_hash = functools.cache(file_hash)
    for shard in shards:
        known = finished_shard(shard, known_hash) if is_resumed else None
        if known is None:
            waiting.append(shard)
            continue
        clips.update({result.clip.clip_id: result for result in known.clips})
        advance(shard, known, True)
    for shard, result in _render(waiting, workers, warm_up):
        mark_finished(shard, result)
        clips.update({done.clip.clip_id: done for done in result.clips})
        advance(shard, result, False)
    return clips


def _render(
    shards: Sequence[ShardTask], workers: int, warm_up: WarmUp | None
) -> Iterator[tuple[ShardTask, ShardResult]]:
    again: list[ShardTask] = []
    outcomes = run_jobs(render_shard, shards, workers, is_warm=True, warm_up=warm_up)
    with closing(outcomes):  # before an error is told, no worker writes any more
        for outcome in outcomes:
            shard = shards[outcome.index]
            if outcome.result is None:
                again.append(shard)
                continue
            yield shard, _accepted(outcome)
    for shard in again:
        # Its worker died, or it could not be sent: clip by clip the guilty one shows itself. All of
        # it in processes of its own, which may die too.
        lost = dict(_lost_clips(shard))
        (outcome,) = run_jobs(render_shard, [replace(shard, lost=lost)], 2, is_warm=True)
        yield shard, _accepted(outcome)


def _accepted(outcome: Outcome[ShardResult]) -> ShardResult:
    if outcome.result is None:
        raise PlanError(f"a shard cannot be rendered: {outcome.reason}")
    if outcome.result.stopped is not None:
        raise OutputError(outcome.result.stopped)
    return outcome.result


def _lost_clips(shard: ShardTask) -> Iterator[tuple[str, str]]:
    """Yield the clips of a shard that no worker survives."""
    alone = [replace(shard, clips=(clip,)) for clip in shard.clips]
    for outcome in run_jobs(render_shard, alone, 2, is_warm=True):
        if outcome.result is None:
            yield shard.clips[outcome.index].key, str(outcome.reason)
