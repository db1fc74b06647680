from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels import level_match
from perturb.kernels._jit import as_input
from tests.reference import level_match as twin

WEIGHTS = np.array([0.25, 0.75, 1.0, 0.75, 0.25])


def impose(target, samples, block_samples, *, nominal_rms=1.0, passes=3, is_open=None):
    if is_open is None:
        is_open = np.ones(int(np.ceil(target.size / block_samples)), dtype=bool)
    out = samples.astype(np.float32)
    level_match.impose_level(
        as_input(target), as_input(is_open, np.bool_), as_input(WEIGHTS, np.float64),
        block_samples, nominal_rms, passes, out,
    )  # fmt: skip
    args = (WEIGHTS, block_samples, nominal_rms, passes, samples.astype(np.float32))
    return out, twin.impose_level(target.astype(np.float32), is_open, *args)


def bursts(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(count) * (0.5 + 0.45 * np.sin(np.arange(count) / 90)) * 0.1


@pytest.mark.parametrize("nominal_rms", [0.0, 1.0])
@pytest.mark.parametrize("block_samples", [20.0, 27.5625, 40.0])
@pytest.mark.parametrize("count", [1, 19, 700, 1_200])
def test_twin(count, block_samples, nominal_rms):
    noise = np.random.default_rng(9).standard_normal(count)
    scale = 1.0 if nominal_rms else 0.05
    out, expected = impose(bursts(count), noise * scale, block_samples, nominal_rms=nominal_rms)
    np.testing.assert_allclose(out, expected, atol=2e-6)


def test_twin_with_closed_blocks_and_gaps():
    target = bursts(1_200)
    target[300:600] = 0.0
    is_open = np.ones(60, dtype=bool)
    is_open[40:50] = False
    noise = np.random.default_rng(9).standard_normal(1_200)
    noise[100:200] = 0.0
    out, expected = impose(target, noise, 20.0, is_open=is_open)
    np.testing.assert_allclose(out, expected, atol=2e-6)
    # Silence where the target is silent for longer than the window, and where nothing is open.
    assert not out[360:540].any()
    assert not out[810:990].any()


def test_the_contour_is_met():
    target = bursts(2_400)
    out, _ = impose(target, np.random.default_rng(9).standard_normal(2_400), 20.0)
    is_open = np.ones(120, dtype=bool)
    wanted, got = (twin.contour(x, is_open, WEIGHTS, 20.0) for x in (target, out))
    difference_db = 20 * np.log10(got / wanted)
    assert difference_db.std() < 0.3
    assert difference_db.mean() == pytest.approx(0.0, abs=0.05)


def test_an_offset_is_no_level():
    out, _ = impose(np.full(600, 0.5), np.random.default_rng(9).standard_normal(600), 27.5625)
    assert not out.any()


def test_next_to_nothing_is_not_blown_up():
    samples = np.full(600, 1e-9)
    samples[::2] *= -1
    out, _ = impose(bursts(600), samples, 20.0)
    assert np.abs(out).max() < 1e-6
