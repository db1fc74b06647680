"""Transcripts and question tables: every form, every problem with file and row."""

from __future__ import annotations

import json

import pytest

from perturb.errors import BenchmarkError
from perturb.split.questions.transcripts import GivenQuestion, load_question_table, load_transcripts
from tests.strategies.items import benchmark_of, make_item

BENCHMARK = benchmark_of(
    [
        make_item(0, item_id="q1", pair_id="q1", clip="a/one.wav", choices=("dog", "cat")),
        make_item(1, item_id="q2", pair_id="q2", clip="a/one.wav", answer="a dog"),
        make_item(
            2, item_id="q3", pair_id="q3", clip="two.wav", choices=("yes", "no"), answer="no"
        ),
    ]
)


def _store(folder, text, name="given.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_by_item_or_by_clip(tmp_path):
    by_item = _store(tmp_path, "id,transcript\nq1,Hello.\nq3,“Bye – now.”\n")
    assert load_transcripts(by_item, BENCHMARK).by_pair == {"q1": "Hello.", "q3": "“Bye – now.”"}
    by_clip = _store(tmp_path, "path,text\n./a/one.wav,Hello.\ntwo.wav,Bye.\n")
    assert load_transcripts(by_clip, BENCHMARK).by_pair == {
        "q1": "Hello.",
        "q2": "Hello.",
        "q3": "Bye.",
    }


@pytest.mark.parametrize("name", ["given.tsv", "given.jsonl", "given.json"])
def test_every_form_reads_alike(name, tmp_path):
    rows = [{"ID": "q1", "Text": 'He said: "no",\tthen left.'}, {"ID": "q3", "Text": "Ja"}]
    text = {
        "given.tsv": 'ID\tText\nq1\t"He said: ""no"",\tthen left."\nq3\tJa\n',
        "given.jsonl": "\ufeff" + "\n".join(map(json.dumps, rows)) + "\n\n",
        "given.json": json.dumps(rows),
    }[name]
    found = load_transcripts(_store(tmp_path, text, name), BENCHMARK)
    assert found.by_pair == {"q1": 'He said: "no",\tthen left.', "q3": "Ja"}
    assert found.notes == (f"{name}: 1 of 3 items are not in it",)


def test_lines_with_times_come_in_order_of_time(tmp_path):
    text = "clip,start_s,stop_s,text\ntwo.wav,2.5,4,World.\ntwo.wav,0,2.25,Hello\n"
    found = load_transcripts(_store(tmp_path, text), BENCHMARK)
    assert found.by_pair["q3"] == "[0-2.25 s] Hello\n[2.5-4 s] World."


def test_a_line_break_inside_a_field_survives(tmp_path):
    found = load_transcripts(_store(tmp_path, 'id,text\r\nq1,"A:\r\nyes"\r\n'), BENCHMARK)
    assert found.by_pair["q1"] == "A:\r\nyes"


def test_every_problem_is_named_with_its_row(tmp_path):
    text = (
        "id,start,stop,text\n"
        "q1,1,0.5,backwards\n"
        "q2,nan,2,no number\n"
        "q3,,,once\n"
        "q3,,,twice\n"
        ",,,nobody\n"
        "q1,0,1\n"
    )
    path = _store(tmp_path, text)
    with pytest.raises(BenchmarkError) as caught:
        load_transcripts(path, BENCHMARK)
    lines = str(caught.value).splitlines()
    for number, words in [
        (2, "times are '1' and '0.5'"),
        (3, "times are 'nan' and '2'"),
        (5, "'q3' has a transcript already"),
        (6, "names no item; accepted: one of pair_id, id"),
        (7, "3 fields; the first row names 4"),
    ]:
        assert any(f"{path}, line {number}: " in line and words in line for line in lines), words
    assert len(lines) == 5


@pytest.mark.parametrize("number", ["1" + "0" * 400, "Infinity", "1e999"])
def test_a_time_beyond_a_double_is_refused_as_any_other(tmp_path, number):
    path = tmp_path / "given.jsonl"
    path.write_text(f'{{"id": "q1", "text": "Hi", "start_s": 0, "stop_s": {number}}}\n')
    with pytest.raises(BenchmarkError, match=r"times are 0 and .* start_s before stop_s") as caught:
        load_transcripts(path, BENCHMARK)
    assert len(str(caught.value)) < len(str(path)) + 150


def test_many_problems_are_counted_not_printed(tmp_path):
    rows = "".join(f"q1,{n}\n" for n in range(80))
    with pytest.raises(BenchmarkError, match=r"line 7: [^\n]*\nand 74 more$"):
        load_transcripts(_store(tmp_path, "id,text\n" + rows), BENCHMARK)


def test_unknown_ids_and_missing_items_are_told(tmp_path):
    found = load_transcripts(_store(tmp_path, "id,text\nq1,Hi\nq9,Ho\nq8,Hu\nq3,\n"), BENCHMARK)
    assert found.by_pair == {"q1": "Hi"}
    assert found.notes == (
        "given.csv: 1 rows without text (columns: transcript, text)",
        "given.csv: 2 not in the benchmark: q9, q8",
        "given.csv: 2 of 3 items are not in it",
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.csv", b"id,text\nq7,Hi\n", "no row belongs to an item of the benchmark: it names q7"),
        ("x.csv", b"id,text\nq1,\xff\n", "not UTF-8 at byte 11"),
        ("x.csv", b"", "a first row of names"),
        ("x.csv", b"id,ID,text\n", "a first row of names, each once"),
        ("x.csv", b'id,text\nq1,"open\n', "line 2: unexpected end of data"),
        ("x.jsonl", b'{"id": "q1", "text": "Hi"}\n{"id": \n', "line 2: not JSON"),
        ("x.json", b"[" * 5_000 + b"]" * 5_000, "not JSON: lists or objects are nested too deeply"),
        ("x.jsonl", b"[1]\n", "line 1: accepted: an object"),
        ("x.json", b'{"q1": "Hi"}', "accepted: a list of objects"),
        ("x.jsonl", b'{"id": "q1", "text": 5}\n', "text is 5; accepted: text"),
        ("x.xlsx", b"PK", "accepted: a table as .csv, .tsv, .jsonl, .json"),
    ],
)
def test_what_is_no_table_is_refused(name, content, words, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BenchmarkError) as caught:
        load_transcripts(path, BENCHMARK)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BenchmarkError, match=r"none\.csv: No such file"):
        load_transcripts(tmp_path / "none.csv", BENCHMARK)


def test_questions_with_options_in_both_ways_of_a_csv(tmp_path):
    text = (
        'id,question,choices,answer\nq3,"Ya, atau tidak?","[""ya"", ""tidak""]",tidak\n'
        "q2,Apa itu?,,seekor anjing\n"
    )
    found = load_question_table(_store(tmp_path, text), BENCHMARK).by_pair
    assert found["q3"] == GivenQuestion(
        question="Ya, atau tidak?", choices=("ya", "tidak"), answer="tidak", answer_index=1
    )
    assert found["q2"] == GivenQuestion(question="Apa itu?", answer="seekor anjing")
    columns = "id,question,choice_a,choice_b\nq3,Ya?,ya,tidak\n"
    found = load_question_table(_store(tmp_path, columns), BENCHMARK).by_pair
    assert (found["q3"].choices, found["q3"].answer) == (("ya", "tidak"), "tidak")


def test_a_gold_that_the_source_does_not_know_may_come_from_the_table(tmp_path):
    for answer in ("kucing", "B", "b"):
        row = {"id": "q1", "question": "Apa?", "choices": ["anjing", "kucing"], "answer": answer}
        path = _store(tmp_path, json.dumps(row), "q.jsonl")
        found = load_question_table(path, BENCHMARK).by_pair["q1"]
        assert (found.answer, found.answer_index) == ("kucing", 1)


def test_every_problem_of_a_question_table_is_named(tmp_path):
    rows = [
        {"id": "q1", "question": "", "choices": ["a", "b"]},
        {"id": "q1", "question": "?", "choices": ["a"]},
        {"id": "q1", "question": "?", "choices": "a|b"},
        {"id": "q3", "question": "?", "choices": ["ja", "nein"], "answer": "ja"},
        {"id": "q3", "question": "?", "choices": ["ja", "nein"], "answer": "vielleicht"},
        {"id": "q3", "question": "?", "choices": ["ja", "nein"]},
        {"id": "q3", "question": "?", "choices": ["ja", "nein"]},
        {"id": "q2", "question": "?", "choices": ["ja", "nein"]},
    ]
    found = []
    for part in (rows[:5], rows[5:]):  # five problems at a time are named
        path = _store(tmp_path, "\n".join(map(json.dumps, part)), "q.jsonl")
        with pytest.raises(BenchmarkError) as caught:
            load_question_table(path, BENCHMARK)
        found += str(caught.value).splitlines()
    for number, words in [
        (1, "question is None; accepted: text"),
        (2, "1 choices; 'q1' has 2"),
        (3, "choices are no list of texts"),
        (4, "answer is 'ja'; accepted: the text of a choice, the source's is choice 2"),
        (5, "answer is 'vielleicht'"),
        (2, "'q3' has a question already"),
        (3, "2 choices; 'q2' has 0"),
    ]:
        assert f"{path}, line {number}: {words}" in "\n".join(found)
    assert len(found) == 7
