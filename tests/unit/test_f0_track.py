from __future__ import annotations

import numpy as np
import pytest

from perturb.measure.f0_track import F0Track


def track(f0_hz, hop_s=0.005):
    values = np.array(f0_hz, dtype=np.float32)
    strength = np.linspace(0, 1, values.size, dtype=np.float32)
    return F0Track(np.arange(values.size) * hop_s, values, strength, hop_s)


def test_voicing_and_median():
    some = track([0, 100, 300, 200, 0])
    assert some.is_voiced.tolist() == [False, True, True, True, False]
    assert some.voiced_share == pytest.approx(0.6)
    assert some.median_hz == 200.0


def test_no_voiced_frame_has_no_median():
    assert track([0, 0]).median_hz is None
    assert track([]).median_hz is None
    assert track([]).voiced_share == 0.0


def test_tracks_cannot_be_written_to():
    values = np.ones(3, dtype=np.float32)
    shared = F0Track(np.arange(3) * 0.005, values, values, 0.005)
    with pytest.raises(ValueError, match="read-only"):
        shared.f0_hz[0] = 5.0
    values[0] = 2.0  # the maker's own array stays writable


@pytest.mark.parametrize(
    ("f0_hz", "runs"),
    [
        ([0, 100, 100, 0, 90, 0], [(1, 3), (4, 5)]),
        ([100, 0, 90], [(0, 1), (2, 3)]),
        ([100, 100], [(0, 2)]),
        ([0, 0], []),
        ([], []),
    ],
)
def test_voiced_runs_are_half_open(f0_hz, runs):
    assert track(f0_hz).voiced_runs() == runs


def test_slices_are_half_open_and_count_from_their_start():
    whole = track(range(100, 140))
    part = whole.slice(0.1, 0.12)
    assert part.f0_hz.tolist() == [120, 121, 122, 123]
    np.testing.assert_allclose(part.times_s, [0, 0.005, 0.01, 0.015], atol=1e-12)
    np.testing.assert_array_equal(part.strength, whole.strength[20:24])
    between = whole.slice(0.1021, 0.111)
    assert between.f0_hz.tolist() == [121, 122]
    np.testing.assert_allclose(between.times_s, [0.0029, 0.0079], atol=1e-12)
    assert whole.slice(5.0, 6.0).f0_hz.size == 0
    rejoined = np.concatenate([whole.slice(0, 0.05).f0_hz, whole.slice(0.05, 1.0).f0_hz])
    np.testing.assert_array_equal(rejoined, whole.f0_hz)


def test_sampling_is_exact_on_frames_and_geometric_between_voiced_ones():
    some = track([100, 400, 0, 0, 50])
    np.testing.assert_allclose(some.at(some.times_s), some.f0_hz, rtol=1e-6)
    assert some.at([0.0025])[0] == pytest.approx(200.0)


def test_between_voiced_and_unvoiced_the_nearer_frame_decides():
    some = track([100, 400, 0, 0, 50])
    np.testing.assert_array_equal(some.at([0.0074, 0.0076, 0.0174, 0.0176]), [400, 0, 0, 50])


def test_outside_the_track_the_edge_is_held_for_less_than_a_hop():
    some = track([100, 400])
    np.testing.assert_allclose(some.at([-0.006, -0.004, 0.009, 0.011]), [0, 100, 400, 0])
    assert track([]).at([0.0, 1.0]).tolist() == [0, 0]
    np.testing.assert_allclose(track([100]).at([0.0, 0.003]), [100, 100])
