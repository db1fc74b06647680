"""Models that are known, as files that ``perturb score`` reads: 500 items, four questions a clip.

    python -m tests.score.simulated [--draws 20]

scores them with the command, draw by draw, and prints which claims it makes of each: the verdict of
all draws, or how often each came out. The split is records alone; scoring reads no audio.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from perturb.cli.app import run
from perturb.split.records.manifest import ItemRow
from tests.score.made import LABELS, describe, make_item, make_split, write_answers

N = 500
# What is left of the clip in each condition: words, melody, both, or neither.
LEFT = {
    "original": "words melody",
    "repeat": "words melody",
    "silence": "",
    "prosody_only": "melody",
    "prosody_only_sham": "words melody",
    "words_only": "words",
    "words_only_sham": "words melody",
    "mismatched": "another",
}
RECIPES = {
    name: f"seabed/{name}" for name in ("silence", "prosody_only", "words_only", "mismatched")
}
MODELS = (
    "deaf",
    "text-prior",
    "words-listener",
    "prosody-listener",
    "perfect",
    "guesser",
    "crasher",
    "sampled",
    "artefact",
)
# The claims that tell them apart, by name and condition, with a heading for the table.
CLAIMS = {
    ("uses_audio", "silence"): "uses the audio",
    ("right_without_audio", "silence"): "right without it",
    ("above_chance", "original"): "above chance",
    ("needs", "prosody_only"): "needs words",
    ("needs", "words_only"): "needs prosody",
    ("left_carries", "prosody_only"): "prosody carries",
    ("left_carries", "words_only"): "words carry",
    ("artefacts", "prosody_only_sham"): "artefacts",
    ("follows_donor", "mismatched"): "follows the donor",
    ("fails", "silence"): "fails on silence",
    ("unstable", None): "unstable",
}
YES, NO, OPEN = "yes", "no", "undecided"
# A model that is no better than a guesser is right a little more or less often by luck.
LUCK = "no|undecided"
EXPECTED = {
    "deaf": (NO, LUCK, LUCK, NO, NO, NO, NO, NO, NO, NO, NO),
    "text-prior": (NO, YES, YES, NO, NO, NO, NO, NO, NO, NO, NO),
    "words-listener": (YES, LUCK, YES, YES, NO, NO, YES, NO, YES, NO, NO),
    "prosody-listener": (YES, LUCK, YES, NO, YES, YES, NO, NO, YES, NO, NO),
    "perfect": (YES, LUCK, YES, NO, NO, YES, YES, NO, YES, NO, NO),
    "guesser": (OPEN, LUCK, LUCK, OPEN, OPEN, OPEN, OPEN, OPEN, LUCK, NO, YES),
    "crasher": (OPEN, OPEN, YES, NO, NO, OPEN, OPEN, NO, YES, YES, NO),
    "sampled": (YES, LUCK, YES, OPEN, OPEN, YES, YES, OPEN, YES, NO, YES),
    "artefact": (YES, LUCK, YES, OPEN, OPEN, YES, YES, YES, YES, NO, NO),
}


def write_split(folder: Path, golds: np.ndarray, donors: np.ndarray) -> list[ItemRow]:
    """Write a split with those golds, and the golds of the clips in their place."""
    items = [
        make_item(
            row,
            int(gold),
            task=("emotion", "attitude")[row // 4 % 2],
            language=("th", "id")[row // 8 % 2],
        )
        for row, gold in enumerate(golds)
    ]
    conditions = []
    for name in LEFT:
        probe = name.removesuffix("_sham")
        sham_of = None if probe == name else probe
        donor = {"donor": "hard"} if name == "mismatched" else {}
        conditions.append(describe(name, sham_of, RECIPES.get(probe), **donor))
    make_split(
        folder,
        items,
        conditions,
        lambda item, name: (
            {"donor_answer": LABELS[donors[item.row]]} if name == "mismatched" else {}
        ),
    )
    return items


def answers(
    model: str, golds: np.ndarray, donors: np.ndarray, random: np.random.Generator
) -> dict[str, list[str]]:
    """Return what a model says in each condition."""
    fixed = random.integers(0, 4, N)
    prior = np.where(random.random(N) < 0.45, golds, fixed)
    hears = {
        "words-listener": {"words"},
        "prosody-listener": {"melody"},
        "deaf": set(),
        "text-prior": set(),
    }
    said = {}
    for name, left in LEFT.items():
        heard = hears.get(model, {"words", "melody"})
        guess = random.integers(0, 4, N)
        choice = prior if model == "text-prior" else fixed
        if model == "guesser":
            choice = guess
        elif heard & {*left.split()}:
            choice = golds
        elif heard and left == "another":
            choice = donors
        if model == "sampled":
            choice = np.where(random.random(N) < 0.1, guess, choice)
        if model == "artefact" and name.startswith(("prosody_only", "words_only")):
            choice = np.where(random.random(N) < 0.2, guess, choice)
        letters = ["ABCD"[place] for place in choice]
        is_lost = model == "crasher" and name == "silence"
        said[name] = ["", "Error: the audio is empty"] * (N // 2) if is_lost else letters
    return said


def write_models(folder: Path, seed: int) -> tuple[Path, Path]:
    """Write a split and the predictions of all models; return where they are."""
    random = np.random.default_rng(seed)
    golds = random.integers(0, 4, N)
    donors = (golds + random.integers(1, 4, N)) % 4
    items = write_split(folder / "split", golds, donors)
    for model in MODELS:
        said = answers(model, golds, donors, random)
        write_answers(
            folder / "predictions" / model,
            items,
            list(LEFT),
            lambda item, name, said=said: said[name][item.row],
        )
    return folder / "split", folder / "predictions"


def verdicts(result: dict) -> dict[str, tuple[str, ...]]:
    """Return what the claims of `CLAIMS` came to for each model."""
    found = {}
    for model in result["models"]:
        claims = {(one["name"], one["condition"]): one["verdict"] for one in model["claims"]}
        found[model["model"]] = tuple(claims[key] for key in CLAIMS)
    return found


def score(seed: int, *words: str) -> dict[str, tuple[str, ...]]:
    """Write a draw, score it with the command, and return the verdicts of each model."""
    with tempfile.TemporaryDirectory() as scratch:
        split, predictions = write_models(Path(scratch), seed)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            run(["score", str(split), str(predictions), "--json", *words])
        return verdicts(json.loads(out.getvalue())["result"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    draws = [score(seed) for seed in range(options.draws)]
    print("| model | " + " | ".join(CLAIMS.values()) + " |")
    print("|---" * (len(CLAIMS) + 1) + "|")
    for model in MODELS:
        cells = []
        for place in range(len(CLAIMS)):
            counts = Counter(draw[model][place] for draw in draws).most_common()
            cells.append(
                counts[0][0]
                if len(counts) == 1
                else ", ".join(f"{verdict} {count}" for verdict, count in counts)
            )
        print(f"| {model} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
