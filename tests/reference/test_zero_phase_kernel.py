"""The chunked kernels against difference equations written out."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels import zero_phase as kernels
from perturb.kernels._jit import as_input
from perturb.kernels.block_levels import measure_blocks
from perturb.synthesis.filters import band_pass, high_pass, low_pass
from tests.reference import zero_phase as plain

ROUNDING = 1e-6
"""Float32 between the two directions and of the result, relative to the largest sample."""

FILTERS = {
    "low": low_pass(300.0, 8_000, order=6),
    "low, one section": low_pass(30.0, 1_000, order=2),
    "high": high_pass(300.0, 8_000, order=6),
    "band": band_pass(500.0, 900.0, 8_000),
}
each_filter = pytest.mark.parametrize("name", FILTERS)


def _filter(samples, made, contour=(), block=1, settle=None):
    settle = made.settle_samples if settle is None else settle
    work = np.full(samples.size + settle, np.nan, dtype=np.float32)
    kernels.filter_zero_phase(
        as_input(samples),
        as_input(contour),
        block,
        made.sections,
        made.gain,
        made.dc_gain,
        settle,
        work,
    )
    return work[: samples.size]


def _noise(count, seed=0):
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


@each_filter
@pytest.mark.parametrize("count", [1, 2, 3, 479, 1_023, 1_024, 1_025])
def test_any_length(name, count):
    made, samples = FILTERS[name], _noise(count) + np.float32(0.5)
    expected = plain.filter_zero_phase(
        samples, (), 1, made.sections, made.gain, made.dc_gain, made.settle_samples
    )
    assert _filter(samples, made) == pytest.approx(expected, abs=ROUNDING * 4)


@pytest.mark.parametrize("extra", [0, 1, 700, 1_023])
@pytest.mark.parametrize("contour", [(), np.linspace(0.0, 2.0, 800)], ids=["plain", "weighed"])
def test_long_signals_are_filtered_in_two_halves(extra, contour):
    made = FILTERS["low"]
    count = 2 * made.settle_samples + 4 * kernels.CHUNK + 1 + extra
    samples = _noise(count, 9) + np.float32(0.2)
    samples[count // 2 - 50 :] *= np.float32(10.0)  # a step near the seam
    expected = plain.filter_zero_phase(
        samples, contour, 8, made.sections, made.gain, made.dc_gain, made.settle_samples
    )
    assert _filter(samples, made, contour, 8) == pytest.approx(expected, abs=ROUNDING * 80)


@pytest.mark.parametrize("settle", [0, 1, 5, 1_500])
def test_any_continuation(settle):
    made, samples = FILTERS["band"], _noise(300, 1)
    expected = plain.filter_zero_phase(samples, (), 1, made.sections, made.gain, 0.0, settle)
    assert _filter(samples, made, settle=settle) == pytest.approx(expected, abs=ROUNDING * 4)


@pytest.mark.parametrize("block", [1, 7, 8, 2_000])
@pytest.mark.parametrize("count", [1, 5, 1_300])
def test_a_contour_weighs_the_samples(count, block):
    made, samples = FILTERS["band"], _noise(count, 2)
    contour = np.random.default_rng(3).uniform(0.0, 2.0, -(-count // block)).astype(np.float32)
    expected = plain.filter_zero_phase(
        samples, contour, block, made.sections, made.gain, 0.0, made.settle_samples
    )
    found = _filter(samples, made, contour, block)
    assert found == pytest.approx(expected, abs=ROUNDING * 4)


@each_filter
def test_a_constant_is_kept_or_removed_exactly(name):
    made = FILTERS[name]
    result = _filter(np.full(700, 0.3, dtype=np.float32), made)
    assert np.all(result == np.float32(0.3 * made.dc_gain))


@each_filter
def test_what_dies_away_ends_in_zeros(name):
    samples = np.zeros(2_400, dtype=np.float32)
    samples[:20] = _noise(20, 4)
    result = _filter(samples, FILTERS[name])
    assert np.all(np.isfinite(result))
    # Neither denormal floats nor a residue: after that long nothing is left.
    quiet = np.abs(result[-100:])
    assert np.all((quiet == 0.0) | (quiet > np.finfo(np.float32).tiny))


@pytest.mark.parametrize("block", [1, 2, 3, 4, 16, 500])
@pytest.mark.parametrize("count", [1, 15, 16, 1_000])
def test_blocks(count, block):
    samples = _noise(count, 5)
    magnitudes = np.full(-(-count // block), np.nan, dtype=np.float32)
    energy = measure_blocks(as_input(samples), block, magnitudes)
    expected, expected_energy = plain.measure_blocks(samples, block)
    assert magnitudes == pytest.approx(expected, rel=1e-6)
    assert energy == pytest.approx(expected_energy, rel=1e-12)


@pytest.mark.parametrize("block", [1, 3, 16, 900])
@pytest.mark.parametrize("count", [1, 16, 1_100])
def test_added_with_a_contour(count, block):
    samples, onto = _noise(count, 6), _noise(count, 7)
    for contour in (
        np.random.default_rng(8).uniform(-1.0, 2.0, -(-count // block)).astype(np.float32),
        np.array([0.25], dtype=np.float32),
    ):
        expected = plain.add_scaled(samples, contour, block, onto)
        result = onto.copy()
        kernels.add_scaled(as_input(samples), as_input(contour), block, result)
        assert result == pytest.approx(expected, abs=3e-6)
