"""How long donors take, how much memory, and how close they come in duration.

    python benchmarks/bench_donors.py [--items 5000]

Each row is one arm on made-up items of one clip each, with durations drawn from a gamma
distribution of 6 s on average (or all of 1 s), in a process of its own, so that its peak memory is
its own. Processor time counts, of the assignment alone; the items are made before.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from perturb.benchmark.item import Benchmark, Clip, Item, ItemAudio
from perturb.recipes.suite import DonorArm
from perturb.split.donors.assigning import assign_donors


class Case(NamedTuple):
    """A benchmark and an arm; `golds` are the shares of the answers."""

    name: str
    arm: DonorArm = "hard"
    golds: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25)
    has_own_answers: bool = False
    tasks: int = 1
    equal_durations: bool = False
    draws: int = 1


CASES = (
    Case("one stratum, 4 answers"),
    Case("one stratum, 4 answers, all of 1 s", equal_durations=True),
    Case("three draws", draws=3),
    Case("ten strata", tasks=10),
    Case("every answer its own", has_own_answers=True),
    Case("60 % of one answer", golds=(0.6, 0.4)),
    Case("99 % of one answer", golds=(0.99, 0.01)),
    Case("one answer: all impossible", golds=(1.0,)),
    Case("easy, ten tasks", arm="easy", tasks=10),
    Case("same answer", arm="same_answer"),
)


def make_benchmark(case: Case, count: int) -> tuple[Benchmark, dict[str, float]]:
    generator = np.random.default_rng(0)
    golds = generator.choice(len(case.golds), count, p=case.golds)
    seconds = np.ones(count) if case.equal_durations else generator.gamma(2.0, 3.0, count) + 0.2
    items = []
    for row, gold in enumerate(golds.tolist()):
        answer = f"answer {row if case.has_own_answers else gold}"
        others = range(row, row + 4) if case.has_own_answers else range(len(case.golds))
        items.append(
            Item(
                row=row,
                item_id=str(row),
                pair_id=str(row),
                audios=(ItemAudio(role="main", clip=f"clip {row}", source=""),),
                question="What is heard?",
                choices=tuple(f"answer {at}" for at in others),
                answer=answer,
                task=f"task {row % case.tasks}",
                language="th",
            )
        )
    benchmark = Benchmark(
        reader="",
        reason="",
        path=Path(),
        audio_root=Path(),
        items=tuple(items),
        clips={item.audios[0].clip: Clip(key=item.audios[0].clip) for item in items},
        rows=(),  # type: ignore[arg-type]
    )
    return benchmark, {f"clip {row}": float(value) for row, value in enumerate(seconds)}


def run(case: Case, count: int) -> str:
    benchmark, durations_s = make_benchmark(case, count)
    start = time.process_time()
    table = assign_donors(benchmark, durations_s, {}, case.arm, case.draws, 0)
    spent = time.process_time() - start
    chosen = [host.donors[0] for host in table.hosts if host.donors]
    apart = [abs(np.log(choice.duration_ratio)) for choice in chosen] or [float("nan")]
    ratios = np.exp(np.quantile(apart, [0.5, 0.95]))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0
    return (
        f"{case.name:38}{spent:8.1f}{peak_mb:8.0f}{len(table.impossible):11}"
        f"{sum(choice.shared for choice in chosen):8}{ratios[0]:9.3f}{ratios[1]:9.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=5000, help="items of the benchmark")
    options = parser.parse_args()
    print(f"{options.items} items; first draw; duration ratio median and 95th percentile")
    print(f"{'':38}{'s':>8}{'MB':>8}{'impossible':>11}{'shared':>8}{'median':>9}{'95 %':>9}")
    spawn = multiprocessing.get_context("spawn")
    for case in CASES:
        with spawn.Pool(1) as pool:
            print(pool.apply(run, (case, options.items)), flush=True)


if __name__ == "__main__":
    main()
