"""What is refused before the first write, and whose files are never touched."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from tests.instruments.engines import forgotten_engines
from tests.split.small import (
    CONDITIONS,
    SUITE,
    cuttings,
    mostly_slow,
    rows_of,
    tree,
    write_benchmark,
    write_suite,
)


@pytest.fixture
def split(cli, bench, quick):
    """Return a function that splits the benchmark with the quick suite."""

    def run(*options, output="out"):
        return cli("split", bench, "-o", output, "--suite", quick, *options)

    return run


def journal(folder):
    return sorted((folder / "journal").glob("shard-*.json"))


# Before the first write.

WRONG = {
    "suite": (("--suite", "seabed/control"), "did you mean 'seabed/controls'?"),
    "suite_file": (("--suite", "none.toml"), "none.toml"),
    "reader": (("--reader", "mmua"), "did you mean 'mmau'?"),
    "unfit_reader": (("--reader", "parquet"), "bench.json"),
    "writer": (("--writer", "inspct"), "did you mean 'inspect'?"),
    "audio_root": (("--audio-root", "elsewhere"), "--audio-root"),
    "value": (("--set", "nobody=3"), "'nobody'"),
    "jobs": (("--jobs", "0"), "at least 1"),
    "seed": (("--seed", "-1"), "accepted: 0 to"),
    "sample": (("--sample", "many"), "sample"),
    "sample_of_none": (("--sample", "0%"), "sample"),
    "stratify": (("--stratify", "task"), "--sample"),
    "strata": (("--sample", "50%", "--stratify", "taks"), "accepted: task, language"),
    "limit": (("--limit", "0"), "limit"),
    "task_map": (("--task-map", "seebed"), "did you mean 'seabed'?"),
    "transcripts": (("--transcripts", "none.csv"), "none.csv"),
    "questions": (("--questions", "none.csv"), "none.csv"),
    "both": (("--resume", "--overwrite"), "exclude each other"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("dry", mostly_slow([(), ("--dry-run",)], ()))
def test_what_is_wrong_stops_before_the_first_write(split, folder, name, dry):
    options, said = WRONG[name]
    before = tree(folder)
    answer = split(*options, *dry)
    assert answer.code == 2
    assert said in answer.error
    assert not (folder / "out").exists()
    assert tree(folder) == before


def test_a_benchmark_that_is_not_there(cli, folder):
    answer = cli("split", "none.json", "-o", "out")
    assert answer.code == 2
    assert "none.json: there is no such file or folder" in answer.error
    assert not (folder / "out").exists()


def one_recipe(folder, step):
    """Write a suite of the original and one recipe of one step."""
    (folder / "one.toml").write_text(f'title = "One"\nsource = "Tests"\n[[step]]\n{step}\n')
    text = (
        'title = "One recipe"\n[[condition]]\nname = "original"\n'
        '[[condition]]\nname = "one"\nrecipe = "one.toml"\n'
    )
    return write_suite(folder, text, "one_suite.toml")


def test_a_missing_program_stops_before_the_first_write(split, folder, monkeypatch):
    suite = one_recipe(folder, 'op = "speed"\nrate = 1.2\nengine = "rubberband"')
    monkeypatch.setenv("PATH", str(folder))
    with forgotten_engines():
        answer = split("--suite", suite)
    assert answer.code == 2
    assert "rubberband" in answer.error
    assert not (folder / "out").exists()


def test_a_file_that_a_recipe_names_is_looked_for_before_the_first_write(split, folder):
    suite = one_recipe(folder, 'op = "mismatch"\nref = "file:dog.wav"')
    answer = split("--suite", suite)
    assert answer.code == 2
    assert "dog.wav: no such file" in answer.error
    assert not (folder / "out").exists()


def test_a_form_that_cannot_hold_the_split(split, folder):
    text = 'title = "Asked"\n[[condition]]\nname = "original"\n'
    write_suite(folder, text + '[[condition]]\nname = "asked"\naudio = "none"\n', "asked.toml")
    answer = split("--suite", "asked.toml", "--writer", "audiofolder")
    assert answer.code == 2
    assert "asked" in answer.error
    assert not (folder / "out").exists()


# Whose folder it is.


def test_a_folder_of_somebody_else_is_refused(split, folder):
    (folder / "out").mkdir()
    (folder / "out" / "thesis.tex").write_text("mine")
    for option in ((), ("--resume",), ("--overwrite",)):
        answer = split(*option)
        assert answer.code == 2
        assert "holds other files and no split" in answer.error
    assert tree(folder / "out") == {"thesis.tex": b"mine"}


@pytest.mark.slow
def test_a_journal_of_somebody_else_makes_no_split(split, folder):
    (folder / "out" / "journal").mkdir(parents=True)
    (folder / "out" / "journal" / "request.json").write_text('{"dear": "diary"}')
    (folder / "out" / "audio").mkdir()
    (folder / "out" / "audio" / "song.wav").write_bytes(b"mine")
    before = tree(folder / "out")
    for option in ((), ("--resume",), ("--overwrite",)):
        assert split(*option).code == 2
    assert tree(folder / "out") == before


def test_a_file_in_the_place_of_the_folder(split, folder):
    (folder / "out").write_text("mine")
    answer = split("--overwrite")
    assert answer.code == 2
    assert "is a file" in answer.error
    assert (folder / "out").read_text() == "mine"


def test_the_folder_of_the_benchmark_is_no_place(split, folder):
    before = tree(folder / "data")
    for option in ((), ("--resume",), ("--overwrite",)):
        assert split(*option, output="data").code == 2
        assert split(*option, output="data/audio").code == 2
    assert tree(folder / "data") == before


def test_a_split_that_is_there_needs_a_word(split, folder):
    assert split().code == 0
    before = tree(folder / "out")
    answer = split()
    assert answer.code == 2
    assert "--resume" in answer.error
    assert "--overwrite" in answer.error
    assert tree(folder / "out") == before


OTHER = {
    "seed": ("--seed", "3"),
    "selection": ("--limit", "3"),
    "suite": ("--suite", "other.toml"),
    "conditions": ("--suite", "changed/quick.toml"),
    "inputs": ("--abstain", "calm"),
    "source": (),
}


@pytest.mark.parametrize("what", mostly_slow(OTHER, "conditions"))
def test_a_split_of_another_request_is_not_resumed(cli, split, bench, folder, what):
    assert split().code == 0
    before = tree(folder / "out")
    write_suite(folder, SUITE, "other.toml")
    (folder / "changed").mkdir()
    write_suite(folder / "changed", SUITE.replace("0.2-0.4", "0.2-0.5"))
    if what == "source":
        write_benchmark(bench.parent, json.loads(bench.read_text())[:-1])
    answer = split("--resume", *OTHER[what])
    assert answer.code == 2
    assert f"({what}" in answer.error or f", {what}" in answer.error
    assert tree(folder / "out") == before


def test_two_runs_at_once_do_not_mix(split, folder):
    import fcntl

    assert split().code == 0
    before = tree(folder / "out")
    with (folder / "out" / "journal" / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for option in ("--resume", "--overwrite"):
            answer = split(option)
            assert answer.code == 2
            assert "another run is writing there" in answer.error
    assert tree(folder / "out") == before


# Made again.


def test_overwriting_leaves_nothing_stale(cli, split, folder):
    forms = ("--writer", "source", "--writer", "inspect", "--writer", "parquet")
    assert split(*forms).code == 0
    (folder / "out" / "notes.txt").write_text("mine")
    (folder / "out" / "results").mkdir()
    (folder / "out" / "results" / "x.json").write_text("mine too")
    less = write_suite(folder, SUITE.split('[[condition]]\nname = "louder"')[0], "less.toml")
    words = ("split", "data/bench.json", "--suite", less, "--seed", 5, "--limit", 4, "-o")
    assert cli(*words, "out", "--overwrite").code == 0
    assert cli(*words, "fresh").code == 0
    found = tree(folder / "out")
    assert found.pop("notes.txt") == b"mine"
    assert found.pop("results/x.json") == b"mine too"
    assert found == tree(folder / "fresh")
    empty = [
        path for path in (folder / "out").rglob("*") if path.is_dir() and not any(path.iterdir())
    ]
    assert empty == []
    assert cli("verify", "out").code == 0


@pytest.mark.slow
def test_overwriting_inside_the_folder_of_the_source_leaves_the_source(cli, folder, quick):
    (folder / "data").mkdir()
    bench = write_benchmark(folder / "data", rows_of(cuttings(folder / "data", 4, seconds=0.6)))
    before = tree(folder / "data")
    for output in ("data/out", "data/audio/out", "data/audio"):
        words = ("split", bench, "-o", output, "--suite", quick, "--audio-root", "data")
        if output == "data/audio":
            assert cli(*words).code == 2
            continue
        assert cli(*words).code == 0
        first = tree(folder / output)
        assert cli(*words, "--overwrite").code == 0
        assert tree(folder / output) == first
        shutil.rmtree(folder / output)
    assert tree(folder / "data") == before


def test_a_source_inside_the_split_is_not_overwritten(cli, split, folder, quick):
    """A benchmark made of a split's own files would go with them."""
    assert split().code == 0
    own = folder / "out" / "audio" / "original"
    names = sorted(path.name for path in own.iterdir())
    bench = write_benchmark(folder / "data", rows_of(names), "second.json")
    before = tree(folder / "out")
    answer = cli("split", bench, "--audio-root", own, "-o", "out", "--suite", quick, "--overwrite")
    assert answer.code == 2
    assert "belongs to the benchmark" in answer.error
    assert tree(folder / "out") == before


def test_a_split_inside_a_folder_that_is_read_whole(cli, folder, quick):
    cuttings(folder, 4, seconds=0.6)
    answer = cli("split", "audio", "-o", "audio/out", "--suite", quick, "--reader", "folder")
    assert answer.code == 2
    assert "read whole" in answer.error
    assert not (folder / "audio" / "out").exists()


@pytest.mark.parametrize("option", mostly_slow(["--resume", "--overwrite"], "--resume"))
def test_results_among_the_forms_are_not_lost(split, folder, option):
    assert split().code == 0
    results = folder / "out" / "source" / "noise" / "predictions.json"
    results.write_text("a week of work")
    later_ns = (folder / "out" / "split.json").stat().st_mtime_ns + 10**9
    os.utime(results, ns=(later_ns, later_ns))
    before = tree(folder / "out")
    answer = split(option)
    assert answer.code == 2
    assert "predictions.json was put there" in answer.error
    assert tree(folder / "out") == before
    results.rename(folder / "predictions.json")
    assert split(option).code == 0


@pytest.mark.parametrize("option", mostly_slow(["--resume", "--overwrite"], "--resume"))
def test_what_a_link_leads_to_is_not_removed(split, folder, option):
    assert split().code == 0
    shutil.copytree(folder / "data" / "audio", folder / "precious")
    kept = tree(folder / "precious")
    shutil.rmtree(folder / "out" / "audio" / "noise")
    (folder / "out" / "audio" / "noise").symlink_to(folder / "precious")
    split(option)
    found = tree(folder / "precious")
    assert {name: found.get(name) for name in kept} == kept


@pytest.mark.slow
def test_a_folder_linked_to_the_source_is_refused(split, folder):
    assert split().code == 0
    kept = tree(folder / "data")
    shutil.rmtree(folder / "out" / "audio")
    (folder / "out" / "audio").symlink_to(folder / "data")
    for option in ("--resume", "--overwrite"):
        assert "belongs to the benchmark" in split(option).error
    assert tree(folder / "data") == kept


# Changed and gone on with.


@pytest.mark.slow
def test_another_seed_in_the_same_folder_reuses_nothing(cli, split, folder):
    assert split().code == 0
    assert split("--seed", "1", "--overwrite").code == 0
    assert split("--seed", "1", output="fresh").code == 0
    assert tree(folder / "out") == tree(folder / "fresh")


def test_a_changed_source_clip_is_rendered_again(cli, split, bench, folder):
    """The journal knows what every shard was made of: other bytes, made again."""
    assert split().code == 0
    clips = sorted((bench.parent / "audio").iterdir())
    clips[0].write_bytes(clips[1].read_bytes())
    assert split("--resume").code in (0, 1)
    assert split(output="fresh").code in (0, 1)
    assert tree(folder / "out") == tree(folder / "fresh")
    assert cli("verify", "out", "--replay", "all").code == 0


def test_a_clip_that_was_no_good_and_is_mended(cli, split, bench, folder):
    clip = sorted((bench.parent / "audio").iterdir())[0]
    good = clip.read_bytes()
    clip.write_bytes(good[: len(good) // 2])
    assert split().code == 1
    journals = {path: path.stat().st_mtime_ns for path in journal(folder / "out")}
    assert split("--resume").code == 1
    kept = {path: path.stat().st_mtime_ns for path in journal(folder / "out")}
    assert kept == journals, "what could not be read, and is as it was, is not tried again"
    clip.write_bytes(good)
    assert split("--resume").code == 0
    assert split(output="fresh").code == 0
    assert tree(folder / "out") == tree(folder / "fresh")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["short", "gone", "other"])
@pytest.mark.parametrize("kind", ["audio/noise/*.wav", "traces/*.jsonl", "journal/shard-*.json"])
def test_nothing_on_disk_is_trusted_unread(split, folder, what, kind):
    assert split().code == 0
    before = tree(folder / "out")
    path = sorted((folder / "out").glob(kind))[0]
    content = path.read_bytes()
    path.unlink()  # never in place: the forms' names are the same file
    if what == "short":
        path.write_bytes(content[: len(content) // 2])
    elif what == "other":
        path.write_bytes(content[:-5] + b"other")
    assert split("--resume").code == 0
    assert tree(folder / "out") == before


@pytest.mark.slow
def test_a_form_is_added_to_a_split_that_is_there(cli, split, folder):
    assert split("--writer", "source").code == 0
    journals = {path: path.stat().st_mtime_ns for path in journal(folder / "out")}
    assert split("--resume", "--writer", "inspect").code == 0
    assert {path: path.stat().st_mtime_ns for path in journal(folder / "out")} == journals
    assert split("--writer", "source", "--writer", "inspect", output="fresh").code == 0
    assert tree(folder / "out") == tree(folder / "fresh")
    assert set(CONDITIONS) == {path.stem for path in (folder / "out" / "inspect").glob("*.jsonl")}
    assert cli("verify", "out").code == 0
