"""The largest correlation over all lags, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.measure import correlation
from perturb.measure.correlation import largest_correlation


def _noise(count, seed=0):
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


@pytest.mark.parametrize(("first", "second"), [(300, 300), (300, 170), (1, 40), (255, 256)])
def test_it_is_the_largest_of_all_plain_sums(first, second):
    one, two = _noise(first, 1), _noise(second, 2)
    centred = [x.astype(np.float64) - x.mean(dtype=np.float64) for x in (one, two)]
    if first == 1:
        assert largest_correlation(one, two).correlation.value is None
        return
    plain = np.correlate(centred[1], centred[0], mode="full") / np.sqrt(
        (centred[0] ** 2).sum() * (centred[1] ** 2).sum()
    )
    found = largest_correlation(one, two)
    assert found.correlation.value == pytest.approx(np.abs(plain).max(), rel=1e-5)
    assert found.lag_samples == int(np.argmax(np.abs(plain))) - (first - 1)


@pytest.mark.parametrize("lag", [-150, 0, 400])
def test_it_finds_a_shifted_and_inverted_copy(lag):
    whole = _noise(3_000)
    one, two = whole[500:2_500], -0.1 * whole[500 - lag : 2_500 - lag]
    found = largest_correlation(one, two)
    assert found.lag_samples == lag
    assert found.correlation.value == pytest.approx(1.0 - abs(lag) / 2_000, abs=0.05)


def test_an_offset_is_no_likeness():
    found = largest_correlation(_noise(4_000, 1) + 50.0, _noise(4_000, 2) + 50.0)
    assert found.correlation.value < 0.1


def test_a_constant_has_none():
    reading = largest_correlation(np.full(100, 0.5, dtype=np.float32), _noise(100)).correlation
    assert reading.value is None
    assert "constant" in reading.reason


def test_long_sounds_are_averaged_down(monkeypatch):
    monkeypatch.setattr(correlation, "_MAX_SAMPLES", 2_000)
    smooth = np.convolve(_noise(9_000), np.ones(40), mode="valid").astype(np.float32)
    found = largest_correlation(smooth[:8_000], smooth[500:8_500])
    assert found.lag_samples == pytest.approx(-500, abs=4)
    assert found.correlation.value == pytest.approx(7_500 / 8_000, abs=0.03)
