"""`event`: ratios of analytic sounds, places, trims, channels, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.errors import AudioError, InapplicableError, ParameterError
from perturb.operators.event import Event
from perturb.plan.step import Step
from perturb.plan.step_text import parse_step
from perturb.render.apply import apply
from perturb.render.files import FileJob, apply_to_file
from perturb.render.replay import replay_to_file
from perturb.render.verify import verify_trace
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import speech_like
from tests.strategies.sounds import burst, click, silence, store, tone

RATE = 16_000


def _host(duration_s=10.0, rms_dbfs=-30.0, rate=RATE, seed=5):
    return Signal.from_array(burst(duration_s, rate, rms_dbfs, seed), rate)


def _added(host, variant):
    gain = 10 ** (variant.trace.headroom.gain_db / 20)
    return variant.signal.samples.astype(np.float64) / gain - host.samples


def _events(variant):
    return variant.trace.steps[0].notes["events"]


def _power_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)))


def _proof(variant, name, span=0):
    return next(p for p in variant.trace.measured if p.name == name and p.span == span)


def test_a_steady_event_over_steady_noise_has_the_ratio_asked_for(tmp_path):
    host = _host()
    ref = store(tmp_path, tone(2.0, RATE), RATE)
    variant = apply(host, Event(ref=ref, snr_db=6.0, fade_in_s=0.0, fade_out_s=0.0) @ Span(4.0))
    added = _added(host, variant)
    assert not added[:, : 4 * RATE].any()
    assert not added[:, 6 * RATE :].any()
    event = added[:, 4 * RATE : 6 * RATE]
    behind = host.samples[:, 4 * RATE : 6 * RATE]
    assert _power_db(event) - _power_db(behind) == pytest.approx(6.0, abs=0.001)
    assert variant.trace.status == "ok"
    assert variant.trace.time_map.is_identity


def test_over_host_turns_the_ratio_round(tmp_path):
    host = _host()
    ref = store(tmp_path, tone(2.0, RATE), RATE)
    one = apply(host, Event(ref=ref, snr_db=6.0, over="host") @ Span(4.0))
    other = apply(host, Event(ref=ref, snr_db=-6.0) @ Span(4.0))
    assert one.signal.is_equal(other.signal)
    assert _proof(one, "snr").achieved == pytest.approx(6.0, abs=0.001)
    for name in ("snr_active_db", "snr_lufs", "snr_8k_db"):
        assert _events(one)[0][name] == pytest.approx(-_events(other)[0][name])


def test_a_short_event_is_measured_against_a_second_of_host(tmp_path):
    quiet, loud = burst(4.9, RATE, -40.0), burst(0.2, RATE, -20.0, seed=1)
    host = Signal.from_array(np.concatenate([quiet, loud, quiet]), RATE)
    ref = store(tmp_path, tone(0.2, RATE), RATE)
    step = Event(ref=ref, snr_db=0.0, fade_in_s=0.0, fade_out_s=0.0) @ Span(4.9)
    variant = apply(host, step)
    assert _events(variant)[0]["window_s"] == [4.5, 5.5]
    window = host.samples[:, round(4.5 * RATE) : round(5.5 * RATE)]
    event = _added(host, variant)[:, round(4.9 * RATE) : round(5.1 * RATE)]
    assert _power_db(event) == pytest.approx(_power_db(window), abs=0.001)


def test_the_window_is_cut_at_the_clips_edges(tmp_path):
    ref = store(tmp_path, tone(0.2, RATE), RATE)
    variant = apply(
        _host(), Step(operator=Event(ref=ref, snr_db=0.0), spans=(Span(0.0), Span(9.8)))
    )
    assert [event["window_s"] for event in _events(variant)] == [[0.0, 0.6], [9.4, 10.0]]


def test_silence_within_the_event_does_not_count(tmp_path):
    host = _host()
    padded = np.concatenate([silence(0.2, RATE), tone(0.2, RATE), silence(0.3, RATE)])
    ref = store(tmp_path, padded, RATE)
    variant = apply(host, Event(ref=ref, snr_db=10.0) @ Span(3.0))
    sounding = _added(host, variant)[:, round(3.2 * RATE) : round(3.4 * RATE)]
    start, stop = (round(edge * RATE) for edge in _events(variant)[0]["window_s"])
    assert _power_db(sounding) - _power_db(host.samples[:, start:stop]) == pytest.approx(
        10.0, abs=0.01
    )
    assert _events(variant)[0]["onset_s"] == pytest.approx(3.2, abs=0.001)
    assert _proof(variant, "onset").achieved == pytest.approx(3.2, abs=0.001)


def test_fades_are_raised_cosines_inside_the_event(tmp_path):
    host = _host()
    # A square wave of one magnitude: of what was added, the magnitudes are the fades alone.
    ref = store(tmp_path, np.where(np.arange(RATE) // 8 % 2 == 0, 1.0, -1.0), RATE)
    step = Event(ref=ref, snr_db=0.0, fade_in_s=0.1, fade_out_s=0.2) @ Span(2.0)
    event = np.abs(_added(host, apply(host, step))[0, 2 * RATE : 3 * RATE])
    core = event[RATE // 2]
    assert event[800] / core == pytest.approx(0.5, abs=0.002)
    assert event[-1600] / core == pytest.approx(0.5, abs=0.002)
    assert abs(event[0] / core) < 0.001
    assert abs(event[-1] / core) < 0.001
    assert event[1600:-3200] == pytest.approx(core, rel=1e-4)


def test_the_same_event_is_used_at_every_place(tmp_path):
    host = _host()
    ref = store(tmp_path, click(RATE), RATE)
    spans = (Span(1.0), Span(4.0), Span(8.5))
    variant = apply(host, Step(operator=Event(ref=ref, snr_db=8.0), spans=spans))
    added = _added(host, variant)[0]
    shapes = [added[round(t * RATE) : round(t * RATE) + 800] for t in (1.0, 4.0, 8.5)]
    unit = [shape / np.linalg.norm(shape) for shape in shapes]
    assert unit[0] @ unit[1] == pytest.approx(1.0, abs=1e-5)
    assert unit[0] @ unit[2] == pytest.approx(1.0, abs=1e-5)
    assert [_proof(variant, "snr", index).achieved for index in range(3)] == pytest.approx(
        [8.0] * 3, abs=0.001
    )


def test_a_stop_and_the_next_event_end_an_event_with_a_fade(tmp_path):
    host = _host()
    ref = store(tmp_path, tone(3.0, RATE), RATE)
    spans = (Span(1.0, 1.5), Span(4.0), Span(5.0))
    variant = apply(host, Step(operator=Event(ref=ref, snr_db=8.0, fade_out_s=0.0), spans=spans))
    added = np.abs(_added(host, variant)[0])
    assert not added[round(1.5 * RATE) : 4 * RATE].any()
    assert [event["stop_s"] for event in _events(variant)] == [1.5, 5.0, 8.0]
    assert [event["trimmed_s"] for event in _events(variant)] == [2.5, 2.0, 0.0]
    for end in (1.5, 5.0):
        stop = round(end * RATE)
        assert added[stop - 3 : stop].max() < 0.01 * added[stop - 800 : stop - 400].max()
    # The last one ends by itself, and no fade was asked for.
    assert added[8 * RATE - 16 : 8 * RATE].max() > 0.5 * added[7 * RATE : 8 * RATE].max()


def test_channels(tmp_path):
    rng = np.random.default_rng(2)
    host = Signal.from_array(
        0.03 * rng.standard_normal((2, 4 * RATE)), RATE, layout="channels_first"
    )
    mono = store(tmp_path, tone(1.0, RATE), RATE, "mono.wav")
    stereo = store(tmp_path, [tone(1.0, RATE), silence(1.0, RATE)], RATE, "stereo.wav")
    four = store(tmp_path, [tone(1.0, RATE)] * 4, RATE, "four.wav")
    for ref in (mono, four):
        added = _added(host, apply(host, Event(ref=ref, snr_db=3.0) @ Span(1.0)))
        assert np.array_equal(added[0] != 0, added[1] != 0)
        assert added[0] == pytest.approx(added[1], abs=1e-6)
    variant = apply(host, Event(ref=stereo, snr_db=3.0) @ Span(1.0))
    added = _added(host, variant)
    assert added[0].any()
    assert not added[1].any()
    assert _proof(variant, "snr").achieved == pytest.approx(3.0, abs=0.001)


def test_stems_add_up(tmp_path):
    from perturb.measure.analysis import Analysis
    from perturb.plan.step import Plan
    from perturb.render.chain import run_chain
    from perturb.render.references import References

    host = _host(4.0)
    ref = store(tmp_path, tone(1.0, RATE), RATE)
    plan = Plan.of([Event(ref=ref, snr_db=3.0) @ Span(1.0)], clip_id="clip")
    edited = run_chain(plan, Analysis(host), References(tmp_path)).links[0].edited
    assert edited.stems["host"] is host
    total = edited.stems["host"].samples + edited.stems["event"].samples
    assert np.array_equal(total, edited.signal.samples)


def test_other_conventions_are_noted(tmp_path):
    host = _host(10.0, rms_dbfs=-30.0, rate=48_000)
    ref = store(tmp_path, tone(2.0, 48_000, 1000.0), 48_000)
    note = _events(apply(host, Event(ref=ref, snr_db=0.0) @ Span(4.0)))[0]
    # White noise to 24 kHz has a third of its power under 8 kHz, the tone all of it.
    assert note["snr_8k_db"] == pytest.approx(10 * np.log10(3.0), abs=0.1)
    # Steady noise is active all the time.
    assert note["snr_active_db"] == pytest.approx(0.0, abs=0.1)
    # K-weighting lifts the noise above 2 kHz by up to 4 dB.
    assert -4.0 < note["snr_lufs"] < -2.0
    assert note["undefined"] == {}


def test_what_has_no_loudness_says_so(tmp_path):
    ref = store(tmp_path, tone(0.2, RATE), RATE)
    note = _events(apply(_host(), Event(ref=ref, snr_db=0.0) @ Span(4.0)))[0]
    assert note["snr_lufs"] is None
    assert "0.4 s" in note["undefined"]["snr_lufs"]
    assert note["snr_8k_db"] == pytest.approx(0.0, abs=0.01)


def test_the_sham_is_the_event_60_db_under_the_host(tmp_path):
    host = _host()
    ref = store(tmp_path, tone(2.0, RATE), RATE)
    probe, sham = (
        apply(host, Event(ref=ref, snr_db=6.0) @ Span(4.0), sham=sham) for sham in (False, True)
    )
    added = [_added(host, variant)[0] for variant in (probe, sham)]
    assert _power_db(added[0][64_000:96_000]) - _power_db(added[1][64_000:96_000]) == pytest.approx(
        66.0, abs=0.02
    )
    assert np.array_equal(added[0] != 0, np.abs(added[0]) > 0)
    proof = _proof(sham, "added_level")
    assert proof.achieved == pytest.approx(-60.0, abs=0.1)
    assert proof.verdict == "ok"


def test_a_sham_under_the_last_step_of_the_file_says_so(tmp_path):
    import soundfile

    rng = np.random.default_rng(0)
    soundfile.write(tmp_path / "host.wav", 0.0005 * rng.standard_normal(RATE), RATE)
    ref = store(tmp_path, tone(0.5, RATE), RATE)
    step = Step(operator=Event(ref=ref, snr_db=6.0), spans=(Span(0.2),), role="sham")
    trace = apply_to_file(FileJob(tmp_path / "host.wav", tmp_path / "out.wav", (step,)))
    proof = next(p for p in trace.measured if p.name == "added_level")
    assert proof.achieved is None
    assert "last step" in proof.reason
    assert trace.status == "ok"


def test_a_file_replays_and_verifies(tmp_path, sentence):
    ref = store(tmp_path, click(44_100), 44_100, "dog bark, 1.wav")
    step = parse_step(f'event:file="{ref.removeprefix("file:")}",snr_db=8@0.7')
    assert step.operator == Event(ref=ref, snr_db=8.0)
    output = tmp_path / "out" / "x.wav"
    trace = apply_to_file(FileJob(sentence, output, (step,)))
    assert trace.status == "ok"
    assert trace.references[ref].file_sha256
    replay_to_file(output.with_suffix(".json"), tmp_path / "again.wav")
    assert (tmp_path / "again.wav").read_bytes() == output.read_bytes()
    assert not verify_trace(output.with_suffix(".json")).findings


def test_a_span_after_a_cut_is_where_it_was_heard(tmp_path):
    from perturb.operators.crop import Crop

    host = _host()
    ref = store(tmp_path, click(RATE), RATE)
    variant = apply(host, Crop() @ Span(2.0, 8.0), Event(ref=ref, snr_db=20.0) @ Span(5.0))
    assert variant.trace.steps[1].notes["events"][0]["start_s"] == 3.0
    assert variant.trace.status == "ok"


REFUSED = [
    (silence(0.5, RATE), "is digital silence; accepted: a sound", ParameterError),
    (np.full(RATE, 0.5), "is a constant offset of 0.5 of full scale; accepted", ParameterError),
    (
        0.5 + tone(0.5, RATE, rms_dbfs=-47.0),
        "is a constant offset of 0.5 of full scale; accepted",
        ParameterError,
    ),
    (np.array([0.3]), "ms long, under 1 ms; accepted: a sound", ParameterError),
    (np.full(RATE, np.nan), "not finite", AudioError),
    (np.array([]), "", AudioError),
]


@pytest.mark.parametrize(("samples", "words", "kind"), REFUSED)
def test_unusable_events_are_refused_by_name(samples, words, kind, tmp_path):
    ref = store(tmp_path, samples, RATE, "bad.wav")
    with pytest.raises(kind, match=rf"bad\.wav.*{words}"):
        apply(_host(), Event(ref=ref, snr_db=0.0) @ Span(1.0))


@pytest.mark.parametrize(
    "samples",
    [click(RATE, duration_s=0.002), 0.5 + tone(0.5, RATE, rms_dbfs=-45.0)],
    ids=["a click of 2 ms", "a sound 39 dB under its offset"],
)
def test_what_is_short_or_beside_an_offset_is_a_sound_still(samples, tmp_path):
    ref = store(tmp_path, samples, RATE)
    variant = apply(_host(), Event(ref=ref, snr_db=0.0, fade_in_s=0.0) @ Span(1.0))
    assert variant.trace.status == "ok"


def test_an_event_that_has_no_room_to_sound_is_inapplicable(tmp_path):
    ref = store(tmp_path, np.concatenate([silence(1.0, RATE), tone(1.0, RATE)]), RATE)
    with pytest.raises(InapplicableError, match=r"silent in the room it has at @1-1\.5, 0\.5 s"):
        apply(_host(), Event(ref=ref, snr_db=0.0) @ Span(1.0, 1.5))


def test_two_events_at_one_place_are_refused(tmp_path):
    ref = store(tmp_path, click(RATE), RATE)
    with pytest.raises(ParameterError, match="two events start at 1 s"):
        apply(_host(), Step(operator=Event(ref=ref, snr_db=0.0), spans=(Span(1.0), Span(1.0))))


def test_an_absurd_level_is_refused(tmp_path):
    ref = store(tmp_path, click(RATE, duration_s=1.0), RATE)
    with pytest.raises(InapplicableError, match=r"would peak at .* Lower the SNR"):
        apply(_host(rms_dbfs=0.0), Event(ref=ref, snr_db=60.0) @ Span(1.0))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ref": "dog.wav", "snr_db": 0.0}, "accepted: file:PATH"),
        ({"ref": "file:x.wav", "snr_db": 61.0}, "accepted: a finite number, -40 to 60 dB"),
        ({"ref": "file:x.wav", "snr_db": 0.0, "over": "music"}, "'event', 'host'"),
    ],
)
def test_fields_are_checked(fields, words):
    with pytest.raises(ParameterError, match=words):
        Event(**fields)


def test_an_event_without_a_file_names_it():
    with pytest.raises(AudioError, match=r"no-such-dog\.wav"):
        apply(_host(), Event(ref="file:no-such-dog.wav", snr_db=0.0) @ Span(1.0))


def test_events_lie_on_speech_but_not_in_its_pauses(tmp_path, sentence):
    speech = read_audio(sentence).signal
    pause = 1e-4 * np.random.default_rng(0).standard_normal((1, 2 * RATE))
    samples = np.concatenate([speech.samples, pause, speech.samples], axis=1)
    clip = Signal.from_array(samples, RATE, layout="channels_first")
    ref = store(tmp_path, tone(0.3, RATE), RATE)
    step = Event(ref=ref, snr_db=8.0)
    assert apply(clip, step @ Span(1.0)).trace.status == "ok"
    with pytest.raises(InapplicableError, match=r"dB under the clip's active level: a pause"):
        apply(clip, step @ Span(speech.duration_s + 0.85))
    with pytest.raises(InapplicableError, match="a pause"):
        apply(clip, step @ Span(speech.duration_s + 0.85), sham=True)


def test_a_short_clip_of_odd_rate_and_many_channels(tmp_path):
    host = speech_like(0.3, 11_025, channels=3)
    ref = store(tmp_path, click(192_000), 192_000)
    variant = apply(host, Event(ref=ref, snr_db=0.0) @ Span(0.1))
    assert variant.trace.status == "ok"
    assert variant.signal.channel_count == 3
