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
