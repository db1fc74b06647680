"""Small benchmarks over cuttings of the real clips, for tests of whole splits."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from perturb.audio_io import find_audio, output_format_for, read_audio, write_audio

AUDIO = Path(__file__).parents[2] / "examples" / "audio"
LABELS = ("happy", "sad", "angry", "calm")
SUITE = """
title = "One condition of every kind that is rendered fast"
[[condition]]
name = "original"
[[condition]]
name = "repeat"
[[condition]]
name = "noise"
recipe = "seabed/noise"
[[condition]]
name = "louder"
recipe = "audiospan/loudness_up"
at = "0.2-0.4"
[[condition]]
name = "louder_sham"
sham_of = "louder"
[[condition]]
name = "mismatched"
recipe = "seabed/mismatched"
donor = "hard"
"""
CONDITIONS = ("original", "repeat", "noise", "louder", "louder_sham", "mismatched")


def cuttings(folder, count, seconds=1.2):
    """Write `count` cuttings of speech and return their paths relative to `folder`."""
    names = []
    sources = find_audio(AUDIO)
    each = -(-count // len(sources))
    for source in sources:
        clip = read_audio(source)
        length = round(seconds * clip.signal.sample_rate_hz)
        step = max(1, (clip.signal.sample_count - length) // max(1, each))
        for number in range(each):
            start = number * step
            if len(names) == count or start + length > clip.signal.sample_count:
                break
            name = f"audio/{source.stem}-{number}.wav"
            (folder / "audio").mkdir(parents=True, exist_ok=True)
            part = clip.signal.slice(start, start + length)
            write_audio(folder / name, part, output_format_for(clip, ".wav"))
            names.append(name)
    return names


def rows_of(names, questions=1):
    """Return rows of the MMAU form, `questions` for each clip."""
    return [
        {
            "id": f"{Path(name).stem}-{number}",
            "audio_id": f"./{name}",
            "question": ["How does the speaker sound?", "What is the mood?"][number],
            "choices": list(LABELS),
            "answer": LABELS[index % len(LABELS)],
            "task": "speech",
            "weight": 1.10,
        }
        for index, name in enumerate(names)
        for number in range(questions)
    ]


def write_benchmark(folder, rows, name="bench.json", shuffled=None):
    """Write rows as a JSON array, in another order where a seed is given."""
    rows = list(rows)
    if shuffled is not None:
        random.Random(shuffled).shuffle(rows)
    path = folder / name
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    return path


def write_suite(folder, text=SUITE, name="quick.toml"):
    """Write a suite of one's own."""
    path = folder / name
    path.write_text(text)
    return path


def mostly_slow(names, *quick):
    """Return parameters of a test; the quick lane takes those of `quick` alone."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


def tree(folder, leave_out=("lock",)):
    """Return every file below a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in leave_out
    }


def lines(path):
    """Return the rows of a JSONL file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
