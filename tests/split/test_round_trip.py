"""What a source says survives a split as it stands there, whatever it says."""

from __future__ import annotations

import csv
import json

import pytest

from tests.split.small import CONDITIONS, cuttings, lines, mostly_slow

AWKWARD = [
    {
        "id": "two equal options",
        "question": "Which one?",
        "choices": ["a dog", "a cat", "a dog", "a cow"],
        "answer": "a cat",
        "note": None,
    },
    {
        "id": "a comma, quotes and lines",
        "question": 'Who said "no", and\nwhen?',
        "choices": ["Ann, then Bob", 'the "other" one', "line\nbreak", "nobody"],
        "answer": "Ann, then Bob",
        "note": "",
    },
    {
        "id": "a leading space",
        "question": " Is it so? ",
        "choices": [" yes", "yes", "no ", "no"],
        "answer": " yes",
        "note": "null",
    },
    {
        "id": "ünï 犬 🐕 \u2028",
        "question": "犬はどこ?",
        "choices": ["ここ", "そこ", "🐕", "e\u0301"],
        "answer": "🐕",
        "note": "x",
    },
]


@pytest.fixture
def rows(folder):
    names = cuttings(folder, 4, seconds=0.6)
    return [
        {"audio_path": name, **row, "weight": 1.10, "n": 12345678901234567890}
        for name, row in zip(names, AWKWARD, strict=True)
    ]


def write(folder, rows, form):
    path = folder / f"bench.{form}"
    if form == "json":
        path.write_text(json.dumps(rows, indent=3))
    elif form == "jsonl":
        path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    elif form == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
            writer.writeheader()
            writer.writerows({**row, "choices": json.dumps(row["choices"])} for row in rows)
    else:
        import pyarrow
        from pyarrow import parquet

        columns = {name: [row[name] for row in rows] for name in rows[0] if name != "audio_path"}
        sounds = [
            {"bytes": (folder / row["audio_path"]).read_bytes(), "path": None} for row in rows
        ]
        columns["audio"] = pyarrow.array(
            sounds, pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
        )
        columns["n"] = pyarrow.array(columns["n"], pyarrow.uint64())
        parquet.write_table(pyarrow.table(columns), path)
    return path


def read(path):
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".jsonl":
        return lines(path)
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    from pyarrow import parquet

    return parquet.read_table(path).to_pylist()


@pytest.mark.parametrize("form", mostly_slow(["json", "jsonl", "csv", "parquet"], "csv", "json"))
def test_awkward_rows_come_back_as_they_were(cli, folder, quick, rows, form):
    bench = write(folder, rows, form)
    assert cli("split", bench, "-o", "out", "--suite", quick).code in (0, 1)
    before = read(bench)
    assert len(before) == len(AWKWARD)
    for condition in CONDITIONS:
        after = read(folder / "out" / "source" / condition / bench.name)
        assert len(after) == len(before)
        for old, new in zip(before, after, strict=True):
            kept = {name: new[name] for name in old}
            if form == "parquet":
                kept["audio"] = old["audio"]
            assert kept == old
            assert all(name.startswith("perturb_") for name in set(new) - set(old))
    assert cli("verify", "out", "--replay", "all").code == 0


@pytest.mark.parametrize("form", mostly_slow(["json", "jsonl"], "json"))
def test_numbers_keep_every_digit_as_text(cli, folder, quick, rows, form):
    """1.10 stays 1.10, and a number that no float holds stays itself."""
    bench = write(folder, rows, form)
    bench.write_text(bench.read_text().replace("1.1", "1.10"))
    assert cli("split", bench, "-o", "out", "--suite", quick).code in (0, 1)
    text = (folder / "out" / "source" / "original" / bench.name).read_text()
    assert text.count("1.10") == len(AWKWARD)
    assert text.count("12345678901234567890") == len(AWKWARD)


def test_gold_among_equal_options_is_not_guessed(cli, folder, quick, rows):
    rows[0]["answer"] = "a dog"
    bench = write(folder, rows, "json")
    assert cli("split", bench, "-o", "out", "--suite", quick).code in (0, 1)
    item = lines(folder / "out" / "items.jsonl")[0]
    assert (item["answer"], item["answer_index"]) == ("a dog", None)


def test_many_questions_of_one_clip_share_its_files(cli, bench, folder, quick):
    assert cli("split", bench, "-o", "out", "--suite", quick).code == 0
    rows = lines(folder / "out" / "manifest.jsonl")
    assert len(rows) == 8 * len(CONDITIONS)
    for condition in CONDITIONS[:-1]:
        paths = {row["audios"][0]["path"] for row in rows if row["condition"] == condition}
        assert len(paths) == 4
        assert len(list((folder / "out" / "audio" / condition).iterdir())) == 4
