"""Rows of JSON files: every byte that nobody asked about comes back."""

from __future__ import annotations

import json

import pytest

from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.rows.json_rows import JsonRows
from perturb.errors import BenchmarkError
from tests.fixtures import benchmarks

WRITERS = [
    benchmarks.write_mmau,
    benchmarks.write_mmau_keyed,
    benchmarks.write_mmar,
    benchmarks.write_mmau_pro,
    benchmarks.write_air_bench,
    benchmarks.write_mmsu,
    benchmarks.write_inspect,
    benchmarks.write_hear,
    benchmarks.write_kimi,
]


def rows_of(folder, text, name="rows.json"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return JsonRows(path)


def written(rows, folder, edits):
    target = folder / "written"
    rows.write(target, edits)
    return target.read_bytes().decode()


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_rows_without_edits_are_written_byte_for_byte(write, tmp_path):
    path = write(tmp_path)
    rows = JsonRows(path)
    rows.write(tmp_path / "again", [RowEdit(index, {}, {}) for index in range(len(rows))])
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_values_said_again_are_written_byte_for_byte(write, tmp_path):
    path = write(tmp_path)
    rows = JsonRows(path)
    edits = [RowEdit(index, rows.row(index), {}) for index in range(len(rows))]
    rows.write(tmp_path / "again", edits)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_one_changed_field_changes_its_own_bytes_alone(tmp_path):
    path = benchmarks.write_mmau(tmp_path)
    rows = JsonRows(path)
    edits = [RowEdit(index, {}, {}) for index in range(len(rows))]
    edits[1] = RowEdit(1, {"audio_id": "./audio/é.wav"}, {})
    before, after = path.read_text(), written(rows, tmp_path, edits)
    assert after == before.replace("./test-mini-audios/b/x.wav", "./audio/é.wav")


def test_added_fields_follow_the_last_one_in_the_style_of_the_row(tmp_path):
    rows = rows_of(tmp_path, '[\n  {\n    "a": 1.10\n,   "b" :null\n  },\n  {"a":2}\n]\n')
    edits = [RowEdit(index, {}, {"p": None, "q": "x"}) for index in range(2)]
    assert written(rows, tmp_path, edits) == (
        '[\n  {\n    "a": 1.10\n,   "b" :null\n,   "p" :null\n,   "q" :"x"\n  },\n'
        '  {"a":2, "p":null, "q":"x"}\n]\n'
    )


def test_an_empty_row_takes_fields_too(tmp_path):
    rows = rows_of(tmp_path, "{}\n", "rows.jsonl")
    assert written(rows, tmp_path, [RowEdit(0, {}, {"p": 1})]) == '{"p": 1}\n'


def test_an_added_field_that_the_row_has_is_replaced_in_its_place(tmp_path):
    rows = rows_of(tmp_path, '[{"p": "old", "a": 1}]')
    assert written(rows, tmp_path, [RowEdit(0, {}, {"p": "new"})]) == '[{"p": "new", "a": 1}]'


def test_inside_a_changed_field_what_stays_keeps_its_bytes(tmp_path):
    rows = rows_of(tmp_path, '[{"in": [ {"x":1.10, "audio":"a.wav"} , "\\u00e9" ]}]')
    new = [{"x": 1.1, "audio": "b.wav"}, "é"]
    assert written(rows, tmp_path, [RowEdit(0, {"in": new}, {})]) == (
        '[{"in": [ {"x":1.10, "audio":"b.wav"} , "\\u00e9" ]}]'
    )


def test_true_and_one_and_a_float_are_not_the_same(tmp_path):
    rows = rows_of(tmp_path, '[{"a": 1, "b": 1, "c": 1}]')
    edit = RowEdit(0, {"a": True, "b": 1.0, "c": 1}, {})
    assert written(rows, tmp_path, [edit]) == '[{"a": true, "b": 1.0, "c": 1}]'


def test_new_text_is_escaped_where_the_file_escapes(tmp_path):
    escaped = rows_of(tmp_path, '[{"a": "\\u00e8"}]')
    assert written(escaped, tmp_path, [RowEdit(0, {"a": "日"}, {})]) == '[{"a": "\\u65e5"}]'
    plain = rows_of(tmp_path, '[{"a": "\\u00e8è"}]')
    assert written(plain, tmp_path, [RowEdit(0, {"a": "日"}, {})]) == '[{"a": "日"}]'


def test_some_rows_in_another_order_keep_what_stands_around_them(tmp_path):
    path = benchmarks.write_mmar(tmp_path)
    rows = JsonRows(path)
    lines = [line for line in path.read_text().split("\n") if line.strip()]
    after = written(rows, tmp_path, [RowEdit(2, {}, {}), RowEdit(0, {}, {})])
    assert after.split() == f"{lines[2]}\n{lines[0]}".split()
    array = rows_of(tmp_path, '[{"a": 1},\n {"a": 2}]')
    assert json.loads(written(array, tmp_path, [RowEdit(1, {}, {})])) == [{"a": 2}]
    assert written(array, tmp_path, []) == "[]"


def test_rows_of_an_object_keep_their_keys(tmp_path):
    rows = JsonRows(benchmarks.write_mmau_keyed(tmp_path))
    assert [rows.key(0), rows.key(1)] == ["q-1", "q-2"]
    rows.write(tmp_path / "one.json", [RowEdit(1, {"answer": "x"}, {})])
    assert json.loads((tmp_path / "one.json").read_text("utf-8-sig"))["q-2"]["answer"] == "x"


def test_rows_in_a_list_inside_an_object_are_found(tmp_path):
    text = '{"version": 1.10, "data": [{"a": 1}, {"a": 2}], "n": 2}'
    rows = rows_of(tmp_path, text)
    assert (rows.form, len(rows), rows.key(0)) == ("a list inside an object", 2, None)
    edits = [RowEdit(0, {"a": 5}, {}), RowEdit(1, {}, {})]
    assert written(rows, tmp_path, edits) == text.replace('"a": 1', '"a": 5')


def test_what_python_writes_beyond_the_standard_is_read_and_kept(tmp_path):
    text = '[{"a": NaN, "b": 1e400, "c": "\\ud800", "d": 123456789012345678901234567890}]'
    rows = rows_of(tmp_path, text)
    assert rows.row(0)["d"] == 123456789012345678901234567890
    assert written(rows, tmp_path, [RowEdit(0, {"e": 1}, {})]) == text.replace("}]", ', "e": 1}]')


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.json", "[]", "holds no rows"),
        ("r.jsonl", "\n\n", "holds no rows"),
        ("r.json", '[{"a": 1}', "line 1: expected a comma or ]"),
        ("r.json", '[{"a": 1}] x', "line 1: something follows the array"),
        ("r.json", '[{"a": 1},\n 5]', "line 2: expected an object"),
        ("r.jsonl", '{"a": 1}\n{"a": 2', "line 2: the object does not end"),
        ("r.jsonl", '{"a": 1}\n{"a":\n 2}', "line 2: the object does not end"),
        ("r.jsonl", '{"a": 1} x', "line 1: the object does not end"),
        ("r.jsonl", '{"a": 1}\nno', "line 2: expected an object"),
        ("r.json", "{a: 1}", "line 1: expected a key in double quotes, and a colon"),
        ("r.json", '{"a" 1}', "line 1: expected a key in double quotes, and a colon"),
        ("r.json", '{"a": }', "line 1: expected a value"),
        ("r.json", '[{"a": 1}}', "line 1: expected a comma or ]"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, name, text, message):
    with pytest.raises(BenchmarkError, match=r"r.json") as caught:
        rows_of(tmp_path, text, name)
    assert message in str(caught.value)


def test_two_objects_in_a_line_are_refused_with_their_row(tmp_path):
    with pytest.raises(BenchmarkError, match="row 0: "):
        rows_of(tmp_path, '{"a": 1} {"a": 2}', "r.jsonl").row(0)


@pytest.mark.parametrize("row", ["{a: 1}", '{"a" 1}', '{"a": [1}', '{"a": tru}', '{"a": 1,}'])
def test_a_damaged_row_is_refused_with_its_number(tmp_path, row):
    with pytest.raises(BenchmarkError, match=r"row 1|line 1"):
        rows_of(tmp_path, f'[{{"a": 0}}, {row}]').row(1)


def test_text_that_is_no_utf8_is_refused_with_its_row(tmp_path):
    rows = rows_of(tmp_path, b'[{"a": "ok"}, {"a": "\xff"}]')
    with pytest.raises(BenchmarkError, match=r"row 1: .*utf-8"):
        rows.row(1)


def test_a_missing_file_is_a_benchmark_error(tmp_path):
    with pytest.raises(BenchmarkError, match="No such file"):
        JsonRows(tmp_path / "none.json")


@pytest.mark.parametrize(
    "write", [w for w in WRITERS if w is not benchmarks.write_mmau_keyed], ids=lambda w: w.__name__
)
def test_datasets_loads_what_was_written_like_the_source(write, tmp_path):
    """But for rows with numbers that Arrow has no type for."""
    from datasets import load_dataset

    path = write(tmp_path)
    if path.name in ("mmau-test-mini.json", "inspect.jsonl"):
        path.write_text(
            path.read_text()
            .replace("1180591620717411303424", "1")
            .replace("18446744073709551617", "1")
        )
    rows = JsonRows(path)
    again = tmp_path / f"again{path.suffix}"
    rows.write(again, [RowEdit(i, {}, {"perturb_condition": "silence"}) for i in range(len(rows))])
    cache = {"cache_dir": str(tmp_path / "cache"), "split": "train"}
    before = load_dataset("json", data_files=str(path), **cache)
    after = load_dataset("json", data_files=str(again), **cache)
    assert after["perturb_condition"][:] == ["silence"] * len(rows)
    assert after.remove_columns("perturb_condition").to_list() == before.to_list()


def test_halves_of_characters_are_read_as_unknown_ones_and_stay_as_they_are(tmp_path):
    text = '[{"a\\ud800": ["x \\udc00", {"b": "\\ud83d\\ude00 \\ud83d"}], "n": 1}]'
    rows = rows_of(tmp_path, text)
    assert rows.row(0) == {"a\ufffd": ["x \ufffd", {"b": "\U0001f600 \ufffd"}], "n": 1}
    json.dumps(rows.row(0), ensure_ascii=False).encode()
    assert written(rows, tmp_path, [RowEdit(0, {"n": 2}, {})]) == text.replace('"n": 1', '"n": 2')


def test_brackets_without_end_are_refused(tmp_path):
    rows = rows_of(tmp_path, '[{"a": ' + "[" * 5_000 + "]" * 5_000 + "}]")
    with pytest.raises(BenchmarkError, match="row 0: lists or objects are nested too deeply"):
        rows.row(0)
