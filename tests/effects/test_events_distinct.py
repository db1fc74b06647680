"""The categories of the bank are distinct: a plain classifier names what it never heard."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.events.bank import render
from perturb.events.registry import all_categories
from tests.instruments.event_classifier import LinearDiscriminants, describe_event

pytestmark = pytest.mark.slow

TAUGHT_SEEDS = range(10)
HEARD_SEEDS = range(1_000, 1_004)
RATE_HZ = 16_000


def disturbed(samples: np.ndarray, seed: int) -> np.ndarray:
    """Return an event 0 to 12 dB softer, half a second longer, in noise 20 to 30 dB under it."""
    rng = np.random.default_rng(seed)
    noise_level = 10 ** ((-26.0 - rng.uniform(20.0, 30.0)) / 20)
    out = noise_level * rng.standard_normal(len(samples) + RATE_HZ // 2)
    out[RATE_HZ // 4 : RATE_HZ // 4 + len(samples)] += samples
    return 10 ** (rng.uniform(-12.0, 0.0) / 20) * out


def describe_all(seeds):
    labels, rows = [], []
    for name in all_categories():
        for seed in seeds:
            sound = disturbed(render(name, seed, RATE_HZ).samples[0], seed)
            rows.append(describe_event(sound, RATE_HZ))
            labels.append(name)
    return np.array(rows), np.array(labels)


def test_a_plain_classifier_names_nine_in_ten_unheard_events():
    classifier = LinearDiscriminants(*describe_all(TAUGHT_SEEDS))
    features, labels = describe_all(HEARD_SEEDS)
    is_right = classifier.classify(features) == labels
    recall = {name: is_right[labels == name].mean() for name in all_categories()}
    poor = {name: share for name, share in recall.items() if share < 0.6}
    assert is_right.mean() >= 0.9
    assert not poor


def test_the_classifier_is_no_oracle():
    features, labels = describe_all(range(2))
    shuffled = np.random.default_rng(0).permutation(labels)
    right = LinearDiscriminants(features, shuffled).classify(features[::2]) == labels[::2]
    assert right.mean() < 0.2
