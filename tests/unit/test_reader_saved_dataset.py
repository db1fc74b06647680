"""Data sets as the library `datasets` saves them, read and written back for it to load."""

from __future__ import annotations

import pytest

from perturb.benchmark.embedded import extract_all
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.readers.saved_dataset import SavedDatasetReader
from perturb.benchmark.writers.source import SourceWriter
from perturb.errors import BenchmarkError
from tests.fixtures.tables import canonical_files, list_feature, sound
from tests.fixtures.tiny import make_variants

READER = SavedDatasetReader()


def _saved(rows=5):
    import datasets

    plain = {"bytes": datasets.Value("binary"), "path": datasets.Value("string")}
    table = {
        "id": [f"q{i}" for i in range(rows)],
        "audio": [{"bytes": sound(i), "path": f"{i}.wav"} for i in range(rows)],
        "question": ["Who?"] * rows,
        "choices": [["Man", "Woman"]] * rows,
        "answer": ["Woman"] * rows,
        "score": [None, *[0.5] * (rows - 1)],
    }
    features = datasets.Features(
        {
            "id": datasets.Value("string"),
            "audio": plain,
            "question": datasets.Value("string"),
            "choices": list_feature(datasets.Value("string")),
            "answer": datasets.Value("string"),
            "score": datasets.Value("float32"),
        }
    )
    made = datasets.Dataset.from_dict(table, features=features)
    return made.cast_column("audio", datasets.Audio())


@pytest.fixture
def saved(tmp_path):
    """Return a data set in two shards."""
    import datasets

    datasets.disable_progress_bars()
    _saved().save_to_disk(tmp_path / "saved", num_shards=2)
    return tmp_path / "saved"


def test_a_saved_data_set_is_recognised_read_and_its_audio_taken_out(saved, tmp_path):
    reader, reason = find_reader(saved)
    assert reader.name == "saved_dataset"
    assert reason.startswith("a saved data set with audio, id, question, choices, answer")
    benchmark = reader.read(saved)
    assert [item.item_id for item in benchmark.items] == [f"q{i}" for i in range(5)]
    assert benchmark.items[4].answer_index == 1
    files = extract_all(benchmark.clips.values(), tmp_path)
    assert [files[f"{i}.wav"].read_bytes() for i in range(5)] == [sound(i) for i in range(5)]


def test_a_split_is_loaded_from_disk_as_the_source_is(saved, tmp_path):
    import datasets

    benchmark = READER.read(saved)
    source = SplitSource(benchmark, READER)
    files = canonical_files(benchmark, tmp_path / "audio")
    variants = make_variants(source, "noise", files)
    SourceWriter().write(tmp_path / "source", source, {"noise": variants})
    loaded = datasets.load_from_disk(str(tmp_path / "source" / "noise"))
    before = datasets.load_from_disk(str(saved))
    assert {name: loaded.features[name] for name in before.features} == before.features
    assert loaded["score"][:] == before["score"][:]
    loaded = loaded.cast_column("audio", datasets.Audio(decode=False))
    assert [row["audio"] for row in loaded] == [
        {"bytes": files[f"{i}.wav"].read_bytes(), "path": f"{i}.wav"} for i in range(5)
    ]
    assert loaded["perturb_condition"][:] == ["noise"] * 5
    assert READER.read(tmp_path / "source" / "noise").items == benchmark.items
    assert SourceWriter().verify(tmp_path / "source", source, {"noise": variants}) == []


def test_of_several_splits_one_is_asked_for(tmp_path):
    import datasets

    datasets.disable_progress_bars()
    both = datasets.DatasetDict({"test": _saved(2), "train": _saved(3)})
    both.save_to_disk(tmp_path / "both")
    assert READER.recognise(tmp_path / "both") is not None
    with pytest.raises(BenchmarkError, match=r"2 splits; .*both/test, .*both/train"):
        READER.read(tmp_path / "both")
    assert len(READER.read(tmp_path / "both" / "train").items) == 3
    datasets.DatasetDict({"test": _saved(2)}).save_to_disk(tmp_path / "one")
    assert len(READER.read(tmp_path / "one").items) == 2


@pytest.mark.parametrize("text", ["{", "[]", ""])
def test_a_damaged_state_is_one_line(saved, text):
    (saved / "state.json").write_text(text)
    with pytest.raises(BenchmarkError, match=r"state\.json"):
        READER.read(saved)


def test_a_truncated_arrow_file_is_told(saved):
    file = next(saved.glob("*.arrow"))
    file.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(BenchmarkError, match=r"\.arrow"):
        READER.read(saved)
