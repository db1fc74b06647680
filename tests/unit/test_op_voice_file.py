from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, read_audio, write_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.measure.active_level import active_speech_level
from perturb.measure.analysis import Analysis
from perturb.operators.speed import Speed
from perturb.operators.voice import Voice
from perturb.operators.voice_file import VoiceFile
from perturb.plan.trace import Trace
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from tests.conftest import CLIPS_FOLDER

RATE = 16_000


def _read(number):
    name = f"sense-and-sensibility-{number}.wav"
    return read_audio(CLIPS_FOLDER / "librivox" / name).signal.samples


# A sentence with its pauses, between the end of one and the beginning of another.
SENTENCE = _read("0890")
CLIP = Signal.from_array(
    np.concatenate([_read("0920")[:, -24_000:], SENTENCE, _read("0930")[:, :16_000]], axis=1),
    RATE,
    layout="channels_first",
)
SPAN = Span(1.55, 1.5 + SENTENCE.shape[1] / RATE - 0.02)


def _write(path, signal):
    write_audio(path, signal, OutputFormat())
    return f"file:{path}"


def _respoken(rate=1.0, gain=1.0, pad_s=0.0, operator=None):
    utterance = CLIP.slice(*SPAN.to_samples(RATE))
    signal = apply(utterance, operator or Voice()).signal
    if rate != 1.0:
        signal = apply(signal, Speed(rate=rate)).signal
    padded = np.pad(gain * signal.samples, ((0, 0), (round(pad_s * RATE), round(pad_s * RATE))))
    return Signal.from_array(padded, RATE, layout="channels_first")


def _proofs(variant):
    return {proof.name: proof for proof in variant.trace.measured}


@pytest.mark.parametrize("rate", [0.9, 1.0, 1.1])
@pytest.mark.parametrize("gain", [0.1, 1.0])
@pytest.mark.parametrize("pad_s", [0.0, 0.4])
def test_a_recording_is_fitted_into_the_slot(tmp_path, rate, gain, pad_s):
    ref = _write(tmp_path / "new.wav", _respoken(rate, gain, pad_s))
    variant = apply(CLIP, VoiceFile(ref=ref) @ SPAN)
    assert variant.trace.status == "ok", variant.trace.reason
    start, stop = SPAN.to_samples(RATE)
    assert np.array_equal(variant.signal.samples[:, :start], CLIP.samples[:, :start])
    assert np.array_equal(variant.signal.samples[:, stop:], CLIP.samples[:, stop:])
    levels = [active_speech_level(s.slice(start, stop)) for s in (CLIP, variant.signal)]
    assert levels[1].level_dbfs == pytest.approx(levels[0].level_dbfs, abs=0.1)
    assert variant.trace.steps[0].notes["stretch"] == pytest.approx(rate, abs=0.03)


def test_it_is_marked_as_synthetic_with_what_was_done(tmp_path):
    ref = _write(tmp_path / "new.wav", _respoken())
    notes = apply(CLIP, VoiceFile(ref=ref) @ SPAN).trace.steps[0].notes
    assert notes["is_synthetic"] is True
    assert notes["recording"] == ref
    assert SPAN.start_s <= notes["utterance_s"][0] < notes["utterance_s"][1] <= SPAN.end_s


def test_the_triplets_sham_is_the_own_voice_with_the_same_joins(tmp_path):
    ref = _write(tmp_path / "new.wav", _respoken(1.05))
    own = Voice(pitch_ratio=1.02, formant_ratio=1.0)
    sham_ref = _write(tmp_path / "own.wav", _respoken(0.95, operator=own))
    operator = VoiceFile(ref=ref, sham_ref=sham_ref) @ SPAN
    probe, sham = apply(CLIP, operator), apply(CLIP, operator, sham=True)
    for variant in (probe, sham):
        assert variant.trace.status == "ok", variant.trace.reason
        assert variant.trace.steps[0].notes["is_synthetic"] is True
    notes = [variant.trace.steps[0].notes for variant in (probe, sham)]
    for name in ("joins_s", "utterance_s", "room_dbfs"):
        assert notes[0][name] == notes[1][name]
    assert probe.trace.headroom.gain_db == sham.trace.headroom.gain_db
    own_hz, probe_hz, sham_hz = (
        Analysis(signal.slice(*SPAN.to_samples(RATE))).f0.median_hz
        for signal in (CLIP, probe.signal, sham.signal)
    )
    assert probe_hz > 1.2 * own_hz
    assert sham_hz == pytest.approx(1.02 * own_hz, rel=0.05)


def test_without_a_recording_in_the_own_voice_there_is_no_sham(tmp_path):
    operator = VoiceFile(ref="file:new.wav")
    assert not operator.sham_exists()
    with pytest.raises(ParameterError, match="no sham"):
        apply(CLIP, operator @ SPAN, sham=True)


def test_the_room_is_under_a_dry_recording(tmp_path):
    dry = np.array(_respoken().samples)
    dry[:, 2 * RATE : round(2.7 * RATE)] = 0.0
    signal = Signal.from_array(dry, RATE, layout="channels_first")
    variant = apply(CLIP, VoiceFile(ref=_write(tmp_path / "dry.wav", signal)) @ SPAN)
    floor = _proofs(variant)["floor_level"]
    assert floor.verdict == "ok"
    assert floor.achieved == pytest.approx(Analysis(CLIP).room.level_dbfs.value, abs=4.0)


def test_the_proof_catches_a_slot_without_the_recording(tmp_path):
    recording = _respoken(1.1)
    operator = VoiceFile(ref=_write(tmp_path / "new.wav", recording))

    class Context:
        before, after = Analysis(CLIP), Analysis(CLIP)

        def resolve(self, reference):
            return recording

    found = {p.name: p for p in operator.measure(CLIP, CLIP, (SPAN,), Context())}
    for name in ("largest_correlation", "f0_median_error"):
        assert found[name].verdict == "off_target", name
    backwards = Signal.from_array(CLIP.samples[:, ::-1], RATE, layout="channels_first")
    found = {p.name: p for p in operator.measure(CLIP, backwards, (SPAN,), Context())}
    assert found["level_correlation"].verdict == "off_target"


def test_a_cut_through_speech_misses_the_joins(tmp_path):
    levels = Analysis(CLIP).level_contour_db
    loud_s = 0.005 * int(np.argmax(levels[600:800]) + 600)
    recording = apply(
        CLIP.slice(round(loud_s * RATE), round((loud_s + 2.0) * RATE)), Voice()
    ).signal
    ref = _write(tmp_path / "new.wav", recording)
    variant = apply(CLIP, VoiceFile(ref=ref) @ Span(loud_s, loud_s + 2.0))
    assert _proofs(variant)["join_level"].verdict == "off_target"


def test_stereo_keeps_its_side(tmp_path):
    wide = Signal.adopt(np.concatenate([CLIP.samples, np.float32(0.25) * CLIP.samples]), RATE)
    ref = _write(tmp_path / "new.wav", _respoken())
    variant = apply(wide, VoiceFile(ref=ref) @ SPAN)
    assert variant.trace.status == "ok", variant.trace.reason
    left, right = variant.signal.slice(*SPAN.to_samples(RATE)).samples
    ratio_db = 10 * np.log10(np.square(left).mean() / np.square(right).mean())
    assert ratio_db == pytest.approx(12.0, abs=0.5)


def _bad_recordings():
    speech = _respoken()
    longer = np.concatenate(
        [speech.samples, speech.samples[:, : round(0.42 * speech.sample_count)]], 1
    )
    hiss = 0.05 * np.random.default_rng(0).standard_normal(2 * RATE)
    return {
        "silent": (Signal.from_array(np.zeros(2 * RATE), RATE), "no speech"),
        "noise": (Signal.from_array(hiss, RATE), "no speech"),
        "40 % too long": (
            Signal.from_array(longer, RATE, layout="channels_first"),
            r"times as long; accepted: 0\.85 to 1\.15",
        ),
        "too short": (
            Signal.from_array(speech.samples[:, :RATE], RATE, layout="channels_first"),
            r"times as long; accepted: 0\.85 to 1\.15",
        ),
        "of a lower rate": (
            Signal.from_array(speech.samples[:, ::2], RATE // 2, layout="channels_first"),
            "has 8000 Hz, the clip 16000 Hz",
        ),
    }


@pytest.mark.parametrize("name", _bad_recordings())
def test_a_bad_recording_is_refused_with_the_reason(tmp_path, name):
    signal, reason = _bad_recordings()[name]
    good = _write(tmp_path / "good.wav", _respoken())
    bad = _write(tmp_path / "bad.wav", signal)
    for operator in (VoiceFile(ref=bad), VoiceFile(ref=good, sham_ref=bad)):
        with pytest.raises(InapplicableError, match=reason):
            apply(CLIP, operator @ SPAN)


def test_a_higher_rate_is_resampled(tmp_path):
    import soxr

    samples = soxr.resample(_respoken().samples.T, RATE, 24_000).T
    high = Signal.from_array(samples, 24_000, layout="channels_first")
    variant = apply(CLIP, VoiceFile(ref=_write(tmp_path / "new.wav", high)) @ SPAN)
    assert variant.trace.status == "ok", variant.trace.reason


def test_one_utterance_at_a_time():
    with pytest.raises(ParameterError, match="2 spans; accepted: one"):
        apply(CLIP, VoiceFile(ref="file:new.wav") @ Span(0.5, 1.5) @ Span(2.0, 3.0))


def test_references_are_two_recordings_and_name_their_scheme(tmp_path):
    with pytest.raises(ParameterError, match="file:PATH"):
        VoiceFile(ref="new.wav")
    ref, again = (_write(tmp_path / name, _respoken()) for name in ("new.wav", "again.wav"))
    with pytest.raises(ParameterError, match="two recordings"):
        apply(CLIP, VoiceFile(ref=ref, sham_ref=again) @ SPAN)


def test_a_refused_recording_leaves_a_trace_with_the_reason_and_loses_nothing(cli, folder):
    write_audio(folder / "clip.wav", CLIP, OutputFormat())
    write_audio(folder / "bad.wav", _bad_recordings()["40 % too long"][0], OutputFormat())
    held = (folder / "clip.wav").read_bytes()
    answer = cli("apply", "clip.wav", "-o", "out.wav", "--op", "voice_file:file=bad.wav@1.55-6.78")
    assert answer.code == 1
    trace = Trace.from_json((folder / "out.json").read_bytes())
    assert trace.status == "inapplicable"
    assert "times as long" in trace.reason
    assert not (folder / "out.wav").exists()
    assert (folder / "clip.wav").read_bytes() == held
