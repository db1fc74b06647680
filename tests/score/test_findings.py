"""What does not fit is shown and counted, and nothing is repaired in silence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from perturb.errors import ParameterError, ScoreError
from perturb.score.answers import (
    ANSWERED,
    EMPTY,
    INVALID,
    MISSING,
    REFUSED,
    UNGRADED,
    UNPARSED,
    read_answers,
)
from perturb.score.filling import is_filled, looks_drawn
from perturb.score.matching.normalising import normalise
from perturb.split.records.manifest import ManifestRow
from perturb.split.records.recording import read_lines
from tests.score.conftest import letter_of
from tests.split.small import LABELS


def kinds(found, *left_out):
    passed = {"missing_condition", "denominators", "failing", *left_out}
    return {one.kind: one.count for one in found.findings if one.kind not in passed}


def gold(number, row, condition):
    return row["answer"]


def test_right_answers_everywhere_leave_nothing_to_say(controls, predict):
    conditions = [path.name for path in (controls / "source").iterdir()]
    found = read_answers(controls, [predict(gold, conditions)])
    assert [one.condition for one in found.answers] == list(found.conditions)
    for one in found.answers:
        valid = found.conditions[one.condition].is_valid
        assert (one.state == np.where(valid, ANSWERED, INVALID)).all()
        assert np.nanmin(one.correct) == 1.0
        assert np.isnan(one.correct).tolist() == (~valid).tolist()
        np.testing.assert_array_equal(one.said, one.choice)
    assert kinds(found) == {}
    invalid = [one.state.tolist().count(INVALID) for one in found.answers]
    counts = [one for one in found.findings if one.kind == "denominators"]
    assert bool(counts) == (len(set(invalid)) > 1)


def test_every_state_is_told_apart_and_counts_as_it_should(controls, predict):
    said = ["A", "banana", "I'm sorry, I can't hear audio.", "  ", None, "B. happy"]
    found = read_answers(controls, [predict(lambda n, *_: said[n % 6], ["noise"])])
    (answers,) = found.answers
    states = [ANSWERED, UNPARSED, REFUSED, EMPTY, EMPTY, UNPARSED]
    assert answers.state.tolist() == states * 2
    assert (answers.correct[answers.state != ANSWERED] == 0.0).all()
    assert kinds(found) == {"unparsed": 4, "refused": 2, "empty": 4, "ambiguous": 2}


def test_missing_rows_are_neither_right_nor_wrong(controls, predict):
    folder = predict(gold, ["noise"], edit=lambda rows: rows[:7] + rows[9:])
    found = read_answers(controls, [folder])
    (answers,) = found.answers
    assert np.flatnonzero(answers.state == MISSING).tolist() == [7, 8]
    assert np.isnan(answers.correct[[7, 8]]).all()
    assert kinds(found) == {"missing": 2}
    finding = next(one for one in found.findings if one.kind == "missing")
    assert finding.examples == tuple(found.items[place].pair_id for place in (7, 8))
    missing = next(one for one in found.findings if one.kind == "missing_condition")
    assert missing.count == 7
    assert "original" in missing.message


def test_rows_twice_count_once_and_other_answers_are_a_conflict(controls, predict):
    def edit(rows):
        return [*rows, rows[0], {**rows[1], "model_output": "no such thing"}]

    found = read_answers(controls, [predict(gold, ["noise"], edit=edit)])
    (answers,) = found.answers
    assert answers.correct.tolist() == [1.0] * 12
    assert kinds(found) == {"duplicate": 1, "conflict": 1}


@pytest.mark.parametrize("count", [1, 12])
def test_a_file_that_says_everything_twice_is_one_run(controls, predict, count):
    def copied(rows):
        return [*rows[:count], *rows[:count]]

    def contradicted(rows):
        return [*rows[:count], *({**row, "model_output": "no such thing"} for row in rows[:count])]

    for edit, kind in ((copied, "duplicate"), (contradicted, "conflict")):
        found = read_answers(controls, [predict(gold, ["noise"], edit=edit)])
        (answers,) = found.answers
        assert answers.correct[:count].tolist() == [1.0] * count
        assert int((answers.state == ANSWERED).sum()) == count
        assert kinds(found)[kind] == count
        (finding,) = [one for one in found.findings if one.kind == kind]
        assert "the first counts; a second run needs a field repeat" in finding.message
        assert not any("repeats" in note for note in found.notes)


def test_a_field_that_says_repeat_makes_two_runs_of_one_file(controls, predict):
    def edit(rows):
        return [{**row, "repeat": number} for number in (1, 2, 2) for row in rows]

    found = read_answers(controls, [predict(gold, ["noise"], edit=edit)])
    assert [one.repeat for one in found.answers] == [0, 1]
    assert all((one.state == ANSWERED).all() for one in found.answers)
    assert kinds(found) == {"duplicate": 12}


def test_rows_of_no_item_and_of_no_condition_are_left_out(controls, predict):
    def edit(rows):
        stranger = {**rows[0], "id": "stranger", "perturb_pair_id": "stranger"}
        return [*rows, stranger, {**rows[1], "perturb_condition": "whisper"}]

    found = read_answers(controls, [predict(gold, ["noise"], edit=edit)])
    assert found.answers[0].correct.tolist() == [1.0] * 12
    extra = [one for one in found.findings if one.kind == "extra"]
    assert sorted(one.count for one in extra) == [1, 1]
    assert ("stranger",) in [one.examples for one in extra]
    assert any("whisper" in one.message for one in extra)


def test_answers_to_rows_that_were_not_rendered_do_not_count(controls, predict):
    rows = {}
    for row in read_lines(controls / "manifest.jsonl", ManifestRow):
        rows.setdefault(row.condition, []).append(row.status)
    found = read_answers(controls, [predict(gold, ["mismatched", "noise"])])
    states = {one.condition: one.state.tolist() for one in found.answers}
    for condition, own in states.items():
        expected = [ANSWERED if s in ("ok", "off_target") else INVALID for s in rows[condition]]
        assert own == expected


def test_a_path_that_names_another_condition_than_its_rows_is_shown(controls, predict):
    folder = predict(gold, ["noise"])
    (folder / "noise.json").rename(folder / "silence.json")
    found = read_answers(controls, [folder])
    assert found.answers[0].condition == "noise"
    assert kinds(found)["condition"] == 12
    found = read_answers(controls, [f"silence={folder / 'silence.json'}"])
    assert found.answers[0].condition == "silence"
    assert kinds(found)["condition"] == 12


def strip(rows):
    return [{"id": row["id"], "model_output": row["model_output"]} for row in rows]


def test_a_field_of_the_benchmark_that_is_called_condition_is_not_ours(controls, predict):
    def edit(rows):
        return [{**row, "condition": "studio"} for row in strip(rows)]

    found = read_answers(controls, [predict(gold, ["noise"], edit=edit)])
    assert [one.condition for one in found.answers] == ["noise"]
    assert kinds(found) == {}


def test_the_longest_condition_in_a_path_counts_and_two_are_refused(controls, predict):
    folder = predict(gold, ["noise", "prosody_only_sham"], edit=strip)
    (folder / "noise.json").rename(folder / "20260101_qwen2_noise-vocoded-4_predictions.json")
    found = read_answers(controls, [folder])
    assert [(one.model, one.condition) for one in found.answers] == [
        ("qwen", "prosody_only_sham"),
        ("qwen2", "noise_vocoded_4"),
    ]
    (folder / "prosody_only_sham.json").rename(folder / "noise_silence.json")
    with pytest.raises(ScoreError, match="names noise and silence"):
        read_answers(controls, [folder])


def test_a_file_that_nothing_places_is_refused_with_the_way_out(controls, predict):
    folder = predict(gold, ["noise"], edit=strip)
    path = folder / "noise.json"
    path = path.rename(folder / "answers.json")
    with pytest.raises(ScoreError, match=r"say it: CONDITION=answers\.json"):
        read_answers(controls, [path])
    found = read_answers(controls, [f"gpt:noise={path}"])
    assert (found.answers[0].model, found.answers[0].condition) == ("gpt", "noise")
    with pytest.raises(ScoreError, match="condition 'nois', which the split does not have"):
        read_answers(controls, [f"gpt:nois={path}"])
    with pytest.raises(ScoreError, match="named twice"):
        read_answers(controls, [f"noise={path}", f"silence={path}"])
    with pytest.raises(ScoreError, match="nothing there"):
        read_answers(controls, [folder / "gone.json"])
    for unset in ("", "gpt:noise="):
        with pytest.raises(ScoreError, match="accepted: a file or folder"):
            read_answers(controls, [unset])


def test_several_files_are_parts_or_repeats(controls, predict, tmp_path):
    folder = predict(gold, ["noise"], edit=strip)
    rows = json.loads((folder / "noise.json").read_text())
    (folder / "noise.json").unlink()
    for name, part in (("noise_a", rows[:5]), ("noise_b", rows[5:])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "noise.json").write_text(json.dumps(part))
    words = [f"m:noise={tmp_path / name / 'noise.json'}" for name in ("noise_a", "noise_b")]
    found = read_answers(controls, words)
    (answers,) = found.answers
    assert (answers.state == ANSWERED).all()
    whole = tmp_path / "noise_run2.json"
    whole.write_text(json.dumps(rows))
    found = read_answers(controls, [*words, f"m:noise={whole}"])
    assert [one.repeat for one in found.answers] == [0, 1]
    assert "m, noise: 2 repeats" in found.notes
    assert all((one.state == ANSWERED).all() for one in found.answers)


def test_rows_in_another_order_are_refused_where_they_show_it(controls, source_rows, tmp_path):
    rows = source_rows("noise")
    path = tmp_path / "noise_samples.jsonl"

    def write(order):
        lines = [
            {"doc_id": place, "target": rows[other]["answer"], "filtered_resps": ["A"]}
            for place, other in enumerate(order)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    write(range(12))
    assert len(read_answers(controls, [path]).answers) == 1
    write([*range(2, 12), 0, 1])
    with pytest.raises(ScoreError, match="rows have another target"):
        read_answers(controls, [path])


def test_files_of_a_folder_that_hold_no_predictions_are_named(controls, predict):
    folder = predict(gold, ["noise"])
    (folder / "results.json").write_text('{"accuracy": {"value": 0.5}}')
    (folder / "broken.jsonl").write_text('{"id": 1, "resp')
    found = read_answers(controls, [folder])
    skipped = [one for one in found.findings if one.kind == "skipped"]
    assert sorted(one.file.rsplit("/", 1)[1] for one in skipped) == ["broken.jsonl", "results.json"]
    with pytest.raises(ScoreError, match="no predictions of a known form; looked for"):
        read_answers(controls, [f"noise={folder / 'results.json'}"])


def test_answers_that_a_harness_drew_are_exposed(controls, source_rows, tmp_path):
    lines = []
    for number, row in enumerate(source_rows("silence")):
        said = ["", "Error: zero-length audio", letter_of(row), f"It is {row['answer']}, I say"]
        record = {**row, "model_prediction": row["answer"]}
        lines.append(
            {
                "doc_id": number,
                "target": row["answer"],
                "filtered_resps": [said[number % 4]],
                "submission": record,
            }
        )
    path = tmp_path / "silence_samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_answers(controls, [path])
    (answers,) = found.answers
    assert answers.state.tolist() == [EMPTY, UNPARSED, ANSWERED, UNPARSED] * 3
    assert kinds(found)["filled"] == 6


def test_a_parsed_answer_counts_unless_it_was_drawn(controls, source_rows, tmp_path):
    rows = source_rows("silence")
    for number, row in enumerate(rows):
        row["model_output"] = [f"I think it is {row['answer']}.", "crash"][number % 2]
        row["model_prediction"] = row["answer"]
    path = tmp_path / "silence.json"
    path.write_text(json.dumps(rows))
    found = read_answers(controls, [path])
    assert found.answers[0].state.tolist() == [ANSWERED, UNPARSED] * 6
    assert kinds(found)["filled"] == 6


@pytest.mark.parametrize(
    ("said", "parsed", "is_drawn"),
    [
        ("", "sad", True),
        (None, "B", True),
        ("no idea", "sad", True),
        ("(B) maybe", "sad", False),
        ("I feel SAD about it", "B", False),
        ("", "not an option", False),
        ("anything", None, False),
    ],
)
def test_an_option_is_drawn_where_nothing_of_it_was_said(said, parsed, is_drawn):
    assert is_filled(said, parsed, LABELS) is is_drawn


def test_drawn_options_are_told_from_answers_by_their_spread_and_their_chance():
    rng = np.random.default_rng(3)
    gold_places = rng.integers(0, 4, 400).astype(np.int16)
    options = np.full(400, 4, np.int16)
    drawn = [
        looks_drawn(rng.integers(0, 4, 400).astype(np.int16), gold_places, options)
        for _ in range(200)
    ]
    assert np.mean(drawn) > 0.85  # .95² of the draws pass both tests
    right = np.where(rng.random(400) < 0.6, gold_places, rng.integers(0, 4, 400)).astype(np.int16)
    assert not looks_drawn(right, gold_places, options)
    assert not looks_drawn(np.zeros(400, np.int16), gold_places, options)
    unparsed = rng.integers(0, 4, 400).astype(np.int16)
    unparsed[0] = -1
    assert not looks_drawn(unparsed, gold_places, options)
    assert not looks_drawn(unparsed[1:60], gold_places[1:60], options[1:60])


def write_table(path, rows):
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_options_of_a_condition_are_its_own_and_compare_with_the_items(questions, tmp_path):
    rows = [
        row
        for row in read_lines(questions / "manifest.jsonl", ManifestRow)
        if row.condition == "three_options"
    ]
    table = [{"id": row.pair_id, "prediction": "ABC"[row.gold_index]} for row in rows]
    found = read_answers(questions, [write_table(tmp_path / "three_options.csv", table)])
    (answers,) = found.answers
    assert answers.correct.tolist() == [1.0] * 4
    assert answers.choice.tolist() == [row.gold_index for row in rows]
    golds = [normalise(item.answer) for item in found.items]
    said = [
        normalise(item.choices[place])
        for item, place in zip(found.items, answers.said, strict=True)
    ]
    assert said == golds
    table = [{"id": row.pair_id, "prediction": "D"} for row in rows]
    found = read_answers(questions, [write_table(tmp_path / "three_options.csv", table)])
    assert kinds(found) == {"unparsed": 4}


def test_open_ended_answers_take_a_judge(questions, tmp_path):
    items = [row.pair_id for row in read_lines(questions / "manifest.jsonl", ManifestRow)][::5]
    said = ["it is happy", "sad", "some anger", ""]
    table = [{"id": i, "prediction": s} for i, s in zip(items, said, strict=True)]
    path = write_table(tmp_path / "open_ended.csv", table)
    found = read_answers(questions, [path])
    assert found.answers[0].state.tolist() == [UNGRADED, ANSWERED, UNGRADED, EMPTY]
    assert np.isnan(found.answers[0].correct).tolist() == [True, False, True, False]
    assert kinds(found) == {"ungraded": 2, "empty": 1}
    grades = write_table(
        tmp_path / "grades.csv",
        [
            {"pair_id": items[0], "condition": "open_ended", "score": "yes", "label": "happy"},
            {"pair_id": items[2], "condition": "open_ended", "score": "0.5", "label": "angry"},
            {"pair_id": items[3], "condition": "open_ended", "score": "1", "label": ""},
            {"pair_id": items[3], "condition": "original", "score": "1", "label": ""},
        ],
    )
    found = read_answers(questions, [path], matcher=f"judge-file:{grades}")
    (answers,) = found.answers
    assert answers.state.tolist() == [ANSWERED, ANSWERED, ANSWERED, EMPTY]
    assert answers.correct.tolist() == [1.0, 1.0, 0.5, 0.0]
    assert answers.said.tolist() == [0, -1, 0, -1]
    assert kinds(found) == {"empty": 1, "judge": 1}
    assert sum(one.kind == "judge" for one in found.findings) == 2


def test_edits_past_what_a_model_hears_do_not_count(questions, tmp_path):
    items = list(read_lines(questions / "manifest.jsonl", ManifestRow))[::5]
    for condition in ("original", "louder", "louder_sham"):
        rows = [
            {"id": row.pair_id, "model": model, "prediction": "A"}
            for model in ("short", "long")
            for row in items
        ]
        write_table(tmp_path / f"{condition}.csv", rows)
    found = read_answers(questions, [tmp_path], heard_limit_s={"short": 0.5})
    states = {(one.model, one.condition): set(one.state.tolist()) for one in found.answers}
    assert states == {
        ("long", "original"): {ANSWERED},
        ("long", "louder"): {ANSWERED},
        ("long", "louder_sham"): {ANSWERED},
        ("short", "original"): {ANSWERED},
        ("short", "louder"): {INVALID},
        ("short", "louder_sham"): {INVALID},
    }
    assert found.unheard == {"short": {"louder": 4, "louder_sham": 4}}
    assert [one.count for one in found.findings if one.kind == "unheard"] == [4, 4]
    heard = read_answers(questions, [tmp_path], heard_limit_s=0.7)
    assert heard.unheard == {}
    with pytest.raises(ParameterError, match="names 'nobody'"):
        read_answers(questions, [tmp_path], heard_limit_s={"nobody": 3.0})
    with pytest.raises(ParameterError, match="seconds, above 0"):
        read_answers(questions, [tmp_path], heard_limit_s=0.0)


def test_whole_clip_edits_are_heard_by_all(controls, predict):
    found = read_answers(controls, [predict(gold)], heard_limit_s=0.1)
    assert found.unheard == {}


def test_a_folder_that_is_no_finished_split_is_refused(tmp_path, controls):
    with pytest.raises(ScoreError, match=r"holds no split\.json"):
        read_answers(tmp_path, [controls])


def test_a_manifest_that_lacks_rows_is_refused(controls, tmp_path, predict):
    for name in ("split.json", "items.jsonl", "manifest.jsonl"):
        (tmp_path / name).write_bytes((controls / name).read_bytes())
    lines = (controls / "manifest.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "manifest.jsonl").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(ScoreError, match="mismatched lacks 1 of 12 items"):
        read_answers(tmp_path, [predict(gold)])
