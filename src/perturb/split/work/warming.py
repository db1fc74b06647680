"""Compiling before workers start: each would compile the same kernels otherwise."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perturb.split.work.rendering import render_clip
from perturb.split.work.tasks import AUDIO_FOLDER, TRACE_FOLDER, ClipTask, ShardTask

__all__ = ["warm_up"]

_LEAST_S = 1.0
_MOST_S = 60.0
_TRIES = 3


def warm_up(
    shards: Sequence[ShardTask], durations_s: Mapping[str, float]
) -> Callable[[], None] | None:
    """Return what renders a short clip or three in every condition and throws the result away.

    What is compiled lands in the cache that workers share. Clips that cannot be edited warm
    nothing, hence more than one try; where all fail, workers compile for themselves. None where
    there is no clip, or none under a minute: compiling takes less long than such a clip.
    """
    clips = [
        clip
        for shard in shards
        for clip in shard.clips
        if durations_s.get(clip.key, _MOST_S) < _MOST_S
    ]
    clips.sort(key=lambda clip: (durations_s[clip.key] < _LEAST_S, durations_s[clip.key]))
    if not clips:
        return None
    return functools.partial(_warm, replace(shards[0], clips=tuple(clips[:_TRIES])))


def _warm(task: ShardTask) -> None:
    with tempfile.TemporaryDirectory(prefix="perturb-warm-") as folder:
        for clip in task.clips:
            if _render(clip, task, Path(folder)):
                return


def _render(clip: ClipTask, shard: ShardTask, folder: Path) -> bool:
    """Return whether every condition could act on the clip."""
    (folder / TRACE_FOLDER).mkdir(exist_ok=True)
    for variant in clip.variants:
        (folder / AUDIO_FOLDER / variant.condition).mkdir(parents=True, exist_ok=True)
    result, _ = render_clip(clip, folder, shard.treatments, shard.seed)
    return all(variant.path is not None for variant in result.variants)
