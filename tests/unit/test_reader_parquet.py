"""The reader of parquet: columns found, audio left where it is, rows written back as they were."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from perturb.benchmark.card import write_card
from perturb.benchmark.protocols import RowEdit, SplitSource
from perturb.benchmark.readers.parquet import ParquetReader
from perturb.benchmark.variant import Question
from perturb.benchmark.writers.source import SourceWriter
from perturb.errors import BenchmarkError
from tests.fixtures.tables import canonical_files, load_offline, sound, write_parquet
from tests.fixtures.tiny import make_variants

READER = ParquetReader()


def _columns(rows=3, **columns):
    return {
        "id": list(range(rows)),
        "audio": [{"bytes": sound(i), "path": f"clips/{i}.wav"} for i in range(rows)],
        "question": [f"Who, {i}?" for i in range(rows)],
        "choices": [["Man", "Woman"]] * rows,
        "answer": ["Man", "Woman", "Man"][:rows],
    } | columns


def _read(path, **columns):
    return READER.read(write_parquet(path / "test.parquet", _columns(**columns)))


def test_a_file_is_recognised_with_the_reason(tmp_path):
    file = write_parquet(tmp_path / "test.parquet", _columns())
    assert READER.recognise(file) == "parquet with audio, id, question, choices, answer"
    assert READER.recognise(tmp_path) == READER.recognise(file)
    write_parquet(tmp_path / "b" / "x.parquet", {"name": ["a"]}, sounds=())
    assert READER.recognise(tmp_path / "b") is None
    assert READER.recognise(tmp_path / "nothing") is None


def test_items_say_what_the_rows_say(tmp_path):
    benchmark = _read(tmp_path, category=["speech", None, "music"])
    item = benchmark.items[1]
    assert (item.item_id, item.pair_id, item.question) == ("1", "1", "Who, 1?")
    assert (item.choices, item.answer, item.answer_index) == (("Man", "Woman"), "Woman", 1)
    assert (item.audios[0].clip, item.audios[0].source) == ("clips/1.wav", "clips/1.wav")
    assert [item.task for item in benchmark.items] == ["speech", None, "music"]
    assert benchmark.clips["clips/1.wav"].embedded.row == 1
    assert benchmark.notes == ()


@pytest.mark.parametrize(
    ("choices", "answers", "form"),
    [
        (['["(A) Man", "(B) Woman"]'] * 3, ["A", "B", "A"], "letter"),
        ([["(A) Man", "(B) Woman"]] * 3, ["(A) Man", "(B) Woman", "(A) Man"], "option"),
        (["A. Man\nB. Woman"] * 3, ["A", "B", "A"], "letter"),
        ([["Man", "Woman"]] * 3, [0, 1, 0], "index"),
        ([["Man", "Woman"]] * 3, ["Man", " Woman", "Man"], "text"),
    ],
)
def test_golds_are_found_however_they_are_named(tmp_path, choices, answers, form):
    benchmark = _read(tmp_path, choices=choices, answer=answers)
    assert [item.answer for item in benchmark.items] == ["Man", "Woman", "Man"]
    assert [item.answer_index for item in benchmark.items] == [0, 1, 0]
    assert benchmark.fields["answer_form"] == form


def test_letters_that_are_the_options_need_no_decision(tmp_path):
    benchmark = _read(tmp_path, choices=[["A", "B"]] * 3, answer=["A", "B", "A"])
    assert [item.answer_index for item in benchmark.items] == [0, 1, 0]
    with pytest.raises(BenchmarkError, match="no row tells which"):
        _read(tmp_path, choices=[["B", "A"]] * 3, answer=["A", "B", "A"])


def test_columns_of_single_options_and_other_names_are_understood(tmp_path):
    columns = {
        "context": [{"bytes": sound(i), "path": None} for i in range(2)],
        "instruction": ["Who?", "What?"],
        "choice_a": ["Man", "Dog"],
        "choice_b": ["Woman", "Cat"],
        "choice_c": [None, "Cow"],
        "answer_gt": ["B", "C"],
    }
    file = write_parquet(tmp_path / "x.parquet", columns, sounds=("context",))
    benchmark = READER.read(file)
    assert [item.choices for item in benchmark.items] == [("Man", "Woman"), ("Dog", "Cat", "Cow")]
    assert [item.answer for item in benchmark.items] == ["Woman", "Cow"]
    assert [item.item_id for item in benchmark.items] == ["0", "1"]
    assert list(benchmark.clips) == ["0.wav", "1.wav"]


def test_oddities_are_noted_and_survive(tmp_path):
    choices = [["Man", "Man, or none", "Man"], ["Man", "Woman"], ["Man", "Woman"]]
    benchmark = _read(tmp_path, id=[7, 7, 8], choices=choices, answer=["Man", "Child", None])
    assert [item.pair_id for item in benchmark.items] == ["7", "7#2", "8"]
    assert benchmark.items[0].answer_index is None
    assert benchmark.items[1].answer == "Child"
    notes = "; ".join(benchmark.notes)
    assert "an id that occurred before: 7#2" in notes
    assert "two equal options: 7" in notes
    assert "matches no option: 7#2" in notes


def test_rows_without_audio_and_rows_with_files_outside_are_both_items(tmp_path):
    (tmp_path / "out.wav").write_bytes(sound(9))
    audios = [{"bytes": sound(1), "path": "in.wav"}, None, {"bytes": None, "path": "out.wav"}]
    benchmark = _read(tmp_path, audio=audios)
    assert [len(item.audios) for item in benchmark.items] == [1, 0, 1]
    assert benchmark.clips["out.wav"].path == tmp_path / "out.wav"
    assert benchmark.clips["in.wav"].path is None


def test_further_columns_of_audio_have_roles_and_clips_of_their_own(tmp_path):
    other = [{"bytes": sound(50 + i), "path": f"clips/{i}.wav"} for i in range(3)]
    file = write_parquet(
        tmp_path / "t.parquet", _columns(audio_reference=other), sounds=("audio", "audio_reference")
    )
    benchmark = READER.read(file)
    assert [audio.role for audio in benchmark.items[0].audios] == ["main", "reference"]
    assert len(benchmark.clips) == 6


def test_shards_are_one_table_and_any_of_them_stands_for_all(tmp_path):
    for shard in range(2):
        columns = _columns(2, id=[2 * shard, 2 * shard + 1])
        columns["audio"] = [{"bytes": sound(i), "path": f"{shard}-{i}.wav"} for i in range(2)]
        write_parquet(tmp_path / "data" / f"test-0000{shard}-of-00002.parquet", columns)
    whole = READER.read(tmp_path)
    assert [item.item_id for item in whole.items] == ["0", "1", "2", "3"]
    assert whole.rows.file_name == "data/test-00000-of-00001.parquet"
    by_shard = READER.read(tmp_path / "data" / "test-00001-of-00002.parquet")
    assert by_shard.items == whole.items
    (tmp_path / "data" / "test-00000-of-00002.parquet").unlink()
    with pytest.raises(BenchmarkError, match="one of 2 shards; 1 of them"):
        READER.read(tmp_path / "data" / "test-00001-of-00002.parquet")


def test_several_splits_are_refused_with_the_way_out(tmp_path):
    for split in ("test", "train"):
        write_parquet(tmp_path / "data" / f"{split}-00000-of-00001.parquet", _columns())
    with pytest.raises(BenchmarkError, match=r"2 splits; .*train-00000-of-00001\.parquet"):
        READER.read(tmp_path)
    write_card(tmp_path / "README.md", "t", "", {"test": "data/test-*"})
    assert len(READER.read(tmp_path).items) == 3


def test_options_that_are_no_list_name_file_and_row(tmp_path):
    with pytest.raises(BenchmarkError, match=r"test\.parquet, row 1: choices is 'Man or woman'"):
        _read(tmp_path, choices=['["a", "b"]', "Man or woman", '["a", "b"]'])


def test_a_root_without_one_of_the_files_is_refused(tmp_path):
    # Two levels down: folders beside that of the file are looked into.
    folder = tmp_path / "data" / "test"
    folder.mkdir(parents=True)
    file = write_parquet(folder / "t.parquet", _columns(audio=["a.wav"] * 3), sounds=())
    with pytest.raises(BenchmarkError, match="--audio-root"):
        READER.read(file)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.wav").write_bytes(sound(1))
    benchmark = READER.read(file, elsewhere)
    assert list(benchmark.clips) == ["a.wav"]


def _half(item):
    return Question(
        question=item.question, choices=item.choices[1:], answer="Woman", answer_index=0
    )


@pytest.mark.parametrize(
    ("choices", "answers", "fewer", "answer"),
    [
        (['["(A) Man", "(B) Woman"]'] * 3, ["A", "B", "A"], '["(A) Woman"]', "A"),
        (
            [["(a) Man", "(b) Woman"]] * 3,
            ["(a) Man", "(b) Woman", "(a) Man"],
            ["(a) Woman"],
            "(a) Woman",
        ),
        ([["Man", "Woman"]] * 3, [0, 1, 0], ["Woman"], 0),
        ([["Man", "Woman"]] * 3, ["Man", "Woman", "Man"], ["Woman"], "Woman"),
    ],
)
def test_a_changed_question_is_written_as_the_source_writes_its_own(
    tmp_path, choices, answers, fewer, answer
):
    benchmark = _read(tmp_path, choices=choices, answer=answers)
    source = SplitSource(benchmark, READER)
    variant = make_variants(source, "fewer", {}, question=_half)[1]
    row = benchmark.rows.row(1) | READER.express(benchmark, variant, {})
    assert (row["choices"], row["answer"]) == (fewer, answer)
    same = make_variants(source, "original", {})[1]
    assert READER.express(benchmark, same, {}) == {}


def _split(tmp_path, benchmark, **conditions):
    source = SplitSource(benchmark, READER)
    SourceWriter().write(tmp_path / "source", source, conditions)
    return tmp_path / "source"


@pytest.mark.parametrize("name", ["test.parquet", "data/test-00000-of-00001.parquet"])
def test_the_source_writer_embeds_the_variants_and_keeps_all_else(tmp_path, monkeypatch, name):
    columns = _columns(weight=[1.5, None, 2.0], deep=[{"x": [1]}, None, {"x": []}], n=[None] * 3)
    write_parquet(tmp_path / "in" / name, columns)
    benchmark = READER.read(tmp_path / "in")
    source = SplitSource(benchmark, READER)
    files = canonical_files(benchmark, tmp_path / "audio" / "noise")
    variants = make_variants(source, "noise", files)
    silent = make_variants(source, "silent", {}, has_audio=False)
    folder = _split(tmp_path, benchmark, noise=variants, silent=silent)
    again = READER.read(folder / "noise")
    for item, before in zip(again.items, benchmark.items, strict=True):
        assert item == before
    loaded = load_offline(folder / "noise", tmp_path / "cache", monkeypatch)["test"]
    for row, item in zip(loaded, benchmark.items, strict=True):
        assert row["audio"]["bytes"] == files[item.audios[0].clip].read_bytes()
        assert row["audio"]["path"] == item.audios[0].source
        assert row["weight"] == columns["weight"][item.row]
        assert row["perturb_condition"] == "noise"
    assert again.rows.schema.types[: len(columns)] == benchmark.rows.schema.types
    loaded = load_offline(folder / "silent", tmp_path / "cache", monkeypatch)["test"]
    assert [row["audio"] for row in loaded] == [None] * 3
    assert SourceWriter().verify(folder, source, {"noise": variants, "silent": silent}) == []


def test_verification_works_from_relative_paths(tmp_path, monkeypatch):
    write_parquet(tmp_path / "test.parquet", _columns())
    monkeypatch.chdir(tmp_path)
    benchmark = READER.read(Path("test.parquet"))
    source = SplitSource(benchmark, READER)
    files = canonical_files(benchmark, Path("audio"))
    rows = {"noise": make_variants(source, "noise", files)}
    SourceWriter().write(Path("source"), source, rows)
    assert SourceWriter().verify(Path("source"), source, rows) == []


def test_audio_that_could_not_be_read_stays_as_it_was(tmp_path):
    audios = [{"bytes": b"RIFF" + bytes(20), "path": "bad.wav"}, {"bytes": sound(1), "path": None}]
    file = write_parquet(tmp_path / "test.parquet", {"audio": audios})
    benchmark = READER.read(file)
    source = SplitSource(benchmark, READER)
    files = {"1.wav": canonical_files(benchmark, tmp_path / "audio")["1.wav"]}
    folder = _split(tmp_path, benchmark, noise=make_variants(source, "noise", files))
    from pyarrow import parquet

    written = parquet.read_table(folder / "noise" / "test.parquet").to_pylist()
    assert written[0]["audio"] == audios[0]
    assert written[0]["perturb_status"] == "failed"
    assert written[1]["audio"] == {"bytes": files["1.wav"].read_bytes(), "path": None}


def test_the_same_rows_give_the_same_bytes(tmp_path):
    benchmark = _read(tmp_path)
    edits = [RowEdit(row=row, changed={"audio": None}, added={"perturb_x": "y"}) for row in (0, 2)]
    for name in ("a", "b"):
        benchmark.rows.write(tmp_path / name / "test.parquet", edits)
    first, second = ((tmp_path / name / "test.parquet").read_bytes() for name in "ab")
    assert first == second
    assert not list(tmp_path.rglob(".perturb-*"))


def test_features_of_the_hub_survive_and_new_columns_join_them(tmp_path, monkeypatch):
    import datasets

    features = datasets.Features(
        {
            "audio": {"bytes": datasets.Value("binary"), "path": datasets.Value("string")},
            "label": datasets.ClassLabel(names=["man", "woman"]),
        }
    )
    table = {"audio": [{"bytes": sound(1), "path": "a.wav"}], "label": [1]}
    made = datasets.Dataset.from_dict(table, features=features)
    made = made.cast_column("audio", datasets.Audio(sampling_rate=8000))
    (tmp_path / "in").mkdir()
    made.to_parquet(tmp_path / "in" / "test.parquet")
    benchmark = READER.read(tmp_path / "in")
    source = SplitSource(benchmark, READER)
    files = canonical_files(benchmark, tmp_path / "audio")
    folder = _split(tmp_path, benchmark, noise=make_variants(source, "noise", files))
    loaded = load_offline(folder / "noise", tmp_path / "cache", monkeypatch)["test"]
    assert loaded.features["label"] == features["label"]
    assert loaded.features["perturb_status"] == datasets.Value("string")


def test_without_pyarrow_the_way_out_is_one_line(tmp_path):
    file = write_parquet(tmp_path / "test.parquet", _columns())
    code = (
        "import sys, pathlib\n"
        "sys.modules['pyarrow'] = None\n"
        "from perturb.benchmark.readers.parquet import ParquetReader\n"
        "ParquetReader().read(pathlib.Path(sys.argv[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("perturb.errors.BenchmarkError")
    assert last.endswith("pip install 'perturb-audio[parquet]'")
