"""`shuffle`: where segments go, joins, the sham, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import InapplicableError
from perturb.operators.shuffle import Shuffle
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.shuffle import cut_evenly, draw_order
from perturb.testing.strategies import speech_like
from tests.strategies.sounds import silence

RATE = 16_000
CLIP = speech_like(2.0, RATE, channels=2, seed=4, level=0.05)
FADE = round(0.005 * RATE)


def _steps(count=8):
    """Return a clip whose segments of .25 s each hold a constant of their own."""
    return Signal.from_array(np.repeat(0.01 * np.arange(1, count + 1), RATE // 4), RATE)


def _order(variant):
    return variant.trace.steps[0].notes["orders"][0]


def test_segments_stand_where_the_order_says():
    variant = apply(_steps(), Shuffle(), seed=3)
    found = variant.signal.samples[0].reshape(8, -1)[:, RATE // 8]
    assert np.round(found / 0.01).astype(int).tolist() == [place + 1 for place in _order(variant)]
    assert sorted(_order(variant)) == list(range(8))
    assert variant.trace.status == "ok"


def test_the_map_says_where_each_segment_went():
    variant = apply(CLIP, Shuffle() @ Span(0.5, 1.75), seed=3)
    for place, segment in enumerate(_order(variant)):
        middle = Span(0.5 + 0.25 * segment + 0.1, 0.5 + 0.25 * segment + 0.15)
        (heard,) = variant.trace.time_map.map_span(middle)
        assert heard.start_s == pytest.approx(0.5 + 0.25 * place + 0.1)
        source, target = (span.to_samples(RATE) for span in (middle, heard))
        assert np.array_equal(
            variant.signal.samples[:, slice(*target)], CLIP.samples[:, slice(*source)]
        )


def test_it_is_never_the_order_it_was():
    for seed in range(40):
        orders = [_order(apply(_steps(count), Shuffle(), seed=seed)) for count in (2, 3)]
        assert orders[0] == [1, 0]
        assert orders[1] != [0, 1, 2]


def test_all_orders_come_up():
    orders = {tuple(draw_order(3, np.random.default_rng(seed))) for seed in range(100)}
    assert len(orders) == 5


def test_cuts_fade_to_nothing_and_do_not_click():
    variant = apply(Signal.from_array(np.full(RATE, 0.5), RATE), Shuffle(), seed=1)
    samples = variant.signal.samples[0]
    for cut in (4_000, 8_000, 12_000):
        assert abs(samples[cut - 1]) < 0.001
        assert abs(samples[cut]) < 0.001
    # A raised cosine of 5 ms from 0 to .5 climbs by at most π/2 × .5 / 80 a sample.
    assert np.abs(np.diff(samples)).max() < 1.02 * np.pi / 2 * 0.5 / FADE
    assert samples[0] == samples[-1] == np.float32(0.5)


def test_the_sham_keeps_the_order_and_the_cuts():
    flat = Signal.from_array(np.full(RATE, 0.5), RATE)
    probe, sham = (apply(flat, Shuffle(), seed=1, sham=sham) for sham in (False, True))
    # On a constant, order is not heard: what is left is the cuts.
    assert probe.signal.is_equal(sham.signal)
    variant = apply(CLIP, Shuffle() @ Span(0.5, 1.5), sham=True)
    assert variant.trace.time_map.is_identity
    joins = np.flatnonzero(np.any(variant.signal.samples != CLIP.samples, axis=0))
    cuts = np.array([8_000, 12_000, 16_000, 20_000, 24_000])
    assert np.abs(joins[:, np.newaxis] - cuts).min(axis=1).max() <= FADE
    assert [proof.verdict for proof in variant.trace.measured] == ["ok"] * 3


def test_channels_share_one_order():
    clip = Signal.from_array(np.stack([_steps().samples[0]] * 3), RATE, layout="channels_first")
    shuffled = apply(clip, Shuffle(), seed=3).signal.samples
    assert np.array_equal(shuffled[0], shuffled[1])
    assert np.array_equal(shuffled[0], shuffled[2])


def test_each_span_draws_its_own_order():
    clip = speech_like(8.0, RATE, seed=2)
    step = Step(operator=Shuffle(), spans=(Span(0.0, 3.0), Span(4.0, 7.0)))
    orders = apply(clip, step).trace.steps[0].notes["orders"]
    assert len(orders[0]) == len(orders[1]) == 12
    assert orders[0] != orders[1]


@pytest.mark.parametrize(
    ("length", "segment", "edges"),
    [(10, 10, [0, 10]), (14, 10, [0, 14]), (15, 10, [0, 10, 15]), (24, 10, [0, 10, 24])],
)
def test_the_last_segment_takes_the_rest(length, segment, edges):
    assert cut_evenly(length, segment).tolist() == edges


def test_one_segment_has_no_other_order():
    with pytest.raises(InapplicableError, match=r"@0-0\.3 holds one segment of 0\.25 s"):
        apply(CLIP, Shuffle() @ Span(0.0, 0.3))


def test_silence_is_inapplicable():
    with pytest.raises(InapplicableError, match="digital silence in any order"):
        apply(Signal.from_array(silence(2.0, RATE), RATE), Shuffle())
