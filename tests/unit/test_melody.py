from __future__ import annotations

import numpy as np
import pytest

from perturb.measure.f0_track import F0Track
from perturb.measure.melody import f0_fine_correlation, f0_slope, f0_span_cents, voicing_lost


def track(pitch_hz, hop_s=0.005, start_s=0.0):
    pitch_hz = np.asarray(pitch_hz, dtype=np.float32)
    times_s = start_s + np.arange(pitch_hz.size) * hop_s
    return F0Track(times_s, pitch_hz, np.ones_like(pitch_hz), hop_s)


GLIDE = np.geomspace(100, 200, 101)


def test_the_span_is_that_between_the_twentieths():
    assert f0_span_cents(track(GLIDE), track(GLIDE)).value == pytest.approx(1_080.0, abs=1.0)
    assert f0_span_cents(track(GLIDE), track(np.full(101, 140.0))).value == 0.0


def test_the_span_is_heard_where_the_reference_is_voiced():
    reference = np.where(np.arange(101) < 50, 120.0, 0.0)
    result = np.where(np.arange(101) < 50, 120.0, 400.0)
    assert f0_span_cents(track(reference), track(result)).value == 0.0


def test_the_slope_is_that_of_the_logarithms_without_gross_errors():
    wider = 140.0 * (GLIDE / 140.0) ** 1.5
    found = wider.copy()
    found[::20] *= 2.0
    assert f0_slope(track(GLIDE), track(wider), track(found)).value == pytest.approx(1.5, abs=1e-3)


def test_slope_and_correlation_keep_frames_together_when_the_result_starts_late():
    result = track(GLIDE[11::2], hop_s=0.010, start_s=0.055)
    assert f0_slope(track(GLIDE), track(GLIDE), result).value == pytest.approx(1.0, abs=1e-3)
    assert f0_fine_correlation(track(GLIDE), result).value == pytest.approx(1.0, abs=1e-4)


def test_correlation_falls_with_noise():
    noisy = GLIDE * np.exp(0.05 * np.random.default_rng(0).standard_normal(101))
    assert 0.9 < f0_fine_correlation(track(GLIDE), track(noisy)).value < 0.99


def test_too_few_frames_and_still_pitches_say_so():
    few = track(np.where(np.arange(101) < 5, GLIDE, 0.0))
    for reading in (
        f0_span_cents(few, few),
        f0_fine_correlation(few, few),
        f0_slope(few, few, few),
    ):
        assert reading.value is None
        assert reading.reason == "5 frames are voiced in both tracks; 10 are needed"
    still = track(np.full(101, 120.0))
    assert f0_fine_correlation(still, still).reason == "the pitch does not move"


def test_a_voice_is_lost_where_it_was_asked_for_and_heard_before():
    spoken = np.full(100, 120.0)
    asked = np.where(np.arange(100) < 80, 90.0, 0.0)
    half = np.where(np.arange(100) < 60, 90.0, 0.0)
    assert voicing_lost(track(spoken), track(asked), track(half)).value == pytest.approx(0.25)
    assert voicing_lost(track(spoken), track(asked), track(spoken)).value == 0.0
    # What the instrument never heard cannot be lost.
    assert voicing_lost(track(half), track(asked), track(half)).value == 0.0
    nothing = voicing_lost(track(0.0 * spoken), track(asked), track(half))
    assert nothing.value is None
    assert "no frame is voiced" in nothing.reason
