from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels import f0, f0_comb, f0_path
from perturb.kernels._jit import as_input
from perturb.measure import f0 as tracker
from perturb.measure import rumble
from tests.reference import f0 as twin

RATE_HZ = 8_000
HOP = 40


def voice(duration_s: float = 0.15, noise: float = 0.02) -> np.ndarray:
    """A buzz that glides from 130 Hz upwards, in a little noise."""
    times_s = np.arange(round(duration_s * RATE_HZ)) / RATE_HZ
    phase = 2 * np.pi * (130 * times_s + 150 * times_s**2)
    buzz = sum(np.cos(h * phase + h * h) / h for h in range(1, 15))
    hiss = np.random.default_rng(5).standard_normal(times_s.size)
    return (0.2 * buzz + noise * hiss).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [8_000, 44_100])
def test_highpass_is_the_difference_equation_and_carries_over_chunks(rate_hz):
    samples = np.random.default_rng(1).standard_normal(600).astype(np.float32) + np.float32(0.5)
    weights = rumble._highpass_weights(rate_hz)
    state = np.array([samples[0], samples[0], 0.0, 0.0])
    out = np.empty_like(samples)
    for start, stop in ((0, 1), (1, 250), (250, 600)):
        f0.highpass(as_input(samples[start:stop]), weights, state, out[start:stop])
    expected = twin.highpass(samples, weights, samples[0])
    np.testing.assert_allclose(out, expected, atol=1e-6)


def test_levels():
    signal = voice()
    levels = np.empty(1 + signal.size // HOP, dtype=np.float32)
    f0.measure_levels(as_input(signal), HOP, 2, levels)
    expected = twin.measure_levels(signal.astype(np.float64), HOP, 2, levels.size)
    np.testing.assert_allclose(levels, expected, rtol=1e-6)


def test_candidates_of_all_frames_also_at_the_edges():
    signal = voice()
    frames = 1 + signal.size // HOP
    window = tracker._hann(400)
    lags = np.empty((frames, 5), dtype=np.float32)
    strengths = np.empty((frames, 5), dtype=np.float32)
    is_audible = np.ones(frames, dtype=np.bool_)
    is_audible[3] = False
    f0.find_candidates(
        as_input(signal),
        HOP,
        window,
        16,
        134,
        tracker._interpolator(),
        0.2,
        0.01,
        as_input(is_audible, np.bool_),
        lags,
        strengths,
    )
    assert not lags[3].any()
    assert not strengths[3].any()
    expected = twin.find_candidates(
        signal.astype(np.float64),
        HOP,
        window.astype(np.float64),
        (16, 134),
        tracker._interpolator().astype(np.float64),
        0.2,
        0.01,
        5,
        frames,
    )
    for k in range(frames):
        if k == 3:
            continue
        order = [c for c in np.argsort(lags[k]) if lags[k, c] > 0]
        assert len(order) == len(expected[k]) > 0, k
        expected_lags, expected_strengths = np.array(expected[k]).T
        np.testing.assert_allclose(lags[k, order], expected_lags, atol=2e-3, err_msg=str(k))
        np.testing.assert_allclose(strengths[k, order], expected_strengths, atol=2e-5)


def test_path_is_the_best_of_all_paths():
    rng = np.random.default_rng(2)
    for _ in range(20):
        lags = rng.choice([0.0, 20.0, 40.0, 41.0, 80.0], size=(6, 2)).astype(np.float32)
        strengths = np.where(lags > 0, rng.uniform(0.2, 1.0, lags.shape), 0).astype(np.float32)
        unvoiced = rng.uniform(0.3, 0.9, 6).astype(np.float32)
        chosen = np.empty(6, dtype=np.float32)
        chosen_strengths = np.empty(6, dtype=np.float32)
        costs = (0.01, 0.7, 0.28, 16.0)
        f0_path.choose_path(
            as_input(lags),
            as_input(strengths),
            as_input(unvoiced),
            *costs,
            chosen,
            chosen_strengths,
        )
        assert chosen.tolist() == twin.choose_path(lags, strengths, unvoiced, *costs)
        for k in range(6):
            if chosen[k] > 0:
                assert chosen_strengths[k] in strengths[k][lags[k] == chosen[k]]
            else:
                assert chosen_strengths[k] == strengths[k].max()


def test_path_of_no_frames():
    nothing = np.empty(0, dtype=np.float32)
    none = as_input(np.empty((0, 5)))
    f0_path.choose_path(none, none, as_input(nothing), 0.01, 0.7, 0.28, 16.0, nothing, nothing)


def test_combs_and_silence():
    rng = np.random.default_rng(3)
    roots = rng.uniform(0, 1, (5, 64)).astype(np.float32)
    roots[2] = 0.0
    combs = rng.standard_normal((64, 33)).astype(np.float32)
    strengths = np.empty((5, 33), dtype=np.float32)
    f0_comb.match_combs(as_input(roots), as_input(combs), strengths)
    np.testing.assert_allclose(strengths, twin.match_combs(roots, combs), atol=2e-6)


def test_refinement_leaves_unvoiced_and_empty_frames_alone():
    frame = voice(0.128, noise=0.0) * np.hanning(1_024)
    power = np.abs(np.fft.rfft(frame))[np.newaxis, :424].astype(np.float32) ** 2
    power = np.concatenate([power, power, np.zeros_like(power)])
    pitch_hz = np.array([151.0, 0.0, 151.0], dtype=np.float32)
    f0_comb.refine_pitch(as_input(power), RATE_HZ / 1_024, 4, pitch_hz)
    expected = twin.refine_pitch(power[0].astype(np.float64), RATE_HZ / 1_024, 4, 151.0)
    np.testing.assert_allclose(pitch_hz, [expected, 0.0, 151.0], rtol=1e-6)
    # Half-way through the glide: 130 Hz + 2 * 150 Hz/s * 64 ms.
    assert pitch_hz[0] == pytest.approx(149.2, abs=0.3)


@pytest.mark.parametrize("seed", range(5))
def test_followed_peaks_are_the_best_of_all_paths(seed):
    rng = np.random.default_rng(seed)
    octaves = rng.uniform(6.0, 9.0, (6, 3)).astype(np.float32)
    fits = rng.uniform(0.0, 0.6, (6, 3)).astype(np.float32)
    back = np.empty((6, 3), dtype=np.uint8)
    choice = np.empty(6, dtype=np.int64)
    f0_comb.follow_peaks(as_input(octaves), as_input(fits), 0.2, back, choice)
    assert tuple(choice) == twin.follow_peaks(octaves, fits, 0.2)
