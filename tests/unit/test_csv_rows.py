"""Rows of CSV files: the dialect is the file's own."""

from __future__ import annotations

import csv

import pytest

from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.rows.csv_rows import CsvRows
from perturb.errors import BenchmarkError
from tests.fixtures import benchmarks
from tests.fixtures.leaks import closing_what_datasets_leaves


def rows_of(folder, text, name="rows.csv"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return CsvRows(path)


def written(rows, folder, edits):
    rows.write(folder / "written", edits)
    return (folder / "written").read_bytes().decode()


def untouched(rows):
    return [RowEdit(index, {}, {}) for index in range(len(rows))]


TEXTS = [
    "a,b\n1,2\n",
    '\ufeffa;b\r\n1;"x;y"\r\n\r\n 2 ; 3',
    'a\tb\r"1"\t"2 ""q"" \n3"\r',
    '"a"|"b"\n""|"é 日"\n\n\n1|2\n',
    'a,b\n"x"y,"z""w"v\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_rows_without_edits_are_written_byte_for_byte(tmp_path, text):
    rows = rows_of(tmp_path, text)
    assert written(rows, tmp_path, untouched(rows)) == text
    again = [RowEdit(index, rows.row(index), {}) for index in range(len(rows))]
    assert written(rows, tmp_path, again) == text


@pytest.mark.parametrize("text", TEXTS)
def test_rows_are_read_as_python_reads_them(tmp_path, text):
    rows = rows_of(tmp_path, text)
    delimiter = next(sign for sign in ";\t|," if sign in text.splitlines()[0])
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        expected = list(csv.DictReader(file, delimiter=delimiter))
    assert [rows.row(index) for index in range(len(rows))] == expected


def test_a_changed_field_is_quoted_where_it_was_or_must_be(tmp_path):
    rows = rows_of(tmp_path, 'a,b,c\n1,"2",3\n4,"5",6\n')
    edits = [RowEdit(0, {"a": "x", "b": "y"}, {}), RowEdit(1, {"c": 'p,"q"\n'}, {})]
    assert written(rows, tmp_path, edits) == 'a,b,c\nx,"y",3\n4,"5","p,""q""\n"\n'


def test_a_leading_space_survives_and_nothing_is_an_empty_field(tmp_path):
    rows = rows_of(tmp_path, "a,b\n x , (b) calm\n")
    assert rows.row(0) == {"a": " x ", "b": " (b) calm"}
    edits = [RowEdit(0, {"a": None}, {"p": None, "q": " y"})]
    assert written(rows, tmp_path, edits) == "a,b,p,q\n, (b) calm,, y\n"


def test_added_columns_are_quoted_where_all_of_a_row_is(tmp_path):
    rows = rows_of(tmp_path, '"a","b"\r\n"1","2"\r\n3,4\r\n')
    edits = [RowEdit(index, {}, {"p": "x"}) for index in range(2)]
    assert written(rows, tmp_path, edits) == '"a","b","p"\r\n"1","2","x"\r\n3,4,x\r\n'


def test_an_added_column_that_is_there_is_replaced_in_its_place(tmp_path):
    rows = rows_of(tmp_path, "p,a\nold,1\n")
    assert written(rows, tmp_path, [RowEdit(0, {}, {"p": "new"})]) == "p,a\nnew,1\n"


def test_the_last_empty_field_of_a_single_column_is_no_blank_line(tmp_path):
    rows = rows_of(tmp_path, "a\nx\ny\n")
    edits = [RowEdit(0, {"a": None}, {}), RowEdit(1, {}, {})]
    after = rows_of(tmp_path, written(rows, tmp_path, edits))
    assert [after.row(index)["a"] for index in range(len(after))] == ["", "y"]


def test_some_rows_in_another_order_keep_line_ends(tmp_path):
    rows = rows_of(tmp_path, "a\r\n1\r\n2\r\n3")
    assert written(rows, tmp_path, [RowEdit(2, {}, {}), RowEdit(0, {}, {})]) == "a\r\n3\r\n1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no rows"),
        ("a,b\n", "holds no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields, where the header has 2"),
        ('a,b\n1,"2\n', "line 2: a quote is never closed"),
        ("a,b,a\n1,2,3\n", "columns named twice: a"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(BenchmarkError) as caught:
        rows_of(tmp_path, text)
    assert message in str(caught.value)


def test_text_that_is_no_utf8_is_refused_with_its_line(tmp_path):
    rows = rows_of(tmp_path, b"a\nok\n\xff\n")
    with pytest.raises(BenchmarkError, match="line 3: no UTF-8"):
        rows.row(1)


def test_a_field_that_is_no_column_is_refused(tmp_path):
    rows = rows_of(tmp_path, "a,b\n1,2\n")
    with pytest.raises(BenchmarkError, match="row 0: c is no column; accepted: a, b"):
        written(rows, tmp_path, [RowEdit(0, {"c": "x"}, {})])


def test_datasets_loads_what_was_written_like_the_source(tmp_path):
    from datasets import load_dataset

    path = benchmarks.write_sakura(tmp_path)
    rows = CsvRows(path)
    again = tmp_path / "again.csv"
    rows.write(
        again, [RowEdit(index, {}, {"perturb_condition": "x"}) for index in range(len(rows))]
    )
    cache = {"cache_dir": str(tmp_path / "cache"), "split": "train"}
    with closing_what_datasets_leaves():
        before = load_dataset("csv", data_files=str(path), **cache)
        after = load_dataset("csv", data_files=str(again), **cache)
    assert after.remove_columns("perturb_condition").to_list() == before.to_list()
