"""Models that are known are told apart by their verdicts: 500 items, four questions a clip."""

import numpy as np
import pytest

from perturb.score.inference.contrasts import contrast_all
from perturb.score.inference.estimating import estimate
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import mean
from perturb.score.inference.verdict import decide_all
from perturb.score.statistics.answer_states import in_state

CONTRASTS = [
    ("silence", "repeat"),
    ("prosody_only", "prosody_only_sham"),
    ("prosody_only_sham", "repeat"),
]
CONDITIONS = ("original", "repeat", "silence", "prosody_only", "prosody_only_sham")
N = 500
CLUSTERS = np.arange(N) // 4


def answers(model, random):
    """Return the scores of a model in each condition; golds and guesses are among four options."""
    gold, fixed = random.integers(0, 4, (2, N))
    guess = lambda: random.integers(0, 4, N)  # noqa: E731
    prior = np.where(random.random(N) < 0.45, gold, fixed)
    hears_all = dict.fromkeys(CONDITIONS, gold) | {"silence": fixed}
    hurt = {
        name: np.where(random.random(N) < 0.2, guess(), gold)
        for name in ("prosody_only", "prosody_only_sham")
    }
    given = {
        "deaf": dict.fromkeys(CONDITIONS, fixed),
        "text prior": dict.fromkeys(CONDITIONS, prior),
        "perfect": hears_all,
        "words only": hears_all | {"prosody_only": fixed},
        "prosody only": hears_all | {"prosody_only_sham": fixed},
        "guesser": {name: guess() for name in CONDITIONS},
        "artefact": hears_all | hurt,
        "sampled": {
            name: np.where(random.random(N) < 0.1, guess(), answer)
            for name, answer in hears_all.items()
        },
    }[model]
    return {name: (answer == gold).astype(float) for name, answer in given.items()}


# What silence takes, what the probe takes beyond its sham, what the sham takes. The words-only
# model loses the probe and not the sham, which keeps words; the prosody-only model is given a sham
# that destroys prosody, so it loses that one.
EXPECTED = {
    "deaf": ("equivalent", "equivalent", "equivalent"),
    "text prior": ("equivalent", "equivalent", "equivalent"),
    "perfect": ("differs", "equivalent", "equivalent"),
    "words only": ("differs", "differs", "equivalent"),
    "prosody only": ("differs", "differs", "differs"),
    "guesser": ("undecided", "undecided", "undecided"),
    "artefact": ("differs", "undecided", "differs"),
    "sampled": ("differs", "undecided", "undecided"),
}


@pytest.mark.parametrize("model", sorted(EXPECTED))
def test_each_model_gets_its_verdicts(model):
    """Over 20 draws; noise may fool a verdict now and then (5 % each), not often."""
    random = np.random.default_rng(0)
    hits = np.zeros(3)
    for _ in range(20):
        scores = answers(model, random)
        arms = [(scores[first], scores[second]) for first, second in CONTRASTS]
        verdicts = decide_all(contrast_all(arms, CLUSTERS, Settings(n_samples=1000)))
        hits += [each.verdict == want for each, want in zip(verdicts, EXPECTED[model], strict=True)]
    assert (hits >= 17).all(), hits


def test_a_crasher_is_told_from_a_guesser_by_its_states():
    """Both are wrong on silence three times out of four and more; one of them says nothing."""
    unparsed = 1
    crashed = estimate(mean(in_state(np.full(N, unparsed), unparsed, np.ones(N))), CLUSTERS)
    guessed = estimate(mean(in_state(np.zeros(N), unparsed, np.ones(N))), CLUSTERS)
    assert crashed.low > 0.9
    assert guessed.high < 0.1
