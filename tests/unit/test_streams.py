from __future__ import annotations

import random

import numpy as np

from perturb.streams import Streams


def test_a_stream_depends_on_its_key_alone():
    draws = Streams(7, "clip", "main").generator("noise").random(4)
    Streams(7, "clip", "main").generator("other").random(100)
    assert np.array_equal(draws, Streams(7, "clip", "main").generator("noise").random(4))


def test_every_part_of_the_key_counts():
    keys = {
        Streams(seed, clip, name).key(purpose)
        for seed in (0, 1)
        for clip in ("a", "b")
        for name in ("main", "snr")
        for purpose in ("x", "y")
    }
    assert len(keys) == 16
    # Parts do not run into each other.
    assert Streams(0, "ab", "c").key("d") != Streams(0, "a", "bc").key("d")


def test_the_draws_themselves_are_pinned():
    # Held by value: a change here changes every published set and belongs in the changelog.
    assert Streams(0, "clip", "main").key("noise")[:16] == "cd78fab1325daf56"
    draws = Streams(0, "clip", "main").generator("noise").standard_normal(3, dtype=np.float32)
    assert draws.tolist() == [0.7547484636306763, -1.111015796661377, -1.8500621318817139]


def test_global_states_are_left_alone():
    random.seed(1)
    legacy = np.random.get_state()[1].copy()  # noqa: NPY002
    state = random.getstate()
    Streams(0, "clip", "main").generator("noise").random(10)
    assert random.getstate() == state
    assert np.array_equal(np.random.get_state()[1], legacy)  # noqa: NPY002
