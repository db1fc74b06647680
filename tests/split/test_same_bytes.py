"""The same seed gives the same bytes: on any number of workers, in any order, after any kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.split.small import cuttings, lines, rows_of, tree, write_benchmark

pytestmark = pytest.mark.slow

PERTURB = [sys.executable, "-c", "from perturb.cli import main; main()"]
CLIPS = 70  # three shards


def split(bench, output, *options):
    """Run the command in a process of its own and return its exit code."""
    command = [*PERTURB, "split", str(bench), "-o", str(output), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    names = cuttings(folder, CLIPS)
    return write_benchmark(folder, rows_of(names, questions=2))


@pytest.fixture(scope="module")
def undisturbed(bench):
    output = bench.parent / "undisturbed"
    done = split(bench, output, "--writer", "source", "--writer", "inspect")
    assert done.returncode in (0, 1), done.stderr
    return tree(output)


@pytest.mark.parametrize("workers", [2, 8])
def test_workers_change_no_byte(bench, undisturbed, workers):
    output = bench.parent / f"workers-{workers}"
    split(bench, output, "--jobs", str(workers), "--writer", "source", "--writer", "inspect")
    assert tree(output) == undisturbed


def test_another_seed_gives_other_bytes(bench, undisturbed):
    output = bench.parent / "seed-1"
    split(bench, output, "--seed", "1")
    found = tree(output)
    noise = [name for name in found if name.startswith("audio/noise/")]
    assert noise
    assert all(found[name] != undisturbed[name] for name in noise)
    originals = [name for name in found if name.startswith("audio/original/")]
    assert all(found[name] == undisturbed[name] for name in originals)


def test_order_of_items_changes_no_audio_no_trace_no_donor(bench, undisturbed):
    rows = json.loads(bench.read_text())
    shuffled = write_benchmark(bench.parent, rows, "shuffled.json", shuffled=3)
    output = bench.parent / "shuffled"
    split(shuffled, output, "--jobs", "2")
    found = tree(output)
    for name, content in undisturbed.items():
        if name.split("/")[0] in ("audio", "traces") or name == "donors.json":
            assert found[name] == content, name

    def without_place(path):
        return sorted(
            (json.dumps(row | {"row": None}, sort_keys=True) for row in lines(path)),
        )

    kept = bench.parent / "undisturbed" / "manifest.jsonl"
    assert without_place(output / "manifest.jsonl") == without_place(kept)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.25, 0.4, 0.5, 0.65, 0.8, 0.95, 1.0])
def test_killed_at_any_moment_and_resumed(bench, undisturbed, share):
    output = bench.parent / f"killed-{share}"
    total = sum(name.startswith("audio/") for name in undisturbed)
    command = [*PERTURB, "split", str(bench), "-o", str(output)]
    command += ["--jobs", "2", "--writer", "source", "--writer", "inspect"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _wait_for(output, round(share * total), process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    _wait_for_workers(process.pid)
    done = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert tree(output) == undisturbed


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_verify_alike(bench, undisturbed, workers):
    """Shards enough that more than one worker has something to check."""
    assert sum(name.startswith("traces/") for name in undisturbed) > 3
    command = [*PERTURB, "verify", str(bench.parent / "undisturbed"), "--replay", "10%"]
    command += ["--json", "--jobs", str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["findings"]) == (0, [])
    assert answer["result"]["variants"] == CLIPS * 8
    assert 20 < answer["result"]["replayed"] < 120


def _wait_for(output, files, process):
    """Wait until so many variants have their names; 0 waits for the first folder."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        audio = output / "audio"
        if audio.exists() and sum(1 for _ in audio.glob("*/*.wav")) >= files:
            return
        time.sleep(0.002)


def _wait_for_workers(parent):
    """Workers end with their parent, however that ended."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not _children(parent):
            return
        time.sleep(0.05)
    raise AssertionError("workers outlived the process that was killed")


def _children(parent):
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if f"parent_pid={parent}".encode() in line:
            found.append(int(entry.name))
    return found
