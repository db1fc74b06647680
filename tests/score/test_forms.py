"""Every form of predictions is read, joined, and gives the same answers."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from perturb.errors import ScoreError
from perturb.score.answers import ANSWERED, read_answers
from perturb.score.split_table import STATUSES, read_split_table
from perturb.split.records.manifest import ItemRow, ManifestRow
from perturb.split.records.recording import read_lines
from tests.extras import need
from tests.split.small import LABELS

SAID = ["A", "(b)", "C. angry", "calm"]
PLACES = [0, 1, 2, 3]


def said(number):
    return SAID[number % 4]


def dump(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(
                file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ","
            )
            writer.writeheader()
            writer.writerows(rows)
    return path


def lmms(number, row):
    return {
        "doc_id": number,
        "target": row["answer"],
        "filtered_resps": [said(number)],
        "doc_hash": "x",
    }


FORMS = {
    "mmau_output": (".json", lambda n, row: {**row, "model_output": said(n)}, "mmau"),
    "mmau_prediction": (".jsonl", lambda n, row: {**row, "model_prediction": said(n)}, "mmau"),
    "mmar": (".json", lambda n, row: {**row, "answer_prediction": said(n)}, "mmar"),
    "response": (".jsonl", lambda n, row: {"uniq_id": row["id"], "response": said(n)}, "response"),
    "voicebench": (".jsonl", lambda n, row: {"prompt": "?", "response": said(n)}, "response"),
    "kimi": (".jsonl", lambda n, row: {"index": row["id"], "prediction": said(n)}, "kimi"),
    "lmms_samples": (".jsonl", lmms, "lmms_eval"),
    "csv": (".csv", lambda n, row: {"id": row["id"], "prediction": said(n)}, "table"),
    "tsv": (".tsv", lambda n, row: {"id": row["id"], "prediction": said(n)}, "table"),
    "pairs": (".jsonl", lambda n, row: {"pair_id": row["id"], "pred": said(n)}, "table"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_recognised_and_gives_its_answers(controls, source_rows, tmp_path, form):
    suffix, make, reader = FORMS[form]
    rows = [make(number, row) for number, row in enumerate(source_rows("noise"))]
    found = read_answers(controls, [dump(tmp_path / "qwen" / f"noise{suffix}", rows)])
    (answers,) = found.answers
    assert (answers.model, answers.condition, answers.repeat) == ("qwen", "noise", 0)
    assert f": {reader}, " in found.notes[0]
    assert (answers.state == ANSWERED).all()
    np.testing.assert_array_equal(answers.choice, np.tile(PLACES, 3))
    golds = [LABELS.index(item.answer) for item in found.items]
    np.testing.assert_array_equal(answers.correct, np.tile(PLACES, 3) == golds)
    assert [finding.kind for finding in found.findings] == ["missing_condition"]


def test_answers_by_id_in_one_object_are_a_table(controls, source_rows, tmp_path):
    rows = {row["id"]: said(number) for number, row in enumerate(source_rows("noise"))}
    found = read_answers(controls, [dump(tmp_path / "qwen" / "noise.json", rows)])
    assert found.answers[0].choice.tolist() == PLACES * 3


def test_order_of_rows_with_ids_does_not_matter(controls, source_rows, tmp_path):
    rows = [FORMS["mmar"][1](n, row) for n, row in enumerate(source_rows("noise"))][::-1]
    found = read_answers(controls, [dump(tmp_path / "noise.json", rows)])
    assert found.answers[0].choice.tolist() == PLACES * 3


def test_what_the_fast_decoder_refuses_is_read_all_the_same(controls, source_rows, tmp_path):
    rows = [{**row, "response": said(n), "x": 1.0} for n, row in enumerate(source_rows("noise"))]
    path = dump(tmp_path / "qwen" / "noise.jsonl", rows)
    path.write_text("\ufeff" + path.read_text().replace('"x": 1.0', '"x": NaN') + "\n\n")
    found = read_answers(controls, [path])
    assert found.answers[0].choice.tolist() == PLACES * 3


def test_a_text_with_any_sign_survives_csv(controls, source_rows, tmp_path):
    texts = ["a,b", 'say "A"', "two\nlines", "\u2028 C"]
    rows = [
        {"id": row["id"], "prediction": texts[n % 4]} for n, row in enumerate(source_rows("noise"))
    ]
    found = read_answers(controls, [dump(tmp_path / "qwen" / "noise.csv", rows)])
    assert found.answers[0].choice.tolist() == [-1, -1, -1, 2] * 3


def test_one_table_may_hold_models_conditions_and_repeats(controls, source_rows, tmp_path):
    rows = [
        {"id": row["id"], "condition": condition, "model": model, "repeat": repeat, "pred": pred}
        for condition in ("original", "silence")
        for model, pred in (("one", "A"), ("two", "B"))
        for repeat in (1, 0)
        for row in source_rows(condition)
    ]
    found = read_answers(controls, [dump(tmp_path / "all.csv", rows)])
    runs = [(one.model, one.condition, one.repeat) for one in found.answers]
    assert runs == [
        (model, condition, repeat)
        for model in ("one", "two")
        for condition in ("original", "silence")
        for repeat in (0, 1)
    ]
    assert {int(one.choice[0]) for one in found.answers if one.model == "two"} == {1}


@need("inspect_ai")
def test_a_log_of_inspect_names_model_condition_and_items(controls, tmp_path):
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    table = controls / "inspect" / "silence.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "tests.fixtures.inspect_eval", table, tmp_path / "logs"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | home,
    )
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout.splitlines()[-1])["scores"]
    found = read_answers(controls, [tmp_path / "logs"])
    (answers,) = found.answers
    assert (answers.model, answers.condition) == ("mockllm/model", "silence")
    assert answers.choice.tolist() == [1] * 12
    theirs = [scores[item.pair_id]["choice"] == "C" for item in found.items]
    assert answers.correct.tolist() == theirs
    assert sum(theirs) not in (0, 12)


def test_a_log_of_inspect_in_json_keeps_errors_and_epochs_apart(controls, tmp_path):
    items = [row.pair_id for row in read_lines(controls / "items.jsonl", ItemRow)]
    samples = [
        {
            "id": pair_id,
            "epoch": epoch,
            "output": {"completion": "ANSWER: B"},
            "scores": {"choice": {"value": "C", "answer": "B"}},
            "metadata": {"perturb_pair_id": pair_id, "perturb_condition": "noise"},
        }
        for epoch in (1, 2)
        for pair_id in items
    ]
    samples[0] |= {"output": {}, "error": {"message": "too short"}}
    log = {"version": 2, "eval": {"model": "m", "task": "t"}, "status": "error", "samples": samples}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    found = read_answers(controls, [path])
    assert [(one.model, one.condition, one.repeat) for one in found.answers] == [
        ("m", "noise", 0),
        ("m", "noise", 1),
    ]
    assert found.answers[0].choice.tolist() == [-1, *[1] * 11]
    kinds = {finding.kind: finding.count for finding in found.findings}
    assert kinds["error"] == kinds["empty"] == 1


def test_damage_is_refused_with_its_place(controls, source_rows, tmp_path):
    rows = [FORMS["response"][1](n, row) for n, row in enumerate(source_rows("noise"))]
    path = dump(tmp_path / "noise.jsonl", rows)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ScoreError, match=r"noise\.jsonl: line 12"):
        read_answers(controls, [path])
    table = tmp_path / "silence.csv"
    table.write_text("id,prediction\na,B\nb,C,D\n")
    with pytest.raises(ScoreError, match=r"silence\.csv: line 3: 3 fields"):
        read_answers(controls, [table])
    log = tmp_path / "noise.eval"
    log.write_bytes(b"PK no zip")
    with pytest.raises(ScoreError, match="cannot be read as a log of Inspect"):
        read_answers(controls, [log])


def test_clusters_are_the_clips_where_no_recording_is_known(controls):
    table = read_split_table(controls)
    assert table.clusters.tolist() == np.repeat(np.arange(6), 2).tolist()
    assert table.conditions["prosody_only_sham"].sham_of == "prosody_only"


def test_arrays_of_a_condition_say_what_the_manifest_says(controls):
    table = read_split_table(controls)
    places = {item.pair_id: place for place, item in enumerate(table.items)}
    for row in read_lines(controls / "manifest.jsonl", ManifestRow):
        condition, place = table.conditions[row.condition], places[row.pair_id]
        assert STATUSES[condition.status[place]] == row.status
        assert condition.gold[place] == (-1 if row.gold_index is None else row.gold_index)
        donor = LABELS.index(row.donor_answer) if row.donor_answer else -1
        assert condition.donor[place] == donor


def test_rows_of_another_benchmark_are_refused(controls, tmp_path):
    path = tmp_path / "noise.csv"
    path.write_text("id,prediction\n" + "nobody,A\n")
    with pytest.raises(ScoreError, match="cannot be joined: no ids that the split has"):
        read_answers(controls, [path])
