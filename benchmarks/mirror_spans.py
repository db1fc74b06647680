"""What the mirror's operators make of spans that are cut anywhere from clean speech.

    python benchmarks/mirror_spans.py [--seconds 1.0] [FILE …]

Every 1.7 s a span begins, mostly in the midst of a word: edited inside all bounds, refused, or off
target, and which proofs were missed how often.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import perturb as pt
from bench_mirror import CLIPS, ROOT

sys.path.insert(0, str(ROOT))

from tests.instruments.mixed_verdicts import OPERATORS

FIRST_S, EVERY_S, LAST_S = 0.3, 1.7, 0.2


def spans_of(duration_s: float, length_s: float) -> list[pt.Span]:
    """Return the spans of a clip."""
    spans = []
    start_s = FIRST_S
    while start_s + length_s < duration_s - LAST_S:
        spans.append(pt.Span(round(start_s, 3), round(start_s + length_s, 3)))
        start_s += EVERY_S
    return spans


def main() -> None:
    """Print a row for each operator."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="length of the spans")
    parser.add_argument("files", nargs="*", type=Path, help="speech; else the examples")
    options = parser.parse_args()
    statuses = {name: Counter[str]() for name in OPERATORS}
    missed = {name: Counter[str]() for name in OPERATORS}
    for path in options.files or CLIPS:
        clip = pt.Analysis(pt.read_audio(path).signal)
        for span in spans_of(clip.signal.duration_s, options.seconds):
            for name, operator in OPERATORS.items():
                try:
                    trace = pt.apply(clip, operator @ span).trace
                except pt.InapplicableError:
                    statuses[name]["inapplicable"] += 1
                    continue
                statuses[name][trace.status] += 1
                missed[name].update(p.name for p in trace.measured if p.verdict != "ok")
    print(f"{'':16}{'ok':>6}{'refused':>9}{'off target':>12}  missed")
    for name, found in statuses.items():
        print(
            f"{name:16}{found['ok']:6}{found['inapplicable']:9}{found['off_target']:12}"
            f"  {dict(missed[name])}"
        )


if __name__ == "__main__":
    main()
