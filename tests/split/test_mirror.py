"""What a split expects of the mirror's conditions, by what a task is answered from."""

from __future__ import annotations

import json
import shutil

import pytest

from perturb.cli.app import run
from tests.conftest import CLIPS_FOLDER
from tests.split.small import lines

pytestmark = pytest.mark.slow

SENTENCE = CLIPS_FOLDER / "librivox" / "sense-and-sensibility-0880.wav"
CUE = "Cannot be determined from the audio"
PROBES = ("monotone", "even_loudness", "even_timing", "whispered", "words_only")
SHAMS = ("monotone_sham", "even_timing_sham", "whispered_sham", "words_only_sham")
LETTERS = {"I": "invariant", "U": "unanswerable", "-": "unknown"}

# A letter for each probe and each sham, in the order above.
SEABED = {
    ("dialectal speech comprehension", "id"): "IIIII IIII",
    ("dialectal speech comprehension", "th"): "-II-- IIII",
    ("long-form reasoning", "ms"): "-II-- IIII",
    ("long-form reasoning", "th"): "-II-- IIII",
    ("dialect and language identification", "id"): "-I--- I-II",
    ("dialect and language identification", "th"): "-I--- I-II",
    ("prosodic ambiguity", "ms"): "----- I-II",
    ("prosodic ambiguity", "th"): "----- I-II",
    ("emotion recognition", "id"): "----- I-II",
    ("affective interpretation", "th"): "----- I-II",
    ("emotion recognition", "fr"): "----- ----",
}
PROSODY = {
    ("transcription", "en"): "IIIII IIII",
    ("transcription", "th"): "-II-- IIII",
    ("transcription", "xx"): "----- ----",
    ("lexical tone", "th"): "UIIUU IIII",
    ("question or statement", "en"): "UIIUU IIII",
    ("loudness contour", "en"): "IUIIU IIII",
    ("rhythm", "en"): "IIUII I-II",
    ("voice quality", "en"): "-IIU- IIII",
    ("stress", "en"): "----- I-II",
    ("speaker verification", "en"): "-II-- IIII",
}


@pytest.mark.parametrize(("task_map", "table"), [("seabed", SEABED), ("prosody", PROSODY)])
def test_expectations_of_the_mirror(task_map, table, tmp_path):
    shutil.copy(SENTENCE, tmp_path / "clip.wav")
    rows = [
        {
            "id": f"{number}",
            "audio_id": "./clip.wav",
            "question": "Which?",
            "choices": ["this", "that", CUE],
            "answer": "that",
            "task": task,
            "language": language,
        }
        for number, (task, language) in enumerate(table)
    ]
    bench, output = tmp_path / "bench.json", tmp_path / "split"
    bench.write_text(json.dumps(rows))
    command = ["split", str(bench), "-o", str(output), "--suite", "seabed/mirror"]
    assert run([*command, "--task-map", task_map]) == 0

    manifest = lines(output / "manifest.jsonl")
    assert {row["status"] for row in manifest} == {"ok"}
    found = {(row["item_id"], row["condition"]): row for row in manifest}
    answers = {"invariant": "that", "unanswerable": CUE, "unknown": None}
    for number, (key, letters) in enumerate(table.items()):
        expected = dict(
            zip((*PROBES, *SHAMS), map(LETTERS.get, letters.replace(" ", "")), strict=True)
        )
        for condition, expectation in expected.items():
            row = found[f"{number}", condition]
            assert row["expectation"] == expectation, (key, condition)
            assert row["expected_answer"] == answers[expectation], (key, condition)
