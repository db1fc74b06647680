"""Progress of a split: how much of the audio is done, how fast, how long it takes yet."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from perturb.cli.reporting import stderr_console

if TYPE_CHECKING:
    from perturb.split.work.tasks import ShardResult, ShardTask

__all__ = ["SplitProgress"]


class SplitProgress:
    """A bar on a terminal; silent elsewhere."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        console = stderr_console()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[speed]}"),
            Remaining(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("scanning", total=None, speed="")
        self._started_s = time.monotonic()
        self._audio_s = 0.0

    def say(self, text: str) -> None:
        """Name what is done now."""
        self._progress.update(self._task, description=text)

    def start_scan(self, clips: int) -> None:
        """Count clips."""
        self._progress.update(self._task, description="scanning", total=clips, completed=0)

    def start_planning(self, clips: int) -> None:
        """Count clips that are planned."""
        self._progress.update(self._task, description="planning", total=clips, completed=0)

    def start_rendering(self, shards: int) -> None:
        """Count shards, and start the clock."""
        self._started_s = time.monotonic()
        self._progress.update(self._task, total=shards, completed=0)

    def advance_scan(self) -> None:
        """One clip more."""
        self._progress.advance(self._task)

    def advance_shard(self, task: ShardTask, result: ShardResult, was_done: bool) -> None:
        """One shard more; what an earlier run did says nothing of the speed of this one."""
        if not was_done:
            self._audio_s += sum(
                variant.samples / (clip.clip.sample_rate_hz or 1)
                for clip in result.clips
                for variant in clip.variants
            )
        elapsed_s = time.monotonic() - self._started_s
        speed = f"{self._audio_s / elapsed_s:.0f} × real time" if elapsed_s > 0.0 else ""
        self._progress.update(self._task, advance=1, speed=speed, description="rendering")

    def advance_files(self, done: int, total: int) -> None:
        """So many files of traces are done."""
        self._progress.update(self._task, total=total, completed=done)

    def __enter__(self) -> Self:
        self._progress.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.__exit__(kind, error, traceback)
