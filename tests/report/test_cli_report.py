"""``perturb report``: a score in, a page out; mistakes in one line."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import msgspec
import pytest

from tests.report import specimens
from tests.unit.conftest import cli, folder

__all__ = ["cli", "folder"]


@pytest.fixture
def score(folder):
    path = folder / "result.json"
    path.write_bytes(msgspec.json.encode(specimens.result(2, 4)))
    return path


def test_a_score_becomes_a_page_beside_it(cli, folder, score):
    done = cli("report", score)
    assert done.code == 0
    assert (folder / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert "report.html: " in done.out


def test_a_folder_is_taken_by_the_score_in_it(cli, folder, score):
    split = folder / "split"
    split.mkdir()
    score.rename(split / "score.json")
    done = cli("report", split, "-o", "page.html", "--json")
    assert done.code == 0
    result = done.envelope["result"]
    assert result["score"].endswith("score.json")
    assert result["output"] == "page.html"
    assert (folder / "page.html").exists()
    assert "model-1-accuracy" in result["figures"]


def test_figures_are_files_of_their_own(cli, folder, score):
    done = cli("report", score, "--figures", "figures", "--json")
    files = done.envelope["result"]["files"]
    names = done.envelope["result"]["figures"]
    assert [f"figures/{name}.svg" for name in names] == files
    for file in files:
        tree = ElementTree.fromstring((folder / file).read_bytes())
        assert tree.tag == "{http://www.w3.org/2000/svg}svg"
        assert tree.find("{http://www.w3.org/2000/svg}style") is not None


def test_a_page_is_replaced_and_the_same(cli, folder, score):
    cli("report", score)
    first = (folder / "report.html").read_bytes()
    cli("report", score)
    assert (folder / "report.html").read_bytes() == first


def test_a_folder_without_a_score_says_how_to_make_one(cli, folder):
    (folder / "split").mkdir()
    (folder / "split" / "split.json").write_text("{}")
    done = cli("report", "split")
    assert done.code == 2
    assert "split is a split without score.json" in done.error
    assert "perturb score split PREDICTIONS -o split/score.json" in done.error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.json"], "nowhere.json: nothing there"),
        (["result.json", "-o", "page.pdf"], "a name that ends in .html"),
        (["bad.json"], "bad.json is no score"),
        (["half.json"], "half.json is no score"),
        (["other.json"], "other.json is no score: Object contains unknown field `plan`"),
    ],
)
def test_mistakes_are_one_line(cli, folder, score, words, message):
    (folder / "bad.json").write_text("no JSON")
    (folder / "half.json").write_bytes(score.read_bytes()[:5000])
    (folder / "other.json").write_text(json.dumps({"plan": {}}))
    done = cli("report", *words)
    assert done.code == 2
    assert message in done.error
    assert not (folder / "report.html").exists()


def test_a_score_whose_numbers_contradict_each_other_is_refused(cli, folder, score):
    held = json.loads(score.read_text())
    held["models"][0]["conditions"][0]["accuracy"]["low"] = 0.99
    score.write_text(json.dumps(held))
    done = cli("report", score)
    assert done.code == 2
    assert "lies above high" in done.error


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("models.1.comparisons.0.second", "zzz", "models[1].comparisons[0].second is 'zzz'"),
        ("models.0.paired.0.first", "zzz", "models[0].paired[0].first is 'zzz'; accepted: a cond"),
        ("models.0.groups.0.condition", "zzz", "models[0].groups[0].condition is 'zzz'"),
        ("compared.0.condition", "zzz", "compared[0].condition is 'zzz'"),
        ("compared.0.pairs.0.first", "zzz", "accepted: a model of the score, "),
        ("compared.0.ranks.rankings.0.model", "zzz", "rankings[0].model is 'zzz'"),
        (
            "compared.0.pairs.0.contrast.difference.value",
            1e308,
            "compared[0].pairs[0].contrast.difference.value is 1e+308; accepted: a difference of "
            "shares, -1 to 1",
        ),
        ("models.0.comparisons.0.contrast.inner_low", -1e308, "contrast.inner_low is -1e+308"),
        ("models.0.comparisons.0.worst_case.high", 2, "worst_case.high is 2; accepted: a diff"),
        (
            "models.0.conditions.0.accuracy",
            {"value": -5, "low": -7, "high": -3},
            "models[0].conditions[0].accuracy.value is -5; accepted: a share, 0 to 1",
        ),
        (
            "models.0.conditions.0.accuracy",
            {"value": 7, "low": 6, "high": 8},
            "models[0].conditions[0].accuracy.value is 7; accepted: a share, 0 to 1",
        ),
        (
            "models.0.conditions.0.accuracy",
            {"value": 0.9, "low": 0.1, "high": 0.2, "method": "wilson"},
            "models[0].conditions[0].accuracy.value is 0.9; accepted: from low to high, 0.1 to 0.2",
        ),
        ("models.0.conditions.0.states.empty", -1, "states.empty is -1; accepted: a count, from 0"),
        ("models.0.groups.0.accuracy.high", 1.5, "groups[0].accuracy.high is 1.5"),
        ("models.0.noise_floor.value", 1e308, "models[0].noise_floor.value is 1e+308"),
        ("baselines.chance.value", 1.01, "baselines.chance.value is 1.01; accepted: a share"),
        ("group_baselines.0.baselines.majority.value", -0.5, "baselines.majority.value is -0.5"),
        ("models.0.measures.0.estimate.value", 2, "measures[0].estimate.value is 2; accepted: a"),
        ("models.0.measures.0.beside.0.estimate.high", 9, "measures[0].beside[0].estimate.high"),
        ("models.0.measures.2.estimate.low", -1, "measures[2].estimate.low is -1; accepted: a rat"),
        ("models.0.dose.0.response.accuracies.1.high", 3, "accuracies[1].high is 3"),
        (
            "models.0.dose.0.response.threshold.value",
            99,
            "accepted: a dose of the curve, -12 to 18",
        ),
        ("models.0.dose.0.response.doses.0", 1e308, "doses is 1e+308, -6, 0, 6, 12, 18; accepted"),
        ("compared.0.ranks.rankings.0.score", 40, "rankings[0].score is 40; accepted: a share"),
        ("compared.0.ranks.rankings.0.rank", 7, "rankings[0].rank is 7; accepted: a rank, 1 to 2"),
    ],
)
def test_a_number_that_cannot_be_and_a_name_that_is_not_there_are_refused(
    cli, folder, score, place, value, message
):
    held = json.loads(score.read_text())
    *steps, last = (int(part) if part.isdigit() else part for part in place.split("."))
    target = held
    for step in steps:
        target = target[step]
    if isinstance(value, dict):
        target[last].update(value)
    else:
        target[last] = value
    score.write_text(json.dumps(held))
    done = cli("report", score)
    assert done.code == 2
    assert message in done.error
    assert "; accepted: " in done.error
    assert len(done.error.strip().splitlines()) == 1
    assert not (folder / "report.html").exists()


def test_the_score_is_never_replaced(cli, folder, score):
    page = folder / "score.html"
    score.rename(page)
    before = page.read_bytes()
    done = cli("report", page, "-o", page)
    assert (done.code, page.read_bytes()) == (2, before)
    assert "score.html is the input itself; name another" in done.error
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("name", ["page.html", "link.html"])
def test_a_page_never_replaces_a_file_of_a_split(cli, folder, score, name):
    split = folder / "split"
    split.mkdir()
    (split / "split.json").write_text("{}")
    (split / "page.html").write_text("a source's page")
    (folder / "link.html").symlink_to(split / "page.html")
    score.rename(split / "score.json")
    output = split / name if name == "page.html" else folder / name
    done = cli("report", split, "-o", output, "--figures", "figures")
    assert done.code == 2
    assert "is page.html of the split" in done.error
    assert (split / "page.html").read_text() == "a source's page"
    assert not (folder / "figures").exists()
    assert [cli("report", split).code for _ in range(2)] == [0, 0]
    assert [cli("report", split, "-o", split / "own.html").code for _ in range(2)] == [0, 0]


def test_a_figure_never_replaces_the_score_or_a_file_of_a_split(cli, folder, score):
    split = folder / "split"
    split.mkdir()
    (split / "split.json").write_text("{}")
    written = split / "model-1-accuracy.svg"
    score.rename(written)
    before = written.read_bytes()
    done = cli("report", written, "-o", "page.html", "--figures", split)
    assert (done.code, written.read_bytes()) == (2, before)
    assert "is the input itself; name another" in done.error
    score.write_bytes(before)
    done = cli("report", score, "-o", "page.html", "--figures", split)
    assert (done.code, written.read_bytes()) == (2, before)
    assert "is model-1-accuracy.svg of the split" in done.error
    done = cli("report", score, "-o", "page.html", "--figures", score)
    assert (done.code, score.read_bytes()) == (2, before)
    assert "figures is result.json, a file; name a folder" in done.error.replace(f"{folder}/", "")
    assert not (folder / "page.html").exists()
    for _ in range(2):
        assert cli("report", score, "-o", "page.html", "--figures", split / "figures").code == 0
