"""Many files: the tree is mirrored, collisions are found first, one bad file is one bad row."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.errors import ParameterError
from perturb.plan.step import Plan
from perturb.plan.trace import Trace
from perturb.render.batch import plan_batch
from tests.instruments.engines import forgotten_engines

GAIN = ("--op", "gain:gain_db=3@0.01-0.02")
LATE = ("--op", "gain:gain_db=3@0.03-0.04")  # past the end of a clip of 23 ms
NOISE = ("--op", "silence:fill=noise@0.01-0.02")
PLAN = Plan.of([pt.Gain(gain_db=3)], clip_id="")


def put(path, seed=0, count=800, **more):
    """Write a little noise, a folder with it if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).normal(0.0, 0.05, count)
    soundfile.write(path, noise, 16_000, **more)
    return path


def names(folder):
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def contents(folder):
    return {name: (folder / name).read_bytes() for name in names(folder)}


def planned(inputs, folder):
    return [job.output.as_posix() for job in plan_batch(inputs, folder, PLAN)]


# The tree.


def test_the_tree_is_mirrored(cli, folder):
    for name in ("x.wav", "a/x.wav", "b/x.wav", "b/deep/er/y.flac", "b/z.OGG"):
        put(folder / "data" / name, seed=len(name))
    answer = cli("apply", "data", "-o", "out", *GAIN)
    assert answer.code == 0
    assert names(folder / "out") == [
        *("a/x.json", "a/x.wav", "b/deep/er/y.flac", "b/deep/er/y.json"),
        *("b/x.json", "b/x.wav", "b/z.json", "b/z.wav", "x.json", "x.wav"),
    ]
    assert answer.out.splitlines()[-1] == "5 files: 5 ok"
    assert cli("verify", "out").code == 0
    trace = Trace.from_json((folder / "out" / "b" / "deep" / "er" / "y.json").read_bytes())
    assert trace.input.path == "../../../../data/b/deep/er/y.flac"


def test_files_are_mirrored_below_their_common_folder(folder):
    put(folder / "a" / "x.wav")
    put(folder / "b" / "c" / "x.wav")
    out = Path("out")
    assert planned([Path("a/x.wav"), Path("b/c/x.wav")], out) == ["out/a/x.wav", "out/b/c/x.wav"]
    assert planned([Path("b/c/x.wav")], out) == ["out/x.wav"]
    assert planned([Path("a"), Path("b/c/x.wav")], out) == ["out/a/x.wav", "out/b/c/x.wav"]
    assert planned([Path("a"), Path("a/x.wav"), Path("./a/../a")], out) == ["out/x.wav"]
    assert planned([folder / "a", Path("b")], out) == ["out/a/x.wav", "out/b/c/x.wav"]


def test_linked_files_keep_their_place_in_the_tree(cli, folder):
    put(folder / "elsewhere" / "real.wav")
    (folder / "data").mkdir()
    (folder / "data" / "link.wav").symlink_to(folder / "elsewhere" / "real.wav")
    put(folder / "data" / "own.wav", seed=1)
    (folder / "alias").symlink_to(folder / "data")
    for given in (("data",), ("alias",), ("data/link.wav", "data/own.wav")):
        assert cli("apply", *given, "-o", "out", *GAIN).code == 0
        assert names(folder / "out") == ["link.json", "link.wav", "own.json", "own.wav"]
        shutil.rmtree(folder / "out")


def test_litter_is_passed_over(folder):
    put(folder / "data" / "x.wav")
    for name in ("._x.wav", ".hidden.wav", "__MACOSX/x.wav", ".cache/x.wav", "notes.txt", "x.json"):
        (folder / "data" / name).parent.mkdir(exist_ok=True)
        (folder / "data" / name).write_bytes(b"litter")
    (folder / "data" / ".perturb-1-ab.tmp").write_bytes(b"litter")
    assert planned([folder / "data"], folder / "out") == [f"{folder}/out/x.wav"]


@pytest.mark.parametrize(
    "name", ["two words/a b.wav", "犬/声.wav", "🐕.wav", "UPPER.WAV", "x.y.z.wav", "é/ü.Flac"]
)
def test_names_of_all_kinds(cli, folder, name):
    put(folder / "data" / name)
    assert cli("apply", "data", "-o", "out folder/犬", *GAIN).code == 0
    suffix = ".flac" if name.lower().endswith("flac") else ".wav"
    stem = name.rpartition(".")[0]
    assert names(folder / "out folder" / "犬") == sorted([f"{stem}.json", f"{stem}{suffix}"])
    assert cli("verify", "out folder").code == 0


# The output folder.


def test_an_output_folder_inside_the_input_is_no_input(cli, folder):
    put(folder / "data" / "x.wav")
    for _ in range(2):
        assert cli("apply", "data", "-o", "data/out", *GAIN).code == 0
        assert names(folder / "data") == ["out/x.json", "out/x.wav", "x.wav"]
    # Another one is.
    assert cli("apply", "data", "-o", "data/other", *GAIN).code == 0
    assert names(folder / "data" / "other") == ["out/x.json", "out/x.wav", "x.json", "x.wav"]


def test_an_output_folder_around_the_input(cli, folder):
    put(folder / "data" / "in" / "x.wav")
    assert cli("apply", "data/in", "-o", "data", *GAIN).code == 0
    assert names(folder / "data") == ["in/x.wav", "x.json", "x.wav"]
    # Where it would write over an input, it does not.
    put(folder / "data" / "in" / "in" / "x.wav")
    before = contents(folder)
    answer = cli("apply", "data/in", "-o", "data", *GAIN)
    assert answer.code == 2
    assert answer.error == "output data/in/x.wav is an input; name another folder"
    assert contents(folder) == before


@pytest.mark.parametrize("output", ["data", "./data/../data", "alias"])
def test_the_input_folder_is_not_the_output(cli, folder, output):
    put(folder / "data" / "x.wav")
    (folder / "alias").symlink_to("data")
    answer = cli("apply", "data", "-o", output, *GAIN)
    assert answer.code == 2
    assert answer.error == f"output {output.removeprefix('./')} is the input folder itself; " + (
        "name another"
    )
    assert names(folder / "data") == ["x.wav"]


def test_several_inputs_need_a_folder(cli, folder):
    put(folder / "a.wav")
    put(folder / "b.wav", seed=1)
    (folder / "taken").write_text("a file")
    for output, message in (
        ("taken", "output taken is a file; several inputs need a folder"),
        ("out.wav", "output out.wav is named like a file; several inputs need a folder"),
        ("out.FLAC", "output out.FLAC is named like a file"),
    ):
        answer = cli("apply", "a.wav", "b.wav", "-o", output, *GAIN)
        assert answer.code == 2
        assert message in answer.error
    assert names(folder) == ["a.wav", "b.wav", "taken"]
    assert cli("apply", "a.wav", "b.wav", "-o", "v1.0", *GAIN).code == 0


def test_one_file_into_a_folder(cli, folder):
    put(folder / "a.mp3", format="MP3")
    assert cli("apply", "a.mp3", "-o", "out", *GAIN).code == 0
    assert names(folder / "out") == ["a.json", "a.wav"]


# Collisions are found before the first write.


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x.wav", "x.mp3"),
        ("x.wav", "x.flac"),  # one trace for both
        ("x.wav", "X.wav"),
        ("x.wav", "x.WAV"),
        ("Data/x.wav", "data/x.wav"),
        ("straße.wav", "STRASSE.wav"),
        ("\u00e9.wav", "e\u0301.wav"),
    ],
)
def test_two_inputs_that_share_an_output(cli, folder, one, two):
    put(folder / "in" / "0.wav")
    put(folder / "in" / one)
    put(folder / "in" / two, seed=1)
    if len(names(folder / "in")) < 3:
        pytest.skip("this file system does not tell the two names apart")
    answer = cli("apply", "in", "-o", "out", *GAIN)
    assert answer.code == 2
    assert "would both be written to out/" in answer.error
    assert one in answer.error
    assert two in answer.error
    assert not (folder / "out").exists()


def test_an_output_with_the_name_of_a_folder(cli, folder):
    put(folder / "in" / "x.mp3")
    put(folder / "in" / "x.wav" / "y.wav", seed=1)
    answer = cli("apply", "in", "-o", "out", *GAIN)
    assert answer.code == 2
    assert "in/x.mp3 would be written to out/x.wav, which is a folder for in/x.wav/y.wav" in (
        answer.error
    )
    assert not (folder / "out").exists()


def test_a_foreign_json_stops_the_whole_before_the_first_write(cli, folder):
    for name in ("a", "b", "c"):
        put(folder / "in" / f"{name}.wav", seed=ord(name))
    (folder / "out").mkdir()
    (folder / "out" / "b.json").write_text("{}")
    answer = cli("apply", "in", "-o", "out", *GAIN)
    assert answer.code == 2
    assert "out/b.json exists and is not a trace" in answer.error
    assert names(folder / "out") == ["b.json"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("nowhere",), "nowhere: no such file or folder"),
        (("in", "nowhere.wav"), "nowhere.wav: no such file or folder"),
        (("empty",), "empty: no audio in this folder"),
    ],
)
def test_inputs_that_are_not_there(cli, folder, given, message):
    put(folder / "in" / "x.wav")
    (folder / "empty").mkdir()
    answer = cli("apply", *given, "-o", "out", *GAIN)
    assert (answer.code, answer.error) == (2, message)
    assert not (folder / "out").exists()


def test_the_plan_is_in_order_and_reads_no_file(folder):
    for name in ("b", "a", "c"):
        (folder / f"{name}.wav").write_bytes(b"nothing yet")
    jobs = plan_batch([folder], folder / "out", PLAN)
    assert [job.source.name for job in jobs] == ["a.wav", "b.wav", "c.wav"]
    assert all(job.steps == PLAN.steps for job in jobs)
    with pytest.raises(ParameterError):
        plan_batch([folder], folder, PLAN)


# Packages and programs that are missing.

MISSING_ENGINE = """
title = "Any engine"
[[step]]
op = "speed"
rate = { uniform = [1.2, 1.5] }
engine = { choice = ["wsola", "rubberband"] }
"""


@pytest.fixture
def no_engines(monkeypatch):
    """Stand where neither the engines of others nor audiomentations are installed."""
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    monkeypatch.setitem(sys.modules, "audiomentations", None)
    with forgotten_engines():
        yield


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--op", "speed:rate=1.5,engine=rubberband"),
            r"speed: .*pyrubberband; install it with pip install 'perturb-audio\[rubberband\]'.*",
        ),
        (
            ("--op", "gain:gain_db=-6", "--op", "speed:rate=2,engine=spectral"),
            r"speed: .*install.*",
        ),
        (("--op", "audiomentations:transform=Gain"), r"audiomentations .*install it with pip.*"),
        (
            ("--recipe", "any.toml"),
            r"any\.toml: \$\.step\[0\]: speed: .*or use engine='wsola'",
        ),
    ],
)
def test_what_is_missing_is_found_before_the_first_file(
    cli, folder, no_engines, words, message, jobs
):
    put(folder / "in" / "a.wav")
    put(folder / "in" / "b.wav")
    (folder / "any.toml").write_text(MISSING_ENGINE)
    answer = cli("apply", "in", "-o", "out", *words, "--jobs", jobs)
    assert answer.code == 2
    assert re.fullmatch(message, answer.error)
    assert answer.out == ""
    assert not (folder / "out").exists()


def test_what_no_step_needs_is_not_looked_for(cli, folder, no_engines):
    put(folder / "in" / "a.wav")
    put(folder / "in" / "b.wav")
    neutral = "speed:rate=1,engine=rubberband"
    assert cli("apply", "in", "-o", "out", "--op", neutral).code == 0


# One bad file among many.


@pytest.fixture
def mixed(folder):
    """Put nine good clips into a folder, and three that fail for three reasons."""
    for index in range(9):
        put(folder / "in" / f"good{index}.wav", seed=index)
    (folder / "in" / "empty.wav").write_bytes((folder / "in" / "good0.wav").read_bytes()[:44])
    put(folder / "in" / "short.wav", count=round(0.023 * 16_000))
    (folder / "in" / "unreadable.wav").write_bytes(b"RIFF\x00\x00")
    return folder / "in"


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_rest_is_done_and_the_bad_are_listed(cli, mixed, folder, jobs):
    answer = cli("apply", "in", "-o", "out", *LATE, "--jobs", jobs)
    assert answer.code == 1
    assert answer.out.splitlines()[-1] == "12 files: 3 failed, 9 ok"
    assert len(names(folder / "out")) == 18
    envelope = cli("apply", "in", "-o", "out", *LATE, "--jobs", jobs, "--json").envelope
    assert not envelope["ok"]
    assert envelope["result"]["counts"] == {"failed": 3, "ok": 9}
    rows = envelope["result"]["files"]
    assert [row["input"] for row in rows] == sorted(row["input"] for row in rows)
    failed = {row["input"]: row["reason"] for row in rows if row["status"] == "failed"}
    assert list(failed) == ["in/empty.wav", "in/short.wav", "in/unreadable.wav"]
    assert "empty" in failed["in/empty.wav"]
    assert "span @0.03-0.04 runs past the end of the clip" in failed["in/short.wav"]
    assert all(reason in answer.out for reason in ("empty", "runs past the end"))
    assert [finding["path"] for finding in envelope["findings"]] == list(failed)
    ok = next(row for row in rows if row["status"] == "ok")
    assert (ok["proofs"], ok["met"], ok["gain_db"]) == (2, 2, 0.0)
    assert ok["measured"][0]["name"] == "level_change"


def test_inapplicable_and_off_target_are_rows_too(cli, specimens, folder):
    put(folder / "in" / "a.wav")
    soundfile.write(folder / "in" / "b.wav", np.zeros(800), 16_000)
    rows = cli("apply", "in", "-o", "out", *GAIN, "--json").envelope["result"]["files"]
    assert [(row["status"], row["output"]) for row in rows] == [
        ("ok", "out/a.wav"),
        ("inapplicable", None),
    ]
    assert names(folder / "out") == ["a.json", "a.wav", "b.json"]
    answer = cli("apply", "in", "-o", "out2", "--op", "miss")
    assert answer.code == 1
    assert answer.out.splitlines()[-1] == "2 files: 2 off_target"


def test_a_fault_of_an_operator_is_a_row_and_debug_shows_where(cli, specimens, folder):
    put(folder / "in" / "a.wav")
    answer = cli("apply", "in", "-o", "out", "--op", "break")
    assert answer.code == 1
    assert "ZeroDivisionError: a fault of two lines" in answer.out
    assert "Traceback" not in answer.out + answer.err
    answer = cli("apply", "in", "-o", "out", "--op", "break", "--debug", "--json")
    assert "Traceback (most recent call last)" in answer.err
    assert answer.envelope["result"]["counts"] == {"failed": 1}


def test_a_name_that_is_no_unicode_is_a_row(cli, folder):
    put(folder / "in" / "a.wav")
    odd = os.fsdecode(b"caf\xe9.wav")
    shutil.copy(folder / "in" / "a.wav", folder / "in" / odd)
    answer = cli("apply", "in", "-o", "out", *GAIN)
    assert answer.code == 1
    assert "not valid UTF-8" in answer.out
    envelope = cli("apply", "in", "-o", "out", *GAIN, "--json").envelope
    assert envelope["result"]["counts"] == {"failed": 1, "ok": 1}
    assert envelope["findings"][0]["path"] == "in/caf\\xe9.wav"


def test_a_long_batch_shows_the_bad_and_counts_the_rest(cli, folder):
    for index in range(42):
        soundfile.write(folder / f"z{index:02}.wav", np.zeros(800), 16_000)
    put(folder / "good.wav")
    answer = cli("apply", ".", "-o", "out", *GAIN)
    lines = answer.out.splitlines()
    assert "good.wav" not in answer.out
    assert lines[-1] == "43 files: 1 ok, 42 inapplicable"
    assert lines[-2] == "… and 2 more; --json lists all"


def test_jobs_must_be_one_or_more(cli, folder):
    put(folder / "in" / "a.wav")
    for jobs in (0, -1):
        answer = cli("apply", "in", "-o", "out", *GAIN, "--jobs", jobs)
        assert (answer.code, answer.error) == (2, f"jobs is {jobs}; accepted: at least 1")
    assert not (folder / "out").exists()


# The same bytes.


def test_order_and_company_change_nothing(cli, folder):
    files = [put(folder / "in" / f"{index}.wav", seed=index) for index in range(6)]
    assert cli("apply", "in", "-o", "all", *NOISE).code == 0
    shuffled = [f"in/{path.name}" for path in files]
    random.Random(1).shuffle(shuffled)
    assert cli("apply", *shuffled, "-o", "shuffled", *NOISE).code == 0
    assert contents(folder / "shuffled") == contents(folder / "all")
    assert cli("apply", *shuffled[:2], "-o", "some", *NOISE).code == 0
    some = contents(folder / "some")
    assert some == {name: contents(folder / "all")[name] for name in some}
    assert cli("apply", "in", "-o", "other", *NOISE, "--seed", 1).code == 0
    for name, data in contents(folder / "other").items():
        assert data != contents(folder / "all")[name]


def test_clips_of_one_batch_draw_different_noise(cli, folder):
    put(folder / "in" / "a.wav", seed=1)
    put(folder / "in" / "b.wav", seed=2)
    cli("apply", "in", "-o", "out", "--op", "silence:fill=noise")
    a, b = (soundfile.read(folder / "out" / f"{name}.wav")[0] for name in "ab")
    correlation = np.corrcoef(a, b)[0, 1]
    assert abs(correlation) < 0.2
    # The same audio under two names is the same clip, and draws the same.
    shutil.copy(folder / "in" / "a.wav", folder / "in" / "c.wav")
    cli("apply", "in", "-o", "out", "--op", "silence:fill=noise")
    assert (folder / "out" / "a.wav").read_bytes() == (folder / "out" / "c.wav").read_bytes()


@pytest.mark.slow
@pytest.mark.golden
def test_workers_change_nothing(cli, folder):
    for index in range(7):
        put(folder / "in" / f"{index}.wav", seed=index, count=4_000)
    words = ("--op", "silence:fill=noise@0.01-0.05", "--op", "gain:gain_db=30@0.1-0.2")
    for workers in (1, 2, 4):
        answer = cli("apply", "in", "-o", f"out{workers}", *words, "--jobs", workers)
        assert answer.code == 0, answer.out
    one = contents(folder / "out1")
    assert len(one) == 14
    assert contents(folder / "out2") == one
    assert contents(folder / "out4") == one


def test_written_files_have_no_other_company(cli, folder):
    put(folder / "in" / "a.wav")
    pt.write_audio(
        folder / "in" / "b.wav", pt.Signal.from_array(np.zeros(900), 16_000), OutputFormat()
    )
    cli("apply", "in", "-o", "out", *GAIN)
    assert names(folder) == ["in/a.wav", "in/b.wav", "out/a.json", "out/a.wav", "out/b.json"]
