"""Small inputs on which software of this kind fails: levels, SNR, events.

One test for each row of that table, by its own arithmetic.
"""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from perturb.audio_io import read_audio
from perturb.errors import InapplicableError
from perturb.measure.loudness import loudness_lufs
from perturb.operators.event import Event
from perturb.operators.gain import Gain
from perturb.operators.mismatch import Mismatch
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.render.files import FileJob, apply_to_file
from perturb.signal import Signal
from perturb.span import Span
from tests.strategies.sounds import burst, silence, square, store, tone

RATE = 16_000


def _power_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)))


def _undone(variant):
    gain = np.float64(10 ** (variant.trace.headroom.gain_db / 20))
    return variant.signal.samples / gain


@pytest.mark.parametrize("sham", [False, True])
def test_a_host_of_zeros_has_no_ratio(sham, tmp_path):
    host = Signal.from_array(silence(1.0, RATE), RATE)
    ref = store(tmp_path, tone(0.3, RATE), RATE)
    with pytest.raises(InapplicableError, match="digital silence: the SNR is undefined"):
        apply(host, Event(ref=ref, snr_db=10.0) @ Span(0.2), sham=sham)


def test_leading_zeros_of_an_event_do_not_count(tmp_path):
    host = Signal.from_array(burst(4.0, RATE, -30.0), RATE)
    ref = store(tmp_path, np.concatenate([silence(0.2, RATE), tone(0.2, RATE)]), RATE)
    step = Event(ref=ref, snr_db=10.0, fade_out_s=0.0) @ Span(1.0)
    added = _undone(apply(host, step)) - host.samples
    sounding = added[0, round(1.2 * RATE) : round(1.4 * RATE)]
    behind = host.samples[0, round(0.7 * RATE) : round(1.7 * RATE)]
    assert _power_db(sounding) - _power_db(behind) == pytest.approx(10.0, abs=0.01)


def test_an_event_in_a_pause_is_refused(tmp_path, sentence):
    speech = read_audio(sentence).signal.samples[0]
    room = 10 ** (-70 / 20) * np.random.default_rng(0).standard_normal(round(1.2 * RATE))
    host = Signal.from_array(np.concatenate([speech, room, speech]), RATE)
    ref = store(tmp_path, tone(1.0, RATE), RATE)
    with pytest.raises(InapplicableError, match="dB under the clip's active level: a pause"):
        apply(host, Event(ref=ref, snr_db=10.0) @ Span(len(speech) / RATE + 0.1))


@pytest.mark.parametrize("padding_s", [1.0, 9.5, 60.0])
def test_zeros_around_speech_do_not_shift_the_level(padding_s, tmp_path, sentence):
    speech = read_audio(sentence).signal.samples[0, 8_000:16_000]
    padding = silence(padding_s, RATE)
    host = Signal.from_array(np.concatenate([padding, speech, padding]), RATE)
    ref = store(tmp_path, tone(0.5, RATE), RATE)
    step = Event(ref=ref, snr_db=10.0, fade_in_s=0.0, fade_out_s=0.0)
    variant = apply(host, step @ Span(padding_s))
    added = _undone(variant) - host.samples
    event = added[0, round(padding_s * RATE) :][: round(0.5 * RATE)]
    # Half of the second around it is speech: 3.01 dB, whatever the padding.
    wanted = _power_db(speech) - 10 * np.log10(2) + 10.0
    assert _power_db(event) == pytest.approx(wanted, abs=0.001)
    note = variant.trace.steps[0].notes["events"][0]
    assert note["snr_active_db"] == pytest.approx(10.0 - 10 * np.log10(2), abs=0.6)


@pytest.mark.parametrize("host_dbfs", [-30.0, -10.0])
@pytest.mark.parametrize("snr_db", [-10.0, 0.0, 6.0, 10.0, 20.0])
def test_the_ratio_is_met(host_dbfs, snr_db, tmp_path):
    host = burst(4.0, RATE, host_dbfs)
    ref = store(tmp_path, tone(1.5, RATE), RATE)
    step = Event(ref=ref, snr_db=snr_db, fade_in_s=0.0, fade_out_s=0.0) @ Span(1.0)
    place = slice(RATE, RATE + round(1.5 * RATE))

    in_float = apply(Signal.from_array(host, RATE), step)
    samples = Signal.from_array(host, RATE).samples[0].astype(np.float64)
    added = _undone(in_float)[0] - samples
    ratio = _power_db(added[place]) - _power_db(samples[place])
    assert ratio == pytest.approx(snr_db, abs=0.01)
    assert in_float.trace.measured[0].achieved == pytest.approx(snr_db, abs=0.01)

    soundfile.write(tmp_path / "host.wav", host.clip(-1, 1), RATE, subtype="PCM_16")
    job = FileJob(
        tmp_path / "host.wav",
        tmp_path / "out.wav",
        (Step(operator=step.operator, spans=step.spans),),
    )
    trace = apply_to_file(job)
    before, _ = soundfile.read(tmp_path / "host.wav")
    after, _ = soundfile.read(tmp_path / "out.wav")
    added = after / 10 ** (trace.headroom.gain_db / 20) - before
    ratio = _power_db(added[place]) - _power_db(before[place])
    assert ratio == pytest.approx(snr_db, abs=0.05)
    assert trace.status == "ok"


def test_an_event_at_another_rate_keeps_its_frequency(tmp_path):
    host = Signal.from_array(burst(4.0, RATE, -30.0), RATE)
    ref = store(tmp_path, tone(2.0, 44_100, 1000.0), 44_100)
    variant = apply(host, Event(ref=ref, snr_db=10.0) @ Span(1.0))
    added = (_undone(variant) - host.samples)[0, RATE : 3 * RATE]
    assert np.argmax(np.abs(np.fft.rfft(added))) / 2 == 1000.0
    assert variant.trace.steps[0].notes["events"][0]["stop_s"] == 3.0


def test_an_event_longer_than_what_is_left_is_trimmed_with_a_fade(tmp_path):
    host = Signal.from_array(burst(10.0, RATE, -30.0), RATE)
    ref = store(tmp_path, tone(3.0, RATE), RATE)
    variant = apply(host, Event(ref=ref, snr_db=10.0, fade_out_s=0.0) @ Span(9.0))
    assert variant.signal.sample_count == host.sample_count
    note = variant.trace.steps[0].notes["events"][0]
    assert (note["start_s"], note["stop_s"], note["trimmed_s"]) == (9.0, 10.0, 2.0)
    added = np.abs(_undone(variant) - host.samples)[0]
    heard = np.flatnonzero(added > 0.1 * added.max())[0] / RATE
    assert note["onset_s"] == pytest.approx(heard, abs=0.001)
    assert added[-4:].max() < 0.01 * added.max()
    # Half-way through the 10 ms of its fade it has half its height.
    assert added[-88:-72].max() == pytest.approx(0.5 * added.max(), rel=0.15)


def test_two_full_scale_tones_share_one_recorded_gain(tmp_path):
    time_s = np.arange(4 * RATE) / RATE
    soundfile.write(tmp_path / "host.wav", 0.9999 * np.sin(2 * np.pi * 440 * time_s), RATE)
    ref = store(tmp_path, np.sin(2 * np.pi * 1000 * time_s[: 2 * RATE]), RATE)
    gains = []
    for role in ("probe", "sham"):
        step = Step(operator=Event(ref=ref, snr_db=0.0), spans=(Span(1.0),), role=role)
        trace = apply_to_file(FileJob(tmp_path / "host.wav", tmp_path / f"{role}.wav", (step,)))
        assert trace.output.clipped_samples == 0
        assert trace.status == "ok"
        gains.append(trace.headroom.gain_db)
        samples, _ = soundfile.read(tmp_path / f"{role}.wav", dtype="int16")
        assert np.abs(samples.astype(int)).max() < 32_767
    assert gains[0] == gains[1] < -5.0


def test_a_louder_second_is_louder_by_what_was_asked(sentence):
    speech = read_audio(sentence).signal
    raised = 10 ** ((-20.0 - loudness_lufs(speech).value) / 20)
    clip = Signal.adopt(speech.samples * np.float32(raised), RATE)
    original = clip.samples.copy()
    span = Span(1.0, 2.0)
    probe, sham = (apply(clip, Gain(gain_db=12.0) @ span, sham=sham) for sham in (False, True))
    gain_db = probe.trace.headroom.gain_db
    assert gain_db < 0.0
    assert sham.trace.headroom.gain_db == gain_db
    core, rest = slice(16_200, 31_800), slice(0, 16_000)
    change = [
        _power_db(probe.signal.samples[0, part]) - _power_db(original[0, part])
        for part in (core, rest)
    ]
    assert change[0] - change[1] == pytest.approx(12.0, abs=0.001)
    assert change[1] == pytest.approx(gain_db, abs=0.001)
    assert _power_db(sham.signal.samples) - _power_db(original) == pytest.approx(gain_db, abs=0.001)
    assert np.array_equal(clip.samples, original)


@pytest.mark.parametrize(
    "samples", [silence(1.0, RATE), burst(1.0, RATE, -100.0)], ids=["zeros", "faint noise"]
)
def test_what_has_no_loudness_is_not_levelled(samples):
    with pytest.raises(InapplicableError, match=r"silence|under the absolute gate"):
        apply(Signal.from_array(samples, RATE), Gain(target_lufs=-23.0))


@pytest.mark.parametrize(("duration_s", "falls_back"), [(0.3, True), (0.4, False)])
def test_clips_around_one_loudness_block(duration_s, falls_back, tmp_path):
    clip = Signal.from_array(tone(duration_s, RATE, 997.0, -30.0), RATE)
    levelled = apply(clip, Gain(target_lufs=-20.0))
    assert levelled.trace.status == "ok"
    reason = levelled.trace.measured[0].reason
    assert ("RMS" in (reason or "")) == falls_back
    ref = store(tmp_path, burst(1.0, RATE, -20.0), RATE)
    replaced = apply(clip, Mismatch(ref=ref))
    assert replaced.trace.steps[0].notes["matched"] == ("rms" if falls_back else "loudness")
    note = apply(clip, Event(ref=ref, snr_db=0.0)).trace.steps[0].notes["events"][0]
    assert (note["snr_lufs"] is None) == falls_back


def test_a_full_scale_square_wave(tmp_path):
    clip = Signal.from_array(square(2.0, RATE), RATE)
    assert loudness_lufs(clip).value > -1.0
    assert apply(clip, Gain(target_lufs=-23.0)).trace.status == "ok"
    ref = store(tmp_path, square(0.5, RATE, 330.0), RATE)
    variant = apply(clip, Event(ref=ref, snr_db=6.0) @ Span(1.0))
    assert variant.trace.status == "ok"
    assert np.abs(variant.signal.samples).max() <= 1.0
    assert apply(clip, Mismatch(ref=ref)).trace.status == "ok"


def test_mono_and_dual_mono(tmp_path):
    mono = Signal.from_array(burst(3.0, RATE, -30.0), RATE)
    dual = Signal.from_array(np.repeat(mono.samples, 2, axis=0), RATE, layout="channels_first")
    ref = store(tmp_path, tone(1.0, RATE), RATE)
    for operator in (Event(ref=ref, snr_db=6.0) @ Span(1.0), Mismatch(ref=ref, material="speech")):
        one, two = (apply(clip, operator, clip_id="clip") for clip in (mono, dual))
        assert two.signal.channel_count == 2
        # Powers are averaged over channels, so a pair is as loud as one of it.
        for channel in two.signal.samples:
            assert channel == pytest.approx(one.signal.samples[0], abs=1e-6)
    # BS.1770 adds channels: the pair measures 3.01 LU more, and is levelled by as much less.
    levels = [apply(clip, Gain(target_lufs=-23.0)).signal.samples[0] for clip in (mono, dual)]
    assert _power_db(levels[0]) - _power_db(levels[1]) == pytest.approx(3.01, abs=0.01)
