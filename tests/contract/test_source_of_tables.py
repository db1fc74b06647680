"""The writer `source` over tables with audio inside: other audio inside, all else as it was."""

from __future__ import annotations

import pytest

from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.parquet import ParquetReader
from perturb.benchmark.variant import PERTURB_COLUMNS, Question
from perturb.benchmark.writers.registry import find_writer
from tests.fixtures.tables import sound, write_parquet
from tests.fixtures.tiny import make_variants

WRITER = find_writer("source")
NAME = "test-00000-of-00001.parquet"
COLUMNS = {
    "id": [1, 2, 3],
    "audio": [
        {"bytes": sound(0), "path": "x.wav"},
        {"bytes": sound(1, "FLAC"), "path": "y.ogg"},
        {"bytes": b"not audio", "path": "z.wav"},
    ],
    "question": ["?", "Who?", "日本?"],
    "choices": [["Man", "Woman, or none"], ["Man", "Man"], ["yes", "no"]],
    "answer": ["Man", "Man", None],
    "weight": [1.5, None, 3.0],
}


@pytest.fixture
def source(tmp_path):
    path = write_parquet(tmp_path / "bench" / "data" / NAME, COLUMNS)
    reader = ParquetReader()
    return SplitSource(benchmark=reader.read(path), reader=reader)


@pytest.fixture
def files(tmp_path):
    """Return canonical files of the two clips that decode."""
    folder = tmp_path / "audio" / "noise"
    folder.mkdir(parents=True)
    found = {name: folder / f"{name[0]}-1.wav" for name in ("x.wav", "y.ogg")}
    for number, file in enumerate(found.values()):
        file.write_bytes(sound(10 + number))
    return found


def _write(tmp_path, source, variants):
    from pyarrow import parquet

    WRITER.check(source, {"noise": True})
    WRITER.write(tmp_path / "source", source, {"noise": variants})
    return parquet.read_table(tmp_path / "source" / "noise" / "data" / NAME)


def _asked_otherwise(item):
    return Question(
        question=f"He said: no. {item.question}",
        choices=item.choices,
        answer=item.answer,
        answer_index=item.answer_index,
    )


@pytest.mark.parametrize("question", [None, _asked_otherwise])
def test_the_canonical_audio_is_inside_whether_or_not_the_question_changes(
    tmp_path, source, files, question
):
    variants = make_variants(source, "noise", files, question=question)
    table = _write(tmp_path, source, variants)
    assert table.schema.names == [*COLUMNS, *PERTURB_COLUMNS]
    assert table.schema.types[: len(COLUMNS)] == [
        field.type for field in source.benchmark.rows.schema
    ]
    for name, values in COLUMNS.items():
        if name not in ("audio", "question"):
            assert table.column(name).to_pylist() == values
    assert table.column("audio").to_pylist() == [
        {"bytes": sound(10), "path": "x.wav"},
        {"bytes": sound(11), "path": "y.wav"},
        {"bytes": b"not audio", "path": "z.wav"},  # what could not be read stays
    ]
    assert table.column("perturb_status").to_pylist() == ["ok", "ok", "failed"]
    assert WRITER.verify(tmp_path / "source", source, {"noise": variants}) == []


def test_without_audio_the_column_is_null(tmp_path, source):
    variants = make_variants(source, "noise", {}, has_audio=False)
    table = _write(tmp_path, source, variants)
    assert table.column("audio").null_count == 3
    assert WRITER.verify(tmp_path / "source", source, {"noise": variants}) == []


@pytest.mark.parametrize("column", ["perturb_status", "audio", "answer"])
def test_verify_sees_a_value_that_was_changed_inside(tmp_path, source, files, column):
    from pyarrow import array, parquet

    variants = make_variants(source, "noise", files)
    table = _write(tmp_path, source, variants)
    place = table.schema.get_field_index(column)
    values = table.column(column).to_pylist()
    other = {"bytes": sound(12), "path": "x.wav"} if column == "audio" else "other"
    changed = array([other, *values[1:]], type=table.schema.field(column).type)
    forged = table.set_column(place, table.schema.field(column), changed)
    parquet.write_table(forged, tmp_path / "source" / "noise" / "data" / NAME)
    assert WRITER.verify(tmp_path / "source", source, {"noise": variants}) == [
        f"source/noise/data/{NAME}: rows 0 to 2 are not what the records say"
    ]


def test_verify_sees_rows_and_columns_that_are_missing(tmp_path, source, files):
    from pyarrow import parquet

    variants = make_variants(source, "noise", files)
    table = _write(tmp_path, source, variants)
    path = tmp_path / "source" / "noise" / "data" / NAME
    for forged, said in [
        (table.slice(0, 2), "has 2 rows; the records have 3"),
        (table.drop_columns(["perturb_reason"]), "has other columns than the records say"),
    ]:
        parquet.write_table(forged, path)
        assert WRITER.verify(tmp_path / "source", source, {"noise": variants}) == [
            f"source/noise/data/{NAME}: {said}"
        ]
    path.write_bytes(b"PAR1 and no more")
    assert len(WRITER.verify(tmp_path / "source", source, {"noise": variants})) == 1
    path.unlink()
    assert WRITER.verify(tmp_path / "source", source, {"noise": variants}) == [
        f"source/noise/data/{NAME}: No such file or directory"
    ]
