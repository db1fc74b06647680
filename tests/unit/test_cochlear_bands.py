"""Bands of the cochlea: where they lie, what they hold, and which of them say something."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.synthesis.cochlear_bands import (
    band_edges_hz,
    band_envelope,
    band_filters,
    compare_bands,
    stand_out,
)

RATE = 16_000


def _tone(hz, seconds=1.0, rate=RATE):
    return np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate).astype(np.float32)


def _place(hz):
    """Return the place of a frequency on the cochlea, 0 to 1, after Greenwood."""
    return np.log10(np.asarray(hz) / 165.4 + 0.88) / 2.1


@pytest.mark.parametrize("bands", [1, 2, 8, 32])
@pytest.mark.parametrize(("rate", "highest"), [(8_000, 3_600), (16_000, 7_000), (192_000, 7_000)])
def test_edges_take_up_equal_lengths_of_the_cochlea(bands, rate, highest):
    edges = band_edges_hz(bands, rate)
    assert (edges[0], edges[-1]) == (80.0, highest)
    assert np.diff(_place(edges)) == pytest.approx((_place(highest) - _place(80.0)) / bands)


def test_an_envelope_is_that_of_the_band_up_to_30_hz():
    time_s = np.arange(2 * RATE) / RATE
    slow = 1.0 + 0.8 * np.sin(2 * np.pi * 4.0 * time_s)
    fast = 1.0 + 0.8 * np.sin(2 * np.pi * 150.0 * time_s)
    band = band_filters(4, RATE)[2]
    tone = _tone(2_011.0, 2.0)  # not a divisor of the rate: rectified samples of all phases
    middle = slice(100, -100)
    for contour, expected in ((slow, slow), (fast, np.ones_like(fast))):
        found = band_envelope((tone * contour).astype(np.float32), band)
        centres = (np.arange(found.magnitudes.size) + 0.5) * found.block_samples
        wanted = np.interp(centres, np.arange(time_s.size), expected) * 2 / np.pi
        assert found.magnitudes[middle] == pytest.approx(wanted[middle], abs=0.02)


def test_energy_counts_in_the_core_alone():
    band = band_filters(4, RATE)[2]
    tone = _tone(2_000.0)
    whole = band_envelope(tone, band).energy
    assert band_envelope(tone, band, core=slice(4_000, 12_000)).energy == pytest.approx(
        whole / 2, rel=1e-3
    )


def test_a_band_outshone_by_its_neighbours_does_not_stand_out():
    energies = np.array([1.0, 1.0, 1e-4, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert stand_out(energies, 8, RATE).tolist() == [True, True, False, *5 * [True]]


def test_a_band_60_db_under_the_strongest_does_not_stand_out():
    energies = np.array([1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 2e-6, 2e-7])
    assert stand_out(energies, 8, RATE).tolist() == [*7 * [True], False]


def test_silence_stands_out_nowhere():
    assert not stand_out(np.zeros(8), 8, RATE).any()


def test_bands_compare_as_they_were_changed():
    random = np.random.default_rng(1)
    old = 0.1 * random.standard_normal(2 * RATE).astype(np.float32)
    compared = compare_bands(old, old * np.float32(0.5), RATE, 8)
    assert compared.level_differences_db == pytest.approx(np.full(8, -6.02), abs=0.01)
    assert compared.correlations == pytest.approx(np.ones(8), abs=1e-6)
    assert compared.left_out == 0


def test_what_is_faint_or_short_is_left_out():
    random = np.random.default_rng(1)
    noise = random.standard_normal(2 * RATE).astype(np.float32)
    assert compare_bands(1e-6 * noise, noise, RATE, 8).left_out == 8
    # 50 ms: bandwidth × duration reaches 30 from 600 Hz of width on.
    assert compare_bands(noise[:800], noise[:800], RATE, 8).left_out == 4
    assert compare_bands(np.zeros_like(noise), noise, RATE, 8).level_differences_db.size == 0
