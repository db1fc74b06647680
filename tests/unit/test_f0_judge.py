from __future__ import annotations

import ast
import inspect

import numpy as np
import pytest

from perturb.errors import AudioError
from perturb.measure import f0, f0_judge
from perturb.measure.f0_judge import judge_f0, judge_signal_f0
from perturb.signal import Signal
from tests.strategies.pitches import PITCHES_HZ, RATES_HZ, cents_off, glide, pulses, sine, voiceless


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_pulse_trains_are_placed_within_two_cents(rate_hz):
    for pitch_hz in PITCHES_HZ:
        for tilt in (0.0, 1.0):
            track = judge_f0(pulses(pitch_hz, rate_hz, tilt=tilt), rate_hz)
            assert cents_off(track, pitch_hz).max() <= 2.0, (pitch_hz, tilt)


def test_sines_are_placed_within_two_cents():
    for pitch_hz in PITCHES_HZ:
        off = cents_off(judge_f0(sine(pitch_hz, 16_000), 16_000), pitch_hz)
        # Under 70 Hz the window does not part a tone from its mirror at negative frequencies.
        assert off.max() <= (2.0 if pitch_hz >= 70 else 6.0), pitch_hz


def test_frames_are_centred_on_the_hop():
    track = judge_f0(sine(200, 22_050, 0.5033), 22_050)
    assert track.hop_s == 0.010
    np.testing.assert_array_equal(track.times_s, np.arange(51) * 0.010)


def test_a_glide_is_followed_without_delay():
    track = judge_f0(glide(16_000), 16_000)
    assert cents_off(track, 120 * 2 ** (2.0 * track.times_s)).max() <= 10.0


def test_a_strong_second_harmonic_is_no_octave():
    harmonics = {1: 0.3, 2: 1.0, 3: 0.2, 4: 0.3, 5: 0.1}
    buzz = sum(a * sine(120 * h, 16_000, phase=h) for h, a in harmonics.items())
    assert cents_off(judge_f0(0.5 * buzz, 16_000), 120).max() <= 2.0


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_no_voice_is_invented(rate_hz):
    for samples in voiceless(rate_hz):
        track = judge_f0(samples, rate_hz)
        assert track.voiced_share == 0.0
        assert track.median_hz is None
        assert track.f0_hz.size == 1 + samples.size * 100 // rate_hz
        assert np.isfinite(track.strength).all()


def test_gain_changes_nothing():
    samples = pulses(140, 16_000)
    whole, faint = judge_f0(samples, 16_000), judge_f0(samples * np.float32(2.0**-10), 16_000)
    np.testing.assert_array_equal(whole.is_voiced, faint.is_voiced)
    np.testing.assert_allclose(whole.f0_hz, faint.f0_hz, rtol=1e-5)


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 48_000])
def test_the_size_of_blocks_changes_no_bit(rate_hz, monkeypatch):
    samples = pulses(140, rate_hz)
    whole = judge_f0(samples, rate_hz)
    monkeypatch.setattr(f0_judge, "BLOCK_FRAMES", 7)
    pieces = judge_f0(samples, rate_hz)
    np.testing.assert_array_equal(whole.f0_hz, pieces.f0_hz)
    np.testing.assert_array_equal(whole.strength, pieces.strength)


def test_spectra_made_again_change_no_bit(monkeypatch):
    samples = glide(16_000)
    at_once = judge_f0(samples, 16_000)
    monkeypatch.setattr(f0_judge, "BLOCK_FRAMES", 16)
    monkeypatch.setattr(f0_judge, "KEPT_FRAMES", 40)
    np.testing.assert_array_equal(judge_f0(samples, 16_000).f0_hz, at_once.f0_hz)


def test_the_strongest_channel_is_judged():
    pair = np.stack([0.3 * pulses(100, 16_000), pulses(300, 16_000)])
    signal = Signal.from_array(pair, 16_000, layout="channels_first")
    assert judge_signal_f0(signal).median_hz == pytest.approx(300, abs=0.3)


def test_bad_samples_and_rates_are_refused():
    with pytest.raises(AudioError, match=r"shape \(2, 10\)"):
        judge_f0(np.zeros((2, 10), dtype=np.float32), 16_000)
    with pytest.raises(AudioError, match="4000; accepted: 8000 to 192000 Hz"):
        judge_f0(sine(200, 16_000), 4_000)


def test_judge_and_tracker_share_no_signal_processing():
    def imported(module):
        tree = ast.parse(inspect.getsource(module))
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        return {(node.module, alias.name) for node in nodes for alias in node.names}

    shared = {name for _, name in imported(f0) & imported(f0_judge)}
    assert shared <= {
        "annotations",
        "as_channel",
        "F0Track",
        "FloatArray",
        "Signal",
        "as_input",
        "strongest_channel",
    }
