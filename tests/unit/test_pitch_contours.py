from __future__ import annotations

import math

import numpy as np
import pytest

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.f0_track import F0Track
from perturb.synthesis.pitch_contours import (
    contour_from_points,
    contour_from_track,
    exaggerated,
    flat,
    stretched,
    with_register,
)


def track(pitch_hz):
    pitch_hz = np.asarray(pitch_hz, dtype=np.float32)
    times_s = np.arange(pitch_hz.size) * 0.005
    return F0Track(times_s, pitch_hz, np.ones_like(pitch_hz), 0.005)


GLIDE = track([0, 0, *np.geomspace(100, 200, 61), 0, *np.geomspace(150, 120, 20), 0])


def test_flat_is_the_median_or_the_target():
    assert np.unique(flat(GLIDE, None).f0_hz[GLIDE.is_voiced]) == [GLIDE.median_hz]
    assert np.unique(flat(GLIDE, 90.0).f0_hz).tolist() == [0.0, 90.0]
    assert np.array_equal(flat(GLIDE, 90.0).is_voiced, GLIDE.is_voiced)


@pytest.mark.parametrize("factor", [0.25, 0.5, 1.0, 1.3])
def test_distances_from_the_median_grow_by_the_factor(factor):
    found = exaggerated(GLIDE, factor)
    voiced = GLIDE.is_voiced
    own, wanted = (np.log2(one.f0_hz[voiced] / GLIDE.median_hz) for one in (GLIDE, found.track))
    np.testing.assert_allclose(wanted, factor * own, atol=1e-5 if factor <= 1.0 else 0.01)
    assert not found.is_bent.any()


@pytest.mark.parametrize(("factor", "kept"), [(1.8, 1.0), (3.0, 1.0), (0.5, 0.5)])
def test_steps_from_frame_to_frame_are_never_widened(factor, kept):
    # A trill of a quarter tone at 100 Hz on a rise of an octave in half a second.
    trill = 0.04 * np.where(np.arange(101) % 2, 1.0, -1.0)
    slow = np.linspace(-0.25, 0.25, 101)
    found = exaggerated(track(150.0 * np.exp2(slow + trill)), factor).track
    wanted = np.log2(found.f0_hz / found.f0_hz[50])
    left = wanted - factor * (slow - slow[50])
    assert np.ptp(left[10:-10]) == pytest.approx(kept * np.ptp(trill), rel=0.15)


def test_near_the_limits_an_exaggeration_is_bent_and_says_where():
    found = exaggerated(track(np.geomspace(70, 400, 101)), 3.0)
    assert np.all(np.diff(found.track.f0_hz) >= 0.0)
    assert found.track.f0_hz.min() >= 60.0
    assert found.track.f0_hz.max() <= 480.0
    assert found.is_bent[[0, -1]].all()
    assert not found.is_bent[50]


def test_no_voice_and_voices_out_of_range_are_inapplicable():
    for make in (lambda f0: flat(f0, None), lambda f0: exaggerated(f0, 1.5)):
        with pytest.raises(InapplicableError, match="no frame is voiced"):
            make(track(np.zeros(10)))
        with pytest.raises(InapplicableError, match="60 to 480 Hz"):
            make(track(np.full(10, 495.0)))


def test_a_donor_is_filled_and_mended():
    donor = np.geomspace(100, 200, 61)
    donor[20:30] = 0.0
    donor[40:42] *= 2.0
    contour = contour_from_track(track([0, 0, *donor, 0, 0, 0]), "d")
    np.testing.assert_allclose(contour, np.geomspace(100, 200, 61), rtol=1e-3)


def test_a_donor_without_a_voice_is_named():
    with pytest.raises(InapplicableError, match="donor 'x' has no voiced frame"):
        contour_from_track(track(np.zeros(20)), "'x'")


def test_one_voiced_frame_is_a_contour():
    assert contour_from_track(track([0, 130, 0]), "d").tolist() == pytest.approx([130.0])
    assert np.allclose(stretched(np.array([130.0]), GLIDE).f0_hz[GLIDE.is_voiced], 130.0)


def test_a_contour_is_stretched_from_the_first_voiced_frame_to_the_last():
    contour = np.geomspace(100, 300, 500)
    found = stretched(contour, GLIDE)
    voiced = np.flatnonzero(GLIDE.is_voiced)
    assert np.array_equal(np.flatnonzero(found.is_voiced), voiced)
    middle = (voiced[0] + voiced[-1]) / 2
    place = int(np.argmin(np.abs(voiced - middle)))
    assert found.f0_hz[voiced[place]] == pytest.approx(np.sqrt(100 * 300), rel=0.01)
    assert found.f0_hz[voiced[0]] == pytest.approx(100, rel=0.05)
    assert found.f0_hz[voiced[-1]] == pytest.approx(300, rel=0.05)


def test_the_register_is_moved_to_the_voices_own():
    moved = with_register(stretched(np.geomspace(200, 400, 50), GLIDE), GLIDE)
    assert moved.median_hz == pytest.approx(GLIDE.median_hz, rel=0.01)


def test_points_are_joined_in_octaves_and_held_at_the_ends():
    contour = contour_from_points(((0.25, 100.0), (0.75, 400.0)), 5)
    np.testing.assert_allclose(contour, [100, 100, 200, 400, 400], rtol=1e-6)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ((), "one or more"),
        (((0.5, 100.0), (0.5, 120.0)), "rising"),
        (((0.0, 100.0), (1.2, 120.0)), "0 to 1"),
        (((0.0, 59.0),), "60 to 480 Hz"),
        (((0.0, 100.0), (1.0, 481.0)), "60 to 480 Hz"),
        (((0.0, math.nan), (1.0, 200.0)), r"pitches \[nan, 200\.0\] Hz; accepted: 60 to 480 Hz"),
        (((0.0, 100.0), (1.0, math.inf)), r"pitches \[100\.0, inf\] Hz; accepted: 60 to 480 Hz"),
        (((math.nan, 100.0),), r"places \[nan\]; accepted: one or more, rising, 0 to 1"),
        (((0.0, 100.0), (math.nan, 90.0), (1.0, 80.0)), r"places \[0\.0, nan, 1\.0\]; accepted"),
        (((0.0, 100.0), (math.inf, 90.0)), r"places \[0\.0, inf\]; accepted"),
    ],
)
def test_points_that_are_no_contour_are_refused(points, message):
    with pytest.raises(ParameterError, match=message):
        contour_from_points(points, 10)
