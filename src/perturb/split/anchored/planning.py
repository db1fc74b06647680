"""Every clip of a benchmark planned, by as many workers as there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from perturb.anchors.clip_plan import ClipJob, ClipPlan, plan_clip
from perturb.benchmark.item import Benchmark, Item
from perturb.execution.local import run_jobs

__all__ = ["labels_of", "main_items", "plan_clips"]

_LABELS = ("labels", "label_names", "tags", "events", "sound_events", "sounds")
"""Fields of a source that say what is heard in a clip besides speech."""


def main_items(items: Sequence[Item]) -> dict[str, Item]:
    """Return the first item of each clip in the role `main`, in row order."""
    found: dict[str, Item] = {}
    for item in items:
        audio = item.audio()
        if audio is not None:
            found.setdefault(audio.clip, item)
    return found


def labels_of(benchmark: Benchmark, item: Item) -> tuple[str, ...] | None:
    """Return what an item's row says is heard in its clip; None where it says nothing of it."""
    row = benchmark.rows.row(item.row)
    value: Any = next((row[name] for name in _LABELS if row.get(name) is not None), None)
    if isinstance(value, str):
        value = [part.strip() for part in value.replace(";", ",").split(",") if part.strip()]
    if not isinstance(value, list | tuple):
        return None
    return tuple(_name(entry) for entry in value)


def _name(entry: Any) -> str:
    """Return the name of an event that comes with more, such as its times."""
    if isinstance(entry, Mapping):
        return str(next((entry[key] for key in ("label", "name", "event") if key in entry), entry))
    return str(entry)


def plan_clips(
    jobs: Sequence[ClipJob], workers: int, advance: Callable[[], None] = lambda: None
) -> list[ClipPlan]:
    """Plan clips and return their plans in the order of the jobs.

    Parameters
    ----------
    jobs : sequence of ClipJob
        One for each clip.
    workers : int
        Processes.
    advance : callable
        Called once for each clip that is planned.
    """
    plans: dict[int, ClipPlan] = {}
    for outcome in run_jobs(plan_clip, jobs, workers):
        plans[outcome.index] = outcome.result or ClipPlan(
            key=jobs[outcome.index].key, status="failed", reason=outcome.reason
        )
        advance()
    return [plans[index] for index in range(len(jobs))]
