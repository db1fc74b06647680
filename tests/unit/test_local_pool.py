"""The local pool: every job has one outcome, whatever becomes of it or of its worker."""

from __future__ import annotations

import functools
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perturb.errors import AudioError, ParameterError
from perturb.execution.local import Outcome, run_jobs

ROOT = Path(__file__).parents[2]


def double(number):
    return 2 * number


def misbehave(job):
    """Do what the job says; the parent's own first job is always a good one."""
    what, value = job
    if what == "refuse":
        raise AudioError(f"clip {value}\nis no good")
    if what == "fail":
        raise ZeroDivisionError(f"job {value}")
    if what == "exit":
        raise SystemExit(3)
    if what == "die":
        os._exit(9)
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "unsendable":
        return lambda: value
    return value, os.getpid()


def environment_of(_):
    return os.environ.get("NUMBA_NUM_THREADS"), os.environ.get("OPENBLAS_NUM_THREADS")


def filter_with_numba(seed):
    """Run a compiled kernel; in the parent it has run before the workers start."""
    import numpy as np

    from perturb.kernels.joins import join_ramp

    return float(join_ramp(200, 50, 50).sum() * (1 + seed % 2) + np.float32(0))


def in_order(outcomes):
    return sorted(outcomes, key=lambda outcome: outcome.index)


def test_in_this_process_in_order():
    outcomes = list(run_jobs(double, [3, 1, 2]))
    assert outcomes == [Outcome(0, 6), Outcome(1, 2), Outcome(2, 4)]


def test_no_jobs_no_outcomes():
    assert list(run_jobs(double, [], 4)) == []


@pytest.mark.parametrize("workers", [0, -3])
def test_fewer_than_one_worker(workers):
    with pytest.raises(ParameterError, match=f"jobs is {workers}; accepted: at least 1"):
        run_jobs(double, [1], workers)


def test_what_is_raised_is_an_outcome():
    jobs = [("refuse", 0), ("fail", 1), ("exit", 2), ("do", 3)]
    refused, failed, ended, done = run_jobs(misbehave, jobs)
    assert (refused.result, refused.reason, refused.is_fault) == (None, "clip 0 is no good", False)
    assert (failed.reason, failed.is_fault) == ("ZeroDivisionError: job 1", True)
    assert "raise ZeroDivisionError" in failed.traceback
    assert (ended.reason, ended.is_fault) == ("SystemExit: 3", True)
    assert done.result == (3, os.getpid())
    assert (done.reason, done.traceback) == (None, None)


def test_an_interrupt_is_not_an_outcome():
    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_jobs(interrupt, [1, 2]))


def test_one_job_needs_no_workers():
    (outcome,) = run_jobs(misbehave, [("do", 1)], 8)
    assert outcome.result == (1, os.getpid())


@pytest.mark.slow
def test_workers_share_the_work_after_the_parent_has_done_one():
    jobs = [("refuse", 0), ("do", 1), *(("do", index) for index in range(2, 30))]
    outcomes = in_order(run_jobs(misbehave, jobs, 2))
    assert [outcome.index for outcome in outcomes] == list(range(30))
    assert outcomes[0].reason == "clip 0 is no good"
    assert [outcome.result[0] for outcome in outcomes[1:]] == list(range(1, 30))
    assert outcomes[1].result[1] == os.getpid()
    others = {outcome.result[1] for outcome in outcomes[2:]}
    assert os.getpid() not in others
    assert 1 <= len(others) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("what", ["die", "kill"])
def test_a_worker_that_dies_takes_one_job_with_it(what):
    jobs = [("do", index) for index in range(12)]
    jobs[4] = (what, 4)
    outcomes = in_order(run_jobs(misbehave, jobs, 2))
    assert [outcome.index for outcome in outcomes] == list(range(12))
    lost = outcomes.pop(4)
    assert (lost.reason, lost.is_fault) == ("the worker process died (out of memory?)", True)
    assert [outcome.result[0] for outcome in outcomes] == [*range(4), *range(5, 12)]


@pytest.mark.slow
def test_what_cannot_be_sent_back_is_an_outcome():
    jobs = [("do", 0), ("unsendable", 1), ("exit", 2), ("do", 3), ("refuse", 4)]
    outcomes = in_order(run_jobs(misbehave, jobs, 2))
    assert [outcome.is_fault for outcome in outcomes] == [False, True, True, False, False]
    assert "pickle" in outcomes[1].reason
    assert outcomes[2].reason == "SystemExit: 3"
    assert outcomes[4].reason == "clip 4 is no good"


@pytest.mark.slow
def test_numba_in_the_parent_before_the_pool():
    before = filter_with_numba(0)
    outcomes = in_order(run_jobs(filter_with_numba, [0, 0, 0, 0], 2))
    assert [outcome.result for outcome in outcomes] == [before] * 4


def warm(folder, what):
    """Leave a file behind, slowly, and then do what the job says."""
    time.sleep(0.5)
    (folder / "warm").touch()
    misbehave((what, 0))


def find_warm(folder):
    return (folder / "warm").exists(), os.getpid()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["do", "fail", "die"])
def test_every_job_finds_the_cache_warm_whatever_becomes_of_the_warming(tmp_path, what):
    warming = functools.partial(warm, tmp_path, what)
    outcomes = list(run_jobs(find_warm, [tmp_path] * 6, 2, is_warm=True, warm_up=warming))
    assert len(outcomes) == 6
    assert all(outcome.result[0] for outcome in outcomes)
    assert os.getpid() not in {outcome.result[1] for outcome in outcomes}


FAULTS = """
import resource, sys
import numpy as np
from perturb.execution.memory import keep_freed_memory

if sys.argv[1] == "kept":
    keep_freed_memory()

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def work():
    for _ in range(20):
        arrays = [np.ones(1 << 20, dtype=np.float32) for _ in range(4)]

work()
before = faults()
work()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="an allocator of another kind")
def test_freed_memory_is_used_again_without_asking_the_system():
    handed_back, kept = (
        int(subprocess.check_output([sys.executable, "-c", FAULTS, mode])) for mode in ("", "kept")
    )
    assert kept < 100 < 4_000 < handed_back


@pytest.mark.slow
def test_a_consumer_that_stops_leaves_no_worker_behind():
    import multiprocessing

    outcomes = run_jobs(misbehave, [("do", index) for index in range(50)], 2)
    for _ in range(3):
        next(outcomes)
    assert multiprocessing.active_children()
    outcomes.close()
    # The pool's own thread reaps them too, and for a moment neither knows that both are done.
    deadline = time.monotonic() + 5.0
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not multiprocessing.active_children()


SLEEPER = """
import os, sys, time
from pathlib import Path
from perturb.execution.local import run_jobs

def job(index):
    Path(f"worker-{os.getpid()}").touch()
    if index:
        time.sleep(60)

if __name__ == "__main__":
    try:
        list(run_jobs(job, range(6), 2))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def _wait_until(condition, timeout_s=30.0):
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_its_parent(folder, how):
    (folder / "sleeper.py").write_text(SLEEPER)
    parent = subprocess.Popen(
        [sys.executable, "sleeper.py"], cwd=folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )

    def workers():
        found = {int(path.name.partition("-")[2]) for path in folder.glob("worker-*")}
        return found - {parent.pid}

    assert _wait_until(lambda: len(workers()) == 2), parent.communicate(timeout=5)
    parent.send_signal(how)
    _, errors = parent.communicate(timeout=30)
    if how == signal.SIGINT:
        assert parent.returncode == 130
        assert b"Traceback" not in errors
    assert _wait_until(lambda: not any(map(_alive, workers()))), workers()


@pytest.mark.slow
def test_threads_are_pinned_in_every_process(folder):
    code = (
        "import os\n"
        "from perturb.cli import main\n"
        "from perturb.execution.local import run_jobs\n"
        "from tests.unit.test_local_pool import environment_of\n"
        "if __name__ == '__main__':\n"
        "    print({outcome.result for outcome in run_jobs(environment_of, range(4), 2)})\n"
    )
    (folder / "pinned.py").write_text(code)
    environment = {
        name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")
    }
    done = subprocess.run(
        [sys.executable, "pinned.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == "{('1', '1')}"
