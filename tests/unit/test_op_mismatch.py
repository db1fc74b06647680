"""`mismatch`: length, level, fit, material, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.measure import quick_loudness
from perturb.measure.active_level import active_speech_level
from perturb.measure.level import rms_dbfs
from perturb.measure.loudness import loudness_lufs
from perturb.measure.reading import Reading
from perturb.operators.gain import Gain
from perturb.operators.mismatch import Mismatch
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.render.files import FileJob, apply_to_file
from perturb.signal import Signal
from perturb.span import Span
from tests.conftest import CLIPS_FOLDER
from tests.strategies.sounds import burst, silence, store, tone

RATE = 16_000
SENTENCES = sorted((CLIPS_FOLDER / "librivox").glob("*.wav"))
SHORT, LONG = SENTENCES[1], SENTENCES[0]


def _ref(path):
    return f"file:{path}"


def _notes(variant):
    return variant.trace.steps[0].notes


def _proofs(variant):
    return {proof.name: proof for proof in variant.trace.measured}


def _level(signal):
    return active_speech_level(signal).level_dbfs


def _undone(variant):
    gain = np.float32(10 ** (variant.trace.headroom.gain_db / 20))
    return Signal.adopt(variant.signal.samples / gain, variant.signal.sample_rate_hz)


def test_speech_by_longer_speech():
    host, donor = read_audio(SHORT).signal, read_audio(LONG).signal
    variant = apply(host, Mismatch(ref=_ref(LONG)))
    assert variant.trace.status == "ok"
    assert variant.signal.sample_count == host.sample_count
    assert _level(_undone(variant)) == pytest.approx(_level(host), abs=0.05)
    notes = _notes(variant)
    assert notes["fit"] == "trimmed"
    assert notes["matched"] == "active_level"
    assert notes["is_speech"] == {"host": True, "donor": True}
    # It is that stretch of the donor, scaled.
    start = round(notes["donor_start_s"] * RATE)
    part = donor.samples[0, start : start + host.sample_count]
    core = slice(200, -200)
    loud = np.abs(part[core]) > 0.01
    ratio = _undone(variant).samples[0, core][loud] / part[core][loud]
    assert np.ptp(ratio) < 1e-3 * np.median(ratio)


def test_speech_by_shorter_speech_ends_in_the_donors_room_tone():
    host, donor = read_audio(LONG).signal, read_audio(SHORT).signal
    variant = apply(host, Mismatch(ref=_ref(SHORT)))
    assert _notes(variant)["fit"] == "padded"
    result = _undone(variant).samples[0]
    gain = 10 ** (_notes(variant)["gain_db"] / 20)
    head = donor.sample_count - 200
    assert result[:head] == pytest.approx(gain * donor.samples[0, :head], abs=1e-5)
    frames = donor.samples[0, : donor.sample_count // 800 * 800].reshape(-1, 800)
    quiet = np.sort(frames.var(axis=1))[: len(frames) // 10].mean()
    tail = result[donor.sample_count + 200 :]
    assert 10 * np.log10(np.mean(tail**2) / quiet) == pytest.approx(
        _notes(variant)["gain_db"], abs=1.5
    )
    # Not looped: no piece of the tail comes again (its rumble taken out by a difference).
    pieces = np.diff(tail, 2)[: len(tail) // 4000 * 4000 - 4000].reshape(-1, 4000)
    alike = np.corrcoef(pieces)[np.triu_indices(len(pieces), 1)]
    assert np.abs(alike).max() < 0.3
    assert variant.trace.status == "ok"


def test_different_seeds_pad_with_different_noise():
    host = read_audio(LONG).signal
    one, two = (apply(host, Mismatch(ref=_ref(SHORT)), seed=seed).signal for seed in (1, 2))
    assert not one.is_equal(two)


def test_sounds_are_looped_and_matched_in_loudness(tmp_path):
    host = Signal.from_array(burst(6.0, RATE, -30.0), RATE)
    turn = burst(1.0, RATE, -12.0, seed=9)
    variant = apply(host, Mismatch(ref=store(tmp_path, turn, RATE)))
    notes = _notes(variant)
    assert (notes["fit"], notes["matched"]) == ("looped", "loudness")
    assert notes["is_speech"] == {"host": False, "donor": False}
    assert loudness_lufs(_undone(variant)).value == pytest.approx(
        loudness_lufs(host).value, abs=0.1
    )
    result = _undone(variant).samples[0]
    period = RATE - 160
    assert result[1_000:5_000] == pytest.approx(result[1_000 + period : 5_000 + period], abs=1e-7)
    # No dip and no click where the turns meet.
    steps = np.abs(np.diff(result))
    assert steps[period - 200 : period + 400].max() <= steps.max()
    assert variant.trace.status == "ok"


def test_the_meter_that_matched_a_sound_does_not_judge_it(tmp_path, monkeypatch):
    host = Signal.from_array(burst(2.0, RATE, -30.0), RATE)
    ref = store(tmp_path, burst(2.0, RATE, -12.0, seed=9), RATE)
    misread = iter([Reading(-30.0), Reading(-33.0)])  # host and donor
    monkeypatch.setattr(quick_loudness, "quick_loudness_lufs", lambda _: next(misread))
    variant = apply(host, Mismatch(ref=ref, material="other"))
    assert _proofs(variant)["loudness"].verdict == "off_target"


def test_material_overrules_the_gate(tmp_path):
    host = Signal.from_array(burst(3.0, RATE, -30.0), RATE)
    ref = store(tmp_path, burst(1.0, RATE, seed=9), RATE)
    as_speech = apply(host, Mismatch(ref=ref, material="speech"))
    assert _notes(as_speech)["fit"] == "padded"
    assert _notes(as_speech)["matched"] == "active_level"
    speech = read_audio(SHORT).signal
    as_sound = apply(speech, Mismatch(ref=_ref(LONG), material="other"))
    assert _notes(as_sound)["matched"] == "loudness"


def test_padding_around_speech_does_not_shift_its_level(tmp_path):
    speech = read_audio(LONG).signal.samples[0, 8_000:40_000]
    host = read_audio(SHORT).signal
    bare = store(tmp_path, speech, RATE, "bare.wav")
    padded = store(tmp_path, np.concatenate([silence(1.0, RATE), speech]), RATE, "padded.wav")
    levels = [
        _level(_undone(apply(host, Mismatch(ref=ref, material="speech")))) for ref in (bare, padded)
    ]
    assert levels[0] == pytest.approx(levels[1], abs=0.1)
    assert levels[0] == pytest.approx(_level(host), abs=0.1)


def test_the_stretch_that_is_kept_holds_sound(tmp_path):
    host = read_audio(SHORT).signal
    speech = read_audio(LONG).signal.samples[0]
    donor = np.concatenate([silence(20.0, RATE), speech, silence(20.0, RATE)])
    variant = apply(host, Mismatch(ref=store(tmp_path, donor, RATE)))
    start = _notes(variant)["donor_start_s"]
    assert 18.0 < start < 20.0 + len(speech) / RATE - host.duration_s + 1.0


def test_cuts_lie_in_quiet_places(tmp_path):
    rng = np.random.default_rng(3)
    words = np.concatenate(
        [
            np.concatenate([tone(0.4, RATE, 200 + 50 * n), 1e-4 * rng.standard_normal(3_200)])
            for n in range(20)
        ]
    )
    host = read_audio(SHORT).signal.slice(0, round(2.9 * RATE))
    notes = _notes(apply(host, Mismatch(ref=store(tmp_path, words, RATE), material="speech")))
    for edge in (notes["donor_start_s"], notes["donor_stop_s"]):
        phase = edge % 0.6
        assert phase == pytest.approx(0.0, abs=1e-6) or 0.39 < phase < 0.6


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_a_donor_of_another_rate_keeps_its_frequencies(rate, tmp_path):
    host = Signal.from_array(burst(4.0, RATE, -30.0), RATE)
    ref = store(tmp_path, tone(4.0, rate, 1000.0), rate)
    variant = apply(host, Mismatch(ref=ref))
    spectrum = np.abs(np.fft.rfft(variant.signal.samples[0]))
    assert np.argmax(spectrum) / 4.0 == pytest.approx(1000.0, abs=0.5)
    assert _notes(variant)["donor_rate_hz"] == rate
    assert variant.trace.status == "ok"


def test_channels(tmp_path):
    rng = np.random.default_rng(1)
    host = Signal.from_array(
        0.05 * rng.standard_normal((2, 2 * RATE)), RATE, layout="channels_first"
    )
    mono = store(tmp_path, tone(2.0, RATE), RATE, "mono.wav")
    stereo = store(tmp_path, [tone(2.0, RATE), tone(2.0, RATE, 300.0)], RATE, "stereo.wav")
    both = apply(host, Mismatch(ref=mono)).signal.samples
    assert np.array_equal(both[0], both[1])
    kept = apply(host, Mismatch(ref=stereo)).signal.samples
    assert not np.array_equal(kept[0], kept[1])


def test_nothing_of_the_clip_is_found_again():
    host = read_audio(SHORT).signal
    variant = apply(host, Mismatch(ref=_ref(LONG)))
    assert variant.trace.time_map.map_span(Span(0.5, 1.0)) == ()
    with pytest.raises(InapplicableError, match="removed by step 1"):
        apply(host, Mismatch(ref=_ref(LONG)), Gain(gain_db=3.0) @ Span(0.5, 1.0))


@pytest.mark.parametrize("duration_s", [0.02, 0.3, 0.4])
def test_clips_shorter_than_a_loudness_block_fall_back_on_rms(duration_s, tmp_path):
    host = Signal.from_array(burst(duration_s, RATE, -30.0), RATE)
    variant = apply(host, Mismatch(ref=store(tmp_path, burst(1.0, RATE, seed=9), RATE)))
    assert _notes(variant)["matched"] == ("loudness" if duration_s >= 0.4 else "rms")
    if duration_s < 0.4:
        assert rms_dbfs(_undone(variant).samples).value == pytest.approx(-30.0, abs=0.05)
    assert variant.trace.status == "ok"


def test_the_clip_itself_in_disguise_is_off_target(tmp_path):
    host = read_audio(LONG).signal
    shifted = 0.5 * np.roll(host.samples[0], 4_000)
    variant = apply(host, Mismatch(ref=store(tmp_path, shifted, RATE)))
    assert variant.trace.status == "off_target"
    assert _proofs(variant)["largest_correlation"].achieved > 0.9


def test_the_clip_itself_is_refused():
    with pytest.raises(InapplicableError, match="is the clip itself; name another recording"):
        apply(read_audio(LONG).signal, Mismatch(ref=_ref(LONG)))


@pytest.mark.parametrize(
    ("samples", "words"),
    [(silence(1.0, RATE), "digital silence"), (tone(0.05, RATE), "lasts 0.05 s")],
)
def test_unsuitable_donors_are_refused_by_name(samples, words, tmp_path):
    ref = store(tmp_path, samples, RATE, "donor.wav")
    with pytest.raises(ParameterError, match=rf"donor\.wav.*{words}.*accepted"):
        apply(read_audio(LONG).signal, Mismatch(ref=ref))


def test_a_silent_clip_has_no_level_to_match():
    with pytest.raises(InapplicableError, match="no level to match"):
        apply(Signal.from_array(silence(1.0, RATE), RATE), Mismatch(ref=_ref(LONG)))


def test_a_click_in_silence_cannot_be_brought_to_level(tmp_path):
    donor = silence(30.0, RATE)
    donor[1_000] = 1e-4
    host = Signal.from_array(burst(30.0, RATE, 0.0), RATE)
    with pytest.raises(InapplicableError, match="mostly silent: at the clip's level"):
        apply(host, Mismatch(ref=store(tmp_path, donor, RATE), material="other"))


def test_it_has_no_sham_and_wants_the_whole_clip():
    with pytest.raises(ParameterError, match="same-answer donors"):
        Step(operator=Mismatch(ref=_ref(LONG)), role="sham")
    with pytest.raises(ParameterError, match="for the whole clip"):
        Step(operator=Mismatch(ref=_ref(LONG)), spans=(Span(0.0, 1.0),))
    with pytest.raises(ParameterError, match="accepted: file:PATH"):
        Mismatch(ref="donor.wav")


def test_a_16_bit_file_is_within_a_tenth_of_a_db(tmp_path):
    step = Step(operator=Mismatch(ref=_ref(LONG)))
    trace = apply_to_file(FileJob(SHORT, tmp_path / "out.wav", (step,)))
    assert trace.status == "ok"
    level = next(proof for proof in trace.measured if proof.name == "active_level")
    assert level.achieved == pytest.approx(level.requested, abs=0.05)
