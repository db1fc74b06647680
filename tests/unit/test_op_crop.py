"""`crop`: what is kept, where time went, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import InapplicableError, ParameterError
from perturb.operators.crop import Crop
from perturb.operators.gain import Gain
from perturb.operators.shuffle import Shuffle
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.span import Span
from perturb.testing.strategies import speech_like

RATE = 16_000
CLIP = speech_like(3.0, RATE, channels=2, seed=4, level=0.05)
EDGE = round(0.01 * RATE)


def test_a_span_is_kept():
    variant = apply(CLIP, Crop() @ Span(0.5, 1.75))
    assert variant.signal.sample_count == 20_000
    kept = CLIP.samples[:, 8_000:28_000]
    assert np.array_equal(variant.signal.samples[:, EDGE:-EDGE], kept[:, EDGE:-EDGE])
    assert np.abs(variant.signal.samples[:, [0, -1]]).max() < 0.001
    assert variant.trace.status == "ok"


@pytest.mark.parametrize(("part", "start_s"), [("start", 0.0), ("middle", 1.0), ("end", 2.0)])
def test_a_duration_is_kept(part, start_s):
    variant = apply(CLIP, Crop(duration_s=1.0, part=part))
    start = round(start_s * RATE)
    kept = CLIP.samples[:, start : start + RATE]
    assert np.array_equal(variant.signal.samples[:, EDGE:-EDGE], kept[:, EDGE:-EDGE])
    # Where the clip itself begins or ends there is nothing to fade from.
    assert np.array_equal(variant.signal.samples[:, :EDGE], kept[:, :EDGE]) == (part == "start")
    assert np.array_equal(variant.signal.samples[:, -EDGE:], kept[:, -EDGE:]) == (part == "end")


def test_later_spans_move_with_the_fragment_or_are_gone():
    step = Gain(gain_db=6.0)
    variant = apply(CLIP, Crop() @ Span(1.0, 2.0), step @ Span(1.25, 1.5))
    assert [str(span) for span in variant.trace.steps[1].spans_before] == ["@0.25-0.5"]
    with pytest.raises(InapplicableError, match=r"@2\.5-2\.75 removed by step 1 \(crop\)"):
        apply(CLIP, Crop() @ Span(1.0, 2.0), step @ Span(2.5, 2.75))


def test_the_sham_is_the_whole_clip():
    assert apply(CLIP, Crop() @ Span(1.0, 2.0), sham=True).signal.is_equal(CLIP)


@pytest.mark.parametrize("operator", [Crop(), Crop(duration_s=3.0), Crop(duration_s=30.0)])
def test_keeping_all_is_inapplicable(operator):
    with pytest.raises(InapplicableError, match="the whole clip"):
        apply(CLIP, operator)


def test_several_fragments_are_joined_in_their_order():
    step = Step(operator=Crop(), spans=(Span(0.0, 1.0), Span(2.0, 2.5)))
    variant = apply(CLIP, step)
    assert variant.signal.sample_count == 24_000
    second = variant.signal.samples[:, 16_000 + EDGE : -EDGE]
    assert np.array_equal(second, CLIP.samples[:, 32_000 + EDGE : 40_000 - EDGE])
    # The join is a fade on either side, never a jump.
    assert np.abs(variant.signal.samples[:, 15_998:16_002]).max() < 0.001
    (heard,) = variant.trace.time_map.map_span(Span(2.25, 2.3))
    assert heard.start_s == pytest.approx(1.25)
    assert variant.trace.status == "ok"


def test_a_fragment_that_was_torn_apart_is_found_again():
    variant = apply(CLIP, Shuffle(segment_s=0.5), Crop() @ Span(1.0, 2.0), seed=2)
    assert variant.signal.sample_count == RATE
    assert variant.trace.status == "ok"
    starts = {piece.source_start_s for piece in variant.trace.time_map.pieces}
    assert starts == {1.0, 1.5}


def test_a_duration_is_for_the_whole_clip():
    with pytest.raises(ParameterError, match="these parameters are for the whole clip"):
        Step(operator=Crop(duration_s=1.0), spans=(Span(0.0, 1.0),))
