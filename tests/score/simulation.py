"""Answers drawn from known worlds, and how often intervals and tests get them right.

    python -m tests.score.simulation [--worlds 1000]

prints the table of coverage and false alarms. A world has clips with questions that share what
makes their clip hard, and what makes an edit hurt or help on it.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from perturb.score.inference.contrasts import contrast
from perturb.score.inference.estimating import estimate
from perturb.score.inference.mcnemar import mcnemar_test
from perturb.score.inference.settings import Settings
from perturb.score.inference.sign_flip import sign_flip_test
from perturb.score.inference.statistic import mean
from perturb.score.statistics.retained_ratio import retained_ratio


class World(NamedTuple):
    """Clips, questions on each, and the two arms.

    `accuracy` is that of the second arm; the first is `effect` better on average. Clips differ in
    how easy they are by ± `spread`, and in the effect by ± `tilt`, alike for all their questions.
    Uneven worlds have 1 to 2 × questions − 1 on a clip.
    """

    clips: int
    questions: int = 4
    accuracy: float = 0.5
    effect: float = 0.0
    spread: float = 0.2
    tilt: float = 0.2
    is_uneven: bool = False
    is_graded: bool = False

    def draw(self, random: np.random.Generator):
        """Return the scores of both arms and the clip of each item."""
        sizes = np.full(self.clips, self.questions)
        if self.is_uneven:
            sizes = random.integers(1, 2 * self.questions, self.clips)
        clusters = np.repeat(np.arange(self.clips), sizes)
        ease = self.accuracy + self.spread * random.choice([-1.0, 1.0], self.clips)
        effect = self.effect + self.tilt * random.choice([-1.0, 1.0], self.clips)
        second, first = ease[clusters], (ease + effect)[clusters]
        assert min(first.min(), second.min()) >= 0.0
        assert max(first.max(), second.max()) <= 1.0
        arms = [(random.random(clusters.size) < share).astype(float) for share in (first, second)]
        if self.is_graded:
            arms = [0.8 * arm + 0.2 * random.random(clusters.size) * arm for arm in arms]
        return arms[0], arms[1], clusters


class Rates(NamedTuple):
    """Shares of worlds; coverage is wanted at .95, false alarms (no effect) at .05."""

    wilson: float
    difference: float
    ratio: float
    sign_flip: float
    mcnemar_unclustered: float


def rates(world: World, worlds: int, seed: int = 0) -> Rates:
    """Return how often each interval holds the truth and each test rejects."""
    settings = Settings(n_samples=800)
    random = np.random.default_rng(seed)
    # A right graded answer scores .9 on average.
    scale = 0.9 if world.is_graded else 1.0
    accuracy = scale * (world.accuracy + world.effect)
    ratio = (world.accuracy + world.effect) / world.accuracy
    hits = np.zeros(5)
    for _ in range(worlds):
        first, second, clusters = world.draw(random)
        share = estimate(mean(first), clusters, settings)
        apart = contrast(first, second, clusters, settings)
        kept = estimate(retained_ratio(first, second), clusters, settings)
        binary = (first > 0).astype(float), (second > 0).astype(float)
        alone = mcnemar_test(*binary, np.arange(clusters.size))
        hits += [
            share.low <= accuracy <= share.high,
            apart.difference.low <= scale * world.effect <= apart.difference.high,
            kept.low <= ratio <= kept.high,
            sign_flip_test(first, second, clusters, settings).p_value <= 0.05,
            alone.p_value <= 0.05,
        ]
    return Rates(*(hits / worlds).tolist())


WORLDS = {
    "125 clips × 4": World(125),
    "500 clips × 1": World(500, questions=1),
    "32 clips × 16": World(32, questions=16),
    "20 clips × 4": World(20),
    "100 clips × 1–7": World(100, is_uneven=True),
    "125 clips × 4, graded": World(125, is_graded=True),
    "125 clips × 4, accuracy .9": World(125, accuracy=0.9, spread=0.05, tilt=0.05),
    "125 clips × 4, effect .15": World(125, effect=0.15, spread=0.1),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000)
    options = parser.parse_args()
    print(f"{options.worlds} worlds a row; coverage of 95 % intervals, then rejections at .05")
    print(f"{'':30}{'Wilson':>9}{'diff.':>9}{'ratio':>9}{'flip':>9}{'McNemar':>9}")
    for name, world in WORLDS.items():
        found = rates(world, options.worlds)
        print(f"{name:30}" + "".join(f"{rate:9.3f}" for rate in found), flush=True)


if __name__ == "__main__":
    main()
