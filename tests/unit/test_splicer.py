"""The splicer: what an operator is handed, and what becomes of what it hands back."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import PlanError
from perturb.render.splicer import splice
from perturb.signal import Signal
from perturb.span import Span
from tests.reference.joins import join

RATE_HZ = 16_000


@pytest.fixture(scope="module")
def noise():
    samples = np.random.default_rng(1).uniform(-0.5, 0.5, (2, RATE_HZ))
    return Signal.from_array(samples, RATE_HZ, layout="channels_first")


def test_segments_are_read_only_views_in_order_with_their_ramps(noise):
    seen = []

    def render(segment):
        seen.append(segment)
        return segment.samples

    edited = splice(noise, [Span(0.0, 0.25), Span(0.5, 0.51), Span(0.75, 1.0)], render)
    assert edited.signal.is_equal(noise)
    assert edited.time_map.is_identity
    assert [(s.index, s.start, s.stop) for s in seen] == [
        (0, 0, 4_000),
        (1, 8_000, 8_160),
        (2, 12_000, 16_000),
    ]
    assert [(s.start_s, s.stop_s) for s in seen] == [(0.0, 0.25), (0.5, 0.51), (0.75, 1.0)]
    for segment in seen:
        assert not segment.samples.flags.writeable
        assert segment.sample_rate_hz == RATE_HZ
        assert np.array_equal(segment.samples, noise.samples[:, segment.start : segment.stop])
        assert segment.ramp.shape == (segment.stop - segment.start,)
    # No edge at the clip's own ends; a quarter of the span where it is short.
    assert [int((s.ramp < 1.0).sum()) for s in seen] == [160, 80, 160]
    assert seen[0].ramp[0] == 1.0
    assert seen[2].ramp[-1] == 1.0


def test_each_span_is_joined_and_all_else_left_alone(noise):
    edited = splice(
        noise, [Span(0.1, 0.2), Span(0.6, 1.0)], lambda segment: segment.samples * np.float32(-1)
    )
    first = noise.samples[:, 1_600:3_200]
    expected = join(noise.samples, -first, 1_600, 160, 160)
    expected[:, 9_600:] = join(noise.samples, -noise.samples[:, 9_600:], 9_600, 160, 0)[:, 9_600:]
    np.testing.assert_allclose(edited.signal.samples, expected, rtol=0, atol=1e-7)
    for outside in (slice(0, 1_600), slice(3_200, 9_600)):
        assert np.array_equal(edited.signal.samples[:, outside], noise.samples[:, outside])


def test_without_a_join_the_edges_are_the_renderers(noise):
    edited = splice(noise, [Span(0.1, 0.2)], lambda s: np.zeros_like(s.samples), join="none")
    assert not edited.signal.samples[:, 1_600:3_200].any()
    assert edited.signal.samples[:, 1_599].all()


def test_spans_that_touch_are_each_joined_to_the_original(noise):
    edited = splice(
        noise, [Span(0.1, 0.2), Span(0.2, 0.3)], lambda segment: np.zeros_like(segment.samples)
    )
    # At the seam both edges come back to what was there.
    seam = edited.signal.samples[:, 3_199:3_201]
    np.testing.assert_allclose(seam, noise.samples[:, 3_199:3_201], atol=1e-3)


def test_the_input_is_never_written_to(noise):
    before = noise.samples.copy()
    splice(noise, [Span(0.1, 0.9)], lambda segment: np.zeros_like(segment.samples))
    assert np.array_equal(noise.samples, before)

    def write(segment):
        segment.samples[:] = 0.0

    with pytest.raises(ValueError, match="read-only"):
        splice(noise, [Span(0.1, 0.9)], write)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_layout_of_a_result_will_do(noise, dtype, order):
    edited = splice(
        noise,
        [Span(0.25, 0.5)],
        lambda segment: np.array(segment.samples * np.float32(0.5), dtype=dtype, order=order),
    )
    core = slice(4_160, 7_840)
    expected = noise.samples[:, core] * np.float32(0.5)
    assert np.array_equal(edited.signal.samples[:, core], expected)


@pytest.mark.parametrize("shape", [(2, 1_599), (1, 1_600), (1_600,), (1_600, 2)])
def test_another_shape_is_the_operators_fault(noise, shape):
    with pytest.raises(PlanError, match="a spliced operator keeps channels and length"):
        splice(noise, [Span(0.1, 0.2)], lambda segment: np.zeros(shape, dtype=np.float32))
