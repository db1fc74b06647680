"""Kills, interrupts, full disks, missing homes: nothing half-written, nobody left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

import perturb as pt
from perturb.audio_io import OutputFormat, file_sha256
from perturb.plan.trace import Trace

pytestmark = pytest.mark.slow

MAIN = "from perturb.cli import main; main()"
SOURCE = Path(pt.__file__).parent
TIMEOUT_S = 120


def command(*words, code=MAIN):
    return [sys.executable, "-c", code, *words]


def run(*words, prefix=(), **more):
    return subprocess.run(
        [*prefix, *command(*words)], capture_output=True, text=True, timeout=TIMEOUT_S, **more
    )


def wait_until(condition, timeout_s=60.0):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


def visible(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


# Killed while it writes.

STOP = """
import os, sys, time
from pathlib import Path

name, number = sys.argv.pop(1).split(":")
count = 0

def stopping(function):
    def stopped(*given):
        global count
        count += 1
        if count == int(number):
            Path("here").touch()
            time.sleep(600)
        return function(*given)
    return stopped

if name == "fsync":
    os.fsync = stopping(os.fsync)
else:
    Path.replace = stopping(Path.replace)
from perturb.cli import main
main()
"""


@pytest.mark.parametrize("moment", ["fsync:1", "fsync:2", "replace:1", "replace:2"])
def test_killed_at_every_moment_of_a_write(cli, clip, folder, moment):
    out = folder / "out"
    words = ("apply", "in.wav", "-o", "out/out.wav", "--op")
    assert cli(*words, "silence:fill=noise").code == 0
    old = {name: file_sha256(out / name) for name in visible(out)}

    with subprocess.Popen(
        command(moment, *words, "gain:gain_db=3", code=STOP), cwd=folder
    ) as process:
        wait_until((folder / "here").exists)
        process.send_signal(signal.SIGKILL)
    assert visible(out) == ["out.json", "out.wav"]
    now = {name: file_sha256(out / name) for name in visible(out)}
    if moment == "replace:2":  # the audio has its name, its trace not yet: verify says so
        assert now["out.json"] == old["out.json"]
        assert pt.read_audio(out / "out.wav")
        assert cli("verify", "out/out.wav").code == 1
    else:
        assert now == old
        assert cli("verify", "out/out.wav").code == 0
    # What lies about is litter, and the same command again leaves what it would have left.
    assert cli(*words, "gain:gain_db=3").code == 0
    assert cli(*words[:3], "plain.wav", *words[4:], "gain:gain_db=3").code == 0
    assert (out / "out.wav").read_bytes() == (folder / "plain.wav").read_bytes()
    assert cli("verify", "out").code == 0


def test_killed_at_any_time(cli, folder):
    noise = np.random.default_rng(0).uniform(-0.1, 0.1, (48_000 * 20, 2))
    soundfile.write(folder / "in.wav", noise, 48_000, subtype="FLOAT")
    words = ("apply", "in.wav", "-o", "out.wav", "--op")
    steps = ("gain:gain_db=3", "gain:gain_db=6")
    accepted = set()
    for step in steps:
        assert cli(*words, step).code == 0
        accepted.add(file_sha256(folder / "out.wav"))
    started = time.monotonic()
    assert run(*words, steps[0], cwd=folder).returncode == 0
    duration_s = time.monotonic() - started
    moments = random.Random(3)
    for number in range(6):
        step = steps[number % 2]
        with subprocess.Popen(command(*words, step), cwd=folder) as process:
            time.sleep(moments.uniform(0.4, 1.0) * duration_s)
            process.kill()
        assert file_sha256(folder / "out.wav") in accepted
        Trace.from_json((folder / "out.json").read_bytes())
    assert visible(folder) == ["in.wav", "out.json", "out.wav"]


def test_interrupted_batch_leaves_whole_files_and_no_worker(folder):
    noise = np.random.default_rng(0).uniform(-0.1, 0.1, 16_000)
    (folder / "in").mkdir()
    for index in range(400):
        soundfile.write(folder / "in" / f"{index}.wav", noise + index * 1e-4, 16_000)
    out = folder / "out"
    process = subprocess.Popen(
        command("apply", "in", "-o", "out", "--op", "silence:fill=noise", "--jobs", "2"),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers: set[str] = set()

    def is_under_way():
        assert process.poll() is None, process.communicate()
        if children.exists():
            workers.update(children.read_text().split())
        return out.exists() and len(list(out.glob("*.json"))) > 5

    try:
        wait_until(is_under_way)
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    lines = [line for line in errors.splitlines() if "compiling" not in line]
    assert lines == ["perturb: interrupted"]
    assert printed == ""
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    traces = list(out.glob("*.json"))
    assert 0 < len(traces) < 400
    for path in traces:
        trace = Trace.from_json(path.read_bytes())
        assert file_sha256(out / trace.output.path) == trace.output.file_sha256


# A disk that is full.


@pytest.fixture
def small_disk(folder):
    """Return a prefix that runs a command with a disk of so many bytes mounted at `disk`."""
    (folder / "disk").mkdir()

    def prefix(size_bytes):
        for unshare in (["unshare", "-m"], ["unshare", "-Urm"]):
            mount = f"mount -t tmpfs -o size={size_bytes} tmpfs disk"
            script = [
                *unshare,
                "sh",
                "-c",
                f'{mount} && "$@"; code=$?; ls -A disk; exit $code',
                "sh",
            ]
            try:
                tried = subprocess.run([*script, "true"], capture_output=True, cwd=folder)
            except FileNotFoundError:
                continue
            if tried.returncode == 0:
                return script
        reason = "NO FULL DISK TESTED: mounting a tmpfs takes root or user namespaces"
        if "CI" in os.environ:
            pytest.fail(reason)
        pytest.skip(reason)

    return prefix


@pytest.mark.parametrize("name", ["out.wav", "out.flac"])
@pytest.mark.parametrize("kibibytes", [8, 32])  # not half the audio; the audio, and no trace
def test_a_full_disk(small_disk, clip, folder, name, kibibytes):
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 16_500)
    count = {"out.wav": 16_000, "out.flac": 16_500}[name]
    pt.write_audio(clip, pt.Signal.from_array(noise[:count], 16_000), OutputFormat())
    done = run(
        *("apply", "in.wav", "-o", f"disk/{name}", "--op", "gain:gain_db=-3"),
        prefix=small_disk(1024 * kibibytes),
        cwd=folder,
    )
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("perturb: disk/out.")
    assert "No space left on device" in lines[0]
    assert done.stdout == "", "something was left on the disk"


def test_a_file_that_may_not_grow(cli, clip, folder):
    """The same without a disk of one's own: a limit on the size of files."""
    # Kernels are in their cache, whose files may not grow either.
    assert cli("apply", "in.wav", "-o", "out.wav", "--op", "gain:gain_db=3").code == 0
    (folder / "out.wav").unlink()
    (folder / "out.json").unlink()
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); {MAIN}"
    words = ("apply", "in.wav", "-o", "out.wav", "--op", "gain:gain_db=3")
    done = subprocess.run(
        command(*words, code=code), capture_output=True, text=True, cwd=folder, timeout=TIMEOUT_S
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "perturb: out.wav: File too large"
    assert "Traceback" not in done.stderr
    assert visible(folder) == ["in.wav"]
    assert not [path for path in folder.iterdir() if path.suffix == ".tmp"]


# A machine without a home.


def test_without_a_home_or_any_place_for_a_cache(clip, folder):
    package = folder / "site" / "perturb"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    # A file where numba wants a folder: nobody can write there, the superuser neither.
    (package / "kernels" / "__pycache__").touch()
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    environment |= {
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(clip / "cache"),
        "XDG_CACHE_HOME": str(clip / "cache"),
        "HOME": str(clip / "home"),
    }
    words = ("apply", "in.wav", "--op", "gain:gain_db=3@0.1-0.2", "-o")
    done = run(*words, "bare.wav", cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "perturb: compiling kernels, once on this machine …\n"
    assert (package / "kernels" / "__pycache__").is_file()
    del environment["HOME"]
    assert run(*words, "bare.wav", cwd=folder, env=environment).returncode == 0
    assert run(*words, "usual.wav", cwd=folder).returncode == 0
    assert (folder / "bare.wav").read_bytes() == (folder / "usual.wav").read_bytes()


def test_without_a_home_in_workers_too(clip, folder):
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    for name in ("a", "b", "c"):
        (folder / "set").mkdir(exist_ok=True)
        shutil.copy(clip, folder / "set" / f"{name}.wav")
    done = run(
        *("apply", "set", "-o", "out", "--op", "gain:gain_db=3", "--jobs", "2"),
        cwd=folder,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert len(visible(folder / "out")) == 6
