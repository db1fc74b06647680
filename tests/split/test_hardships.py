"""Full disks, workers that die, machines without a home: nothing half-written, nothing lost."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

import perturb
from tests.split.killers import is_guilty
from tests.split.small import (
    CONDITIONS,
    SUITE,
    cuttings,
    lines,
    mostly_slow,
    rows_of,
    tree,
    write_benchmark,
    write_suite,
)

PERTURB = [sys.executable, "-c", "from perturb.cli import main; main()"]
SOURCE = Path(perturb.__file__).parent
TIMEOUT_S = 300


def spoken(text):
    """Return what a command said on stderr, without the notice of whoever compiles first."""
    return [line for line in text.splitlines() if "compiling" not in line]


# Workers that die.


@pytest.fixture
def deadly(folder, install_operators):
    """Return a function that writes a benchmark with one guilty clip, and a suite that kills."""
    install_operators({"deadly": "tests.split.killers:Deadly"})

    def write(how):
        names = cuttings(folder / "data", 6, seconds=0.6)
        victim = folder / "data" / names[2]
        samples, rate_hz = soundfile.read(victim, dtype="int16")
        soundfile.write(victim, samples[:-1], rate_hz, subtype="PCM_16")
        recipe = f'title = "D"\nsource = "Tests"\n[[step]]\nop = "deadly"\nhow = "{how}"\n'
        (folder / "deadly.toml").write_text(recipe)
        text = f'{SUITE}\n[[condition]]\nname = "deadly"\nrecipe = "deadly.toml"\n'
        return write_benchmark(folder / "data", rows_of(names)), write_suite(folder, text), names[2]

    (folder / "data").mkdir()
    return write


@pytest.mark.slow
def test_a_worker_that_dies_costs_one_item(cli, folder, deadly):
    bench, suite, guilty = deadly("kill")
    words = ("split", bench, "-o", "out", "--suite", suite, "--jobs", "2")
    answer = cli(*words, "--json")
    assert answer.code == 1
    rows = lines(folder / "out" / "manifest.jsonl")
    assert len(rows) == 6 * (len(CONDITIONS) + 1)
    lost = [row for row in rows if row["status"] == "failed"]
    assert {row["audios"][0]["clip_id"] for row in lost} == {guilty}
    assert len(lost) == len(CONDITIONS) + 1
    assert all("the worker process died" in row["reason"] for row in lost)
    assert {row["status"] for row in rows if row not in lost} == {"ok"}
    (fault,) = {line.rpartition(": ")[2] for line in answer.envelope["result"]["faults"]}
    assert "died" in fault
    # What the worker had written before it died belongs to nobody.
    assert cli("verify", "out", "--replay", "all").code == 0
    before = tree(folder / "out")
    assert cli(*words, "--resume").code == 1
    assert tree(folder / "out") == before


@pytest.mark.parametrize("how", mostly_slow(["fail", "memory"], "fail"))
def test_a_fault_of_an_operator_costs_one_row(cli, folder, deadly, how):
    bench, suite, guilty = deadly(how)
    answer = cli("split", bench, "-o", "out", "--suite", suite, "--json")
    assert answer.code == 1
    (lost,) = (row for row in lines(folder / "out" / "manifest.jsonl") if row["status"] != "ok")
    assert (lost["condition"], lost["audios"][0]["clip_id"]) == ("deadly", guilty)
    said = {"fail": "ZeroDivisionError: no such luck", "memory": "MemoryError"}[how]
    assert said in lost["reason"]
    assert len(answer.envelope["result"]["faults"]) == 1
    assert cli("verify", "out", "--replay", "all").code == 0


def test_the_guilty_clip_is_the_only_one(deadly, folder):
    bench, _, guilty = deadly("fail")
    counts = {name.name: soundfile.info(name).frames for name in (bench.parent / "audio").iterdir()}
    assert [name for name, count in counts.items() if is_guilty(count)] == [Path(guilty).name]


# A disk that is full.

FORMS = ("--writer", "source", "--writer", "parquet", "--writer", "inspect")

ON_A_SMALL_DISK = """
mount -t tmpfs -o size=$1 tmpfs disk || exit 99
shift
"$@"; echo $? > first
find disk -name '.perturb-*.tmp' > litter
{verify}; echo $? > verified
mount -o remount,size=100m disk || exit 99
"$@" --resume; echo $? > second
cp -a disk/out kept
"""


@pytest.fixture(scope="module")
def roomy(tmp_path_factory):
    """Return a folder with a benchmark and its split on a disk that has room."""
    folder = tmp_path_factory.mktemp("roomy")
    (folder / "data").mkdir()
    names = cuttings(folder / "data", 24, seconds=0.4)
    write_benchmark(folder / "data", rows_of(names))
    write_suite(folder)
    (folder / "disk").mkdir()
    done = subprocess.run(split_words(), cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return folder


def split_words(*options):
    words = ["split", "data/bench.json", "-o", "disk/out", "--suite", "quick.toml", *FORMS]
    return [*PERTURB, *words, *options]


def unshared():
    """Return the command that gives its child mounts of its own, or fail in CI, or skip."""
    for unshare in (["unshare", "-m"], ["unshare", "-Urm"]):
        script = [*unshare, "sh", "-c", "mount -t tmpfs -o size=4096 tmpfs /mnt"]
        try:
            if subprocess.run(script, capture_output=True).returncode == 0:
                return unshare
        except FileNotFoundError:
            continue
    reason = "NO FULL DISK TESTED: mounting a tmpfs takes root or user namespaces"
    if "CI" in os.environ:
        pytest.fail(reason)
    pytest.skip(reason)


def blocks(folder):
    """Return the size of a folder in bytes as tmpfs counts it: pages, each file once."""
    files = {path.stat().st_ino: path.stat().st_size for path in folder.rglob("*.*")}
    return sum(-(-size // 4096) * 4096 for size in files.values())


@pytest.mark.slow
@pytest.mark.parametrize(("share", "jobs"), [(0.0, 1), (0.3, 2), (0.55, 1), (0.8, 1), (0.97, 1)])
def test_a_full_disk_ends_in_one_line_and_nothing_is_trusted(roomy, folder, share, jobs):
    for name in ("data", "quick.toml"):
        source = roomy / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    (folder / "disk").mkdir()
    size = max(8192, round(share * blocks(roomy / "disk" / "out")))
    verify = " ".join(f"'{word}'" for word in [*PERTURB, "verify", "disk/out"])
    script = ON_A_SMALL_DISK.format(verify=verify)
    words = [*unshared(), "sh", "-c", script, "sh", str(size), *split_words("--jobs", str(jobs))]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    codes = [(folder / name).read_text().strip() for name in ("first", "verified", "second")]
    assert codes[:2] == ["2", "2"], done.stderr
    assert codes[2] in ("0", "1"), done.stderr
    first, second = spoken(done.stderr)
    assert first.startswith("perturb: disk/out")
    assert "No space left on device" in first
    assert "--resume" in first
    assert "the run that made this split never finished" in second
    assert (folder / "litter").read_text() == ""
    assert tree(folder / "kept") == tree(roomy / "disk" / "out")


@pytest.mark.slow
def test_a_file_that_may_not_grow(roomy, folder):
    """The same without a disk of one's own: a limit on the size of files."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000)); "
        "from perturb.cli import main; main()"
    )
    words = ["split", "data/bench.json", "-o", str(folder / "out"), "--suite", "quick.toml"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=roomy, capture_output=True, text=True
    )
    assert done.returncode == 2
    (line,) = spoken(done.stderr)
    assert "File too large" in line
    written = tree(folder / "out" / "audio")
    whole = tree(roomy / "disk" / "out" / "audio")
    assert written.items() < whole.items()


# Machines and processes as they are.


@pytest.mark.slow
def test_without_a_home_or_any_place_for_a_cache(bench, folder, quick):
    package = folder / "site" / "perturb"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(SOURCE.parents[1] / "perturbations", package / "_catalogue")
    # A file where numba wants a folder: nobody can write there, the superuser neither.
    (package / "kernels" / "__pycache__").touch()
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    environment |= {
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(bench / "cache"),
        "XDG_CACHE_HOME": str(bench / "cache"),
    }
    words = ["split", str(bench), "--suite", str(quick), "--jobs", "2", "-o"]
    done = subprocess.run(
        [*PERTURB, *words, "bare"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (package / "kernels" / "__pycache__").is_file()
    done = subprocess.run([*PERTURB, *words, "usual"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert tree(folder / "bare") == tree(folder / "usual")


def test_global_random_states_are_left_alone(cli, bench, quick):
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    assert cli("split", bench, "-o", "out", "--suite", quick).code == 0
    assert cli("verify", "out", "--replay", "all").code == 0
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


@pytest.mark.slow
def test_global_random_states_change_nothing(cli, bench, folder, quick):
    for number in range(2):
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002
        assert cli("split", bench, "-o", f"out-{number}", "--suite", quick).code == 0
    assert tree(folder / "out-0") == tree(folder / "out-1")


@pytest.mark.slow
def test_a_pool_after_numba_ran_in_the_parent(cli, bench, folder):
    """Forked workers would hang or share numba's threads; these are spawned."""
    words = ("split", bench, "--suite", "seabed/controls", "-o")
    assert cli(*words, "alone").code in (0, 1)
    assert cli(*words, "pool", "--jobs", "2").code in (0, 1)
    assert tree(folder / "alone") == tree(folder / "pool")
    assert cli("verify", "pool", "--replay", "all", "--jobs", "2").code == 0


def test_the_place_it_is_started_from_changes_nothing(cli, bench, folder, quick, monkeypatch):
    assert cli("split", bench, "-o", folder / "a", "--suite", quick).code == 0
    monkeypatch.chdir(bench.parent)
    assert cli("split", bench.name, "-o", "../b", "--suite", "../quick.toml").code == 0
    first, second = tree(folder / "a"), tree(folder / "b")
    assert first == second
