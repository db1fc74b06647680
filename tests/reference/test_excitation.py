from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels import excitation
from perturb.kernels._jit import as_input
from tests.reference import excitation as twin

HOP_S = 0.005
CONTOURS = {
    "nothing": [],
    "unvoiced": [0, 0, 0],
    "one frame": [0, 210, 0],
    "whole": [100, 101, 99, 120],
    "glides and gaps": [0, 0, 90, 95, 130, 480, 60, 0, 0, 333, 0, 70.5, 71, 0],
}


def place(f0_hz, first_time_s, capacity=500):
    times_s, pitch_hz = np.zeros(capacity), np.zeros(capacity)
    track = as_input(np.array(f0_hz))
    count = excitation.place_pulses(track, first_time_s, HOP_S, times_s, pitch_hz)
    assert not times_s[count:].any()
    return times_s[:count], pitch_hz[:count]


@pytest.mark.parametrize("first_time_s", [0.0, 0.0031])
@pytest.mark.parametrize("f0_hz", CONTOURS.values(), ids=CONTOURS.keys())
def test_pulses_stand_where_the_phase_is_whole(f0_hz, first_time_s):
    times_s, pitch_hz = place(f0_hz, first_time_s)
    expected = np.array(twin.place_pulses(np.float32(f0_hz), first_time_s, HOP_S)).reshape(-1, 2)
    np.testing.assert_allclose(times_s, expected[:, 0], atol=1e-9)
    np.testing.assert_allclose(pitch_hz, expected[:, 1], rtol=1e-6)


def test_a_steady_pitch_gives_equal_periods():
    times_s, pitch_hz = place([160.0] * 40, 0.0)
    np.testing.assert_allclose(np.diff(times_s), 1 / 160, rtol=1e-9)
    np.testing.assert_allclose(pitch_hz, 160)
    assert times_s[0] == pytest.approx(-HOP_S / 2)


def test_pulses_beyond_the_capacity_are_dropped():
    assert len(place([200.0] * 40, 0.0, capacity=7)[0]) == 7


@pytest.mark.parametrize("count", [1, 30, 200])
def test_adding_pulses_at_fractions_of_a_sample_and_over_the_edges(count):
    rng = np.random.default_rng(0)
    table = as_input(rng.standard_normal((excitation.PHASES, 21)))
    times_s = np.array([-0.002, -0.0001, 0.0, 0.00137, 0.0101, 0.01013, count / 8_000, 0.5])
    gains = rng.standard_normal(times_s.size)
    out = np.zeros(count, dtype=np.float32)
    excitation.add_pulses(
        as_input(times_s, np.float64), as_input(gains, np.float64), table, 10, 8_000.0, out
    )
    expected = twin.add_pulses(times_s, gains, table, 10, 8_000, count)
    np.testing.assert_allclose(out, expected, atol=1e-6)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 48_000])
@pytest.mark.parametrize("first_time_s", [0.0, 0.0031])
@pytest.mark.parametrize("f0_hz", CONTOURS.values(), ids=CONTOURS.keys())
def test_noise_gives_way_to_voice(f0_hz, first_time_s, rate_hz):
    # In pieces, as long clips are done; with noise of ones the result is the weight.
    weights = np.zeros(round(0.08 * rate_hz), dtype=np.float32)
    for start, stop in ((0, 1), (1, 150), (150, weights.size)):
        excitation.add_noise(
            as_input(np.ones(stop - start)), as_input(np.array(f0_hz)), first_time_s,
            HOP_S, 0.004, 0.2, start, float(rate_hz), weights,
        )  # fmt: skip
    expected = twin.noise_weights(f0_hz, first_time_s, HOP_S, 0.004, 0.2, 0, rate_hz, weights.size)
    np.testing.assert_allclose(weights, expected, atol=1e-5)
