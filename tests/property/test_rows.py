"""Laws of stores of text rows: nothing but the asked-for fields changes."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.rows.csv_rows import CsvRows
from perturb.benchmark.rows.json_rows import JsonRows

texts = st.text(st.characters(codec="utf-8"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
rows_of_values = st.lists(st.dictionaries(texts, values, max_size=4), min_size=1, max_size=5)
styles = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.none() | st.integers(0, 4),
        "separators": st.sampled_from([None, (",", ":"), (" , ", " : ")]),
    }
)


def dump(rows, form, style):
    if form == "array":
        return json.dumps(rows, **style)
    if form == "object":
        return json.dumps({f"k{index}": row for index, row in enumerate(rows)}, **style)
    lines = [json.dumps(row, **(style | {"indent": None})) for row in rows]
    return "\n".join(lines) + ("\n" if style["ensure_ascii"] else "")


def load(text, form):
    if form == "lines":
        return [json.loads(line) for line in text.split("\n") if line]
    found = json.loads(text)
    return list(found.values()) if form == "object" else found


def rewritten(kind, name, text, edits):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(text.encode())
        store = kind(path)
        store.write(Path(folder, "again"), edits(store))
        return store, Path(folder, "again").read_bytes().decode()


def name_of(form):
    return "r.jsonl" if form == "lines" else "r.json"


@given(rows_of_values, st.sampled_from(["array", "object", "lines"]), styles)
def test_json_rows_come_back_byte_for_byte(rows, form, style):
    text = dump(rows, form, style)
    store, after = rewritten(
        JsonRows,
        name_of(form),
        text,
        lambda store: [RowEdit(index, store.row(index), {}) for index in range(len(store))],
    )
    assert after == text
    assert [store.row(index) for index in range(len(store))] == rows


@given(rows_of_values, st.sampled_from(["array", "object", "lines"]), styles, st.data())
def test_json_rows_hold_what_they_did_but_for_the_edits(rows, form, style, data):
    text = dump(rows, form, style)
    wanted, edits = [], []
    for index, row in enumerate(rows):
        names = data.draw(st.lists(st.sampled_from(list(row) or [""]), max_size=2, unique=True))
        changed = {name: data.draw(values) for name in names if name in row}
        added = data.draw(st.just({}) | st.just({"perturb_a": None, "perturb_é": "x"}))
        edits.append(RowEdit(index, changed, added))
        wanted.append({**row, **changed, **added})
    _, after = rewritten(JsonRows, name_of(form), text, lambda _: edits)
    found = load(after, form)
    assert [json.dumps(row) for row in found] == [json.dumps(row) for row in wanted]
    for edit, row in zip(edits, rows, strict=True):
        if not edit.changed and not edit.added and form == "lines":
            assert json.dumps(row, **(style | {"indent": None})) in after.split("\n")


# Python leaves the line ends that are not its own unquoted, and then takes them for line ends.
DIALECTS = [
    ("\n", csv.QUOTE_MINIMAL),
    ("\r\n", csv.QUOTE_MINIMAL),
    ("\n", csv.QUOTE_ALL),
    ("\r", csv.QUOTE_ALL),
]
cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)
names = cells.filter(lambda text: text and not set(text) & set(";\t|"))


@st.composite
def csv_files(draw):
    """Return a table, the header first, and its text."""
    header = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*[cells] * len(header)), min_size=1, max_size=5))
    text = io.StringIO()
    line_end, quoting = draw(st.sampled_from(DIALECTS))
    writer = csv.writer(text, lineterminator=line_end, quoting=quoting)
    writer.writerows([header, *rows])
    return header, rows, text.getvalue()


@given(csv_files(), st.data())
def test_csv_rows_hold_what_they_did_but_for_the_edits(file, data):
    header, rows, text = file
    edits, wanted = [], []
    for index, row in enumerate(rows):
        name = data.draw(st.sampled_from(header))
        new = data.draw(cells)
        edits.append(RowEdit(index, {name: new}, {"perturb_a": "x", "perturb_b": None}))
        fields = dict(zip(header, row, strict=True)) | {name: new}
        fields |= {"perturb_a": "x", "perturb_b": ""}
        wanted.append(list(fields.values()))
    store, after = rewritten(CsvRows, "r.csv", text, lambda _: edits)
    assert [list(store.row(index).values()) for index in range(len(store))] == [
        list(row) for row in rows
    ]
    assert list(csv.reader(io.StringIO(after, newline="")))[1:] == wanted


@given(csv_files())
def test_csv_rows_come_back_byte_for_byte(file):
    *_, text = file
    _, after = rewritten(
        CsvRows,
        "r.csv",
        text,
        lambda store: [RowEdit(index, store.row(index), {}) for index in range(len(store))],
    )
    assert after == text
