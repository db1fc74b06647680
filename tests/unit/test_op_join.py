"""`join`: the clip's own samples at its place, exact gaps, the others from their sources."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from perturb.audio_io import read_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.measure.active_level import active_speech_level
from perturb.measure.level import rms_dbfs
from perturb.operators.gain import Gain
from perturb.operators.join import Join
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.render.files import FileJob, apply_to_file
from perturb.render.verify import verify_trace
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.check import check_operator
from perturb.testing.strategies import speech_like
from tests.conftest import CLIPS_FOLDER
from tests.strategies.sounds import burst, silence, store, tone

RATE = 16_000
SENTENCES = sorted((CLIPS_FOLDER / "librivox").glob("*.wav"))


@pytest.fixture
def others(tmp_path):
    """Return references to three sounds that differ in length and level."""
    levels = {"one": -30.0, "two": -12.0, "three": -50.0}
    return [
        store(tmp_path, burst(0.5 + 0.1 * n, RATE, level, seed=n), RATE, f"{name}.wav")
        for n, (name, level) in enumerate(levels.items())
    ]


def _host(duration_s=1.0):
    return Signal.from_array(0.02 * tone(duration_s, RATE) / 0.1, RATE)


def _undone(variant):
    return variant.signal.samples / np.float32(10 ** (variant.trace.headroom.gain_db / 20))


def _notes(variant):
    return variant.trace.steps[0].notes


def test_the_row_by_hand(tmp_path):
    host = Signal.from_array(np.full(800, 0.25), RATE)
    quiet = np.full(400, 0.001)
    ref = store(tmp_path, quiet, RATE, "quiet.wav")
    operator = Join(before=(ref,), after=(ref,), gaps_s=(0.01, 0.02), match_level=False)
    row = apply(host, operator).signal.samples[0]
    gap = [np.zeros(160), np.zeros(320)]
    expected = np.concatenate([quiet, gap[0], np.full(800, 0.25), gap[1], quiet])
    assert np.array_equal(row, expected.astype(np.float32))


def test_the_clips_own_samples_stand_bit_for_bit_at_the_recorded_place(others):
    host = read_audio(SENTENCES[0]).signal
    variant = apply(host, Join(before=tuple(others[:2]), after=(others[2],), gaps_s=(0.3, 0.5, 0)))
    (span,) = variant.trace.time_map.map_span(Span(0.0, host.duration_s))
    start, stop = span.to_samples(RATE)
    assert variant.trace.headroom.gain_db == 0.0
    assert np.array_equal(variant.signal.samples[:, start:stop], host.samples)
    notes = _notes(variant)
    assert (notes["position"], notes["clips"]) == (3, 4)
    assert notes["places_s"][2] == [start / RATE, stop / RATE]
    assert variant.trace.status == "ok"


def test_gaps_are_exactly_zero_and_as_long_as_asked(others):
    variant = apply(_host(), Join(before=(others[0],), after=(others[1],), gaps_s=(0.25, 0.5)))
    places = [[round(edge * RATE) for edge in place] for place in _notes(variant)["places_s"]]
    for (_, stop), (start, _), gap_s in zip(places, places[1:], (0.25, 0.5), strict=False):
        assert start - stop == gap_s * RATE
        assert not variant.signal.samples[:, stop:start].any()


def test_others_are_brought_to_the_clips_level(others):
    host = read_audio(SENTENCES[0]).signal
    level = active_speech_level(host).level_dbfs
    variant = apply(host, Join(after=tuple(others), gaps_s=(0.1, 0.1, 0.1)))
    for start_s, stop_s in _notes(variant)["places_s"]:
        part = _undone(variant)[:, round(start_s * RATE) : round(stop_s * RATE)]
        found = active_speech_level(Signal.adopt(part.copy(), RATE)).level_dbfs
        assert found == pytest.approx(level, abs=0.1)


def test_without_matching_others_sound_as_recorded(others):
    variant = apply(_host(), Join(after=(others[2],), gaps_s=(0.1,), match_level=False))
    source = read_audio(others[2].removeprefix("file:")).signal
    heard = variant.signal.samples[:, -source.sample_count :]
    # At -50 dBFS the edges are near the limit: all between the fades is the source.
    assert np.array_equal(heard[:, 80:-80], source.samples[:, 80:-80])
    assert _notes(variant)["gains_db"] == [0.0]


def test_edges_that_would_click_are_faded_and_quiet_ones_are_not(tmp_path):
    loud = np.full(4_000, 0.3)
    soft = np.concatenate([np.zeros(400), np.full(3_200, 0.3), np.zeros(400)])
    refs = (store(tmp_path, loud, RATE, "loud.wav"), store(tmp_path, soft, RATE, "soft.wav"))
    variant = apply(_host(), Join(after=refs, gaps_s=(0.1, 0.1), match_level=False))
    assert _notes(variant)["fades_s"] == [[0.005, 0.005], [0.0, 0.0]]
    start, stop = (round(edge * RATE) for edge in _notes(variant)["places_s"][1])
    faded = variant.signal.samples[0, start:stop]
    assert abs(faded[0]) < 1e-3
    assert abs(faded[-1]) < 1e-3
    assert np.array_equal(faded[80:-80], np.full(3_840, 0.3, dtype=np.float32))
    assert np.abs(np.diff(faded)).max() < 0.3 * np.pi / 2 / 79 * 1.05


def test_the_clip_is_never_faded_and_the_trace_says_where_it_would_click(others):
    abrupt = Signal.from_array(np.full(RATE, 0.2), RATE)
    variant = apply(abrupt, Join(after=(others[0],), gaps_s=(0.1,)))
    assert _notes(variant)["own_edges_are_abrupt"] == [True, True]
    assert np.array_equal(_undone(variant)[0, :RATE], abrupt.samples[0])


def test_the_sham_is_the_clip_at_its_place_in_silence(others):
    operator = Join(before=(others[0],), after=(others[1],), gaps_s=(0.2, 0.3))
    probe, sham = (apply(_host(), operator, sham=is_sham) for is_sham in (False, True))
    assert sham.trace.status == "ok"
    assert sham.trace.time_map == probe.trace.time_map
    start, stop = (round(edge * RATE) for edge in _notes(sham)["places_s"][1])
    assert np.array_equal(sham.signal.samples[:, start:stop], probe.signal.samples[:, start:stop])
    assert not sham.signal.samples[:, :start].any()
    assert not sham.signal.samples[:, stop:].any()
    assert sham.signal.sample_count == probe.signal.sample_count


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_another_rate_keeps_its_frequencies(rate, tmp_path):
    ref = store(tmp_path, tone(1.0, rate, 1_000.0), rate)
    variant = apply(_host(), Join(after=(ref,), gaps_s=(0.5,)))
    part = variant.signal.samples[0, -RATE:]
    assert np.argmax(np.abs(np.fft.rfft(part))) == pytest.approx(1_000, abs=1)
    assert variant.trace.status == "ok"


def test_channels_are_the_clips(tmp_path):
    stereo = Signal.from_array(
        np.stack([tone(0.5, RATE), tone(0.5, RATE, 300.0)]), RATE, layout="channels_first"
    )
    mono = store(tmp_path, burst(0.5, RATE), RATE, "mono.wav")
    heard = apply(stereo, Join(after=(mono,), gaps_s=(0.1,))).signal.samples
    assert heard.shape[0] == 2
    assert np.array_equal(heard[0, -6_000:], heard[1, -6_000:])


def test_spans_of_later_steps_follow_the_clip(others):
    operator = Join(before=(others[0],), gaps_s=(0.5,))
    joined = apply(_host(), operator)
    variant = apply(_host(), operator, Gain(gain_db=-20.0) @ Span(0.25, 0.75))
    (span,) = joined.trace.time_map.map_span(Span(0.25, 0.75))
    start, stop = span.to_samples(RATE)
    changed = np.nonzero(np.any(_undone(variant) != _undone(joined), axis=0))[0]
    assert changed.min() >= start
    assert changed.max() < stop


def test_a_16_bit_file_is_proven_and_verifies(tmp_path):
    operator = Join(
        before=(f"file:{SENTENCES[1]}",), after=(f"file:{SENTENCES[2]}",), gaps_s=(0.4, 0.4)
    )
    for role in ("probe", "sham"):
        out = tmp_path / f"{role}.wav"
        trace = apply_to_file(FileJob(SENTENCES[0], out, (Step(operator=operator, role=role),)))
        assert trace.status == "ok", trace.reason
        assert not verify_trace(out.with_suffix(".json")).findings
    own, _ = soundfile.read(SENTENCES[0], dtype="int16")
    row, _ = soundfile.read(tmp_path / "probe.wav", dtype="int16")
    start = round(trace.steps[0].notes["places_s"][1][0] * RATE)
    assert trace.headroom.gain_db == 0.0
    assert np.array_equal(row[start : start + len(own)], own)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"gaps_s": ()}, "before and after are empty"),
        ({"before": ("one.wav",), "gaps_s": (0.1,)}, "'one.wav' is no reference"),
        ({"before": ("file:a", "file:b"), "gaps_s": (0.1,)}, "holds 1 gaps; accepted: 2"),
        ({"before": ("file:a",), "gaps_s": (-0.1,)}, "gaps_s"),
    ],
)
def test_contradictions_are_refused(fields, message):
    with pytest.raises(ParameterError, match=message):
        Join(**fields)


def test_silence_and_the_clip_itself_are_no_company(tmp_path, others):
    host = _host()
    itself = store(tmp_path, host.samples, RATE, "itself.wav")
    with pytest.raises(InapplicableError, match="is the clip itself"):
        apply(host, Join(after=(itself,), gaps_s=(0.1,)))
    zeros = store(tmp_path, silence(0.5, RATE), RATE, "zeros.wav")
    with pytest.raises(ParameterError, match="digital silence"):
        apply(host, Join(after=(zeros,), gaps_s=(0.1,)))
    still = Signal.from_array(silence(0.5, RATE), RATE)
    with pytest.raises(InapplicableError, match="no level to match"):
        apply(still, Join(after=(others[0],), gaps_s=(0.1,)))
    unmatched = Join(after=(others[0],), gaps_s=(0.1,), match_level=False)
    assert apply(still, unmatched).trace.status == "ok"


def test_a_click_in_silence_is_not_blown_up(tmp_path):
    lonely = silence(20.0, RATE)
    lonely[1_000] = 1e-4
    ref = store(tmp_path, lonely, RATE)
    loud = Signal.from_array(burst(20.0, RATE, 0.0), RATE)
    with pytest.raises(InapplicableError, match="mostly silent"):
        apply(loud, Join(after=(ref,), gaps_s=(0.1,)))


@given(
    lengths=st.lists(st.integers(200, 4_000), min_size=1, max_size=4),
    gaps=st.lists(st.floats(0.0, 0.2), min_size=4, max_size=4),
    own=st.integers(1, 4_000),
    position=st.integers(0, 4),
)
def test_any_row_adds_up(tmp_path_factory, lengths, gaps, own, position):
    folder = tmp_path_factory.mktemp("row")
    refs = [
        store(folder, burst(n / RATE, RATE, -25.0, seed=i), RATE, f"{i}.wav")
        for i, n in enumerate(lengths)
    ]
    position = min(position, len(refs))
    gaps_s = tuple(gaps[: len(refs)])
    operator = Join(
        before=tuple(refs[:position]),
        after=tuple(refs[position:]),
        gaps_s=gaps_s,
        match_level=False,
    )
    host = Signal.from_array(0.1 * np.cos(np.arange(own)), RATE)
    variant = apply(host, operator)
    assert variant.trace.status == "ok"
    gap_samples = sum(int(np.floor(gap * RATE + 0.5)) for gap in gaps_s)
    assert variant.signal.sample_count == own + sum(lengths) + gap_samples
    (span,) = variant.trace.time_map.map_span(Span(0.0, host.duration_s))
    start, stop = span.to_samples(RATE)
    assert stop - start == own
    assert np.array_equal(_undone(variant)[:, start:stop], host.samples)


def test_levels_of_sounds_without_a_speech_level_match_in_rms(tmp_path):
    host = Signal.from_array(burst(0.02, RATE, -20.0), RATE)
    ref = store(tmp_path, burst(0.5, RATE, -40.0), RATE)
    variant = apply(host, Join(after=(ref,), gaps_s=(0.1,)))
    assert "rms" in {proof.name for proof in variant.trace.measured}
    assert variant.trace.status == "ok"
    assert rms_dbfs(_undone(variant)[:, -8_000:]).value == pytest.approx(-20.0, abs=0.1)


def test_it_owes_what_every_operator_owes(others):
    clip = speech_like(2.4, RATE, channels=2, level=0.05)
    check_operator(
        Join(before=(others[0],), after=(others[1],), gaps_s=(0.1, 0.2)), clip=clip, max_examples=15
    )
