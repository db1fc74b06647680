"""Readers of JSON and CSV benchmarks: what they see in each format, and what they give back."""

from __future__ import annotations

import pytest

from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.readers.detection import find_reader
from perturb.errors import BenchmarkError
from tests.fixtures import benchmarks
from tests.unit.readers import NO_AUDIO, ask, changes, keep_options, read, rewrite, variant_of

ALL = {
    benchmarks.write_mmau: "mmau",
    benchmarks.write_mmau_keyed: "mmau",
    benchmarks.write_mmar: "mmau",
    benchmarks.write_mmau_pro: "mmau",
    benchmarks.write_air_bench: "lettered",
    benchmarks.write_mmsu: "lettered",
    benchmarks.write_inspect: "inspect",
    benchmarks.write_hear: "hear",
    benchmarks.write_kimi: "kimi",
    benchmarks.write_sakura: "sakura",
}
every_format = pytest.mark.parametrize("write", ALL, ids=lambda write: write.__name__)


def items_of(path, name="auto"):
    return read(path, name)[1].items


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


@every_format
def test_each_format_is_recognised_and_says_why(write, tmp_path):
    path = write(tmp_path)
    reader, reason = find_reader(path)
    assert reader.name == ALL[write]
    assert "audio" in reason
    benchmark = reader.read(path)
    assert benchmark.reader == ALL[write]
    assert "answers are" in benchmark.reason
    assert str(tmp_path) not in benchmark.reason


@every_format
def test_variants_that_change_nothing_give_the_source_byte_for_byte(write, tmp_path):
    path = write(tmp_path)
    reader, benchmark = read(path)
    variants = [variant_of(item) for item in benchmark.items]
    assert rewrite(reader, benchmark, variants, tmp_path / "again") == path.read_bytes()


@every_format
def test_new_audio_changes_the_audio_field_alone(write, tmp_path):
    path = write(tmp_path)
    reader, benchmark = read(path)
    sources = sorted({audio.source for item in benchmark.items for audio in item.audios})
    edits, names = [], {}
    for item in benchmark.items:
        new = {audio.role: f"new-{sources.index(audio.source)}.wav" for audio in item.audios}
        names |= {new[audio.role]: audio.source for audio in item.audios}
        edits.append(RowEdit(item.row, reader.express(benchmark, variant_of(item), new), {}))
    benchmark.rows.write(tmp_path / "again", edits)
    before, after = path.read_bytes().decode(), (tmp_path / "again").read_bytes().decode()
    for name, source in names.items():
        assert name in after
        after = after.replace(name, source)
    assert after == before


@every_format
def test_every_clip_is_where_the_benchmark_says(write, tmp_path):
    benchmark = read(write(tmp_path))[1]
    missing = [clip.key for clip in benchmark.clips.values() if not clip.path.is_file()]
    assert missing == (["audio/missing.wav"] if write is benchmarks.write_mmar else [])
    for item in benchmark.items:
        assert item.audios
        for audio in item.audios:
            clip = benchmark.clips[audio.clip]
            assert clip.path == benchmark.audio_root / clip.key


@every_format
def test_golds_are_among_the_options(write, tmp_path):
    odd = {"m_3": "maybe"}
    for item in items_of(write(tmp_path)):
        if item.choices and item.item_id not in odd:
            assert item.answer in item.choices
        if item.answer_index is not None:
            assert item.choices[item.answer_index] == item.answer


def test_mmau_keeps_ids_clips_and_options_as_they_are(tmp_path):
    benchmark = read(benchmarks.write_mmau(tmp_path))[1]
    assert [item.item_id for item in benchmark.items] == ["3fe64f3d-282c", "b1", "b1", "17"]
    assert [item.pair_id for item in benchmark.items] == ["3fe64f3d-282c", "b1", "b1#2", "17"]
    assert list(benchmark.clips) == [
        "test-mini-audios/a/x.wav",
        "test-mini-audios/b/x.wav",
        "test-mini-audios/日本 🎧.wav",
    ]
    first, second, third, _ = benchmark.items
    assert first.choices == ("Man", "Woman", "Man", "Child, or none")
    assert (second.answer, second.answer_index) == (" No", 1)
    assert (third.answer, third.answer_index) == ("Man", None)
    assert first.audios[0].source == "./test-mini-audios/a/x.wav"
    assert any("an id that occurred before" in note for note in benchmark.notes)
    assert any("two equal options" in note for note in benchmark.notes)


def test_mmau_pro_gives_each_audio_of_a_list_a_role(tmp_path):
    path = benchmarks.write_mmau_pro(tmp_path)
    first, second = items_of(path)
    assert [audio.role for audio in first.audios] == ["main"]
    assert [audio.role for audio in second.audios] == ["main", "audio_2"]
    assert first.choices == ()
    assert changes(path, variant_of(second), audio_2="x.wav") == {
        "audio_path": ["data/0001.wav", "x.wav"]
    }
    assert changes(path, variant_of(second), **NO_AUDIO) == {"audio_path": None}


@pytest.mark.parametrize("name", ["audio_id", "audio_path", "path", "WavPath", "file", "audio"])
def test_audio_is_found_under_each_of_its_names(tmp_path, name):
    path = edit(benchmarks.write_mmau(tmp_path), '"audio_id"', f'"{name}"')
    assert len(read(path)[1].clips) == 3


def test_a_row_without_an_id_gets_its_number_and_an_object_gives_its_keys(tmp_path):
    path = edit(benchmarks.write_mmar(tmp_path), '"id": "m_1"', '"id": null')
    assert [item.item_id for item in items_of(path)] == ["0", "m_2", "m_3"]
    keyed = benchmarks.write_mmau_keyed(tmp_path)
    assert [item.item_id for item in items_of(keyed)] == ["q-1", "q-2"]


def test_a_missing_file_is_a_clip_and_an_odd_answer_a_note(tmp_path):
    benchmark = read(benchmarks.write_mmar(tmp_path))[1]
    assert not benchmark.clips["audio/missing.wav"].path.exists()
    assert any("matches no option" in note for note in benchmark.notes)
    assert [item.language for item in benchmark.items] == ["en", "it", "en"]


def test_lettered_choices_of_a_list_are_read_without_and_written_with_letters(tmp_path):
    path = benchmarks.write_mmar(tmp_path)
    edit(
        path,
        '"choices": ["please", "number", "pound"], "answer": "number"',
        '"choices": ["(A) please", "(B) number", "(C) pound"], "answer": "(B) number"',
    )
    edit(
        path,
        '["Italiano","Inglese"],"answer":"Italiano"',
        '["(A) Italiano","(B) Inglese"],"answer":"(A) Italiano"',
    )
    edit(path, '["yes", "no"], "answer": "maybe"', '["(A) yes", "(B) no"], "answer": "(B) no"')
    first = items_of(path)[0]
    assert (first.choices, first.answer_index) == (("please", "number", "pound"), 1)
    assert changes(path, keep_options(first, [1, 2])) == {
        "choices": ["(A) number", "(B) pound"],
        "answer": "(A) number",
    }


def test_numbers_among_choices_stay_numbers(tmp_path):
    path = benchmarks.write_mmar(tmp_path)
    edit(path, '["please", "number", "pound"], "answer": "number"', '[1, 2, 3.50], "answer": 2')
    first = items_of(path)[0]
    assert (first.choices, first.answer, first.answer_index) == (("1", "2", "3.5"), "2", 1)
    assert changes(path, keep_options(first, [1, 2]))["choices"] == [2, 3.5]


def test_text_answers_and_options_are_expressed_as_text(tmp_path):
    path = benchmarks.write_mmau(tmp_path)
    second = items_of(path)[1]
    assert changes(path, keep_options(second, [1, 2])) == {"choices": [" No", "日本語"]}
    assert changes(path, ask(second, question="Q?", choices=(), answer_index=None)) == {
        "question": "Q?",
        "choices": [],
    }


def test_a_gold_that_stays_is_said_as_it_was(tmp_path):
    path = edit(benchmarks.write_mmau(tmp_path), '"answer": "Woman"', '"answer": " woman"')
    first = items_of(path)[0]
    assert (first.answer, first.answer_index) == ("Woman", 1)
    assert changes(path, ask(first, question="Q?")) == {"question": "Q?"}
    assert changes(path, keep_options(first, [1, 3])) == {"choices": ["Woman", "Child, or none"]}


def test_air_bench_looks_in_the_folder_of_its_task(tmp_path):
    path = benchmarks.write_air_bench(tmp_path)
    benchmark = read(path)[1]
    assert [item.audios[0].clip for item in benchmark.items] == [
        "Emotion_iemocap/x.wav",
        "Language_covost/x.wav",
        "Emotion_iemocap/y.wav",
    ]
    assert benchmark.items[0].audios[0].source == "x.wav"


def test_air_bench_keeps_one_task_as_flac(tmp_path):
    path = benchmarks.write_air_bench(tmp_path)
    edit(
        path,
        '"task_name": "Language", "dataset_name": "covost"',
        '"task_name": "Audio_Grounding", "dataset_name": "d"',
    )
    (tmp_path / "Audio_Grounding_d").mkdir()
    (tmp_path / "Language_covost" / "x.wav").rename(tmp_path / "Audio_Grounding_d" / "x.flac")
    assert "Audio_Grounding_d/x.flac" in read(path)[1].clips


def test_options_without_a_text_are_none(tmp_path):
    assert [len(item.choices) for item in items_of(benchmarks.write_air_bench(tmp_path))] == [
        4,
        2,
        2,
    ]
    assert [len(item.choices) for item in items_of(benchmarks.write_mmsu(tmp_path))] == [4, 4, 2]


def test_a_file_of_letters_is_read_by_letters(tmp_path):
    path = benchmarks.write_mmsu(tmp_path)
    items = items_of(path)
    assert [item.answer for item in items] == ["None, at all", "C", "Here"]
    assert [item.answer_index for item in items] == [3, 1, 0]
    assert "letters" in read(path)[1].reason


def test_fewer_options_are_lettered_anew_and_the_rest_is_as_empty_as_the_source(tmp_path):
    letters = benchmarks.write_mmsu(tmp_path)
    first, _, third = items_of(letters)
    assert changes(letters, keep_options(first, [1, 3])) == {
        "choice_a": "The start",
        "choice_b": "None, at all",
        "choice_c": None,
        "choice_d": None,
        "answer_gt": "B",
    }
    assert changes(letters, keep_options(third, [0])) == {"choice_b": ""}
    texts = benchmarks.write_air_bench(tmp_path)
    assert changes(texts, keep_options(items_of(texts)[0], [0, 2])) == {
        "choice_b": "anger",
        "choice_c": None,
        "choice_d": None,
    }


def test_an_open_question_has_its_answer_as_text(tmp_path):
    path = benchmarks.write_mmsu(tmp_path)
    first = items_of(path)[0]
    assert changes(path, ask(first, choices=(), answer_index=None)) == {
        "choice_a": None,
        "choice_b": None,
        "choice_c": None,
        "choice_d": None,
        "answer_gt": "None, at all",
    }


def test_more_options_than_fields_are_refused(tmp_path):
    path = benchmarks.write_air_bench(tmp_path)
    with pytest.raises(BenchmarkError, match="5 options do not fit the fields choice_a"):
        changes(path, ask(items_of(path)[0], choices=tuple("vwxyz")))


def test_a_gap_among_options_is_refused_with_its_row(tmp_path):
    path = edit(benchmarks.write_air_bench(tmp_path), '"choice_b": "joy, mild"', '"choice_b": ""')
    with pytest.raises(BenchmarkError, match="row 0: choice_b is empty, but choice_d is not"):
        read(path)


def ambiguous(tmp_path):
    row = '{"path": "x.wav", "question": "q", "choice_a": "B", "choice_b": "A", "answer_gt": "A"}'
    benchmarks.place(tmp_path, "x.wav", 0)
    path = tmp_path / "both.jsonl"
    path.write_text(f"{row}\n{row}\n")
    return path


def test_answers_that_fit_as_text_and_letter_are_refused_until_it_is_said(tmp_path):
    path = ambiguous(tmp_path)
    with pytest.raises(BenchmarkError, match=r"option text and as letters.*lettered_letter"):
        read(path)
    assert [item.answer_index for item in items_of(path, "lettered_text")] == [1, 1]
    assert [item.answer_index for item in items_of(path, "lettered_letter")] == [0, 0]


def test_a_file_of_letters_and_texts_is_refused(tmp_path):
    path = edit(benchmarks.write_mmsu(tmp_path), '"answer_gt": "D"', '"answer_gt": "Both"')
    with pytest.raises(BenchmarkError, match=r"option text in 1, letters in 1 rows"):
        read(path)


def test_lettered_options_are_read_from_csv_too(tmp_path):
    benchmarks.place(tmp_path, "x.wav", 0)
    path = tmp_path / "l.csv"
    path.write_text("path,question,choice_a,choice_b,answer_gt\nx.wav,q?,yes,no,B\n")
    reader, benchmark = read(path)
    assert (reader.name, benchmark.items[0].answer) == ("lettered", "no")


def test_hear_members_of_a_pair_are_one_recording_and_two_items(tmp_path):
    path = benchmarks.write_hear(tmp_path)
    first, second, third = items_of(path)
    assert first.recording == second.recording == "d01_q1"
    assert third.recording == "d02_q1"
    assert first.pair_id != second.pair_id
    assert first.question == 'Who says "number"?'
    assert first.choices == ("The first voice", "The second voice", "Nobody, at all")
    assert (first.answer_index, second.answer_index) == (0, 2)
    assert changes(path, keep_options(second, [1, 2])) == {
        "instruction": 'Who says "number"?\nA. The second voice\nB. Nobody, at all',
        "ground_truth": "B",
    }


def test_kimi_takes_options_out_of_the_question_and_puts_them_back(tmp_path):
    path = benchmarks.write_kimi(tmp_path)
    first, _, third = items_of(path)
    assert (first.question, first.choices) == ("Where is it?", ("beach", "bus, red", "home"))
    assert (third.question, third.choices) == ("Please transcribe.", ())
    assert first.item_id == "0"
    assert changes(path, keep_options(first, [1, 2])) == {
        "question": "Where is it?\nOptions:\n(A) bus, red\n(B) home\n.Answer with the letter."
    }
    assert changes(path, ask(first, choices=(), answer_index=None)) == {"question": "Where is it?"}
    assert changes(path, ask(third, question="Said: x\nPlease transcribe.")) == {
        "question": "Said: x\nPlease transcribe."
    }


def test_sakura_asks_two_questions_of_each_row(tmp_path):
    path = benchmarks.write_sakura(tmp_path)
    benchmark = read(path)[1]
    assert [item.item_id for item in benchmark.items] == [
        "0_single",
        "0_multi",
        "1_single",
        "1_multi",
    ]
    assert list(benchmark.clips) == ["audio/x.wav", "audio/y 日本.wav"]
    first = benchmark.items[0]
    assert first.question == "Which mood, if any?"
    assert first.choices == ("angry", "calm", "glad, or so", "calm")
    assert (first.answer, first.answer_index) == ("calm", 1)
    assert changes(path, keep_options(first, [1, 2])) == {
        "single_instruction": "Which mood, if any? (a) calm (b) glad, or so",
        "single_answer": " (a) calm",
    }


def test_sakura_questions_of_a_row_cannot_part_their_audio_unless_read_alone(tmp_path):
    path = benchmarks.write_sakura(tmp_path)
    rows = read(path)[1].rows
    edits = [RowEdit(0, {"file": "a.wav"}, {"p": "1"}), RowEdit(1, {"file": "b.wav"}, {"p": "2"})]
    with pytest.raises(BenchmarkError, match=r"row 0: .*sakura_single"):
        rows.write(tmp_path / "again", edits)
    same = [RowEdit(edit.row, {"file": "a.wav"}, edit.added) for edit in edits]
    rows.write(tmp_path / "again", same)
    assert (tmp_path / "again").read_text().splitlines()[1].endswith(", (a) bank,1 | 2")
    assert [item.answer for item in items_of(path, "sakura_multi")] == ["bank", "rage"]


def test_inspect_finds_audio_and_question_in_messages(tmp_path):
    path = benchmarks.write_inspect(tmp_path)
    first, second, third = items_of(path)
    assert (first.question, first.answer, first.task) == ("What is said?", "she, too", "content")
    assert [audio.role for audio in second.audios] == ["main", "audio_2"]
    assert second.item_id == "2"
    assert (third.choices, third.answer) == ((), " a young man")
    assert changes(path, keep_options(first, [1, 2])) == {
        "choices": ["she, too", "he was not"],
        "target": "A",
    }
    assert changes(path, ask(first, choices=(), answer_index=None)) == {
        "choices": None,
        "target": "she, too",
    }


def test_inspect_without_audio_has_no_part_for_it(tmp_path):
    path = benchmarks.write_inspect(tmp_path)
    second = items_of(path)[1]
    changed = changes(path, ask(second, question="Q"), **NO_AUDIO)
    assert changed == {"input": [{"role": "user", "content": [{"type": "text", "text": "Q"}]}]}


def test_inspect_loads_what_was_written(tmp_path):
    from inspect_ai.dataset import json_dataset

    path = benchmarks.write_inspect(tmp_path)
    reader, benchmark = read(path)
    variants = [variant_of(item) for item in benchmark.items]
    target = tmp_path / "again.jsonl"
    rewrite(reader, benchmark, variants, target, main="clips/new.wav")
    before, after = json_dataset(str(path)), json_dataset(str(target))
    assert len(before) == len(after) == 3
    for old, new in zip(before, after, strict=True):
        assert (old.id, old.target, old.choices) == (new.id, new.target, new.choices)
        audio = [
            part.audio
            for message in new.input
            for part in message.content
            if getattr(part, "type", "") == "audio"
        ]
        assert audio[0].endswith("clips/new.wav")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"question": "Who speaks in the clip?"', '"question": 5', "row 0: question is 5"),
        ('"choices": ["A number", "A name"]', '"choices": {"a": 1}', "row 3: choices is"),
        ('"audio_id": "test-mini-audios/a/x.wav"', '"audio_id": 3', "row 3: audio_id is 3"),
        ('"./test-mini-audios/b/x.wav"', '"../../x.wav"', "row 1: '../../x.wav' lies outside"),
        ('"./test-mini-audios/b/x.wav"', '"https://a.b/x.wav"', "row 1: 'https://a.b/x.wav' is no"),
    ],
)
def test_rows_that_contradict_the_format_are_named(tmp_path, old, new, message):
    path = edit(benchmarks.write_mmau(tmp_path), old, new)
    with pytest.raises(BenchmarkError) as caught:
        read(path)
    assert message in str(caught.value)
    assert "mmau-test-mini.json" in str(caught.value)


def test_all_bad_rows_are_named_at_once(tmp_path):
    path = edit(benchmarks.write_mmau(tmp_path), '"question": "', '"question": 1, "q": "')
    with pytest.raises(BenchmarkError, match=r"row 0: .*row 1: .*row 2: .*row 3: "):
        read(path)
