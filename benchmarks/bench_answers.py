"""How fast predictions are loaded, joined to a split, graded and scored, and in how much memory.

    python benchmarks/bench_answers.py [--items 100000] [--form mmau|lmms_eval|table]

A split of eight conditions is written as its records alone, with rows as long as real ones, and
predictions for all of it. Loading and scoring run in a process of its own, so that its peak memory
is its own. Scoring is every statistic, by six tasks and three languages too, with 10,000 bootstrap
samples. The bar is 20 s and 1 GB for all of it on two cores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np

from perturb.recipes.catalogue import load_recipe
from perturb.split.records.manifest import AudioRow, ItemRow, ManifestRow
from perturb.split.records.recording import ITEMS_FILE, MANIFEST_FILE, SPLIT_FILE, write_lines

CONDITIONS = {
    "original": None,
    "repeat": None,
    "silence": None,
    "noise": None,
    "prosody_only": None,
    "prosody_only_sham": "prosody_only",
    "noise_vocoded_4": None,
    "mismatched": None,
}
OPTIONS = 4
TASKS = ("dialect", "prosody", "comprehension", "long", "emotion", "affect")
LANGUAGES = ("id", "th", "ms")
RECIPES = ("silence", "noise", "prosody_only", "noise_vocoded_4", "mismatched")


def make_items(count: int) -> list[ItemRow]:
    """Return items with four options of their own, four to a clip."""
    return [
        ItemRow(
            row=number,
            item_id=f"item-{number:07d}",
            pair_id=f"item-{number:07d}",
            audios=(("main", f"clips/{number // 4:07d}.wav"),),
            question=f"Which of these is what the speaker of recording {number} talks about?",
            choices=tuple(f"Topic {number}-{place} of the talk" for place in range(OPTIONS)),
            answer=f"Topic {number}-{number % OPTIONS} of the talk",
            answer_index=number % OPTIONS,
            task=TASKS[number // OPTIONS % len(TASKS)],
            language=LANGUAGES[number // OPTIONS % len(LANGUAGES)],
        )
        for number in range(count)
    ]


def manifest_row(item: ItemRow, condition: str, sham_of: str | None) -> ManifestRow:
    """Return a row as long as real ones."""
    clip = item.audios[0][1]
    return ManifestRow(
        row=item.row,
        item_id=item.item_id,
        pair_id=item.pair_id,
        condition=condition,
        sham_of=sham_of,
        status="ok",
        expectation="unanswerable" if condition == "silence" else "unknown",
        gold_index=item.answer_index,
        audios=(
            AudioRow(
                role="main",
                clip_id=clip,
                path=f"audio/{condition}/{clip[6:-4]}-0123abcd.wav",
                sha256_in="0" * 64,
                sha256_out="1" * 64,
                trace=f"traces/shard-00000.jsonl#{item.row // 4}",
            ),
        ),
    )


def write_split(folder: Path, items: list[ItemRow]) -> None:
    """Write the records of a split."""
    rows = (
        manifest_row(item, name, sham_of) for item in items for name, sham_of in CONDITIONS.items()
    )
    write_lines(folder / MANIFEST_FILE, rows)
    write_lines(folder / ITEMS_FILE, items)
    described = [describe(name, sham_of) for name, sham_of in CONDITIONS.items()]
    text = json.dumps({"conditions": described, "source": {"path": "bench.json"}})
    (folder / SPLIT_FILE).write_text(text)


def describe(name: str, sham_of: str | None) -> dict[str, object]:
    """Return a condition as the record of a split has it."""
    probe = sham_of or name
    if probe not in RECIPES:
        return {"condition": {"name": name}, "recipe": None}
    recipe = f"seabed/{probe}"
    own = {"recipe": recipe} if sham_of is None else {"sham_of": sham_of}
    donor = {"donor": "hard"} if name == "mismatched" else {}
    return {
        "condition": {"name": name, **own, **donor},
        "recipe": msgspec.to_builtins(load_recipe(recipe)),
    }


def write_predictions(folder: Path, items: list[ItemRow], form: str) -> None:
    """Write what a model answered in each condition."""
    for shift, condition in enumerate(CONDITIONS):
        rows = [prediction(item, form, shift) for item in items]
        if form == "mmau":
            (folder / f"{condition}.json").write_bytes(msgspec.json.encode(rows))
        else:
            lines = b"\n".join(map(msgspec.json.encode, rows))
            (folder / f"{condition}.jsonl").write_bytes(lines)


def prediction(item: ItemRow, form: str, shift: int) -> dict[str, object]:
    """Return the row of one item: a letter, a text, a lettered text, or prose."""
    # Scattered over items and conditions, as answers are; half of them right.
    seed = f"{item.row} {shift}".encode()
    scattered = int.from_bytes(hashlib.blake2b(seed, digest_size=4).digest())
    place = (item.row + scattered % 2 * (scattered // 2)) % OPTIONS
    letter, text = "ABCD"[place], item.choices[place]
    said = [letter, text, f"{letter}. {text}", f"I would say it is {text}"][item.row % 4]
    if form == "lmms_eval":
        return {"doc_id": item.row, "target": item.answer, "filtered_resps": [said]}
    if form == "table":
        return {"id": item.item_id, "prediction": said}
    audio = f"./{item.audios[0][1]}"
    asked = {"question": item.question, "choices": item.choices, "answer": item.answer}
    return {"id": item.item_id, "audio_id": audio, **asked, "model_output": said}


def load(folder: str, predictions: str) -> None:
    """Load and score everything, and print seconds, peak memory and what was found."""
    from perturb.score.answers import read_answers
    from perturb.score.inference.resampling import resample_sums
    from perturb.score.overview import overview

    resample_sums(np.ones((1, 1)), 1, seed=0)  # compiles
    start, start_cpu = time.perf_counter(), time.process_time()
    found = read_answers(Path(folder), [predictions])
    rows = sum(int((one.state < 4).sum()) for one in found.answers)
    print(f"{rows} predictions, {len(found.findings)} findings: {_spent(start, start_cpu)}")
    middle, middle_cpu = time.perf_counter(), time.process_time()
    shown = overview(found)
    model = shown.models[0]
    numbers = sum(map(len, (model.conditions, model.comparisons, model.groups, model.measures)))
    print(f"{numbers} estimates: {_spent(middle, middle_cpu)}")
    print(f"together: {_spent(start, start_cpu)}")


def _spent(start: float, start_cpu: float) -> str:
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return f"{seconds:.1f} s ({cpu:.1f} s of one core), {peak:.2f} GB at most"


def main() -> None:
    """Make the files and load them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--form", choices=["mmau", "lmms_eval", "table"], default="mmau")
    parser.add_argument("--load", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.load:
        load(*given.load)
        return
    with tempfile.TemporaryDirectory() as scratch:
        split, predictions = Path(scratch, "split"), Path(scratch, "model")
        split.mkdir()
        predictions.mkdir()
        items = make_items(given.items)
        write_split(split, items)
        write_predictions(predictions, items, given.form)
        subprocess.run(
            [sys.executable, __file__, "--load", str(split), str(predictions)], check=True
        )


if __name__ == "__main__":
    main()
