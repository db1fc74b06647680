"""The generated pages say what is registered now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import msgspec
import pytest

from perturb.anchors.manifest import AnchorRow
from perturb.operators.registry import all_operators
from perturb.recipes.wording import Wording
from perturb.split.anchored.chains import answer_chains

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_are_what_the_script_writes(generator):
    message = "run: python docs/generate.py"
    assert (DOCS / "operators.md").read_text() == generator.operators_text(), message
    assert (DOCS / "recipes.md").read_text() == generator.recipes_text(), message
    assert (DOCS / "events.md").read_text() == generator.events_text(), message
    assert (DOCS / "mirror.md").read_text() == generator.mirror_text(), message


def test_the_event_sheet_is_there():
    assert (DOCS / "images" / "events.png").exists(), "run: python docs/generate.py"


def test_every_operator_has_its_picture():
    for name in all_operators():
        assert (DOCS / "images" / f"op_{name}.png").exists(), (
            f"run: python docs/generate.py ({name})"
        )


def test_the_page_of_questions_shows_the_wording_as_it_is():
    text = (DOCS / "questions.md").read_text()
    wording = Wording()
    for sentence in (wording.transcript, wording.oracle, wording.joined):
        assert f"```text\n{sentence}\n```" in text


def test_the_chain_on_the_page_follows_from_the_manifest_on_the_page():
    text = (DOCS / "anchors.md").read_text()
    (line,) = re.findall(r"^```json\n(.*?)^```$", text, re.M | re.S)
    row = msgspec.json.decode(line, type=AnchorRow)
    questions, _ = answer_chains([row], seed=0)[row.chain]
    assert len(questions) == len(row.questions) == 3
    for question in questions.values():
        assert question.question in text
        for choice, errors in zip(question.choices, question.errors, strict=True):
            named = ", ".join("hearing it right" if e == "none" else e for e in errors)
            assert f"| {choice} | {named}" in text


def test_the_page_of_reports_has_its_pictures():
    text = (DOCS / "report.md").read_text()
    pictures = re.findall(r"\]\((images/[^)]+)\)", text)
    assert len(pictures) == 3
    for picture in pictures:
        assert (DOCS / picture).exists(), "run: python examples/picture_report.py"
