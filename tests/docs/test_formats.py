"""The page on formats: its examples run, and it names what there is."""

from __future__ import annotations

import doctest
import io
import re
from pathlib import Path

import numpy as np
import pytest

from perturb.audio_io import output_format_for, write_audio
from perturb.benchmark.readers.detection import READER_NAMES
from perturb.benchmark.variant import PERTURB_COLUMNS
from perturb.benchmark.writers.registry import find_writer, writer_names
from perturb.signal import Signal
from tests.fixtures.tiny import make_source, make_variants

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()

ROWS = [
    {
        "id": "q1",
        "audio": "./clips/a.wav",
        "question": "Who speaks?",
        "choices": ["Man", "Woman"],
        "answer": "Woman",
    },
    {"id": "q2", "audio": "clips/b.wav", "question": "Who was he?", "answer": "a young man"},
]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Return a folder with a benchmark of two rows and a split of one condition."""
    import datasets

    source = make_source(tmp_path / "bench" / "mmau.jsonl", ROWS)
    folder = tmp_path / "split" / "audio" / "silence"
    folder.mkdir(parents=True)
    files = {}
    for clip in source.benchmark.clips:
        files[clip] = folder / f"{Path(clip).stem}-1.wav"
        silence = Signal.from_array(np.zeros(1600, np.float32), 16_000)
        write_audio(files[clip], silence, output_format_for(None, ".wav"))
    variants = {"silence": make_variants(source, "silence", files)}
    for name in writer_names():
        find_writer(name).write(tmp_path / "split" / name, source, variants)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return tmp_path


def test_the_examples_run(workplace):
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, "formats.md", None, 0)
    assert len(examples.examples) >= 17
    printed = io.StringIO()
    doctest.DocTestRunner().run(examples, out=printed.write)
    assert not printed.getvalue(), printed.getvalue()


def test_every_added_column_is_explained_in_order():
    explained = re.findall(r"^\| `(perturb_\w+)` \| \S", PAGE, re.M)
    assert tuple(explained) == PERTURB_COLUMNS


def test_every_writer_has_its_section():
    assert set(writer_names()) <= set(re.findall(r"^### `(\w+)`$", PAGE, re.M))


def test_every_reader_is_named():
    assert set(READER_NAMES) <= set(re.findall(r"`(\w+)`", PAGE.partition("## What is written")[0]))
