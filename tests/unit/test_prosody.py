from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import AudioError
from perturb.measure.contour import SILENCE_DB
from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import compare_f0, compare_levels

RATE_HZ = 8_000


def track(f0_hz, hop_s=0.005):
    values = np.asarray(f0_hz, dtype=np.float32)
    strength = np.ones(values.size, dtype=np.float32)
    return F0Track(np.arange(values.size) * hop_s, values, strength, hop_s)


def contour(frames=100):
    f0_hz = 150 * 2 ** (0.3 * np.sin(np.arange(frames) / 9.0))
    f0_hz[:10] = 0.0
    return f0_hz


def test_a_track_agrees_with_itself():
    agreement = compare_f0(track(contour()), track(contour()))
    assert agreement.frames == 100
    assert agreement.common_voiced_frames == 90
    assert agreement.median_error_cents == 0.0
    assert agreement.fine_rmse_cents == 0.0
    assert agreement.gross_error_ratio == 0.0
    assert agreement.voicing_error_ratio == 0.0
    assert agreement.log_f0_correlation == pytest.approx(1.0)
    assert agreement.slope == pytest.approx(1.0)
    assert agreement.reasons == {}


def test_errors_of_known_size():
    reference, result = contour(), contour()
    result[10:55] *= 2 ** (20 / 1_200)
    result[55:91] *= 2 ** (-40 / 1_200)
    result[91:100] *= 2.0
    agreement = compare_f0(track(reference), track(result))
    # 45 frames of 20, 36 of 40 and 9 of 1200 cents.
    assert agreement.median_error_cents == pytest.approx(30.0, abs=10.01)
    assert agreement.fine_rmse_cents == pytest.approx(
        np.sqrt((45 * 400 + 36 * 1_600) / 81), rel=1e-3
    )
    assert agreement.gross_error_ratio == pytest.approx(0.1)


def test_a_fifth_is_the_limit_of_a_fine_error():
    reference = np.full(20, 100.0)
    result = np.concatenate([np.full(10, 119.9), np.full(10, 120.1)])
    assert compare_f0(track(reference), track(result)).gross_error_ratio == 0.5


def test_voicing_errors_count_both_ways():
    reference, result = contour(), contour()
    result[5:10] = 100.0
    result[50:53] = 0.0
    agreement = compare_f0(track(reference), track(result))
    assert agreement.voicing_error_ratio == pytest.approx(0.08)
    assert agreement.common_voiced_frames == 87


def test_slope_measures_the_range():
    reference = contour()
    wide = np.where(reference > 0, 150 * (np.maximum(reference, 1) / 150) ** 1.8, 0)
    agreement = compare_f0(track(reference), track(wide))
    assert agreement.slope == pytest.approx(1.8, rel=1e-4)
    assert agreement.log_f0_correlation == pytest.approx(1.0)


def test_a_flat_result_has_slope_zero_and_no_correlation():
    flat = np.where(contour() > 0, 150.0, 0.0)
    agreement = compare_f0(track(contour()), track(flat))
    assert agreement.slope == pytest.approx(0.0)
    assert agreement.log_f0_correlation is None
    assert agreement.reasons == {"log_f0_correlation": "the result's pitch does not move"}
    other_way = compare_f0(track(flat), track(contour()))
    assert other_way.slope is None
    assert "the reference's pitch" in other_way.reasons["slope"]


def test_too_few_common_frames_leave_voicing_alone_defined():
    result = np.zeros(100)
    result[20:29] = 150.0
    agreement = compare_f0(track(contour()), track(result))
    assert agreement.voicing_error_ratio == pytest.approx(0.81)
    for name in ("median_error_cents", "fine_rmse_cents", "gross_error_ratio", "slope"):
        assert getattr(agreement, name) is None
        assert agreement.reasons[name] == "9 frames are voiced in both tracks; 10 are needed"


def test_an_octave_off_throughout_has_no_fine_error():
    agreement = compare_f0(track(contour()), track(2 * contour()))
    assert agreement.gross_error_ratio == 1.0
    assert agreement.fine_rmse_cents is None
    assert agreement.median_error_cents == pytest.approx(1_200, rel=1e-5)


def test_no_common_frame():
    agreement = compare_f0(track([]), track(contour()))
    assert agreement.frames == 0
    assert agreement.voicing_error_ratio is None
    assert "no frame in common" in agreement.reasons["voicing_error_ratio"]


def test_tracks_of_different_hops_and_lengths():
    fine, coarse = contour(101), contour(101)[::2]
    agreement = compare_f0(track(fine), track(coarse, 0.010))
    assert agreement.frames == 101
    assert agreement.median_error_cents < 3.0
    assert agreement.voicing_error_ratio <= 0.02
    assert compare_f0(track(coarse, 0.010), track(fine)).median_error_cents == 0.0
    assert compare_f0(track(fine), track(fine[:60])).frames == 60


def carrier(samples):
    """A tone at half the rate: constant level, untouched by the high-pass."""
    return np.resize(np.array([1.0, -1.0], dtype=np.float32), samples)


def rising(seconds=0.5):
    noise = np.random.default_rng(4).standard_normal(round(seconds * RATE_HZ))
    return (0.1 * noise * np.linspace(0.05, 1.0, noise.size)).astype(np.float32)


def test_levels_under_a_gain():
    agreement = compare_levels(rising(), rising() * np.float32(0.5), RATE_HZ)
    assert agreement.correlation == pytest.approx(1.0)
    assert agreement.mean_offset_db == pytest.approx(-6.0206, abs=1e-3)
    assert agreement.difference_sd_db == pytest.approx(0.0, abs=1e-4)
    assert agreement.frames == 101
    assert agreement.reasons == {}


def test_levels_after_half_the_clip_was_raised():
    before = 0.1 * carrier(RATE_HZ)
    after = before.copy()
    after[RATE_HZ // 2 :] *= 10.0 ** (6.0 / 20)
    agreement = compare_levels(before, after, RATE_HZ)
    assert agreement.mean_offset_db == pytest.approx(3.0, abs=0.05)
    assert agreement.difference_sd_db == pytest.approx(3.0, abs=0.05)
    assert agreement.correlation is None
    assert agreement.reasons == {"correlation": "the original's level does not move"}


def test_only_frames_within_35_db_of_the_loudest_count():
    before = np.concatenate([rising(), 1e-4 * rising(), np.zeros(RATE_HZ)]).astype(np.float32)
    after = before.copy()
    after[RATE_HZ:] = 0.01
    agreement = compare_levels(before, after, RATE_HZ)
    assert 100 <= agreement.frames <= 108  # the window reaches 20 ms beyond the edge
    assert agreement.difference_sd_db == pytest.approx(0.0, abs=1e-4)


def test_levels_against_silence():
    silent = np.zeros(4_000, dtype=np.float32)
    agreement = compare_levels(silent, rising(), RATE_HZ)
    assert agreement.frames == 0
    assert set(agreement.reasons) == {"correlation", "difference_sd_db", "mean_offset_db"}
    assert agreement.reasons["mean_offset_db"] == "the original is silent"
    lost = compare_levels(rising(), silent, RATE_HZ)
    assert lost.correlation is None
    assert lost.mean_offset_db < SILENCE_DB + 60


def test_levels_of_a_clip_too_short():
    agreement = compare_levels(rising(0.03), rising(0.03), RATE_HZ)
    assert agreement.mean_offset_db is None
    assert agreement.reasons["correlation"] == "7 frames; 10 are needed"


def test_levels_of_unlike_lengths_are_refused():
    with pytest.raises(AudioError, match="equal shapes"):
        compare_levels(rising(), rising()[:-1], RATE_HZ)
