"""Headroom: one recorded gain instead of clipping, and nothing else brought down."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat, count_over_full_scale
from perturb.errors import AudioError
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from perturb.render.headroom import apply_gain, limit, undo_gain
from perturb.signal import Signal
from perturb.span import Span
from tests.conftest import CLIPS_FOLDER
from tests.unit.specimens import Overlay, Reverse

RATE_HZ = 16_000
SPEECH = CLIPS_FOLDER / "librivox" / "sense-and-sensibility-0880.wav"
PCM_16 = OutputFormat(subtype="PCM_16")
FLOAT = OutputFormat(subtype="FLOAT")


def tone(frequency_hz, level=1.0, duration_s=1.0, rate_hz=RATE_HZ):
    time_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    return level * np.sin(2 * np.pi * frequency_hz * time_s)


def square(duration_s=1.0):
    return np.sign(tone(100.3, duration_s=duration_s) + 1e-9)


def rms_db(samples):
    return 10.0 * math.log10(float(np.mean(np.asarray(samples, dtype=np.float64) ** 2)))


def true_peak_db(samples):
    """Return the peak of the clip interpolated by its spectrum, eight times: an ideal filter."""
    from scipy.signal import resample

    padded = np.pad(np.atleast_2d(samples).astype(np.float64), ((0, 0), (4_096, 4_096)))
    return 20.0 * math.log10(np.abs(resample(padded, 8 * padded.shape[1], axis=1)).max())


@cache
def speech_at_minus_20_lufs():
    import pyloudnorm

    signal = pt.read_audio(SPEECH).signal
    loudness = pyloudnorm.Meter(RATE_HZ).integrated_loudness(signal.samples[0].astype(np.float64))
    return Signal.adopt(signal.samples * np.float32(10 ** ((-20 - loudness) / 20)), RATE_HZ)


def change_db(before, after, span):
    """Return the level change of the core of a span less the change outside it."""
    start, stop = span.to_samples(RATE_HZ)
    core = slice(start + 160, stop - 160)
    outside = np.r_[0:start, stop : before.shape[1]]
    inside_db = rms_db(after[:, core]) - rms_db(before[:, core])
    return inside_db - (rms_db(after[:, outside]) - rms_db(before[:, outside]))


def run(folder, source, *steps, source_format=PCM_16, sham=False, overflow="scale"):
    """Write a clip, edit the file, and return the trace and what the variant holds."""
    pt.write_audio(folder / "in.wav", source, source_format)
    role = "sham" if sham else "probe"
    made = tuple(Step(operator=step.operator, spans=step.spans, role=role) for step in steps)
    output = folder / ("sham.wav" if sham else "out.wav")
    trace = apply_to_file(FileJob(folder / "in.wav", output, made, overflow=overflow))
    return trace, pt.read_audio(output).signal.samples, pt.read_audio(folder / "in.wav").signal


def test_two_full_scale_tones(folder):
    host = Signal.from_array(tone(440.0), RATE_HZ)
    laid = Signal.from_array(tone(660.0), RATE_HZ)
    pt.write_audio(folder / "tone.wav", laid, PCM_16)
    step = Overlay(ref="file:tone.wav") @ Span(0.0)
    trace, mixed, source = run(folder, host, step)
    assert trace.output.clipped_samples == 0
    assert np.abs(mixed).max() < 1.0
    gain_db = trace.headroom.gain_db
    assert gain_db == pytest.approx(-5.6, abs=0.5)
    factor = 10 ** (gain_db / 20)
    laid_read = pt.read_audio(folder / "tone.wav").signal.samples
    expected = (source.samples + laid_read) * factor
    assert np.abs(mixed - expected).max() <= 2.0**-15
    assert true_peak_db(mixed) <= max(-1.0, true_peak_db(source.samples)) + 0.02

    sham_trace, sham, _ = run(folder, host, step, sham=True)
    assert sham_trace.headroom.gain_db == gain_db
    assert np.abs(sham - source.samples * factor).max() <= 2.0**-16 + 1e-9


@pytest.mark.parametrize(
    ("source_format", "tolerance_db"), [(FLOAT, 0.01), (PCM_16, 0.05)], ids=["float", "16-bit"]
)
def test_speech_12_db_up_on_one_second(folder, source_format, tolerance_db):
    signal = speech_at_minus_20_lufs()
    span = Span(1.0, 2.0)
    before = (folder / "in.wav", signal.samples.copy())
    step = pt.Gain(gain_db=12.0) @ span
    trace, result, source = run(folder, signal, step, source_format=source_format)
    assert trace.status == "ok"
    assert trace.headroom.gain_db < -3.0
    assert change_db(source.samples, result, span) == pytest.approx(12.0, abs=tolerance_db)
    proof = trace.measured[0]
    assert (proof.name, proof.requested) == ("level_change", 12.0)
    assert proof.achieved == pytest.approx(12.0, abs=tolerance_db)
    assert trace.output.clipped_samples == 0
    assert true_peak_db(result) <= -1.0 + 0.02
    # And not one step lower than it has to be.
    assert true_peak_db(result) >= -1.0 - 0.1

    sham_trace, sham, _ = run(folder, signal, step, source_format=source_format, sham=True)
    assert sham_trace.headroom.gain_db == trace.headroom.gain_db
    assert sham_trace.headroom.needed_db == 0.0
    assert sham_trace.headroom.counterpart_needed_db == trace.headroom.needed_db
    assert rms_db(sham) - rms_db(source.samples) == pytest.approx(
        trace.headroom.gain_db, abs=tolerance_db
    )
    # The original is what it was, in memory and on disk.
    assert np.array_equal(signal.samples, before[1])
    assert pt.read_audio(before[0]).signal.is_equal(source)


@pytest.mark.parametrize("level_dbfs", [-30.0, -10.0])
@pytest.mark.parametrize("gain_db", [-10.0, 0.0, 6.0, 10.0, 20.0])
@pytest.mark.parametrize(
    ("source_format", "tolerance_db"), [(FLOAT, 0.01), (PCM_16, 0.05)], ids=["float", "16-bit"]
)
def test_level_change_at_any_host_level(folder, level_dbfs, gain_db, source_format, tolerance_db):
    noise = np.random.default_rng(4).uniform(-1.0, 1.0, RATE_HZ)
    noise *= 10 ** (level_dbfs / 20) / np.sqrt(np.mean(noise**2))
    span = Span(0.25, 0.75)
    signal = Signal.from_array(noise, RATE_HZ)
    trace, result, source = run(
        folder, signal, pt.Gain(gain_db=gain_db) @ span, source_format=source_format
    )
    assert change_db(source.samples, result, span) == pytest.approx(gain_db, abs=tolerance_db)
    assert trace.measured[0].achieved == pytest.approx(gain_db, abs=tolerance_db)
    assert trace.status == "ok"
    assert trace.output.clipped_samples == 0


def test_a_result_under_the_inputs_own_peak_is_not_scaled():
    quiet, loud = tone(300.0, 0.1), tone(300.0, 0.999)
    clip = Signal.from_array(np.concatenate([quiet, loud]), RATE_HZ)
    variant = pt.apply(clip, pt.Gain(gain_db=19.0) @ Span(0.2, 0.8))
    assert variant.trace.headroom.gain_db == 0.0
    assert variant.trace.headroom.ceiling_dbtp > -0.1
    assert np.array_equal(variant.signal.samples[:, RATE_HZ:], clip.samples[:, RATE_HZ:])


def test_a_result_under_one_dbtp_is_not_scaled():
    clip = Signal.from_array(tone(300.0, 0.1), RATE_HZ)
    headroom = pt.apply(clip, pt.Gain(gain_db=18.9)).trace.headroom
    assert (headroom.gain_db, headroom.needed_db, headroom.ceiling_dbtp) == (0.0, 0.0, -1.0)
    headroom = pt.apply(clip, pt.Gain(gain_db=20.0)).trace.headroom
    assert headroom.gain_db == pytest.approx(-1.0, abs=0.011)


@pytest.mark.parametrize(
    "step",
    [pt.Identity(), pt.Gain(gain_db=0.0), pt.Gain(gain_db=0.0) @ Span(0.1, 0.4)],
    ids=["identity", "whole", "span"],
)
@pytest.mark.parametrize("sham", [False, True])
@pytest.mark.parametrize("overflow", ["scale", "error", "limit"])
@pytest.mark.parametrize("make", [square, lambda: tone(440.0, 1.0), lambda: 3.0 * tone(50.0)])
def test_the_unchanged_is_never_scaled(step, sham, overflow, make):
    clip = Signal.from_array(make(), RATE_HZ)
    variant = pt.apply(clip, step, sham=sham, overflow=overflow)
    assert variant.signal.is_equal(clip)
    assert variant.signal is not clip
    assert variant.trace.headroom.gain_db == 0.0
    assert not variant.trace.headroom.limited
    assert variant.trace.status == "ok"


@pytest.mark.parametrize("gain_db", [-6.0, 3.0, 12.0])
def test_a_full_scale_square_wave(folder, gain_db):
    span = Span(0.25, 0.75)
    signal = Signal.from_array(square(), RATE_HZ)
    trace, result, source = run(folder, signal, pt.Gain(gain_db=gain_db) @ span)
    assert change_db(source.samples, result, span) == pytest.approx(gain_db, abs=0.05)
    assert trace.output.clipped_samples == 0
    assert trace.status == "ok"
    # Its own true peak, over full scale, is its ceiling: the gain brings it back there.
    assert trace.headroom.ceiling_dbtp == pytest.approx(true_peak_db(source.samples), abs=0.2)
    assert trace.headroom.gain_db == pytest.approx(min(0.0, -gain_db), abs=0.02)


def test_a_loud_loudness_target_of_a_square_wave(folder):
    signal = Signal.from_array(square(), RATE_HZ)
    trace, _, _ = run(folder, signal, pt.Gain(target_lufs=-23.0) @ Span(0.0, 1.0))
    assert trace.measured[0].achieved == pytest.approx(-23.0, abs=0.2)


def test_the_high_ceiling_of_a_hard_input_lets_no_sample_pass_full_scale(folder):
    # A square wave's true peak is 2 dB over full scale; a slow tone's lies on its samples.
    clip = Signal.from_array(np.concatenate([square(), tone(50.0, 0.5)]), RATE_HZ)
    span = Span(1.2, 1.8)
    trace, result, source = run(folder, clip, pt.Gain(gain_db=7.5) @ span)
    assert 20 * math.log10(0.5) + 7.5 > 0.0
    assert trace.headroom.ceiling_dbtp > 20 * math.log10(0.5) + 7.5
    assert trace.output.clipped_samples == 0
    assert trace.headroom.gain_db == pytest.approx(-1.48, abs=0.011)
    assert change_db(source.samples, result, span) == pytest.approx(7.5, abs=0.05)
    limited, samples, _ = run(folder, clip, pt.Gain(gain_db=7.5) @ span, overflow="limit")
    assert limited.output.clipped_samples == 0
    assert np.abs(samples).max() <= 1.0


def test_a_float_source_over_full_scale_keeps_its_range(folder):
    clip = Signal.from_array(np.concatenate([tone(50.0, 2.0), tone(50.0, 0.5)]), RATE_HZ)
    trace, result, source = run(
        folder, clip, pt.Gain(gain_db=6.0) @ Span(1.2, 1.8), source_format=FLOAT
    )
    assert trace.headroom.gain_db == 0.0
    assert np.array_equal(result[:, :RATE_HZ], source.samples[:, :RATE_HZ])
    # Where 24-bit FLAC must be written, the original's own excess is clipped, and counted.
    step = Step(operator=pt.Gain(gain_db=6.0), spans=(Span(1.2, 1.8),))
    flac = apply_to_file(FileJob(folder / "in.wav", folder / "o.flac", (step,)))
    assert flac.output.clipped_samples == count_over_full_scale(source) > 0
    same = Step(operator=pt.Identity())
    identity = apply_to_file(FileJob(folder / "in.wav", folder / "i.flac", (same,)))
    assert identity.output.clipped_samples == flac.output.clipped_samples
    assert identity.status == "ok"


def test_overflow_error_refuses_and_names_the_ceiling(folder):
    signal = speech_at_minus_20_lufs()
    step = pt.Gain(gain_db=12.0) @ Span(1.0, 2.0)
    needed_db = pt.apply(signal, step).trace.headroom.needed_db
    with pytest.raises(AudioError) as caught:
        pt.apply(signal, step, overflow="error")
    assert str(caught.value) == (
        f"the result would pass the ceiling of -1.00 dBTP by {-needed_db:.2f} dB; accepted with "
        "overflow=error: results under it. Use overflow=scale for one recorded gain"
    )
    # Its sham is refused alike, so that no half of a pair is written.
    with pytest.raises(AudioError, match=r"result of its counterpart \(probe or sham\) would pass"):
        pt.apply(signal, step, overflow="error", sham=True)
    assert pt.apply(signal, pt.Gain(gain_db=1.0) @ Span(1.0, 2.0), overflow="error")


@pytest.mark.parametrize("gain_db", [12.0, 30.0])
def test_a_limiter_holds_the_ceiling_and_says_what_it_cost(gain_db):
    signal = speech_at_minus_20_lufs()
    span = Span(1.0, 2.0)
    variant = pt.apply(signal, pt.Gain(gain_db=gain_db) @ span, overflow="limit")
    headroom = variant.trace.headroom
    assert headroom.limited
    assert headroom.gain_db == 0.0
    assert headroom.needed_db < -3.0
    # A meter of four times oversampling reads up to .04 dB low on speech.
    assert true_peak_db(variant.signal.samples) <= -1.0 + 0.05
    achieved = variant.trace.measured[0]
    assert achieved.achieved == pytest.approx(
        change_db(signal.samples, variant.signal.samples, span), abs=0.02
    )
    assert achieved.achieved < gain_db - 0.5
    assert achieved.verdict == "off_target"
    assert variant.trace.status == "off_target"
    # Far from the span nothing was touched.
    assert np.array_equal(variant.signal.samples[:, :15_000], signal.samples[:, :15_000])


def test_a_limiter_that_has_nothing_to_do_does_nothing():
    signal = speech_at_minus_20_lufs()
    step = pt.Gain(gain_db=1.0) @ Span(1.0, 2.0)
    limited, scaled = (pt.apply(signal, step, overflow=how) for how in ("limit", "scale"))
    assert not limited.trace.headroom.limited
    assert limited.signal.is_equal(scaled.signal)


@pytest.mark.parametrize("rate_hz", [8_000, 48_000, 192_000])
def test_the_limiter_at_any_rate_and_for_all_channels_alike(rate_hz):
    left = tone(200.0, 1.6, 0.2, rate_hz)
    signal = Signal.from_array(np.stack([left, 0.1 * left]), rate_hz, layout="channels_first")
    limited = limit(signal, -1.0)
    assert true_peak_db(limited.samples) <= -1.0 + 0.02
    np.testing.assert_allclose(limited.samples[1], 0.1 * limited.samples[0], atol=1e-6)


def test_without_a_sham_the_gain_is_the_probes_own():
    clip = Signal.from_array(tone(300.0, 0.7), RATE_HZ)
    trace = pt.apply(clip, Reverse(), pt.Gain(gain_db=6.0)).trace
    assert trace.headroom.counterpart_needed_db is None
    assert trace.headroom.gain_db == trace.headroom.needed_db < 0.0


def test_a_chain_shares_one_gain_and_earlier_steps_are_proven_without_it():
    clip = Signal.from_array(tone(300.0, 0.5, 2.0), RATE_HZ)
    steps = (pt.Gain(gain_db=9.0) @ Span(0.2, 0.8), pt.Gain(gain_db=12.0) @ Span(1.2, 1.8))
    trace = pt.apply(clip, *steps).trace
    assert trace.status == "ok"
    assert trace.headroom.gain_db == pytest.approx(-7.0, abs=0.2)
    assert [round(proof.achieved, 2) for proof in trace.measured] == [9.0, 0.0, 12.0, 0.0]


def test_what_lies_outside_is_the_original_scaled_and_no_more(folder):
    signal = speech_at_minus_20_lufs()
    trace, result, source = run(folder, signal, pt.Gain(gain_db=12.0) @ Span(1.0, 2.0))
    outside = next(proof for proof in trace.measured if proof.name == "outside_difference")
    assert outside.achieved == 0.0
    factor = np.float32(10 ** (trace.headroom.gain_db / 20))
    expected = np.rint(source.samples[:, :RATE_HZ] * factor * 32768) / 32768
    assert np.array_equal(result[:, :RATE_HZ], expected)


def test_a_gain_is_undone_as_it_was_done():
    signal = speech_at_minus_20_lufs()
    assert apply_gain(signal, 0.0) is signal
    assert undo_gain(signal, 0.0) is signal
    again = undo_gain(apply_gain(signal, -7.31), -7.31)
    np.testing.assert_allclose(again.samples, signal.samples, rtol=1e-6)
