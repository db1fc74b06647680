"""The local pool: spawned workers, one thread each, results in the order of the jobs.

Built on the standard `concurrent.futures` protocol. A job that raises is a result, not the end of
the run; a worker that dies takes down only the job that killed it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Generic, TypeVar

from perturb.errors import ParameterError, PerturbError

__all__ = ["Outcome", "run_jobs"]

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What became of one job: its result, or why there is none.

    Parameters
    ----------
    index : int
        Place of the job in the sequence handed in.
    result : object or None
        What the function returned.
    reason : str or None
        Why there is no result.
    is_fault : bool
        Whether the reason is a fault of the program rather than of the input.
    """

    index: int
    result: Result | None = None
    reason: str | None = None
    is_fault: bool = False


def run_jobs(
    function: Callable[[Job], Result], jobs: Sequence[Job], workers: int = 1
) -> Iterator[Outcome[Result]]:
    """Run `function` on every job and yield outcomes as they come.

    Parameters
    ----------
    function : callable
        Importable by name, so that a spawned worker finds it.
    jobs : sequence
        Picklable.
    workers : int
        1 works in this process. Otherwise the parent first does jobs itself until one succeeds, so
        that the kernels' cache is warm before the workers start.

    Yields
    ------
    Outcome
        One for each job, whatever happens to it; in no promised order.

    Raises
    ------
    ParameterError
        Fewer than one worker.
    """
    if workers < 1:
        raise ParameterError(f"jobs is {workers}; accepted: at least 1")
    index = 0
    is_warm = False
    while index < len(jobs) and (workers == 1 or not is_warm):
        outcome = _run_here(function, index, jobs[index])
        is_warm = outcome.reason is None
        yield outcome
        index += 1
    remaining = list(range(index, len(jobs)))
    suspects: list[int] = []
    while remaining:
        remaining, died = yield from _run_pool(function, jobs, remaining, workers)
        suspects.extend(died)
    for suspect in suspects:
        # One of several jobs in flight killed its worker: alone, the guilty one shows itself.
        _, died = yield from _run_pool(function, jobs, [suspect], 1)
        if died:
            yield Outcome(suspect, reason="the worker process died (out of memory?)", is_fault=True)


def _run_here(function: Callable[[Job], Result], index: int, job: Job) -> Outcome[Result]:
    try:
        return Outcome(index, result=function(job))
    except PerturbError as error:
        return Outcome(index, reason=str(error))
    except Exception as error:
        return Outcome(index, reason=f"{type(error).__name__}: {error}", is_fault=True)


def _run_pool(
    function: Callable[[Job], Result], jobs: Sequence[Job], indices: list[int], workers: int
) -> Generator[Outcome[Result], None, tuple[list[int], list[int]]]:
    """Run jobs in one pool; return what it left undone and what was in flight when it broke."""
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(indices))
    running: dict[Future[Outcome[Result]], int] = {}
    with ProcessPoolExecutor(max_workers=workers, mp_context=context) as pool:
        while waiting or running:
            try:
                while waiting and len(running) < 2 * workers:
                    running[pool.submit(_run_here, function, waiting[-1], jobs[waiting[-1]])] = (
                        waiting[-1]
                    )
                    waiting.pop()
                done, _ = wait(running, return_when="FIRST_COMPLETED")
                for future in done:
                    outcome = future.result()
                    del running[future]
                    yield outcome
            except BrokenProcessPool:
                return list(reversed(waiting)), sorted(running.values())
    return [], []
