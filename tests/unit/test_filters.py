"""Filters against the designs of scipy, and against what zero phase promises."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from perturb.errors import ParameterError
from perturb.synthesis.filters import band_pass, block_magnitudes, energy_of, high_pass, low_pass

RATES_HZ = [8_000, 16_000, 44_100, 192_000]
each_rate = pytest.mark.parametrize("rate", RATES_HZ)

DESIGNS = {
    "low 300": (lambda rate: low_pass(300.0, rate, order=6), (6, 300.0, "lowpass")),
    "low 30": (lambda rate: low_pass(30.0, rate, order=2), (2, 30.0, "lowpass")),
    "high 300": (lambda rate: high_pass(300.0, rate, order=6), (6, 300.0, "highpass")),
    "high 200": (lambda rate: high_pass(200.0, rate, order=4), (4, 200.0, "highpass")),
    "narrow": (lambda rate: band_pass(80.0, 108.0, rate), (3, [80.0, 108.0], "bandpass")),
    "wide": (lambda rate: band_pass(80.0, 3_600.0, rate), (3, [80.0, 3_600.0], "bandpass")),
}
each_design = pytest.mark.parametrize("name", DESIGNS)


@each_rate
@each_design
def test_responses_are_those_of_scipy_squared(name, rate):
    make, (order, edges, kind) = DESIGNS[name]
    sections = scipy.signal.butter(order, edges, kind, fs=rate, output="sos")
    frequencies = np.linspace(0.5, rate / 2 - 1.0, 2_000)
    expected = np.abs(scipy.signal.sosfreqz(sections, frequencies, fs=rate)[1]) ** 2
    assert make(rate).response(frequencies) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rate", [8_000, 44_100])
@each_design
def test_a_click_comes_out_where_it_went_in_and_even_on_both_sides(name, rate):
    made = DESIGNS[name][0](rate)
    middle = 2 * made.settle_samples
    click = np.zeros(2 * middle + 1, dtype=np.float32)
    click[middle] = 1.0
    result = made.run(click)
    assert np.argmax(np.abs(result)) == middle
    scale = float(np.abs(result).max())
    assert result == pytest.approx(result[::-1], abs=2e-6 * scale)
    # Settled means settled: after the time stated nothing is left of it.
    assert np.abs(result[: made.settle_samples]).max() < 1e-5 * scale


@each_rate
def test_a_low_pass_and_a_high_pass_add_up_to_the_signal(rate):
    random = np.random.default_rng(rate)
    samples = random.standard_normal(rate // 4).astype(np.float32) + np.float32(0.2)
    total = low_pass(300.0, rate, order=6).run(samples).copy()
    total += high_pass(300.0, rate, order=6).run(samples)
    assert total == pytest.approx(samples, abs=3e-6)


@each_rate
def test_a_tone_at_an_edge_comes_out_6_db_down(rate):
    tone = np.sin(2 * np.pi * 300.0 * np.arange(rate) / rate).astype(np.float32)
    for made in (low_pass(300.0, rate, order=6), high_pass(300.0, rate, order=2)):
        middle = made.run(tone)[rate // 4 : -rate // 4]
        assert 20 * np.log10(middle.std() / tone.std()) == pytest.approx(-6.02, abs=0.02)


@pytest.mark.parametrize("count", [1, 2, 20, 479])
def test_signals_shorter_than_the_filter(count):
    samples = np.random.default_rng(count).standard_normal(count).astype(np.float32)
    for make, _ in DESIGNS.values():
        result = make(8_000).run(samples)
        assert result.shape == (count,)
        assert np.all(np.isfinite(result))
        assert np.abs(result).max() < 4.0 * np.abs(samples).max()


def test_a_workspace_may_be_longer_and_is_all_that_is_written_to():
    made = low_pass(300.0, 8_000, order=6)
    samples = np.random.default_rng(1).standard_normal(500).astype(np.float32)
    before = samples.copy()
    workspace = np.empty(5_000, dtype=np.float32)
    result = made.run(samples, workspace)
    assert np.shares_memory(result, workspace)
    assert np.array_equal(result, made.run(samples))
    assert np.array_equal(samples, before)


def test_energy_and_magnitudes():
    samples = np.array([1.0, -2.0, 3.0, -4.0, 5.0], dtype=np.float32)
    magnitudes, energy = block_magnitudes(samples, 2)
    assert magnitudes.tolist() == [1.5, 3.5, 5.0]
    assert energy == energy_of(samples) == 55.0
    assert energy_of(samples[:0]) == 0.0


@pytest.mark.parametrize("edges", [(0.0, 100.0), (200.0, 100.0), (100.0, 4_000.0), (-5.0, 10.0)])
def test_impossible_bands_are_refused(edges):
    with pytest.raises(ParameterError, match=r"accepted: 0 < low < high < 4000 Hz"):
        band_pass(*edges, 8_000)


def test_impossible_cutoffs_and_orders_are_refused():
    with pytest.raises(ParameterError, match="below 4000 Hz"):
        low_pass(4_000.0, 8_000, order=6)
    with pytest.raises(ParameterError, match="accepted: 2, 4, 6"):
        high_pass(300.0, 8_000, order=3)
