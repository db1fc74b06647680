"""Splits made by the command itself, once for all tests of scores."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from perturb.cli.app import run
from perturb.report.checking import check_overview
from perturb.score import overview as overviews
from tests.split.small import LABELS, cuttings, rows_of, write_benchmark, write_suite
from tests.unit.conftest import cli, folder

__all__ = ["cli", "controls", "folder", "questions"]

QUESTION_SUITE = """
title = "Conditions that ask otherwise, and edits of a part"
[[condition]]
name = "original"
[[condition]]
name = "louder"
recipe = "audiospan/loudness_up"
at = "0.6-0.9"
[[condition]]
name = "louder_sham"
sham_of = "louder"
[[condition]]
name = "three_options"
options = 3
[[condition]]
name = "open_ended"
open_ended = true
"""


def make(scratch: Path, bench: Path, suite: str | Path, *words: str) -> Path:
    """Make a split with the command, and return its folder."""
    before = Path.cwd()
    os.chdir(scratch)
    try:
        code = run(["split", str(bench), "-o", "split", "--suite", str(suite), *words])
        assert code in (0, 1)
    finally:
        os.chdir(before)
    return scratch / "split"


@pytest.fixture(scope="session", autouse=True)
def checked():
    """Check every score that a command makes as it is checked when it is read."""
    plain = overviews.overview

    def overview(*words, **named):
        shown = plain(*words, **named)
        check_overview(shown)
        return shown

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overviews, "overview", overview)
        yield


@pytest.fixture(scope="session")
def controls(tmp_path_factory):
    """Return a split of the standard controls: twelve items on six clips."""
    scratch = tmp_path_factory.mktemp("controls")
    (scratch / "data").mkdir()
    names = cuttings(scratch / "data", 6, seconds=1.2)
    bench = write_benchmark(scratch / "data", rows_of(names, questions=2))
    return make(scratch, bench, "seabed/controls", "--writer", "source", "--writer", "inspect")


@pytest.fixture(scope="session")
def questions(tmp_path_factory):
    """Return a split whose conditions change the question, and edit from .6 s on."""
    scratch = tmp_path_factory.mktemp("questions")
    (scratch / "data").mkdir()
    names = cuttings(scratch / "data", 4, seconds=1.2)
    bench = write_benchmark(scratch / "data", rows_of(names))
    return make(scratch, bench, write_suite(scratch, QUESTION_SUITE))


@pytest.fixture
def source_rows(controls):
    """Return a function that gives the rows of a condition, as a harness has them."""

    def rows(condition: str) -> list[dict]:
        return json.loads((controls / "source" / condition / "bench.json").read_text())

    return rows


@pytest.fixture
def predict(tmp_path, source_rows):
    """Return a function that writes MMAU predictions of a model and returns its folder."""

    def write(answer, conditions=("original", "silence"), model="qwen", edit=lambda rows: rows):
        target = tmp_path / model
        target.mkdir(exist_ok=True)
        for condition in conditions:
            rows = source_rows(condition)
            for number, row in enumerate(rows):
                row["model_output"] = answer(number, row, condition)
            (target / f"{condition}.json").write_text(json.dumps(edit(rows)))
        return target

    return write


def letter_of(row: dict) -> str:
    """Return the letter of a row's gold."""
    return "ABCD"[LABELS.index(row["answer"])]
