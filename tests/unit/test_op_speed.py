"""`speed`: its fields, spans, map and proof; the engines of others, there, missing and broken."""

from __future__ import annotations

import errno
import importlib.util
import os
import stat
import tempfile

import numpy as np
import pytest
import soundfile
import soxr

import perturb as pt
from perturb.errors import AudioError, InapplicableError, OutputError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.speed import Speed
from perturb.operators.tempo_edit import places_at_rate
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis import speed_engines
from perturb.synthesis.speed_engines import check_engine, stretch_with
from perturb.testing.strategies import speech_like
from tests.instruments.engines import forgotten_engines, needs_engine

CLIP = speech_like(2.4, 16_000, channels=2, seed=3, level=0.05)
FOREIGN = ["spectral", "rubberband"]


@pytest.fixture
def fresh_checks():
    """Forget which engines were found, before and after."""
    with forgotten_engines():
        yield


def _program(folder, text):
    """Put a program called rubberband into a folder."""
    path = folder / "rubberband"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# Fields, spans, the map.


@pytest.mark.parametrize("rate", [0.24, 4.01, 0.0, -1.0, float("nan")])
def test_rates_out_of_range_are_refused(rate):
    with pytest.raises(ParameterError, match=r"rate is .*accepted: a finite number, 0\.25 to 4 x"):
        Speed(rate=rate)


def test_an_unknown_engine_is_refused():
    with pytest.raises(
        ParameterError, match=r"engine is 'psola'; accepted: .*'wsola', 'wsola_speech'"
    ):
        Speed(rate=2.0, engine="psola")


@pytest.mark.parametrize("engine", ["wsola", "wsola_speech", *FOREIGN])
def test_a_rate_of_one_is_the_clip(engine):
    variant = apply(CLIP, Speed(rate=1.0, engine=engine) @ Span(0.5, 1.5))
    assert variant.signal.is_equal(CLIP)
    assert variant.signal is not CLIP
    assert variant.trace.time_map.is_identity


@pytest.mark.parametrize("rate", [0.25, 0.9, 1.5, 3.0])
def test_the_map_is_the_formula(rate):
    variant = apply(CLIP, Speed(rate=rate) @ Span(0.5, 1.5))
    time_map = variant.trace.time_map
    for time_s in (0.2, 0.5, 0.8, 1.4, 1.6, 2.3):
        due = time_s
        if time_s > 0.5:
            due = 0.5 + (min(time_s, 1.5) - 0.5) / rate + max(0.0, time_s - 1.5)
        assert time_map.map_point(time_s)[0] == pytest.approx(due, abs=0.5 / 16_000)
    assert abs(time_map.target_duration_s - variant.signal.duration_s) <= 0.5 / 16_000
    assert variant.signal.duration_s == pytest.approx(2.4 - 1.0 + 1.0 / rate, abs=1 / 16_000)
    assert (variant.signal.duration_s > CLIP.duration_s) == (rate < 1.0)


@pytest.mark.parametrize("engine", ["wsola", "wsola_speech"])
def test_what_lies_outside_is_shifted_and_equal(engine):
    spans = (Span(0.30001, 0.9), Span(0.9, 1.2), Span(1.7, 2.2))
    variant = apply(CLIP, Step(operator=Speed(rate=1.7, engine=engine), spans=spans))
    places = places_at_rate(spans, 16_000, 1.7)
    result = variant.signal.samples
    assert result.shape[1] == CLIP.sample_count + places[-1].new_stop - places[-1].stop
    at = new_at = 0
    for place in places:
        assert place.new_start - new_at == place.start - at
        old = CLIP.samples[:, at : place.start]
        assert np.array_equal(result[:, new_at : place.new_start], old)
        at, new_at = place.stop, place.new_stop
    assert np.array_equal(result[:, new_at:], CLIP.samples[:, at:])
    assert variant.trace.steps[0].spans_after[1].start_s == places[1].new_start / 16_000


def test_rounding_does_not_add_up():
    spans = [Span(k * 0.1 + 0.0301, k * 0.1 + 0.0903) for k in range(2_000)]
    moved = 0.0
    for place in places_at_rate(spans, 11_025, 1.37):
        moved += (place.stop - place.start) * (1.0 - 1.0 / 1.37)
        assert abs(place.new_stop - (place.stop - moved)) <= 0.5 + 1e-6


def test_later_spans_follow_the_edit():
    marked = CLIP.samples.copy()
    marked[:, 32_000:32_160] = 0.0
    clip = Signal.adopt(marked, 16_000)
    variant = apply(
        clip, Speed(rate=2.0) @ Span(0.4, 1.4), pt.Gain(gain_db=-6.0) @ Span(2.0, 2.2), seed=1
    )
    step = variant.trace.steps[1]
    assert step.spans_before[0].start_s == pytest.approx(1.5)
    assert step.spans_before[0].end_s == pytest.approx(1.7)
    assert not variant.signal.samples[:, 24_000:24_160].any()


@pytest.mark.parametrize("samples", [1, 2, 300, 799])
@pytest.mark.parametrize("engine", ["wsola", "wsola_speech", *FOREIGN])
def test_spans_too_short_are_inapplicable(samples, engine):
    needs_engine(engine)
    with pytest.raises(InapplicableError, match=r"too short for a rate of 2: .* at least 50 ms"):
        apply(CLIP, Speed(rate=2.0, engine=engine) @ Span(1.0, 1.0 + samples / 16_000))
    whole = CLIP.slice(0, samples)
    with pytest.raises(InapplicableError, match="too short"):
        apply(whole, Speed(rate=2.0, engine=engine), sham=True)


def test_the_shortest_span_is_edited_exactly():
    variant = apply(CLIP, Speed(rate=2.0) @ Span(1.0, 1.1))
    assert variant.signal.sample_count == CLIP.sample_count - 800


def test_digital_silence_is_inapplicable():
    silence = Signal.from_array(np.zeros(16_000), 16_000)
    with pytest.raises(InapplicableError, match="digital silence: no tempo is heard there"):
        apply(silence, Speed(rate=2.0))


@pytest.mark.parametrize("rate", [0.5, 2.0, 3.0])
def test_the_mode_for_speech_says_where_everything_went(rate):
    variant = apply(CLIP, Speed(rate=rate, engine="wsola_speech") @ Span(0.2, 2.2))
    time_map = variant.trace.time_map
    inner = [piece for piece in time_map.pieces if 0.19 < (piece.source_start_s or 0.0) < 2.19]
    assert len(inner) >= 4
    rates = [piece.rate for piece in inner]
    assert max(rates) > 1.1 * rate
    assert min(rates) < 0.95 * rate
    assert time_map.target_duration_s == pytest.approx(0.4 + 2.0 / rate, abs=1 / 16_000)
    assert time_map.inverse().target_duration_s == pytest.approx(2.4)


def test_words_are_promised_up_to_twice_the_speed():
    assert "words" in Speed(rate=2.0).ledger().keeps
    assert "words" in Speed(rate=0.25).ledger().keeps
    assert "words" not in Speed(rate=2.1).ledger().keeps
    assert Speed(rate=3.0).ledger().destroys == ("timing",)


def test_the_notes_count_splices():
    probe, sham = (
        apply(CLIP, Speed(rate=2.0) @ Span(0.4, 2.0), sham=sham).trace.steps[0].notes
        for sham in (False, True)
    )
    assert probe["engine"] == sham["engine"] == "wsola"
    assert sham["spans"][0]["splices"] == pytest.approx(2 * probe["spans"][0]["splices"], rel=0.15)
    assert 0.3 < probe["spans"][0]["splice_likeness"] <= 1.0


# The proof finds out what is wrong.


class _Context:
    def __init__(self, before, after, time_map):
        self.before, self.after = Analysis(before), Analysis(after)
        self.time_map = time_map

    def as_written(self, signal):
        return signal


def _verdicts(operator, before, after):
    honest = apply(before, operator).trace
    context = _Context(before, after, honest.time_map)
    found = operator.measure(before, after, (Span(0.0, before.duration_s),), context)
    return {proof.name: proof for proof in found}


@pytest.fixture
def voice(sentence):
    samples, rate = soundfile.read(sentence, dtype="float32")
    return Signal.from_array(samples, rate)


def test_an_honest_edit_is_ok(voice):
    trace = apply(voice, Speed(rate=1.5)).trace
    assert trace.status == "ok"
    proofs = {proof.name: proof for proof in trace.steps[0].measured}
    assert set(proofs) == {"length", "rate", "f0_median_error", "level_correlation"}
    assert proofs["rate"].achieved == pytest.approx(1.5, rel=0.02)
    assert proofs["f0_median_error"].instrument == "independent"


def test_an_inverted_factor_is_found(voice):
    after = apply(voice, Speed(rate=0.5)).signal
    found = _verdicts(Speed(rate=2.0), voice, after)
    assert found["length"].verdict == "off_target"
    assert found["rate"].verdict == "off_target"
    cut = after.slice(0, voice.sample_count // 2)
    found = _verdicts(Speed(rate=2.0), voice, cut)
    assert found["length"].verdict == "ok"
    assert found["rate"].verdict == "off_target"
    assert found["rate"].achieved == pytest.approx(0.5, rel=0.1)


def test_a_clip_that_was_cut_is_found(voice):
    cut = voice.slice(0, voice.sample_count // 2)
    found = _verdicts(Speed(rate=2.0), voice, cut)
    assert found["rate"].achieved == pytest.approx(1.0, rel=0.02)
    assert found["level_correlation"].verdict == "off_target"


def test_a_result_that_fell_silent_is_found(voice):
    silent = Signal.from_array(np.zeros(voice.sample_count // 2), 16_000)
    found = _verdicts(Speed(rate=2.0), voice, silent)
    assert found["level_correlation"].verdict == "off_target"


def test_resampling_is_found_by_its_pitch(voice):
    fast = soxr.resample(voice.samples[0], 16_000, 32_000 / 3)
    after = Signal.from_array(fast[: round(voice.sample_count / 1.5)], 16_000)
    found = _verdicts(Speed(rate=1.5), voice, after)
    assert found["rate"].verdict == "ok"
    assert found["f0_median_error"].achieved > 400.0


def test_without_a_voice_there_is_no_pitch_and_a_reason():
    noise = np.random.default_rng(0).standard_normal(16_000)
    noise *= np.repeat(10.0 ** np.random.default_rng(1).uniform(-2, -1, 20), 800)
    found = apply(Signal.from_array(noise, 16_000), Speed(rate=1.5)).trace.steps[0].measured
    pitch = next(proof for proof in found if proof.name == "f0_median_error")
    assert pitch.achieved is None
    assert "voiced" in pitch.reason


# The engines of others.


@pytest.mark.parametrize("engine", FOREIGN)
@pytest.mark.parametrize("rate", [0.5, 1.5, 3.0])
@pytest.mark.parametrize("sham", [False, True])
def test_their_edits_keep_the_promises(engine, rate, sham):
    needs_engine(engine)
    step = Speed(rate=rate, engine=engine) @ Span(0.5, 1.9)
    one, two = (apply(CLIP, step, seed=seed, sham=sham) for seed in (1, 2))
    assert one.signal.is_equal(two.signal)
    new_stop = 30_400 if sham else 8_000 + round(22_400 / rate)
    assert one.signal.sample_count == CLIP.sample_count - 30_400 + new_stop
    gain = np.float32(10 ** (one.trace.headroom.gain_db / 20))
    before, after = CLIP.samples * gain, one.signal.samples
    assert np.array_equal(after[:, :8_000], before[:, :8_000])
    assert np.array_equal(after[:, new_stop:], before[:, 30_400:])
    # The edit sets out from the recording and comes back to it.
    np.testing.assert_allclose(after[:, 8_000:8_008], before[:, 8_000:8_008], atol=0.02)
    tail = slice(new_stop - 8, new_stop)
    np.testing.assert_allclose(after[:, tail], before[:, 30_392:30_400], atol=0.02)
    assert not np.array_equal(after[:, 8_000:30_400], before[:, 8_000:30_400])
    version = one.trace.steps[0].notes["engine"]
    assert version == check_engine(engine)
    assert any(figure.isdigit() for figure in version)


@pytest.mark.parametrize("engine", FOREIGN)
def test_equal_channels_stay_equal(engine):
    needs_engine(engine)
    mono = CLIP.samples[:1]
    clip = Signal.adopt(np.concatenate([mono, mono, -mono]), 16_000)
    found = apply(clip, Speed(rate=1.3, engine=engine)).signal.samples
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


@pytest.mark.parametrize("engine", FOREIGN)
@pytest.mark.parametrize("amplitude", [1.5, 40.0, 3e-5])
def test_no_clipping_and_no_collapse_at_any_level(engine, amplitude):
    needs_engine(engine)
    time_s = np.arange(16_000) / 16_000
    tone = (amplitude * np.sin(2 * np.pi * 440 * time_s)).astype(np.float32)[np.newaxis]
    found, _ = stretch_with(engine, tone, 16_000, 0, 16_000, 10_667)
    core = found[0, 2_000:-2_000] / amplitude
    assert np.unique(core).size > 1_000
    assert core.max() == pytest.approx(1.0, abs=0.15)
    # Clipping would put a third harmonic where there is none.
    spectrum = np.abs(np.fft.rfft(core * np.hanning(core.size)))
    bin_hz = 16_000 / core.size
    tone_bin, third_bin = round(440 / bin_hz), round(1_320 / bin_hz)
    third = spectrum[third_bin - 3 : third_bin + 4].max()
    assert third < 0.01 * spectrum[tone_bin - 3 : tone_bin + 4].max()


def test_the_faintest_clip_comes_back_from_the_program_as_faint():
    needs_engine("rubberband")
    loud = CLIP.samples[:, 4_000:20_000]
    faint = np.ldexp(loud, -120)
    expected, _ = stretch_with("rubberband", loud, 16_000, 0, 16_000, 10_667)
    found, _ = stretch_with("rubberband", faint, 16_000, 0, 16_000, 10_667)
    assert np.allclose(np.ldexp(found, 120), expected, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("engine", FOREIGN)
@pytest.mark.parametrize(("count", "new_count"), [(800, 3_200), (801, 1_600), (3_200, 800)])
def test_short_clips_get_their_exact_length(engine, count, new_count):
    needs_engine(engine)
    clip = CLIP.samples[:, 4_000 : 4_000 + count]
    found, _ = stretch_with(engine, clip, 16_000, 0, count, new_count)
    assert found.shape == (2, new_count)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("engine", "package", "extra"),
    [("spectral", "python_stretch", "spectral"), ("rubberband", "pyrubberband", "rubberband")],
)
def test_a_missing_package_is_one_line_with_the_way_out(
    engine, package, extra, monkeypatch, fresh_checks
):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else find(name)
    )
    with pytest.raises(ParameterError) as caught:
        apply(CLIP, Speed(rate=2.0, engine=engine))
    message = str(caught.value)
    assert f"pip install 'perturb-audio[{extra}]'" in message
    assert "\n" not in message
    assert "engine='wsola'" in message


def test_a_missing_program_is_one_line_with_the_way_out(monkeypatch, fresh_checks, tmp_path):
    needs_engine("rubberband")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParameterError, match="apt-get install rubberband-cli") as caught:
        apply(CLIP, Speed(rate=2.0, engine="rubberband"))
    assert "not on the path" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo 2.0.2", "is version 2.0.2; accepted: 3 or later"),
        ("echo hello", "is version unknown"),
        ("exec sleep 20", "does not run"),
    ],
)
def test_a_program_that_will_not_do_is_found_before_any_work(
    text, message, monkeypatch, fresh_checks, tmp_path
):
    needs_engine("rubberband")
    _program(tmp_path, text)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(speed_engines, "_CHECK_TIMEOUT_S", 0.5)
    with pytest.raises(ParameterError, match=message):
        apply(CLIP, Speed(rate=2.0, engine="rubberband"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exit 3", "rubberband failed"),
        ("exec sleep 20", "had not finished .* was stopped"),
        # As a full disk leaves it: the program says nothing, and writes what fits.
        (
            'shift $(($# - 2))\nhead -c 9000 "$1" > "$2"',
            r"cut short: \d+ of \d+ samples; make room, name another folder by TMPDIR",
        ),
    ],
)
def test_a_program_that_breaks_or_hangs_ends(text, message, monkeypatch, fresh_checks, tmp_path):
    needs_engine("rubberband")
    _program(tmp_path, f'[ "$1" = --version ] && echo 3.3.0 && exit\n{text}')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    left = tmp_path / "left"
    left.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(left))
    monkeypatch.setattr(speed_engines, "_CHILD_TIMEOUT_S", 0.3)
    with pytest.raises(AudioError, match=message):
        apply(CLIP.slice(4_000, 8_000), Speed(rate=2.0, engine="rubberband"))
    assert not list(left.iterdir())


def test_without_room_for_temporary_files_the_way_out_is_named_and_nothing_is_left(
    monkeypatch, tmp_path
):
    needs_engine("rubberband")

    def no_room(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(soundfile, "write", no_room)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(OutputError, match=r"No space left .* another folder by TMPDIR"):
        apply(CLIP, Speed(rate=2.0, engine="rubberband"))
    assert not list(tmp_path.iterdir())


def test_pyrubberband_itself_is_left_alone():
    needs_engine("rubberband")
    import subprocess

    import pyrubberband

    apply(CLIP, Speed(rate=2.0, engine="rubberband"))
    assert pyrubberband.pyrb.sf is soundfile
    assert pyrubberband.pyrb.subprocess is subprocess


def test_the_default_needs_no_engine_and_no_scipy_signal():
    import subprocess
    import sys

    code = (
        "import sys, perturb as pt, numpy as np\n"
        "clip = pt.Signal.from_array(np.random.default_rng(0).normal(0, .1, 8000), 16000)\n"
        "pt.apply(clip, pt.Speed(rate=1.5))\n"
        "pt.apply(clip, pt.Speed(rate=1.5, engine='wsola_speech'))\n"
        "heavy = {'scipy.signal', 'python_stretch', 'pyrubberband', 'pyloudnorm'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
