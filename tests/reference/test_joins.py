"""The kernels of the joins against their plain twin."""

import numpy as np
import pytest

from perturb.kernels.joins import core_of, join_into, join_lengths, join_ramp
from tests.reference.joins import join, weight_of


@pytest.mark.parametrize(
    ("start", "stop", "count", "rate_hz", "expected"),
    [
        (100, 1_700, 16_000, 16_000, (160, 160)),
        (0, 1_700, 16_000, 16_000, (0, 160)),
        (100, 16_000, 16_000, 16_000, (160, 0)),
        (0, 16_000, 16_000, 16_000, (0, 0)),
        (100, 740, 16_000, 16_000, (160, 160)),
        (100, 739, 16_000, 16_000, (159, 159)),
        (100, 108, 16_000, 16_000, (2, 2)),
        (100, 103, 16_000, 16_000, (0, 0)),
        (100, 101, 16_000, 16_000, (0, 0)),
        (1_000, 90_000, 192_000, 192_000, (1_920, 1_920)),
        (1_000, 4_000, 8_000, 8_000, (80, 80)),
        (1_000, 4_000, 11_025, 11_025, (110, 110)),
    ],
)
def test_lengths_by_value(start, stop, count, rate_hz, expected):
    assert join_lengths(start, stop, count, rate_hz) == expected
    low, high = core_of(start, stop, count, rate_hz)
    assert (low - start, stop - high) == expected
    assert high - low >= (stop - start) / 2


@pytest.mark.parametrize(
    ("count", "rising", "falling"), [(10, 0, 0), (10, 2, 3), (400, 80, 80), (7, 1, 1), (1, 0, 0)]
)
def test_the_ramp_equals_its_twin(count, rising, falling):
    ramp = join_ramp(count, rising, falling)
    assert ramp.dtype == np.float32
    expected = [weight_of(position, count, rising, falling) for position in range(count)]
    np.testing.assert_allclose(ramp, expected, rtol=0, atol=6e-8)
    assert (ramp[rising : count - falling] == 1.0).all()
    assert (ramp > 0.0).all()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(
    ("start", "length", "rising", "falling"),
    [(0, 200, 0, 40), (50, 100, 25, 25), (130, 70, 17, 0), (0, 200, 0, 0), (60, 1, 0, 0)],
)
def test_the_join_equals_its_twin(channels, start, length, rising, falling):
    random = np.random.default_rng(length)
    clip = random.uniform(-1.0, 1.0, (channels, 200)).astype(np.float32)
    edited = random.uniform(-1.0, 1.0, (channels, length)).astype(np.float32)
    edited.setflags(write=False)
    out = clip.copy()
    join_into(edited, start, rising, falling, out)
    expected = join(clip, edited, start, rising, falling)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-7)
    outside = np.ones(200, dtype=bool)
    outside[start : start + length] = False
    assert np.array_equal(out[:, outside], clip[:, outside])
    core = slice(start + rising, start + length - falling)
    assert np.array_equal(out[:, core], edited[:, rising : length - falling])


def test_an_edit_that_changes_nothing_joins_to_the_same_bits():
    clip = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 300)).astype(np.float32)
    out = clip.copy()
    join_into(clip[:, 50:250].copy(), 50, 40, 40, out)
    assert np.array_equal(out, clip)
