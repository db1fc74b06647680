"""How long the inference of a whole score takes, and how much memory.

    python benchmarks/bench_score.py [--items 100000] [--conditions 8] [--samples 10000]

Made-up answers of one model. Every condition has its accuracy, its contrast with the original
(interval, inner interval, exact sign-flip test), its retained ratio, and its contribution with both
halves. One row per number of questions on a clip, each in a process of its own. Wall time and peak
memory count; making the answers and importing do not. The bar is 20 s and 1 GB on two cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np

from perturb.score.inference.contrasts import infer_all
from perturb.score.inference.resampling import resample_sums
from perturb.score.inference.settings import Settings
from perturb.score.inference.verdict import decide_all
from perturb.score.statistics.accuracy import accuracy
from perturb.score.statistics.contribution import contribution
from perturb.score.statistics.retained_ratio import retained_ratio


def run(items: int, conditions: int, samples: int, questions: int) -> str:
    random = np.random.default_rng(0)
    clusters = np.arange(items) // questions
    ease = random.random(clusters.max() + 1)[clusters]
    scores = (random.random((conditions, items)) < ease).astype(np.float64)
    scores[random.random(scores.shape) < 0.01] = np.nan
    resample_sums(np.ones((1, 1)), 1, seed=0)  # compiles
    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0
    start, start_cpu = time.perf_counter(), time.process_time()
    original, others = scores[0], scores[1:]
    settings = Settings(n_samples=samples)
    statistics = [accuracy(row) for row in scores]
    statistics += [retained_ratio(row, original) for row in others]
    statistics += [part for row in others for part in contribution(original, row)]
    arms = [(row, original) for row in others]
    estimates, contrasts = infer_all(statistics, arms, clusters, settings)
    verdicts = decide_all(contrasts, settings)
    spent, spent_cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0
    count = len(estimates) + len(verdicts)
    return f"{questions:18}{count:10}{spent:10.1f}{spent_cpu:10.1f}{before_mb:12.0f}{peak_mb:10.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--conditions", type=int, default=8)
    parser.add_argument("--samples", type=int, default=10_000)
    options = parser.parse_args()
    print(f"{options.items} items × {options.conditions} conditions, {options.samples} samples")
    print(
        f"{'questions a clip':>18}{'numbers':>10}{'s':>10}{'s of CPU':>10}"
        f"{'MB before':>12}{'MB peak':>10}"
    )
    spawn = multiprocessing.get_context("spawn")
    for questions in (4, 1):
        with spawn.Pool(1) as pool:
            arguments = (options.items, options.conditions, options.samples, questions)
            print(pool.apply(run, arguments), flush=True)


if __name__ == "__main__":
    main()
