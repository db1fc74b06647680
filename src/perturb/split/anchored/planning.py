"""Every clip of a benchmark planned, by as many workers as there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perturb.anchors.clip_plan import ClipJob, ClipPlan, plan_clip
from perturb.benchmark.item import Item
from perturb.execution.local import run_jobs

__all__ = ["main_items", "plan_clips"]


def main_items(items: Sequence[Item]) -> dict[str, Item]:
    """Return the first item of each clip in the role `main`, in row order."""
    found: dict[str, Item] = {}
    for item in items:
        audio = item.audio()
        if audio is not None:
            found.setdefault(audio.clip, item)
    return found


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
