"""``perturb score``: a deaf model, a listener and a crasher, told apart on a real split."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from perturb.split.records.manifest import ManifestRow
from perturb.split.records.recording import read_lines
from tests.score.conftest import letter_of

ALL = (
    "original",
    "repeat",
    "silence",
    "noise",
    "prosody_only",
    "prosody_only_sham",
    "noise_vocoded_4",
    "mismatched",
)


def listener(number, row, condition):
    return letter_of(row) if condition in ("original", "repeat", "prosody_only_sham") else "A"


def deaf(number, row, condition):
    return "A"


def crasher(number, row, condition):
    return "" if condition == "silence" else letter_of(row)


@pytest.fixture
def models(predict, tmp_path):
    for name, answer in (("listener", listener), ("deaf", deaf), ("crasher", crasher)):
        predict(answer, ALL, model=name)
    return tmp_path


def test_tables_show_accuracy_contrasts_and_what_failed(cli, controls, models):
    done = cli("score", controls, models, "--samples", "500")
    assert done.code == 1  # the crasher's empty answers
    assert "finding  empty: crasher, silence: 12 ×" in done.out
    assert "finding  failing: crasher, silence: 12 × of 12 answers name no option" in done.out
    assert "failing: listener" not in done.out
    assert "prosody_only − prosody_only_sham" in done.out
    assert "answers are read by stated: " in done.out
    assert "3 models" in done.out


def test_json_holds_everything_and_nothing_undefined_without_a_reason(cli, controls, models):
    done = cli("score", controls, models, "--samples", "500", "--json")
    result = done.envelope["result"]
    scores = {one["model"]: one for one in result["models"]}
    assert sorted(scores) == ["crasher", "deaf", "listener"]
    by_condition = {one["condition"]: one for one in scores["listener"]["conditions"]}
    assert by_condition["original"]["accuracy"]["value"] == 1.0
    first = sum(item["answer"] == "happy" for item in items(controls)) / 12
    assert by_condition["silence"]["accuracy"]["value"] == pytest.approx(first)
    pairs = {(one["first"], one["second"]): one for one in scores["listener"]["comparisons"]}
    probe = pairs["prosody_only", "prosody_only_sham"]
    assert (probe["role"], probe["against"]) == ("primary", "sham")
    status = {}
    for row in read_lines(controls / "manifest.jsonl", ManifestRow):
        status[row.condition, row.row] = row.status
    both = [
        item["answer"] == "happy"
        for item in items(controls)
        if {status[name, item["row"]] for name in ("prosody_only", "prosody_only_sham")} == {"ok"}
    ]
    difference = probe["contrast"]["difference"]
    assert difference["n"] == len(both)
    assert difference["value"] == pytest.approx(sum(both) / len(both) - 1.0)
    assert pairs["silence", "repeat"]["against"] == "repeat"
    assert pairs["prosody_only_sham", "repeat"]["role"] == "exploratory"
    deaf_pairs = scores["deaf"]["comparisons"]
    assert {one["contrast"]["difference"]["value"] for one in deaf_pairs} <= {0.0, None}
    silence = next(c for c in scores["crasher"]["conditions"] if c["condition"] == "silence")
    assert silence["states"] == {"empty": 12}
    assert scores["deaf"]["noise_floor"]["value"] == 0.0
    check_reasons(result)


def items(folder):
    return [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]


def check_reasons(value):
    if isinstance(value, dict):
        if "reason" in value and value.get("value", 0) is None:
            assert value["reason"]
        for part in value.values():
            check_reasons(part)
    elif isinstance(value, list):
        for part in value:
            check_reasons(part)


def test_reports_are_written_as_json_and_csv(cli, controls, models, tmp_path):
    out, table = tmp_path / "report.json", tmp_path / "report.csv"
    words = ["--samples", "500", "-o", out, "-o", table]
    assert cli("score", controls, models / "listener", *words).code in (0, 1)
    report = json.loads(out.read_text())
    assert report["models"][0]["model"] == "listener"
    assert {"findings", "notes", "baselines", "settings"} <= report.keys()
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("accuracy") == len(ALL)
    assert kinds.count("difference") == len(report["models"][0]["comparisons"])
    original = next(row for row in rows if row["condition"] == "original")
    assert float(original["value"]) == 1.0


def test_the_same_seed_gives_the_same_report(cli, controls, models):
    words = ("score", controls, models, "--samples", "500", "--json")
    assert cli(*words).out == cli(*words).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--matcher", "mmaau"], "did you mean 'mmau'"),
        (["--heard-limit-s", "x=y"], "--heard-limit-s is 'x=y'"),
        (["--heard-limit-s", "nobody=30"], "heard_limit_s names 'nobody'"),
        (["-o", "report.txt"], "ends in .json or .csv"),
        (["--margin", "0"], "margin"),
    ],
)
def test_mistakes_are_one_line(cli, controls, models, words, message):
    done = cli("score", controls, models, *words)
    assert done.code == 2
    assert message in done.error


def test_the_matchers_of_benchmarks_are_at_hand(cli, controls, models):
    words = ("score", controls, models / "listener", "--samples", "500", "--json", "--matcher")
    done = cli(*words, "mmau")
    states = done.envelope["result"]["models"][0]["conditions"][0]["states"]
    assert states == {"unparsed": 12}  # bare letters
    assert cli(*words, "letter").code in (0, 1)


def test_an_input_is_never_replaced(cli, controls, predict, tmp_path):
    folder = predict(listener, ["original"])
    answers = folder / "original.json"
    grades = tmp_path / "grades.csv"
    grades.write_text("id,condition,score\n")
    labels = tmp_path / "labels.json"
    labels.write_text("[]")
    link = tmp_path / "link.json"
    link.symlink_to(answers)
    before = {path: path.read_bytes() for path in (answers, grades, labels)}
    for words, output in (
        ([answers], answers),
        ([folder], answers),
        ([f"gpt:original={answers}"], answers),
        ([answers], link),
        ([link], answers),
        ([answers, "--matcher", f"judge-file:{grades}"], grades),
        ([answers, "--matcher", f"rubric-file:{grades}"], grades),
        ([answers, "--labels", labels], labels),
    ):
        done = cli("score", controls, *words, "-o", tmp_path / "new.json", "-o", output)
        assert done.code == 2
        assert f"output {output} is the input itself; name another" in done.error
        assert {path: path.read_bytes() for path in before} == before
        assert not (tmp_path / "new.json").exists()


def test_a_record_of_a_split_is_never_replaced(cli, controls, predict, tmp_path):
    split = tmp_path / "split"
    shutil.copytree(controls, split)
    answers = predict(listener, ["original"]) / "original.json"
    (split / "labels.csv").write_text("id,pair\n")
    (tmp_path / "link.json").symlink_to(split / "split.json")
    before = {path: path.read_bytes() for path in split.rglob("*") if path.is_file()}
    held = [path for path in before if path.suffix in (".json", ".csv")]
    assert {"split.json", "labels.csv"} <= {path.name for path in held}
    new = [split / "donors.json", split / "labels.json", tmp_path / "link.json"]
    for scored in (split, controls):
        for output in [*held, *new] if scored == split else held[:1]:
            done = cli("score", scored, answers, "-o", output)
            assert done.code == 2
            assert " of the split " in done.error
            assert done.error.strip().endswith("; name another")
    found = {path: path.read_bytes() for path in split.rglob("*") if path.is_file()}
    assert found == before


def test_an_earlier_score_may_be_replaced(cli, controls, predict, tmp_path):
    split = tmp_path / "split"
    shutil.copytree(controls, split)
    folder = predict(listener, ["original"])
    outputs = [split / "score.json", split / "other.json", split / "all.csv", folder / "s.json"]
    words = [word for path in outputs for word in ("-o", path)]
    for _ in range(2):
        assert cli("score", split, folder, "--samples", "100", *words).code in (0, 1)
    assert json.loads(outputs[1].read_text())["models"]
    outputs[0].write_text("cut sh")
    assert cli("score", split, folder, "--samples", "100", "-o", outputs[0]).code in (0, 1)
    assert json.loads(outputs[0].read_text())["models"]
