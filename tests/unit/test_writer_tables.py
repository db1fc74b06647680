"""The writers `parquet` and `audiofolder`, proven by loading what they wrote."""

from __future__ import annotations

import json
import math

import pytest

from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.audiofolder import AudioFolderReader
from perturb.benchmark.readers.parquet import ParquetReader
from perturb.benchmark.variant import PERTURB_COLUMNS, Question
from perturb.benchmark.writers import parquet as parquet_module
from perturb.benchmark.writers.audiofolder import AudioFolderWriter
from perturb.benchmark.writers.parquet import ParquetWriter
from perturb.errors import BenchmarkError
from tests.fixtures.tables import canonical_files, list_feature, load_offline, sound, write_parquet
from tests.fixtures.tiny import make_source, make_variants

WRITERS = [ParquetWriter(), AudioFolderWriter()]
ROWS = [
    {
        "id": 1,
        "audio": "clips/train-1.wav",
        "question": "Who?",
        "choices": ["Man", "Man, or none", "Man"],
        "answer": " Man",
        "weight": 1,
        "maybe": None,
        "mixed": 1,
        "deep": {"x": [None, "é"]},
        "tags": ["a"],
        "task": "speech",
    },
    {
        "id": 2,
        "audio": "clips/test-2.wav",
        "question": "What?",
        "choices": ["Dog", "Cat"],
        "answer": "Cat",
        "weight": 2.5,
        "maybe": None,
        "mixed": "one",
        "deep": {},
        "tags": [],
        "x_file_name": "kept.wav",
    },
    {
        "id": 3,
        "audio": "clips/train-1.wav",
        "question": "日本 🎧?",
        "choices": ["Dog", "Cat"],
        "answer": "Dog",
        "weight": 3,
        "maybe": None,
        "mixed": True,
        "deep": [],
        "tags": ["b"],
    },
]


def _open(item):
    return Question(question=item.question, answer=item.answer)


def _bench(tmp_path, *, unread=()):
    source = make_source(tmp_path / "mmau.jsonl", ROWS)
    rows = {}
    for condition, sham_of in (("original", None), ("noise", None), ("noise_sham", "noise")):
        files = canonical_files(source.benchmark, tmp_path / "audio" / condition)
        files |= dict.fromkeys(unread)
        rows[condition] = make_variants(source, condition, files, sham_of=sham_of)
    rows["open_ended"] = make_variants(source, "open_ended", files, question=_open)
    return source, rows


def _write(writer, folder, source, rows):
    writer.check(source, {name: part[0].audios is not None for name, part in rows.items()})
    writer.write(folder, source, rows)
    return folder


def _tree(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_every_condition_loads_as_a_split_with_all_rows_and_equal_types(
    tmp_path, monkeypatch, writer
):
    source, rows = _bench(tmp_path)
    folder = _write(writer, tmp_path / writer.name, source, rows)
    loaded = load_offline(folder, tmp_path / "cache", monkeypatch)
    assert list(loaded) == list(rows)
    features = [part.features for part in loaded.values()]
    assert all(other == features[0] for other in features)
    for condition, part in loaded.items():
        assert part["perturb_condition"][:] == [condition] * 3
        assert part["id"][:] == ["1", "2", "3"]
        assert part["question"][:] == [row["question"] for row in ROWS]
        assert part["answer"][:] == [row["answer"] for row in ROWS]
        assert set(PERTURB_COLUMNS) <= set(part.column_names)
        assert part["weight"][:] == [1.0, 2.5, 3.0]
        assert [json.loads(text) for text in part["mixed"][:]] == [1, "one", True]
        assert [json.loads(text) for text in part["deep"][:]] == [{"x": [None, "é"]}, {}, []]


def test_parquet_embeds_the_canonical_audio_and_keeps_types(tmp_path, monkeypatch):
    import datasets

    source, rows = _bench(tmp_path)
    rows["question_only"] = make_variants(source, "question_only", {}, has_audio=False)
    folder = _write(ParquetWriter(), tmp_path / "parquet", source, rows)
    loaded = load_offline(folder, tmp_path / "cache", monkeypatch)
    part = loaded["noise_sham"]
    for row, variant in zip(part, rows["noise_sham"], strict=True):
        assert row["audio"]["bytes"] == variant.audios[0].file.read_bytes()
        assert row["audio"]["path"] == variant.audios[0].file.name
    assert part["choices"][:] == [row["choices"] for row in ROWS]
    assert part["answer_index"][:] == [None, 1, 0]
    assert part["perturb_sham_of"][:] == ["noise"] * 3
    assert part["maybe"][:] == part["language"][:] == [None] * 3
    assert part.features["choices"] == list_feature(datasets.Value("string"))
    assert part.features["answer_index"] == datasets.Value("int64")
    assert loaded["open_ended"]["choices"][:] == [[], [], []]
    assert loaded["open_ended"]["answer_index"][:] == [None] * 3
    assert loaded["question_only"]["audio"][:] == [None] * 3
    assert part["source_audio"][:] == [row["audio"] for row in ROWS]
    assert loaded["question_only"]["source_audio"][:] == [None] * 3


def test_the_column_of_audio_is_declared_as_audio(tmp_path):
    from pyarrow import parquet

    source, rows = _bench(tmp_path)
    folder = _write(ParquetWriter(), tmp_path / "parquet", source, rows)
    schemas = [parquet.read_schema(path) for path in sorted((folder / "data").iterdir())]
    assert len(schemas) == 4
    for schema in schemas:
        assert schema.equals(schemas[0], check_metadata=True)
        features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
        assert features == {"audio": {"_type": "Audio"}}


def test_audiofolder_links_the_canonical_files_inside_the_folder(tmp_path, monkeypatch):
    source, rows = _bench(tmp_path)
    folder = _write(AudioFolderWriter(), tmp_path / "audiofolder", source, rows)
    loaded = load_offline(folder, tmp_path / "cache", monkeypatch)
    for condition, part in loaded.items():
        for row, variant in zip(part, rows[condition], strict=True):
            assert row["audio"]["path"].startswith(str(folder / condition) + "/")
            assert variant.audios[0].file.samefile(row["audio"]["path"])
    lines = (folder / "noise" / "metadata.jsonl").read_text().splitlines()
    fields = [name for line in lines for name in json.loads(line)]
    assert {name for name in fields if name.endswith("file_name")} == {"file_name"}
    assert json.loads(lines[1])["x_file"] == "kept.wav"
    assert json.loads(lines[0])["perturb_sham_of"] == ""
    assert json.loads(json.loads(lines[0])["choices"]) == ROWS[0]["choices"]
    assert json.loads(lines[0])["answer_index"] == ""
    assert [json.loads(line)["source_id"] for line in lines] == [1, 2, 3]


def test_without_the_card_rows_would_be_lost(tmp_path, monkeypatch):
    source, rows = _bench(tmp_path)
    folder = _write(AudioFolderWriter(), tmp_path / "audiofolder", source, rows)
    (folder / "README.md").unlink()
    loaded = load_offline(folder, tmp_path / "cache", monkeypatch)
    assert list(loaded) != list(rows)


def test_audiofolder_keeps_lists_and_numbers_that_have_no_gaps(tmp_path, monkeypatch):
    rows = [row | {"choices": ["Dog", "Cat"], "answer": "Dog"} for row in ROWS]
    source = make_source(tmp_path / "b.jsonl", rows)
    files = canonical_files(source.benchmark, tmp_path / "audio")
    variants = {"noise": make_variants(source, "noise", files)}
    folder = _write(AudioFolderWriter(), tmp_path / "audiofolder", source, variants)
    part = load_offline(folder, tmp_path / "cache", monkeypatch)["noise"]
    assert part["choices"][:] == [["Dog", "Cat"]] * 3
    assert part["answer_index"][:] == [0] * 3


def test_audiofolder_refuses_conditions_without_audio_in_one_line(tmp_path):
    source, _ = _bench(tmp_path)
    with pytest.raises(
        BenchmarkError, match=r"cannot hold question_only.*--writer parquet"
    ) as caught:
        AudioFolderWriter().check(source, {"original": True, "question_only": False})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_a_row_whose_audio_could_not_be_read_stays(tmp_path, monkeypatch, writer):
    source, rows = _bench(tmp_path, unread=["clips/test-2.wav"])
    folder = _write(writer, tmp_path / writer.name, source, rows)
    part = load_offline(folder, tmp_path / "cache", monkeypatch)["noise"]
    assert part["perturb_status"][:] == ["ok", "failed", "ok"]
    audio = part["audio"][1]
    if writer.name == "parquet":
        assert audio is None
    else:
        assert audio["path"] == str(folder / "noise" / "no_audio.wav")
        assert (folder / "noise" / "no_audio.wav").read_bytes() == b""
    assert writer.verify(folder, source, rows) == []


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_further_roles_keep_their_audio(tmp_path, monkeypatch, writer):
    source = make_source(tmp_path / "b.jsonl", [ROWS[1] | {"audio": ["a.wav", "b.wav"]}, ROWS[0]])
    files = canonical_files(source.benchmark, tmp_path / "audio")
    rows = {"noise": make_variants(source, "noise", files)}
    folder = _write(writer, tmp_path / writer.name, source, rows)
    part = load_offline(folder, tmp_path / "cache", monkeypatch)["noise"]
    further = part["audio_reference"][:]
    if writer.name == "parquet":
        assert further[0]["bytes"] == files["b.wav"].read_bytes()
        assert further[1] is None
        again = ParquetReader().read(folder)
        assert [audio.role for audio in again.items[0].audios] == ["main", "reference"]
    else:
        assert further == [files["b.wav"].name, ""]
        assert (folder / "noise" / further[0]).samefile(files["b.wav"])


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_the_same_rows_give_the_same_bytes_over_what_an_interrupted_run_left(tmp_path, writer):
    source, rows = _bench(tmp_path)
    first = _tree(_write(writer, tmp_path / "a", source, rows))
    inside = tmp_path / "b" / ("data" if writer.name == "parquet" else "noise")
    inside.mkdir(parents=True)
    for name in ("noise-00001-of-00002.parquet", ".perturb-1-2.tmp", "stale.wav"):
        (inside / name).write_bytes(b"half")
    _write(writer, tmp_path / "b", source, rows)
    assert _tree(tmp_path / "b") == first
    _write(writer, tmp_path / "b", source, rows)
    assert _tree(tmp_path / "b") == first


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_verification_finds_what_was_changed(tmp_path, writer):
    source, rows = _bench(tmp_path)
    folder = _write(writer, tmp_path / writer.name, source, rows)
    assert writer.verify(folder, source, rows) == []
    other = dict(rows) | {"noise": rows["noise"][::-1]}
    assert writer.verify(folder, source, other)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content[:-30])
            problems = writer.verify(folder, source, rows)
            place = path.relative_to(tmp_path).as_posix()
            assert [line for line in problems if line.startswith(f"{place}: ")], place
            path.unlink()
            assert any(
                line.startswith(f"{place}: ") for line in writer.verify(folder, source, rows)
            )
            path.write_bytes(content)
    assert writer.verify(folder, source, rows) == []


def test_no_number_is_equal_to_itself(tmp_path):
    rows = [{**row, "loud": math.nan, "levels": [1.0, math.nan]} for row in ROWS]
    source = make_source(tmp_path / "mmau.jsonl", rows)
    files = canonical_files(source.benchmark, tmp_path / "audio")
    rows = {"original": make_variants(source, "original", files)}
    writer = ParquetWriter()
    folder = _write(writer, tmp_path / writer.name, source, rows)
    assert writer.verify(folder, source, rows) == []
    louder = [{**row, "loud": 1.0} for row in ROWS]
    other = make_source(tmp_path / "other.jsonl", louder)
    assert writer.verify(folder, other, {"original": make_variants(other, "original", files)})


def test_a_shard_too_many_is_found(tmp_path):
    source, rows = _bench(tmp_path)
    folder = _write(ParquetWriter(), tmp_path / "parquet", source, rows)
    shard = folder / "data" / "noise-00000-of-00001.parquet"
    (folder / "data" / "noise-00001-of-00002.parquet").write_bytes(shard.read_bytes())
    problems = ParquetWriter().verify(folder, source, rows)
    assert problems == ["parquet/data/noise-00001-of-00002.parquet: is no shard of a condition"]


def test_shards_are_bounded_and_named_by_their_number(tmp_path, monkeypatch):
    source, rows = _bench(tmp_path)
    size = len(sound(0))
    monkeypatch.setattr(parquet_module, "_SHARD_BYTES", 2 * size)
    folder = _write(ParquetWriter(), tmp_path / "parquet", source, rows)
    names = sorted(path.name for path in (folder / "data").glob("noise-*"))
    assert names == ["noise-00000-of-00002.parquet", "noise-00001-of-00002.parquet"]
    loaded = load_offline(folder, tmp_path / "cache", monkeypatch)
    assert loaded["noise"]["id"][:] == ["1", "2", "3"]
    assert ParquetWriter().verify(folder, source, rows) == []


def test_what_is_written_is_read_as_a_benchmark_again(tmp_path):
    rows = [row | {"choices": ["Dog", "Cat"], "answer": "Dog"} for row in ROWS]
    source = make_source(tmp_path / "b.jsonl", rows)
    files = canonical_files(source.benchmark, tmp_path / "audio")
    variants = {"noise": make_variants(source, "noise", files)}
    for writer, reader in (
        (ParquetWriter(), ParquetReader()),
        (AudioFolderWriter(), AudioFolderReader()),
    ):
        folder = _write(writer, tmp_path / writer.name, source, variants)
        again = reader.read(folder)
        for item, before in zip(again.items, source.benchmark.items, strict=True):
            assert (item.item_id, item.question, item.choices) == (
                before.item_id,
                before.question,
                before.choices,
            )
            assert (item.answer, item.answer_index) == (before.answer, before.answer_index)


def test_fields_of_a_table_that_have_our_names_are_kept_beside_ours(tmp_path, monkeypatch):
    columns = {
        "id": [5, 6],
        "audio": [{"bytes": sound(i), "path": f"{i}.wav"} for i in range(2)],
        "question": ["Who?"] * 2,
        "choices": ['["(A) Man", "(B) Woman"]'] * 2,
        "answer": ["A", "B"],
        "level": [math.nan, 1.0],
    }
    reader = ParquetReader()
    benchmark = reader.read(write_parquet(tmp_path / "t.parquet", columns))
    source = SplitSource(benchmark, reader)
    files = canonical_files(benchmark, tmp_path / "audio")
    rows = {"noise": make_variants(source, "noise", files)}
    folder = _write(ParquetWriter(), tmp_path / "parquet", source, rows)
    part = load_offline(folder, tmp_path / "cache", monkeypatch)["noise"]
    assert part["answer"][:] == ["Man", "Woman"]
    assert part["source_answer"][:] == ["A", "B"]
    assert part["source_choices"][:] == columns["choices"]
    assert part["source_id"][:] == [5, 6]
    assert "source_question" not in part.column_names
    folder = _write(AudioFolderWriter(), tmp_path / "audiofolder", source, rows)
    part = load_offline(folder, tmp_path / "cache", monkeypatch)["noise"]
    assert part["level"][:] == ["", "1.0"]
