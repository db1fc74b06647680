"""From answers to a page: the small benchmark split, answered by three simulated models, reported.

    python examples/score_and_report.py [FOLDER]

The models are no models: they know the answers and forget them by rule. `listener` hears words and
loses them as bands are taken away; `text_only` never listens; `crasher` says nothing on silence.
With answers of your own:

    perturb score DIR PREDICTIONS… -o DIR/score.json
    perturb report DIR
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from perturb.cli.app import run

HERE = Path(__file__).parent
BENCHMARK = HERE / "benchmark" / "small-mmau.json"
SUITE = HERE / "benchmark" / "report_suite.toml"

HEARD = {
    "original": 0.95,
    "repeat": 0.95,
    "prosody_only_sham": 0.9,
    "noise_vocoded_32": 0.9,
    "noise_vocoded_16": 0.85,
    "noise_vocoded_8": 0.7,
    "noise_vocoded_4": 0.4,
    "noise_vocoded_2": 0.1,
}
"""How often `listener` hears what it is asked for; nowhere else."""


def main(folder: Path) -> None:
    """Make split, predictions, score and page in `folder`."""
    split = folder / "split"
    made = run(
        [
            *("split", str(BENCHMARK), "-o", str(split), "--overwrite"),
            *("--audio-root", str(HERE / "audio"), "--suite", str(SUITE)),
            *("--task-map", str(HERE / "benchmark" / "task_map.toml"), "--writer", "source"),
        ]
    )
    for model in ("crasher", "listener", "text_only"):
        predict(split, folder / "predictions" / model, model)
    score = split / "score.json"
    scored = run(["score", str(split), str(folder / "predictions"), "-o", str(score)])
    reported = run(["report", str(split), "-o", str(folder / "report.html")])
    print(f"split: exit {made}; score: exit {scored}; report: exit {reported}")


def predict(split: Path, target: Path, model: str) -> None:
    """Write the answers of a model, a file for each condition, in the benchmark's own form."""
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted((split / "source").iterdir()):
        rows = json.loads((source / BENCHMARK.name).read_text())
        for row in rows:
            row["model_output"] = answer(model, source.name, row)
        (target / f"{source.name}.json").write_text(json.dumps(rows))


def answer(model: str, condition: str, row: dict[str, object]) -> str:
    """Return what a model says to a question."""
    choices = [str(choice) for choice in row["choices"]]
    guess = random.Random(f"guess {row['id']}").choice(choices)
    if model == "text_only":
        return guess
    if model == "crasher":
        return "" if condition == "silence" else str(row["answer"])
    chance = random.Random(f"{condition} {row['id']}").random()
    return str(row["answer"]) if chance < HEARD.get(condition, 0.0) else guess


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(Path(scratch))
