"""Which reader is found, for what reason; and where the audio is looked for."""

from __future__ import annotations

import json
import shutil

import pytest

from perturb.benchmark.protocols import Reader
from perturb.benchmark.readers.detection import READER_NAMES, find_reader, reader_named
from perturb.errors import BenchmarkError
from tests.fixtures import benchmarks


@pytest.mark.parametrize("name", READER_NAMES)
def test_each_registered_reader_is_there_under_its_name(name):
    reader: Reader = reader_named(name)
    assert reader.name == name
    assert all(callable(getattr(reader, part)) for part in ("recognise", "read", "express"))


def test_an_unknown_reader_is_refused_and_the_nearest_offered(tmp_path):
    path = benchmarks.write_mmau(tmp_path)
    with pytest.raises(BenchmarkError, match="no reader is called 'mmua'; did you mean 'mmau'"):
        find_reader(path, "mmua")


def test_a_missing_path_is_refused(tmp_path):
    with pytest.raises(BenchmarkError, match="there is no such file or folder"):
        find_reader(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "[]"),
        ("a.json", '{"a": 1}'),
        ("a.jsonl", "no json"),
        ("a.json", '[{"question": "q", "choices": ["a"], "answer": "a"}]'),
        ("a.csv", "question,answer\nq,a\n"),
        ("a.txt", "words"),
    ],
)
def test_what_no_reader_knows_is_refused_with_what_was_looked_for(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(BenchmarkError, match=r"no reader recognises it; looked for .*--reader"):
        find_reader(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", '[\n  {"a": 1},\n  {"a": "b', r"line 3, column 9: Unterminated string"),
        ("a.json", '[{"a": 1}', r"line 1, column 10: Expecting ',' delimiter"),
        ("a.jsonl", '{"a": 1}\n{"a": 1', r"line 2, column 8: Expecting ',' delimiter"),
        ("a.json", '{"a": 1}\n{"a":', r"line 2, column 6: Expecting value"),
        ("a.json", "", r"line 1, column 1: Expecting value"),
        ("a.json", "[" * 100_000, r"line 1: lists or objects are nested too deeply"),
    ],
)
def test_json_that_breaks_off_is_said_to_and_where(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(BenchmarkError, match=f"no valid JSON, {words}.*; no reader recognises it"):
        find_reader(tmp_path / name)


@pytest.mark.parametrize(("name", "text"), [("a.json", '{"a": 1}\n{"a": 2}\n'), ("a.json", "[]")])
def test_json_of_another_kind_is_not_said_to_break_off(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(BenchmarkError, match=r"a\.json: no reader recognises it"):
        find_reader(tmp_path / name)


def test_a_forced_reader_says_what_it_misses(tmp_path):
    path = benchmarks.write_mmau(tmp_path)
    reader, reason = find_reader(path, "lettered")
    assert reason == "named with --reader"
    with pytest.raises(BenchmarkError, match=r"the reader lettered, which looks for .*choice_a"):
        reader.read(path)


def test_two_readings_are_refused_with_both(tmp_path):
    benchmarks.place(tmp_path, "x.wav", 0)
    row = {"id": 1, "audio": "x.wav", "question": "q", "answer": "a"}
    row |= {"instruction": "i", "ground_truth": "g"}
    (tmp_path / "two.jsonl").write_text(json.dumps(row | {"audio_path": "x.wav"}))
    with pytest.raises(BenchmarkError, match=r"hear \(.*kimi \(.*--reader"):
        find_reader(tmp_path / "two.jsonl")


def test_a_folder_with_a_benchmark_in_it_is_not_read_as_mere_audio(tmp_path):
    path = benchmarks.write_mmau(tmp_path)
    with pytest.raises(BenchmarkError, match=f"with the benchmark {path.name}; give that file"):
        find_reader(tmp_path)
    assert find_reader(tmp_path, "folder")[0].name == "folder"
    path.unlink()
    assert find_reader(tmp_path)[0].name == "folder"


def test_only_a_few_rows_are_read_of_a_long_file(tmp_path, monkeypatch):
    from perturb.benchmark.rows import opening

    def all_rows(_):
        yield pytest.fail("all rows were read")

    path = benchmarks.write_mmar(tmp_path)
    line = path.read_text().splitlines()[0]
    path.write_text(f"{line}\n" * 500)
    monkeypatch.setattr(opening, "_PEEKED_BYTES", 50_000)
    monkeypatch.setattr(opening, "_all_rows", all_rows)
    assert find_reader(path)[0].name == "mmau"
    array = tmp_path / "long.json"
    array.write_text("[" + ",".join([line] * 500) + "]")
    assert find_reader(array)[0].name == "mmau"


# The audio root.


def root_of(path, audio_root=None):
    benchmark = find_reader(path)[0].read(path, audio_root)
    return benchmark.audio_root, list(benchmark.clips)


def test_the_folder_of_the_file_is_the_root_where_the_audio_is_there(tmp_path):
    path = benchmarks.write_mmau(tmp_path / "bench")
    assert root_of(path)[0] == tmp_path / "bench"


@pytest.mark.parametrize("place", ["bench", "bench/meta", "elsewhere"])
def test_folders_in_and_around_are_tried(tmp_path, place):
    """The file in a folder of its own beside the audio, or the audio in one below."""
    path = benchmarks.write_mmau(tmp_path / "bench")
    moved = tmp_path / place / path.name
    moved.parent.mkdir(exist_ok=True)
    path.replace(moved)
    assert root_of(moved)[0] == tmp_path / "bench"
    shutil.move(tmp_path / "bench" / "test-mini-audios", tmp_path / place / "sounds")
    (tmp_path / place / "sounds2").mkdir()
    shutil.move(tmp_path / place / "sounds", tmp_path / place / "sounds2" / "test-mini-audios")
    assert root_of(moved)[0] == tmp_path / place / "sounds2"


def test_the_folder_with_most_of_the_files_is_taken(tmp_path):
    path = benchmarks.write_mmau(tmp_path / "bench")
    benchmarks.place(tmp_path / "bench" / "half", "test-mini-audios/a/x.wav", 0)
    (tmp_path / "bench" / "test-mini-audios").rename(tmp_path / "audio")
    (tmp_path / "whole").mkdir()
    (tmp_path / "audio").rename(tmp_path / "whole" / "test-mini-audios")
    assert root_of(path)[0] == tmp_path / "whole"


def test_no_audio_anywhere_stops_with_an_example_and_the_way_out(tmp_path):
    path = benchmarks.write_mmau(tmp_path / "bench")
    shutil.rmtree(tmp_path / "bench" / "test-mini-audios")
    with pytest.raises(BenchmarkError) as caught:
        root_of(path)
    assert "test-mini-audios/a/x.wav, for example" in str(caught.value)
    assert "--audio-root" in str(caught.value)


def test_a_wrong_root_is_refused(tmp_path):
    path = benchmarks.write_mmau(tmp_path)
    (tmp_path / "other").mkdir()
    with pytest.raises(
        BenchmarkError, match=r"none of the first 4 audio files is in .*other; looked for"
    ):
        root_of(path, tmp_path / "other")
    with pytest.raises(BenchmarkError, match="is no folder"):
        root_of(path, tmp_path / "none")


def rows_with(folder, *paths):
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "id": str(n),
            "audio_path": str(path),
            "question": "q",
            "choices": ["a", "b"],
            "answer": "a",
        }
        for n, path in enumerate(paths)
    ]
    (folder / "b.json").write_text(json.dumps(rows))
    return folder / "b.json"


def test_a_path_that_leads_out_is_taken_from_the_file_and_must_be_inside_the_root(tmp_path):
    benchmarks.place(tmp_path, "audio/x.wav", 0)
    benchmarks.place(tmp_path, "b/y.wav", 1)
    path = rows_with(tmp_path / "b", "../audio/x.wav", "y.wav")
    with pytest.raises(
        BenchmarkError, match=r"row 0: '../audio/x.wav' lies outside the audio root"
    ):
        root_of(path)
    with pytest.raises(BenchmarkError, match=r"row 0: .*lies outside"):
        root_of(path, tmp_path / "b")
    up = rows_with(tmp_path / "b", "../audio/x.wav")
    assert root_of(up) == (tmp_path, ["audio/x.wav"])
    assert root_of(up, tmp_path / "audio") == (tmp_path / "audio", ["x.wav"])


def test_absolute_paths_are_keyed_below_the_folder_above_all(tmp_path):
    benchmarks.place(tmp_path, "data/one/x.wav", 0)
    benchmarks.place(tmp_path, "data/two/x.wav", 1)
    path = rows_with(
        tmp_path / "b", tmp_path / "data" / "one" / "x.wav", tmp_path / "data" / "two" / "x.wav"
    )
    assert root_of(path) == (tmp_path / "data", ["one/x.wav", "two/x.wav"])
    with pytest.raises(BenchmarkError, match=r"row 1: .*two/x.wav' lies outside"):
        root_of(path, tmp_path / "data" / "one")


def test_ways_of_writing_one_path_are_one_clip(tmp_path):
    benchmarks.place(tmp_path, "a/x.wav", 0)
    path = rows_with(tmp_path, "a/x.wav", "./a/x.wav", "a//x.wav", "b/../a/x.wav")
    assert root_of(path)[1] == ["a/x.wav"]


def test_a_benchmark_without_any_audio_is_refused(tmp_path):
    path = rows_with(tmp_path, "x.wav")
    path.write_text(path.read_text().replace('"x.wav"', "null"))
    with pytest.raises(BenchmarkError, match="no reader recognises it"):
        find_reader(path)


def test_rows_without_audio_are_noted(tmp_path):
    benchmarks.place(tmp_path, "x.wav", 0)
    path = rows_with(tmp_path, "x.wav", "")
    benchmark = find_reader(path)[0].read(path)
    assert benchmark.items[1].audios == ()
    assert any("no audio" in note for note in benchmark.notes)
