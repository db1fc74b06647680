"""The categories of the bank are distinct: a plain classifier names what it never heard."""

from __future__ import annotations

import numpy as np
import pytest

from tests.instruments.distinctness import answers, describe_all
from tests.instruments.event_classifier import LinearDiscriminants

pytestmark = pytest.mark.slow


def test_a_plain_classifier_names_nine_in_ten_unheard_events():
    recall = {name: called.get(name, 0) / 4 for name, called in answers().items()}
    poor = {name: share for name, share in recall.items() if share < 0.6}
    assert sum(recall.values()) / len(recall) >= 0.9
    assert not poor


def test_the_classifier_is_no_oracle():
    features, labels = describe_all(range(2))
    shuffled = np.random.default_rng(0).permutation(labels)
    right = LinearDiscriminants(features, shuffled).classify(features[::2]) == labels[::2]
    assert right.mean() < 0.2
