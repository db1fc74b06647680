"""What an edit left alone is compared in full, block by block or not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perturb.operators import unchanged
from perturb.operators.unchanged import largest_difference
from perturb.signal import Signal

RATE = 16_000
BEFORE = Signal.adopt(
    np.random.default_rng(0).uniform(-0.5, 0.5, (2, 1_000)).astype(np.float32), RATE
)


def kept(signal):
    return signal


@pytest.mark.parametrize("block", [1, 7, 1_000, 1 << 20])
def test_the_largest_difference_of_all_stretches(block, monkeypatch):
    monkeypatch.setattr(unchanged, "_BLOCK_SAMPLES", block)
    samples = np.concatenate([np.zeros((2, 5), np.float32), BEFORE.samples], axis=1)
    samples[1, 305] += 0.25
    samples[0, 705] += 0.125
    after = Signal.adopt(samples, RATE)
    all_of_it = [(0, 500, 5), (500, 1_000, 505)]
    assert largest_difference(BEFORE, after, all_of_it, kept) == pytest.approx(0.25)
    assert largest_difference(BEFORE, after, all_of_it[1:], kept) == pytest.approx(0.125)
    assert largest_difference(BEFORE, after, [(0, 300, 5)], kept) == 0.0


def test_what_is_compared_is_as_the_file_holds_it():
    halved = largest_difference(
        BEFORE, BEFORE, [(0, 1_000, 0)], lambda signal: Signal.adopt(0.5 * signal.samples, RATE)
    )
    assert halved == pytest.approx(0.5 * np.abs(BEFORE.samples).max())


def test_nothing_to_compare_is_no_agreement():
    assert largest_difference(BEFORE, BEFORE, [], kept) is None
    assert largest_difference(BEFORE, BEFORE, [(10, 10, 10)], kept) is None


@pytest.mark.parametrize("stretch", [(0, 1_001, 0), (0, 1_000, 1), (990, 1_000, 995), (-1, 5, 0)])
def test_a_stretch_that_is_not_there_is_as_far_off_as_can_be(stretch):
    assert largest_difference(BEFORE, BEFORE, [stretch], kept) == math.inf
