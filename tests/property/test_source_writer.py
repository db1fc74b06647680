"""The writer `source` returns the source, byte for byte but for audio and added columns."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.rows.opening import open_rows
from perturb.benchmark.variant import PERTURB_COLUMNS
from perturb.benchmark.writers.source import SourceWriter
from tests.fixtures.tiny import TinyReader, make_variants

WRITER = SourceWriter()

text = st.text(st.characters(blacklist_categories=["Cs"]), max_size=12)
value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
    | st.sampled_from([" No", "a, b", '"', "日本", "étude"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
suffix = st.sampled_from([".wav", ".WAV", ".mp3", ".flac"])
folder = st.sampled_from(["", "./", "clips/", "./日本 x/", "a.b/"])
path = st.builds(
    lambda folder, stem, suffix: folder + stem + suffix, folder, st.sampled_from("xyz"), suffix
)
row = st.fixed_dictionaries(
    {
        "audio": path,
        "question": text,
        "choices": st.lists(text, max_size=3),
        "answer": text,
    },
    optional={"note": value, "weight": value, "unknown": st.dictionaries(text, value, max_size=2)},
)
order = st.permutations(["audio", "question", "choices", "answer", "note", "weight", "unknown"])


@st.composite
def json_texts(draw):
    """Return rows, and a file of them as somebody may have formatted it, with its suffix."""
    names = draw(order)
    rows = [
        {name: found[name] for name in names if name in found}
        for found in draw(st.lists(row, min_size=1, max_size=4))
    ]
    is_ascii = draw(st.booleans())
    separators = draw(st.sampled_from([(", ", ": "), (",", ":")]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    if draw(st.booleans()):
        lines = [json.dumps(found, ensure_ascii=is_ascii, separators=separators) for found in rows]
        end = draw(st.sampled_from(["", newline, newline * 2]))
        return rows, bom + newline.join(lines) + end, ".jsonl"
    indent = draw(st.sampled_from([None, 1, 4]))
    whole = json.dumps(rows, ensure_ascii=is_ascii, indent=indent)
    return rows, bom + whole.replace("\n", newline), ".json"


@st.composite
def csv_texts(draw):
    """Return rows of text, and a CSV file of them in some dialect."""
    names = draw(st.permutations(["audio", "question", "answer", "note"]))
    cells = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=8) | st.sampled_from(
        ["a, b", 'say "x"', "two\nlines", " lead", "日本"]
    )
    found = draw(st.lists(st.tuples(path, cells, cells, cells), min_size=1, max_size=4))
    rows = [dict(zip(["audio", "question", "answer", "note"], cell, strict=True)) for cell in found]
    rows = [{name: row[name] for name in names} for row in rows]
    out = io.StringIO()
    writer = csv.DictWriter(
        out,
        names,
        delimiter=draw(st.sampled_from([",", "\t", ";"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
    )
    writer.writeheader()
    writer.writerows(rows)
    return rows, draw(st.sampled_from(["", "\ufeff"])) + out.getvalue(), ".csv"


class StoreReader(TinyReader):
    """The tiny reader over the real stores of rows."""

    def open(self, path):
        return open_rows(path)


def _source(root, content, suffix):
    file = root / f"bench{suffix}"
    file.write_bytes(content.encode())
    reader = StoreReader()
    return SplitSource(benchmark=reader.read(file), reader=reader)


def _write(root, source, canonical_suffix, *, with_columns=True):
    """Write one condition whose canonical files carry their clip's key; return its table."""
    files = {}
    for number, (key, clip) in enumerate(source.benchmark.clips.items()):
        name = f"{number}{canonical_suffix(Path(key).suffix)}"
        files[clip.key] = root / "audio" / "noise" / name
        files[clip.key].parent.mkdir(parents=True, exist_ok=True)
        files[clip.key].write_bytes(key.encode())
    variants = make_variants(source, "noise", files)
    if not with_columns:
        for variant in variants:
            variant.columns.clear()
    WRITER.write(root / "source", source, {"noise": variants})
    assert WRITER.verify(root / "source", source, {"noise": variants}) == []
    return root / "source" / "noise" / source.benchmark.rows.file_name


def _canonical_suffix(suffix):
    return ".flac" if suffix.lower() == ".flac" else ".wav"


@given(json_texts() | csv_texts())
def test_nothing_added_and_no_path_changed_is_the_source_byte_for_byte(made):
    _, content, suffix = made
    with tempfile.TemporaryDirectory() as name:
        source = _source(Path(name), content, suffix)
        table = _write(Path(name), source, lambda suffix: suffix.lower(), with_columns=False)
        assert table.read_bytes() == content.encode()


@given(json_texts() | csv_texts())
def test_a_condition_is_equal_but_for_audio_and_its_columns(made):
    rows, content, suffix = made
    with tempfile.TemporaryDirectory() as name:
        source = _source(Path(name), content, suffix)
        table = _write(Path(name), source, _canonical_suffix)
        written = open_rows(table)
        assert len(written) == len(rows)
        for number, row in enumerate(rows):
            again = dict(written.row(number))
            assert list(again) == [*row, *PERTURB_COLUMNS]
            for key in row:
                if key != "audio":
                    assert _typed(again[key]) == _typed(row[key])
            heard = (table.parent / again["audio"]).read_bytes().decode()
            assert heard == source.benchmark.items[number].audios[0].clip
            assert Path(again["audio"]).suffix.lower() == _canonical_suffix(
                Path(row["audio"]).suffix
            )


@given(json_texts() | csv_texts())
def test_the_same_rows_give_the_same_bytes(made):
    _, content, suffix = made
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = (
            _write(Path(name), _source(Path(name), content, suffix), _canonical_suffix)
            for name in (one, two)
        )
        assert first.read_bytes() == second.read_bytes()


def _typed(value):
    """Return a value that equals another of the same types alone, -0.0 and 0.0 told apart."""
    return json.dumps(value, ensure_ascii=False)
