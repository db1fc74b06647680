"""`reverse`: backwards, in place, once more is forwards."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import InapplicableError
from perturb.operators.gain import Gain
from perturb.operators.reverse import Reverse
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import speech_like
from tests.strategies.sounds import silence

RATE = 16_000
CLIP = speech_like(2.0, RATE, channels=2, seed=4, level=0.05)


def test_the_whole_clip_is_its_samples_backwards():
    variant = apply(CLIP, Reverse())
    assert np.array_equal(variant.signal.samples, CLIP.samples[:, ::-1])
    assert variant.trace.status == "ok"


def test_twice_is_the_clip():
    assert apply(CLIP, Reverse(), Reverse()).signal.is_equal(CLIP)


def test_a_span_is_backwards_between_its_joins():
    variant = apply(CLIP, Reverse() @ Span(0.5, 1.5))
    edge = round(0.01 * RATE)
    core = variant.signal.samples[:, 8_000 + edge : 24_000 - edge]
    assert np.array_equal(core, CLIP.samples[:, 8_000:24_000][:, ::-1][:, edge:-edge])
    names = {proof.name: proof.achieved for proof in variant.trace.measured}
    assert names == {"difference_from_reversed": 0.0, "outside_difference": 0.0}


def test_time_runs_backwards_in_each_span():
    variant = apply(CLIP, Step(operator=Reverse(), spans=(Span(0.2, 0.6), Span(1.0, 1.5))))
    for asked, heard in [((0.2, 0.3), (0.5, 0.6)), ((1.0, 1.1), (1.4, 1.5)), ((0.7, 0.9),) * 2]:
        (found,) = variant.trace.time_map.map_span(Span(*asked))
        assert (found.start_s, found.stop_s) == pytest.approx(heard)


def test_a_later_step_finds_the_moment_where_it_went():
    impulse = np.full(RATE, 1e-3)
    impulse[4_000:4_160] += 0.1
    clip = Signal.from_array(impulse, RATE)
    variant = apply(clip, Reverse(), Gain(gain_db=20.0) @ Span(0.25, 0.26))
    changed = np.flatnonzero(variant.signal.samples[0] > 0.5)
    assert changed.min() >= 12_000 - 160
    assert changed.max() < 12_000


def test_the_sham_is_the_clip():
    assert apply(CLIP, Reverse() @ Span(0.5, 1.5), sham=True).signal.is_equal(CLIP)


@pytest.mark.parametrize("samples", [silence(1.0, RATE), np.full(RATE, 0.5), np.array([0.3])])
def test_what_is_the_same_backwards_is_inapplicable(samples):
    with pytest.raises(InapplicableError, match="the same backwards"):
        apply(Signal.from_array(samples, RATE), Reverse())
