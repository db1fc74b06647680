"""The local pool: spawned workers, one thread each, results as they come.

Built on the standard `concurrent.futures` protocol. A job that raises is a result, not the end of
the run; a worker that dies takes down only the job that killed it; no worker outlives the parent,
however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from typing import Generic, TypeVar

from perturb.errors import ParameterError, PerturbError
from perturb.execution.memory import keep_freed_memory

__all__ = ["OpenPool", "Outcome", "WarmUp", "run_jobs"]

Job = TypeVar("Job")
Result = TypeVar("Result")

WarmUp = Callable[[], object]

OpenPool = Callable[[int], AbstractContextManager[Executor]]
"""Opens an executor of the standard protocol for a number of workers."""

_GRACE_S = 5.0
"""How long a worker that is told to end may take before it is killed."""


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
        Why there is no result, in one line.
    is_fault : bool
        Whether the reason is a fault of the program rather than of the input.
    traceback : str or None
        Where it happened, for those who look for the fault.
    """

    index: int
    result: Result | None = None
    reason: str | None = None
    is_fault: bool = False
    traceback: str | None = None


def run_jobs(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    workers: int = 1,
    *,
    is_warm: bool = False,
    warm_up: WarmUp | None = None,
    open_pool: OpenPool | None = None,
) -> Generator[Outcome[Result], None, None]:
    """Run `function` on every job and yield outcomes as they come.

    Parameters
    ----------
    function : callable
        Importable by name, so that a spawned worker finds it.
    jobs : sequence
        Picklable.
    workers : int
        1 works in this process. Otherwise the parent first does jobs itself until one succeeds, so
        that the kernels' cache is warm before the workers start. No more are started than there
        are jobs left.
    is_warm : bool
        Whether the parent need not do so: there is nothing to compile, or `warm_up` does it.
    warm_up : callable, optional
        Picklable. What fills the cache in the parent's stead: one worker does it while the others
        start, and then jobs are given out. It may fail, and may kill its worker.
    open_pool : callable, optional
        Opens the executor for a number of workers; by default a pool of spawned processes here.
        Whoever brings a cluster brings it here.

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
    return _run(function, jobs, workers, is_warm, warm_up, open_pool or _pool)


def _run(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    workers: int,
    is_warm: bool,
    warm_up: WarmUp | None,
    open_pool: OpenPool,
) -> Generator[Outcome[Result], None, None]:
    index = 0
    while index < len(jobs) and (workers == 1 or not is_warm):
        outcome = _run_here(function, index, jobs[index])
        is_warm = outcome.reason is None
        yield outcome
        index += 1
    remaining = list(range(index, len(jobs)))
    suspects: list[int] = []
    while remaining:
        remaining, died = yield from _run_pool(
            function, jobs, remaining, workers, open_pool, warm_up
        )
        suspects.extend(died)
        warm_up = None
    for suspect in suspects:
        # One of several jobs in flight killed its worker: alone, the guilty one shows itself.
        _, died = yield from _run_pool(function, jobs, [suspect], 1, open_pool)
        if died:
            yield Outcome(suspect, reason="the worker process died (out of memory?)", is_fault=True)


def _run_here(function: Callable[[Job], Result], index: int, job: Job) -> Outcome[Result]:
    try:
        return Outcome(index, result=function(job))
    except PerturbError as error:
        return _failed(index, str(error), is_fault=False)
    except (Exception, SystemExit) as error:
        return _failed(index, f"{type(error).__name__}: {error}", is_fault=True)


def _failed(index: int, reason: str, *, is_fault: bool) -> Outcome[Result]:
    return Outcome(
        index,
        reason=" ".join(reason.split()),
        is_fault=is_fault,
        traceback=traceback.format_exc(),
    )


def _run_pool(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    indices: list[int],
    workers: int,
    open_pool: OpenPool,
    warm_up: WarmUp | None = None,
) -> Generator[Outcome[Result], None, tuple[list[int], list[int]]]:
    """Run jobs in one pool; return what it left undone and what was in flight when it broke."""
    waiting = list(reversed(indices))
    running: dict[Future[Outcome[Result]], int] = {}
    workers = min(workers, len(indices))
    with open_pool(workers) as pool:
        try:
            _warm(pool, warm_up, workers)
        except BrokenProcessPool:
            return indices, []
        while waiting or running:
            try:
                while waiting and len(running) < 2 * workers:
                    running[pool.submit(_run_here, function, waiting[-1], jobs[waiting[-1]])] = (
                        waiting[-1]
                    )
                    waiting.pop()
                done, _ = wait(running, return_when="FIRST_COMPLETED")
                for future in done:
                    outcome = _outcome_of(future, running[future])
                    del running[future]
                    yield outcome
            except BrokenProcessPool:
                return list(reversed(waiting)), sorted(running.values())
    return [], []


def _warm(pool: Executor, warm_up: WarmUp | None, workers: int) -> None:
    """Have one worker fill the cache, while the others load what its work and theirs needs."""
    if warm_up is None or workers == 1:
        return
    warming = pool.submit(_tried, warm_up)
    for _ in range(workers - 1):
        pool.submit(_received, warm_up)
    warming.result()


def _tried(warm_up: WarmUp) -> None:
    with suppress(Exception):
        warm_up()


def _received(_: object) -> None:
    """Do nothing: what arrives has been loaded by then."""


def _outcome_of(future: Future[Outcome[Result]], index: int) -> Outcome[Result]:
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:  # a job or result that cannot be sent between processes
        return _failed(index, f"{type(error).__name__}: {error}", is_fault=True)


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of spawned workers; whatever interrupts the block, they end with it."""
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)
    try:
        yield pool
    except BaseException:
        # An interrupt does not wait for jobs that run: nothing that they write has its name yet.
        own = set(multiprocessing.active_children()) - others
        pool.shutdown(wait=False, cancel_futures=True)
        for process in own:
            process.terminate()
        for process in own:
            process.join(_GRACE_S)
            if process.is_alive():
                process.kill()
        raise
    pool.shutdown()


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it, even where it is killed."""
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)
