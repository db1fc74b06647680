from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.measure.f0_track import F0Track
from perturb.synthesis.trusted_pitch import trusted_pitch


def track(*runs):
    """Return a track of (frames, Hz): 5 ms a frame."""
    pitch_hz = np.concatenate([np.full(frames, hz, dtype=np.float32) for frames, hz in runs])
    times_s = np.arange(pitch_hz.size) * 0.005
    return F0Track(times_s, pitch_hz, np.ones_like(pitch_hz), 0.005)


def _left_out(f0):
    return sorted(set(f0.f0_hz[f0.is_voiced & ~trusted_pitch(f0).is_voiced].tolist()))


@pytest.mark.parametrize(
    ("runs", "left_out"),
    [
        # A slip of an octave within a voice, or at its end.
        ([(40, 150), (1, 0), (12, 75), (1, 0), (40, 160)], [75.0]),
        ([(40, 150), (2, 0), (12, 75), (40, 0)], [75.0]),
        # The slip is what is farther off the rest, however short what it hangs on.
        ([(60, 200), (9, 0), (8, 200), (1, 0), (12, 470), (9, 0), (60, 210)], [470.0]),
        ([(60, 150), (9, 0), (12, 75), (1, 0), (8, 150), (9, 0), (60, 160)], [75.0]),
        # Hiss: far off, next to nothing; what is next to it stays.
        ([(60, 110), (20, 0), (30, 470), (20, 0), (60, 120)], [470.0]),
        ([(60, 110), (20, 0), (30, 470), (1, 0), (12, 130), (20, 0), (60, 120)], [470.0]),
        # A voice that lasts, that moves by less, or that pauses before it leaps.
        ([(60, 150), (1, 0), (21, 75), (1, 0), (60, 160)], []),
        ([(40, 150), (1, 0), (12, 115), (1, 0), (40, 160)], []),
        ([(40, 150), (3, 0), (12, 90), (3, 0), (40, 160)], []),
        # Of two that are equally long neither is the slip.
        ([(12, 150), (1, 0), (12, 75)], []),
        ([(10, 0)], []),
    ],
)
def test_runs_that_no_voice_can_mean_are_left_out(runs, left_out):
    assert _left_out(track(*runs)) == left_out


def test_a_leap_is_measured_where_the_runs_meet():
    rise = track((1, 0), *((1, hz) for hz in np.geomspace(80, 160, 12)), (1, 0), (40, 165))
    assert _left_out(rise) == []
    fall = track((1, 0), *((1, hz) for hz in np.geomspace(160, 80, 12)), (1, 0), (40, 165))
    assert len(_left_out(fall)) == 12


@given(
    st.lists(
        st.tuples(st.integers(1, 30), st.one_of(st.just(0.0), st.floats(60.0, 500.0))), max_size=12
    )
)
def test_what_is_left_is_as_it_was(runs):
    f0 = track((1, 0.0), *runs)
    left = trusted_pitch(f0)
    assert np.array_equal(left.f0_hz[left.is_voiced], f0.f0_hz[left.is_voiced])
    assert np.array_equal(left.times_s, f0.times_s)
