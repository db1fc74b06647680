"""AudioFolder, plain CSV and folders of audio: read, written back, loaded."""

from __future__ import annotations

import csv
import json

import pytest

from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.audiofolder import AudioFolderReader
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.readers.folder import FolderReader
from perturb.benchmark.readers.plain import PlainReader
from perturb.benchmark.writers.source import SourceWriter
from perturb.errors import BenchmarkError
from tests.fixtures.leaks import closing_what_datasets_leaves
from tests.fixtures.tables import canonical_files, load_offline, sound
from tests.fixtures.tiny import make_variants

NAMES = ("train-1.wav", "sub/test 2.wav", "日本 🎧.WAV")


def _folder(root, names=NAMES):
    for number, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(sound(number))
    return root


def _audiofolder(root, suffix="jsonl", **extra):
    rows = [
        {"file_name": name, "question": "Who?", "choices": ["Man", "Woman"], "answer": "Man"}
        for name in NAMES
    ]
    rows = [row | {key: values[i] for key, values in extra.items()} for i, row in enumerate(rows)]
    _folder(root)
    metadata = root / f"metadata.{suffix}"
    if suffix == "jsonl":
        metadata.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with metadata.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(row | {"choices": json.dumps(row["choices"])} for row in rows)
    return root


def _split(tmp_path, reader, benchmark):
    source = SplitSource(benchmark, reader)
    files = canonical_files(benchmark, tmp_path / "audio" / "noise")
    variants = make_variants(source, "noise", files)
    SourceWriter().write(tmp_path / "source", source, {"noise": variants})
    assert SourceWriter().verify(tmp_path / "source", source, {"noise": variants}) == []
    return tmp_path / "source" / "noise", files


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_an_audiofolder_is_recognised_and_read(tmp_path, suffix):
    root = _audiofolder(tmp_path / "bench", suffix)
    reader, reason = find_reader(root)
    assert reader.name == "audiofolder"
    assert f"metadata.{suffix}" in reason
    benchmark = reader.read(root)
    assert tuple(benchmark.clips) == NAMES
    assert all(clip.path.is_file() for clip in benchmark.clips.values())
    assert [item.choices for item in benchmark.items] == [("Man", "Woman")] * 3
    assert [item.answer_index for item in benchmark.items] == [0] * 3
    by_file = reader.read(root / f"metadata.{suffix}")
    assert by_file.items == benchmark.items


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_no_row_of_a_written_audiofolder_is_lost_to_its_name(tmp_path, monkeypatch, suffix):
    benchmark = AudioFolderReader().read(_audiofolder(tmp_path / "bench", suffix))
    folder, files = _split(tmp_path, AudioFolderReader(), benchmark)
    with closing_what_datasets_leaves():
        loaded = load_offline(folder, tmp_path / "cache", monkeypatch)
    assert list(loaded) == ["test"]
    for row, name in zip(loaded["test"], NAMES, strict=True):
        assert row["audio"]["path"] == str(folder / name)
        assert (folder / name).samefile(files[name])
    assert AudioFolderReader().read(folder).items == benchmark.items


def test_further_files_of_a_row_have_roles(tmp_path):
    root = _audiofolder(tmp_path, reference_file_name=NAMES[::-1])
    item = AudioFolderReader().read(root).items[0]
    assert [(audio.role, audio.clip) for audio in item.audios] == [
        ("main", NAMES[0]),
        ("reference", NAMES[2]),
    ]


def test_of_several_metadata_files_one_is_asked_for(tmp_path):
    for split in ("test", "train"):
        _audiofolder(tmp_path / split)
    with pytest.raises(BenchmarkError, match=r"holds 2 files .*test/metadata\.jsonl"):
        AudioFolderReader().read(tmp_path)
    assert len(AudioFolderReader().read(tmp_path / "test" / "metadata.jsonl").items) == 3


def test_a_plain_csv_needs_a_column_of_audio_and_nothing_else(tmp_path):
    _folder(tmp_path / "clips")
    table = tmp_path / "mine.csv"
    table.write_text("recording_file;note\n" + "".join(f"clips/{name};x\n" for name in NAMES))
    reader, reason = find_reader(table)
    assert reader.name == "plain"
    assert "recording_file as audio" in reason
    benchmark = reader.read(table)
    assert list(benchmark.clips) == [f"clips/{name}" for name in NAMES]
    assert {(item.question, item.choices, item.answer) for item in benchmark.items} == {
        ("", (), None)
    }
    folder, _ = _split(tmp_path, reader, benchmark)
    lines = (folder / "mine.csv").read_text().splitlines()
    assert lines[0].startswith("recording_file;note;perturb_condition;")
    assert lines[2].startswith(f"clips/{NAMES[1]};x;noise;")


def test_a_plain_csv_with_questions_is_asked(tmp_path):
    _folder(tmp_path)
    table = tmp_path / "mine.csv"
    table.write_text(
        "id,audio,question,options,answer\n"
        '7,train-1.wav,Who?,"[""Man"", ""Man, or none""]","Man, or none"\n'
        "8,sub/test 2.wav,What?,,a dog\n"
    )
    items = PlainReader().read(table).items
    assert items[0].choices == ("Man", "Man, or none")
    assert items[0].answer_index == 1
    assert (items[1].item_id, items[1].choices, items[1].answer) == ("8", (), "a dog")


def test_a_csv_without_audio_is_refused_with_its_columns(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert PlainReader().recognise(tmp_path / "x.csv") is None
    with pytest.raises(BenchmarkError, match=r"no column names audio files \(columns: a, b\)"):
        PlainReader().read(tmp_path / "x.csv")


def test_a_folder_of_audio_is_a_benchmark_without_questions(tmp_path):
    root = _folder(tmp_path / "clips")
    (root / "._train-1.wav").write_bytes(b"litter")
    (root / "notes.txt").write_text("x")
    reader, reason = find_reader(root)
    assert (reader.name, reason) == ("folder", "a folder of 3 audio files")
    benchmark = reader.read(root)
    assert {item.item_id for item in benchmark.items} == set(NAMES)
    assert {item.question for item in benchmark.items} == {""}
    folder, files = _split(tmp_path, reader, benchmark)
    with (folder / "metadata.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["file_name"] for row in rows] == [item.item_id for item in benchmark.items]
    assert {row["perturb_condition"] for row in rows} == {"noise"}
    for name, canonical in files.items():
        assert (folder / name).samefile(canonical)


def test_a_folder_is_its_own_root(tmp_path):
    root = _folder(tmp_path / "clips")
    assert len(FolderReader().read(root, root).items) == 3
    with pytest.raises(BenchmarkError, match="leave out --audio-root"):
        FolderReader().read(root, tmp_path)
    (tmp_path / "empty").mkdir()
    assert FolderReader().recognise(tmp_path / "empty") is None
    with pytest.raises(BenchmarkError, match="no audio files"):
        FolderReader().read(tmp_path / "empty")
