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

from perturb.kernels._jit import as_input
from perturb.kernels.draw_counts import count_draws
from perturb.score.inference.contrasts import infer_all
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
    count_draws(as_input(np.zeros((1, 1)), np.uint32), np.zeros((1, 1)))
    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0
    start = time.perf_counter()
    original, others = scores[0], scores[1:]
    settings = Settings(n_samples=samples)
    statistics = [accuracy(row) for row in scores]
    statistics += [retained_ratio(row, original) for row in others]
    statistics += [part for row in others for part in contribution(original, row)]
    arms = [(row, original) for row in others]
    estimates, contrasts = infer_all(statistics, arms, clusters, settings)
    verdicts = decide_all(contrasts, settings)
    spent = time.perf_counter() - start
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0
    count = len(estimates) + len(verdicts)
    return f"{questions:18}{count:10}{spent:10.1f}{before_mb:12.0f}{peak_mb:10.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--conditions", type=int, default=8)
    parser.add_argument("--samples", type=int, default=10_000)
    options = parser.parse_args()
    print(f"{options.items} items × {options.conditions} conditions, {options.samples} samples")
    print(f"{'questions a clip':>18}{'numbers':>10}{'s':>10}{'MB before':>12}{'MB peak':>10}")
    spawn = multiprocessing.get_context("spawn")
    for questions in (4, 1):
        with spawn.Pool(1) as pool:
            arguments = (options.items, options.conditions, options.samples, questions)
            print(pool.apply(run, arguments), flush=True)


if __name__ == "__main__":
    main()
