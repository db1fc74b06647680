"""How long it takes to plan where anchors go, in seconds for one hour of speech, on one core.

    python benchmarks/bench_anchors.py [--minutes 60] [--seeds 20]

The clip is the committed sentences in a row with pauses of half a second between them. The rows
are what `perturb.anchors` does with it, one after the other: detectors of activity, segments from
its pauses (the F0 track that tells tunes from speech included), segments from a transcript of as
many lines, and placement of three windows, for several seeds the slowest.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

import perturb as pt
from perturb.anchors.placement import Placement, PlacementRules
from perturb.anchors.placing import place
from perturb.anchors.segment import Relation, Segment
from perturb.anchors.segmenting import find_segments
from perturb.measure.analysis import Analysis
from run import SENTENCES

PAUSE_S = 0.5


def make_clip(seconds: float) -> tuple[pt.Signal, list[Segment]]:
    """Return the sentences in a row, and a transcript in which every third line answers another."""
    parts = [pt.read_audio(path).signal for path in sorted(SENTENCES.glob("*.wav"))]
    rate = parts[0].sample_rate_hz
    pause = np.zeros(round(PAUSE_S * rate), dtype=np.float32)
    pieces, lines, at_s = [], [], 0.0
    while at_s < seconds:
        part = parts[len(lines) % len(parts)]
        pieces += [part.samples[0], pause]
        answers = (Relation(to=len(lines) - 2, kind="answers"),) if len(lines) % 3 == 2 else ()
        lines.append(
            Segment(start_s=at_s, stop_s=at_s + part.duration_s, text="…", relations=answers)
        )
        at_s += part.duration_s + PAUSE_S
    samples = np.concatenate(pieces)[np.newaxis, : round(seconds * rate)]
    return pt.Signal.adopt(samples, rate), lines


def timed(work: Callable[[], object]) -> float:
    """Return how long some work takes, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def slowest(
    analysis: Analysis, segments: tuple[Segment, ...], seeds: int, uses: str
) -> tuple[float, str]:
    """Return the slowest placement of three windows over several seeds in seconds, and a result."""
    rules = PlacementRules(positions=(3, 3), relations=uses)
    took_s, result = 0.0, ""
    for seed in range(seeds):
        start = time.perf_counter()
        found = place(analysis, segments, rules, np.random.default_rng(seed))
        took_s = max(took_s, time.perf_counter() - start)
        result = "placed" if isinstance(found, Placement) else f"no place: {found.constraint}"
    return took_s, result


def main() -> None:
    """Print a row for each part of the work."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=20)
    args = parser.parse_args()
    find_segments(Analysis(make_clip(60.0)[0]), None)  # compiles
    clip, lines = make_clip(60.0 * args.minutes)
    analysis = Analysis(clip)

    def show(name: str, seconds: float, note: str = "") -> None:
        print(f"{name:42s} {seconds * 60.0 / args.minutes:8.3f} s per hour  {note}")

    show("detectors", timed(lambda: analysis.detections))
    show("segments from pauses", timed(lambda: find_segments(analysis, None)))
    show(f"transcript of {len(lines)} lines", timed(lambda: find_segments(analysis, lines)))
    found = find_segments(analysis, None).segments
    given = find_segments(analysis, lines).segments
    show(f"placement in {len(found)}", *slowest(analysis, found, args.seeds, "ignore"))
    for uses in ("prefer", "require"):
        show(f"with relations: {uses}", *slowest(analysis, given, args.seeds, uses))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(f"{'peak memory':42s} {peak_mb:8.0f} MB, {clip.samples.nbytes >> 20} of them the clip")


if __name__ == "__main__":
    main()
