"""How often a plain classifier names the category of a sound event that it never heard.

    python -m tests.instruments.distinctness [--save]

It is taught ten events of each category and asked about four others, each made softer, longer and
noisy. `--save` writes what it answered to docs/distinctness.json, of which `python
docs/generate.py` makes the table in docs/events.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from perturb.events.bank import render
from perturb.events.registry import all_categories
from tests.instruments.event_classifier import LinearDiscriminants, describe_event

__all__ = ["answers", "describe_all"]

TAUGHT_SEEDS = range(10)
ASKED_SEEDS = range(1_000, 1_004)
RATE_HZ = 16_000
TARGET = Path(__file__).parents[2] / "docs" / "distinctness.json"


def disturbed(samples: np.ndarray, seed: int) -> np.ndarray:
    """Return an event 0 to 12 dB softer, half a second longer, in noise 20 to 30 dB under it."""
    rng = np.random.default_rng(seed)
    noise_level = 10 ** ((-26.0 - rng.uniform(20.0, 30.0)) / 20)
    out = noise_level * rng.standard_normal(len(samples) + RATE_HZ // 2)
    out[RATE_HZ // 4 : RATE_HZ // 4 + len(samples)] += samples
    return 10 ** (rng.uniform(-12.0, 0.0) / 20) * out


def describe_all(seeds: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return features and category of some events of every category."""
    labels, rows = [], []
    for name in all_categories():
        for seed in seeds:
            sound = disturbed(render(name, seed, RATE_HZ).samples[0], seed)
            rows.append(describe_event(sound, RATE_HZ))
            labels.append(name)
    return np.array(rows), np.array(labels)


def answers() -> dict[str, dict[str, int]]:
    """Return for each category how many of the events asked about were called what."""
    classifier = LinearDiscriminants(*describe_all(TAUGHT_SEEDS))
    features, labels = describe_all(ASKED_SEEDS)
    called = classifier.classify(features)
    return {name: dict(Counter(called[labels == name].tolist())) for name in all_categories()}


def main() -> None:
    """Print how many were right, and what else was said; save it where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help=f"write {TARGET.name}")
    options = parser.parse_args()
    found = answers()
    asked = sum(sum(called.values()) for called in found.values())
    print(f"{sum(called.get(name, 0) for name, called in found.items())} of {asked} right")
    for name, called in found.items():
        for other, count in called.items():
            if other != name:
                print(f"{name} called {other}: {count}")
    if options.save:
        lines = (f"{json.dumps(name)}: {json.dumps(called)}" for name, called in found.items())
        TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
