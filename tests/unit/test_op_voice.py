from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, read_audio, write_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.events.bank import render
from perturb.measure.analysis import Analysis
from perturb.measure.f0_track import F0Track
from perturb.operators.voice import Voice
from perturb.plan.step import Plan, Step
from perturb.render.apply import apply
from perturb.render.chain import run_chain
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.voice import revoice
from perturb.testing.strategies import RATES_HZ, speech_like

RATE = 16_000
CLIP = speech_like(2.4, RATE, channels=2, seed=1, level=0.05)


def _proofs(variant):
    return {proof.name: proof for proof in variant.trace.measured}


def _assert_proven(variant):
    """All proofs hold; the level's less closely than in speech, which does not fall so steeply."""
    missed = {name for name, proof in _proofs(variant).items() if proof.verdict != "ok"}
    assert missed <= {"level_correlation"}, variant.trace.reason
    assert _proofs(variant)["level_correlation"].achieved >= 0.96


@pytest.mark.parametrize("rate", RATES_HZ)
def test_any_rate(rate):
    _assert_proven(apply(speech_like(1.6, rate, channels=2, seed=2, level=0.05), Voice()))


def test_by_default_a_low_voice_rises_and_a_high_one_falls(prompt):
    own_hz = Analysis(CLIP).f0.median_hz
    notes = apply(CLIP, Voice()).trace.steps[0].notes
    assert notes["target_hz"] == pytest.approx(1.3 * own_hz, rel=1e-3)
    assert notes["formant_ratio"] == 1.19
    high = Analysis(read_audio(prompt).signal)
    notes = apply(high, Voice()).trace.steps[0].notes
    assert notes["target_hz"] == pytest.approx(high.f0.median_hz / 1.5, rel=1e-3)
    assert notes["formant_ratio"] == 0.84


def test_pitch_and_resonances_move_as_asked_by_instruments_of_their_own():
    proofs = _proofs(apply(CLIP, Voice(target_hz=170.0, formant_ratio=0.9)))
    assert proofs["f0_median"].achieved == pytest.approx(170.0, rel=0.02)
    assert proofs["formant_ratio"].achieved == pytest.approx(0.9, rel=0.02)
    for name in ("f0_median", "f0_median_error", "formant_ratio"):
        assert proofs[name].instrument == "independent"


def test_another_speakers_height_and_range_are_taken(tmp_path):
    other = apply(CLIP, Voice(pitch_ratio=1.6, range_ratio=0.5, formant_ratio=1.0)).signal
    write_audio(tmp_path / "other.wav", other, OutputFormat())
    variant = apply(CLIP, Voice(ref=f"file:{tmp_path / 'other.wav'}"))
    notes = variant.trace.steps[0].notes
    assert notes["target_hz"] == pytest.approx(Analysis(other).f0.median_hz, rel=1e-3)
    assert notes["range_ratio"] == pytest.approx(0.5, abs=0.06)
    assert "nobody" in notes["claim"]


def test_all_spans_go_the_same_way():
    variant = apply(CLIP, Voice() @ Span(0.1, 1.1) @ Span(1.2, 2.3))
    assert [p.span for p in variant.trace.measured if p.name == "formant_ratio"] == [0, 1]
    assert len({p.requested for p in variant.trace.measured if p.name == "formant_ratio"}) == 1


def test_the_sham_keeps_pitch_and_resonances_and_is_no_copy():
    variant = apply(CLIP, Voice(), sham=True)
    _assert_proven(variant)
    assert _proofs(variant)["formant_ratio"].achieved == pytest.approx(1.0, abs=0.01)
    assert not variant.signal.is_equal(CLIP)


def test_the_proof_catches_a_voice_that_did_not_move():
    step = Step(operator=Voice(), role="sham")
    sham = run_chain(Plan(steps=(step,), clip_id="clip"), Analysis(CLIP), None).result

    class Context:
        before, after = Analysis(CLIP), Analysis(sham)

    spans = (Span(0.0, CLIP.duration_s),)
    found = {p.name: p for p in Voice().measure(CLIP, sham, spans, Context())}
    for name in ("f0_median", "f0_median_error", "formant_ratio"):
        assert found[name].verdict == "off_target", name
    moved = apply(CLIP, Voice()).signal
    Context.after = Analysis(moved)
    found = {p.name: p for p in Voice().measure_sham(CLIP, moved, spans, Context())}
    assert found["formant_ratio"].verdict == "off_target"


def test_channels_share_marks_and_grains():
    variant = apply(CLIP, Voice())
    np.testing.assert_allclose(
        variant.signal.samples[1], 0.8 * variant.signal.samples[0], atol=1e-6
    )


def test_factors_of_one_are_the_identity():
    for operator in (Voice(pitch_ratio=1.0), Voice(pitch_ratio=1.0, formant_ratio=1.0)):
        assert operator.is_neutral
        assert operator.ledger().destroys == ()
        variant = apply(CLIP, operator)
        assert variant.signal.is_equal(CLIP)
        assert variant.signal is not CLIP


@pytest.mark.parametrize("target_hz", [59.9, 480.1, -1.0, float("nan")])
def test_targets_out_of_range_are_refused(target_hz):
    with pytest.raises(ParameterError, match="60 to 480 Hz"):
        Voice(target_hz=target_hz)


def test_a_pitch_that_would_leave_the_range_is_inapplicable():
    with pytest.raises(InapplicableError, match=r"would come to lie at 5\d Hz; accepted: 60 to"):
        apply(CLIP, Voice(pitch_ratio=0.45))


def test_a_voice_without_room_is_refused_before_it_is_edited():
    with pytest.raises(InapplicableError, match=r"no room: .* would be held at 60 or 480 Hz"):
        apply(CLIP, Voice(pitch_ratio=0.55))


def test_resonances_of_a_very_high_voice_cannot_be_told():
    cry = render("baby_cry", 2, RATE)
    for operator in (Voice(), Voice(pitch_ratio=0.9, formant_ratio=1.0)):
        with pytest.raises(InapplicableError, match=r"lies at 4\d\d Hz; accepted: up to 330 Hz"):
            apply(cry, operator)


def test_bursts_are_heard_once_and_in_their_place():
    rng = np.random.default_rng(0)
    quiet = (1e-3 * rng.standard_normal(4 * RATE)).astype(np.float32)
    places = np.arange(2_000, 4 * RATE - 2_000, 1_600) + rng.integers(0, 400, 38)
    burst = 0.3 * rng.standard_normal((38, 24)) * np.exp(-np.arange(24) / 8)
    for place, samples in zip(places, burst, strict=True):
        quiet[place : place + 24] += samples
    times_s = np.arange(0.0, 4.0, 0.005)
    unvoiced = np.zeros(times_s.size, dtype=np.float32)
    f0 = F0Track(times_s, unvoiced, unvoiced, 0.005)
    for ratio in (0.84, 1.19):
        after = revoice(quiet[np.newaxis], RATE, f0, unvoiced, ratio, rng.random)[0]
        for place in places:
            around = slice(place - 80, place + 160)
            power, power_after = (np.square(x[around], dtype=float) for x in (quiet, after))
            assert power_after.sum() == pytest.approx(power.sum(), rel=0.1)
            middles = [np.average(np.arange(240), weights=w) for w in (power, power_after)]
            assert abs(middles[1] - middles[0]) < 1e-3 * RATE


def test_a_donor_without_a_voice_is_inapplicable(tmp_path):
    hiss = Signal.from_array(0.1 * np.random.default_rng(0).standard_normal(RATE), RATE)
    write_audio(tmp_path / "hiss.wav", hiss, OutputFormat())
    with pytest.raises(InapplicableError, match="has no voiced frame"):
        apply(CLIP, Voice(ref=f"file:{tmp_path / 'hiss.wav'}"))


def test_one_pitch_is_named_at_most():
    with pytest.raises(ParameterError, match="target_hz and pitch_ratio are given"):
        Voice(target_hz=120.0, pitch_ratio=1.2)
    with pytest.raises(ParameterError, match="file:PATH"):
        Voice(ref="a.wav")


def test_no_voice_is_inapplicable():
    hiss = Signal.from_array(0.1 * np.random.default_rng(0).standard_normal(RATE), RATE)
    with pytest.raises(InapplicableError, match="no speech"):
        apply(hiss, Voice())


def test_the_speaker_is_promised_gone_only_where_resonances_move_far():
    assert "speaker" in Voice().ledger().destroys
    assert "speaker" in Voice(formant_ratio=0.84).ledger().destroys
    for operator in (Voice(formant_ratio=1.1), Voice(pitch_ratio=1.3, formant_ratio=1.0)):
        assert "speaker" not in {*operator.ledger().destroys, *operator.ledger().keeps}
    assert "intonation" not in Voice(range_ratio=2.0).ledger().keeps
