from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.events.bank import render
from perturb.measure.analysis import Analysis
from perturb.measure.f0_track import F0Track
from perturb.operators.monotone import Monotone
from perturb.operators.speed import Speed
from perturb.operators.whisper import Whisper
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import RATES_HZ, speech_like
from tests.conftest import CLIPS

RATE = 16_000
CLIP = speech_like(2.4, RATE, channels=2, seed=1, level=0.05)


def _assert_proven(variant):
    """All proofs hold; the level's less closely than in speech, which does not fall so steeply.

    The syllables fall by 30 dB in 10 ms: a period that moves by half of one moves the level.
    """
    missed = {proof.name for proof in variant.trace.measured if proof.verdict != "ok"}
    assert missed <= {"level_correlation"}, variant.trace.reason
    level = next(p for p in variant.trace.measured if p.name == "level_correlation")
    assert level.achieved >= 0.96


def _proofs(variant):
    return {proof.name: proof for proof in variant.trace.measured}


@pytest.mark.parametrize("rate", RATES_HZ)
def test_any_rate(rate):
    variant = apply(speech_like(1.6, rate, channels=2, seed=2, level=0.05), Monotone())
    _assert_proven(variant)


def test_pitch_is_flat_at_the_target():
    proofs = _proofs(apply(CLIP, Monotone(target_hz=160.0)))
    assert proofs["f0_span"].achieved < 40.0
    assert proofs["f0_median_error"].achieved < 8.0
    assert proofs["f0_span"].instrument == "independent"
    assert proofs["unvoiced_difference"].achieved == 0.0


def test_each_span_has_its_own_median():
    samples = np.concatenate([CLIP.samples, speech_like(2.4, RATE, channels=2, seed=8).samples], 1)
    variant = apply(Signal.adopt(samples, RATE), Monotone() @ Span(0.2, 2.2) @ Span(2.6, 4.6))
    assert [p.span for p in variant.trace.measured if p.name == "f0_span"] == [0, 1]
    _assert_proven(variant)


def test_the_proof_catches_an_unflattened_voice():
    from perturb.plan.step import Plan, Step
    from perturb.render.chain import run_chain

    sham = run_chain(
        Plan(steps=(Step(operator=Monotone(), role="sham"),), clip_id="clip"), Analysis(CLIP), None
    ).result

    class Context:
        before, after = Analysis(CLIP), Analysis(sham)

        def as_written(self, signal):
            return signal

    spans = (Span(0.0, CLIP.duration_s),)
    found = {p.name: p for p in Monotone().measure(CLIP, sham, spans, Context())}
    assert found["f0_span"].verdict == "off_target"
    louder = Signal.adopt(sham.samples * np.float32(1.1), RATE)
    Context.after = Analysis(louder)
    found = {p.name: p for p in Monotone().measure(CLIP, louder, spans, Context())}
    assert found["unvoiced_difference"].verdict == "off_target"


def test_the_sham_keeps_the_contour_and_is_no_copy():
    variant = apply(CLIP, Monotone(), sham=True)
    _assert_proven(variant)
    assert not variant.signal.is_equal(CLIP)


@pytest.mark.parametrize("target_hz", [59.9, 480.1, -1.0, float("nan")])
def test_targets_out_of_range_are_refused(target_hz):
    with pytest.raises(ParameterError, match="60 to 480 Hz"):
        Monotone(target_hz=target_hz)


def test_no_voice_is_inapplicable():
    hiss = Signal.from_array(0.1 * np.random.default_rng(0).standard_normal(RATE), RATE)
    with pytest.raises(InapplicableError, match="no speech"):
        apply(hiss, Monotone())
    with pytest.raises(InapplicableError, match="no speech"):
        apply(CLIP, Monotone() @ Span(0.1, 0.12))


@pytest.mark.parametrize("span", [Span(1.10006, 1.6), Span(1.62001, 2.085)])
def test_edges_between_samples_are_proven_like_others(span):
    path = next(path for path in CLIPS if path.stem == "en-vm-newuser")
    variant = apply(read_audio(path).signal, Monotone() @ span)
    assert _proofs(variant)["unvoiced_difference"].achieved == 0.0
    chained = apply(read_audio(path).signal, Speed(rate=1.13), Monotone() @ span)
    proofs = {p.name: p for p in chained.trace.steps[1].measured}
    assert proofs["unvoiced_difference"].achieved == 0.0


def test_the_proof_catches_a_voice_that_is_whispered_in_part(prompt):
    clip = read_audio(prompt).signal
    flat, whispered = (apply(clip, one).signal for one in (Monotone(), Whisper()))
    half = clip.sample_count // 2
    mixed = np.concatenate([flat.samples[:, :half], whispered.samples[:, half:]], axis=1)

    class Context:
        before, after = Analysis(clip), Analysis(Signal.adopt(mixed, clip.sample_rate_hz))

        def as_written(self, signal):
            return signal

    spans = (Span(0.0, clip.duration_s),)
    found = Monotone().measure(clip, Context.after.signal, spans, Context())
    proofs = {p.name: p for p in found}
    assert proofs["f0_span"].verdict == "ok"
    assert proofs["voicing_lost"].verdict == "off_target"
    assert _proofs(apply(clip, Monotone()))["voicing_lost"].achieved < 10.0


@pytest.mark.parametrize(
    ("up_frames", "message"),
    [(15, None), (17, r"pitch that leaps: 8\.\d % .* at most 8 % accepted")],
)
def test_a_voice_that_leaps_has_no_pitch_to_flatten(up_frames, message):
    pitch_hz = np.full(200, 120.0, dtype=np.float32)
    pitch_hz[100 : 100 + up_frames] = 390.0
    pitch_hz[[99, 100 + up_frames]] = 0.0
    track = F0Track(np.arange(200) * 0.005, pitch_hz, np.ones_like(pitch_hz), 0.005)

    class Heard:
        """A context whose two trackers agree."""

        f0 = f0_judge = track

        def speech_gate(self, start_s, stop_s):
            return None

    class Context:
        analysis = Heard()

    clip = Signal.adopt(np.zeros((1, RATE), dtype=np.float32), RATE)
    with nullcontext() if message is None else pytest.raises(InapplicableError, match=message):
        Monotone().check_applicable(clip, (Span(0.0, 1.0),), Context())


def test_spans_that_begin_and_end_in_a_voice_are_proven():
    # A frame at the edge hears both sides; of half a second it would be more than 0.5 %.
    clip = speech_like(4.0, RATE, seed=3, level=0.05)
    f0 = Analysis(clip).f0
    edges_s = [f0.times_s[sum(run) // 2] for run in f0.voiced_runs()]
    for start_s, end_s in zip(edges_s, edges_s[2:], strict=False):
        variant = apply(clip, Monotone() @ Span(round(start_s, 3), round(end_s, 3)))
        assert _proofs(variant)["f0_gross_error"].verdict == "ok", (start_s, end_s)


def test_two_voices_and_music_have_no_one_pitch():
    times_s = np.arange(3 * RATE) / RATE
    chord = sum(
        np.sin(2 * np.pi * k * pitch_hz * times_s) / k
        for pitch_hz in (131.0, 185.0, 247.0)
        for k in range(1, 8)
    )
    beat = 0.6 + 0.4 * np.sin(2 * np.pi * 3 * times_s)
    clip = Signal.from_array(0.05 * beat * chord, RATE)
    with pytest.raises(InapplicableError, match=r"no one pitch|no speech"):
        apply(clip, Monotone())


def _over_engine(snr_db, seconds=3.0):
    """Return speech-like sound over an engine."""
    clip = speech_like(seconds, RATE, seed=1, level=0.05)
    engine = np.resize(render("car_engine", 0, RATE).samples[0], clip.sample_count)
    ratio = 10 ** (-snr_db / 20) * 0.05 / float(np.sqrt(np.mean(engine**2)))
    return Signal.adopt(clip.samples + np.float32(ratio) * engine, RATE)


def test_where_it_is_not_clear_what_is_voiced_it_is_inapplicable():
    with pytest.raises(InapplicableError, match=r"no clear voicing: .* at most 12% accepted"):
        apply(_over_engine(6.0), Monotone() @ Span(1.0, 1.6))


def test_clips_under_two_seconds_are_not_asked_what_is_voiced():
    apply(_over_engine(6.0, seconds=1.9), Monotone())
