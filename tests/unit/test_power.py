from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import ParameterError
from perturb.split.forecasting.power import smallest_difference


@given(
    st.integers(30, 100_000),
    st.floats(0.05, 1.0),
    st.floats(0.001, 0.2),
    st.floats(0.5, 0.99),
)
def test_the_difference_solves_the_formula_that_it_states(n, discordance, alpha, power):
    found = smallest_difference(n, n, alpha, power, discordance=discordance, icc=0.0).difference
    if found is None:
        return
    z_alpha = NormalDist().inv_cdf(1 - alpha / 2)
    z_power = NormalDist().inv_cdf(power)
    needed = z_alpha * math.sqrt(discordance) + z_power * math.sqrt(discordance - found**2)
    assert found * math.sqrt(n) == pytest.approx(needed, rel=1e-9)


def test_the_sample_size_of_the_textbook_comes_back():
    """Connor 1987: ψ = .3, d = .1, α = .05, power .8 ask for 234 pairs."""
    assert smallest_difference(234, 234).difference == pytest.approx(0.1, abs=2e-4)


def test_that_difference_is_found_with_that_power():
    """McNemar's test on drawn pairs; 20,000 benchmarks, so ± .006 is two standard errors."""
    n, discordance = 2000, 0.3
    difference = smallest_difference(n, n).difference
    gained, lost = (discordance + difference) / 2, (discordance - difference) / 2
    drawn = np.random.default_rng(1).multinomial(n, [gained, lost, 1 - discordance], 20_000)
    statistic = (drawn[:, 0] - drawn[:, 1]) / np.sqrt(drawn[:, 0] + drawn[:, 1])
    assert np.mean(np.abs(statistic) > NormalDist().inv_cdf(0.975)) == pytest.approx(0.8, abs=0.01)


@given(st.integers(200, 10_000), st.integers(2, 10), st.floats(0.01, 1.0))
def test_shared_clips_count_as_fewer_items(clips, per_clip, icc):
    n = clips * per_clip
    found = smallest_difference(n, clips, icc=icc)
    assert found.design_effect == pytest.approx(1 + (per_clip - 1) * icc)
    alone = smallest_difference(round(found.effective_items), round(found.effective_items))
    assert found.difference == pytest.approx(alone.difference, rel=0.01)
    assert found.difference > smallest_difference(n, n, icc=icc).difference


def test_clips_of_unequal_size_count_for_less():
    even, uneven = (smallest_difference(1000, 250, size_variation=c) for c in (0.0, 1.0))
    assert uneven.design_effect == pytest.approx(1 + (2 * 4 - 1) * 0.1)
    assert uneven.difference > even.difference


def test_nothing_is_promised_where_no_difference_is_large_enough():
    found = smallest_difference(10, 10)
    assert found.difference is None
    assert "no difference can be detected" in found.sentence()


def test_the_sentence_states_what_it_rests_on():
    sentence = smallest_difference(364, 122).sentence()
    for part in ("364 items of 122 clips", "8.8 points", "30 %", "0.1 within a clip", "power 0.8"):
        assert part in sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_items": 0}, "n_items is 0"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"discordance": 0.0}, "discordance is 0.0"),
        ({"alpha": 0.0}, "alpha is 0.0"),
        ({"power": 1.0}, "power is 1.0"),
        ({"icc": -0.1}, "icc is -0.1"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        smallest_difference(**{"n_items": 10, "n_clusters": 10, **arguments})
