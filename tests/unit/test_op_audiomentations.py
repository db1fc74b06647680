"""`audiomentations`: every transform of the library, isolated, reproducible; errors in a line."""

from __future__ import annotations

import builtins
import importlib.util
import random
import sys

import numpy as np
import pytest

from perturb.errors import InapplicableError, ParameterError
from perturb.operators.audiomentations import Audiomentations
from perturb.operators.gain import Gain
from perturb.plan.step import Step
from perturb.plan.step_text import format_step, parse_step
from perturb.render.apply import apply
from perturb.render.files import FileJob, apply_to_file
from perturb.render.replay import replay_to_file
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.foreign_library import isolated_random, transform_names
from perturb.testing.strategies import speech_like
from tests.extras import is_missing, need
from tests.strategies.sounds import click, silence, store

RATE = 16_000
CLIP = speech_like(1.5, RATE, seed=3, level=0.05)
STEREO = speech_like(1.5, RATE, channels=2, seed=3, level=0.05)

needs_library = need("audiomentations")
NAMES = [] if is_missing("audiomentations") else transform_names()

SOUND = object()
PARAMS = {
    "AddBackgroundNoise": {"sounds_path": SOUND},
    "AddShortNoises": {"sounds_path": SOUND, "max_time_between_sounds": 2.0},
    "AdjustDuration": {"duration_samples": 24_000},
    "ApplyImpulseResponse": {"ir_path": SOUND},
    "Clip": {"a_min": -0.05, "a_max": 0.05},
    "RoomSimulator": {"use_ray_tracing": False, "leave_length_unchanged": True},
}
# What does not keep rate or length, needs a function, or changes nothing here.
REFUSED = {
    "AdjustDuration": "changed nothing",
    "Lambda": "missing 1 required positional argument",
    "RepeatPart": "changes 24000 samples into|changed nothing",
    "Resample": "changes the sampling rate",
    "Trim": "changes 24000 samples into .*the operator crop",
}
if importlib.util.find_spec("pyroomacoustics") is None:
    REFUSED["RoomSimulator"] = "ModuleNotFoundError"
MONO_ONLY = {"AddBackgroundNoise", "AddShortNoises"}


def _operator(name, folder, **more):
    params = {
        key: store(folder, click(RATE), RATE) if value is SOUND else value
        for key, value in PARAMS.get(name, {}).items()
    }
    return Audiomentations(transform=name, params=params, **more)


def _notes(variant):
    return variant.trace.steps[0].notes


def _states():
    state = np.random.get_state()  # noqa: NPY002
    return random.getstate(), state[0], state[1].tolist(), state[2:]


@needs_library
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("clip", [CLIP, STEREO], ids=["mono", "stereo"])
def test_every_transform_gives_the_same_bytes_again(name, clip, tmp_path):
    operator = _operator(name, tmp_path)
    states = _states()
    if name in REFUSED or (name in MONO_ONLY and clip is STEREO):
        with pytest.raises(
            (InapplicableError, ParameterError), match=REFUSED.get(name, "only supports mono")
        ) as caught:
            apply(clip, operator, seed=2)
        assert "\n" not in str(caught.value)
        assert _states() == states
        return
    first = apply(clip, operator, seed=2)
    assert _states() == states
    random.seed(12)
    np.random.seed(12)  # noqa: NPY002
    again = apply(clip, operator, seed=2)
    assert first.signal.is_equal(again.signal)
    assert first.trace == again.trace
    assert first.signal.samples.shape == clip.samples.shape
    assert first.signal.samples.dtype == np.float32
    assert first.trace.status == "ok"
    if name == "RoomSimulator":
        return  # it keeps a room that is none of its parameters
    drawn = _notes(first)["parameters"][0]
    frozen = apply(clip, _operator(name, tmp_path, frozen=drawn), seed=2)
    assert frozen.signal.is_equal(first.signal)


@needs_library
def test_what_the_library_lacks_is_known_without_a_clip():
    Audiomentations(transform="LowPassFilter").check_available()
    for operator, words in (
        (Audiomentations(transform="LowPas"), "transform is 'LowPas'; did you mean"),
        (Audiomentations(transform="LowPassFilter", params={"cutoff": 1}), "no params.cutoff"),
    ):
        with pytest.raises(ParameterError, match=words):
            operator.check_available()


@needs_library
def test_what_was_drawn_can_be_applied_to_another_clip():
    other = speech_like(2.0, RATE, seed=9)
    drawn = _notes(apply(CLIP, Audiomentations(transform="LowPassFilter"), seed=5))["parameters"][0]
    assert set(drawn) == {"rolloff", "cutoff_freq"}
    operator = Audiomentations(transform="LowPassFilter", frozen=drawn)
    one, two = (apply(other, operator, seed=seed) for seed in (1, 2))
    assert one.signal.is_equal(two.signal)
    assert _notes(one)["parameters"][0] == drawn
    # It is written as a step, too.
    assert parse_step(format_step(Step(operator=operator))).operator == operator


@needs_library
def test_transforms_made_of_transforms_are_frozen_whole():
    operator = Audiomentations(transform="SevenBandParametricEQ")
    first = apply(CLIP, operator, seed=5)
    drawn = _notes(first)["parameters"][0]
    assert len(drawn["peaking_filters"]) == 5
    again = Audiomentations(transform="SevenBandParametricEQ", frozen=drawn)
    assert apply(CLIP, again, seed=99).signal.is_equal(first.signal)


@needs_library
def test_a_known_transform_does_what_its_parameters_say():
    params = {"min_gain_db": -6.0, "max_gain_db": -6.0}
    variant = apply(CLIP, Audiomentations(transform="Gain", params=params))
    assert variant.signal.samples == pytest.approx(CLIP.samples * 10 ** (-6 / 20), abs=1e-6)


@needs_library
def test_spans_draw_on_their_own_and_the_rest_is_untouched():
    step = Step(
        operator=Audiomentations(transform="BitCrush", params={"min_bit_depth": 3}),
        spans=(Span(0.2, 0.5), Span(0.8, 1.2)),
    )
    variant = apply(CLIP, step, seed=1)
    assert len(_notes(variant)["parameters"]) == 2
    outside = [p for p in variant.trace.measured if p.name == "outside_difference"]
    assert [proof.achieved for proof in outside] == [0.0]


@needs_library
def test_the_command_line_form():
    step = parse_step("audiomentations:transform=Mp3Compression,params.min_bitrate=8")
    assert step.operator == Audiomentations(transform="Mp3Compression", params={"min_bitrate": 8})


@needs_library
@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000])
def test_mp3_keeps_length_and_timing_at_many_rates(rate):
    clip = speech_like(1.0, rate, seed=3)
    params = {"min_bitrate": 64, "max_bitrate": 64}
    coded = apply(clip, Audiomentations(transform="Mp3Compression", params=params)).signal
    assert coded.sample_count == clip.sample_count
    lags = np.arange(-200, 201)
    alike = [
        np.dot(clip.samples[0, 400:-400], np.roll(coded.samples[0], -lag)[400:-400]) for lag in lags
    ]
    assert abs(lags[np.argmax(alike)]) <= 1


@needs_library
def test_a_clip_that_a_transform_refuses_is_inapplicable():
    clip = speech_like(0.5, 96_000)
    with pytest.raises(InapplicableError, match="Mp3Compression refused"):
        apply(clip, Audiomentations(transform="Mp3Compression"))


@needs_library
def test_outside_audio_stands_in_the_trace(tmp_path, sentence):
    ref = store(tmp_path, click(RATE), RATE, "room.wav")
    step = Step(operator=Audiomentations(transform="ApplyImpulseResponse", params={"ir_path": ref}))
    output = tmp_path / "out" / "x.wav"
    trace = apply_to_file(FileJob(sentence, output, (step,)))
    assert trace.references[ref].audio_sha256
    assert trace.steps[0].notes["parameters"][0]["ir_file_path"] == ref
    replay_to_file(output.with_suffix(".json"), tmp_path / "again.wav")
    assert (tmp_path / "again.wav").read_bytes() == output.read_bytes()
    with pytest.raises(ParameterError, match=r"accepted: references, as params\.ir_path"):
        Audiomentations(transform="ApplyImpulseResponse", params={"ir_path": "room.wav"})


@needs_library
def test_a_tail_is_cut_off_and_noted(tmp_path):
    ref = store(tmp_path, click(RATE), RATE)
    params = {"ir_path": ref, "leave_length_unchanged": False}
    variant = apply(CLIP, Audiomentations(transform="ApplyImpulseResponse", params=params))
    assert variant.signal.sample_count == CLIP.sample_count
    assert _notes(variant)["trimmed_samples"] == [round(0.05 * RATE) - 1]


@needs_library
def test_after_a_transform_that_moves_time_nothing_is_found_again():
    operator = Audiomentations(transform="Reverse")
    step = Gain(gain_db=6.0) @ Span(0.3, 0.4)
    with pytest.raises(InapplicableError, match=r"removed by step 1 \(audiomentations\)"):
        apply(CLIP, operator, step)
    # Outside its span all is where it was.
    assert apply(CLIP, operator @ Span(0.6, 1.0), step).trace.status == "ok"


@needs_library
def test_the_input_may_not_be_written_to(monkeypatch):
    import audiomentations

    def spoil(self, samples, sample_rate):
        samples[:] = 0.25
        return samples

    monkeypatch.setattr(audiomentations.PolarityInversion, "apply", spoil)
    before = CLIP.samples.copy()
    variant = apply(CLIP, Audiomentations(transform="PolarityInversion"))
    assert np.array_equal(CLIP.samples, before)
    assert (variant.signal.samples == 0.25).all()


@needs_library
@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda samples: samples.astype(np.int16), "returned int16"),
        (lambda samples: np.zeros((3, samples.size), np.float32), r"shape \(3, 24000\)"),
        (lambda samples: samples * np.nan, "not finite"),
        (lambda samples: samples[:100], "changes 24000 samples into 100"),
    ],
)
def test_what_is_no_audio_is_refused(returned, words, monkeypatch):
    import audiomentations

    monkeypatch.setattr(
        audiomentations.PolarityInversion, "apply", lambda self, samples, rate: returned(samples)
    )
    with pytest.raises(ParameterError, match=words):
        apply(CLIP, Audiomentations(transform="PolarityInversion"))


@needs_library
def test_float64_results_become_float32(monkeypatch):
    import audiomentations

    monkeypatch.setattr(
        audiomentations.PolarityInversion, "apply", lambda self, samples, rate: samples * 0.5
    )
    result = apply(CLIP, Audiomentations(transform="PolarityInversion")).signal
    assert result.samples.dtype == np.float32


@needs_library
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"transform": "Mp3Compresion"}, "did you mean 'Mp3Compression'"),
        ({"transform": "mp3compression"}, "did you mean 'Mp3Compression'"),
        ({"transform": "Compose"}, "transform is 'Compose'"),
        (
            {"transform": "BitCrush", "params": {"min_bitdepth": 3}},
            r"BitCrush has no params\.min_bitdepth; did you mean 'min_bit_depth'",
        ),
        ({"transform": "BitCrush", "params": {"p": 0.5}}, "a step always acts"),
        ({"transform": "BitCrush", "params": {"min_bit_depth": 99}}, "refused"),
        ({"transform": "BitCrush", "frozen": {"depth": 3}}, "BitCrush refused: KeyError"),
        ({"transform": "RoomSimulator"}, "params.use_ray_tracing=false"),
        (
            {"transform": "Mp3Compression", "params": {"preserve_delay": True}},
            "keep rate and length",
        ),
    ],
)
def test_mistakes_are_one_line(fields, words):
    with pytest.raises(ParameterError, match=words) as caught:
        apply(CLIP, Audiomentations(**fields))
    assert "\n" not in str(caught.value)


@needs_library
def test_nothing_changed_is_inapplicable():
    clip = Signal.from_array(silence(1.0, RATE), RATE)
    with pytest.raises(InapplicableError, match="BandPassFilter changed nothing in 0 to 1 s"):
        apply(clip, Audiomentations(transform="BandPassFilter"))


def test_only_plain_values_are_parameters():
    for value in (np.nan, object(), lambda x: x):
        with pytest.raises(ParameterError, match=r"params\.x is .*; accepted: finite numbers"):
            Audiomentations(transform="BitCrush", params={"x": value})


def test_a_missing_library_is_one_line_with_the_way_out(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.partition(".")[0] == "audiomentations":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "audiomentations", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ParameterError, match=r"pip install 'perturb-audio\[audiomentations\]'"):
        apply(CLIP, Audiomentations(transform="BitCrush"))


def test_isolation_puts_both_generators_back_even_after_an_error():
    random.seed(4)
    np.random.seed(4)  # noqa: NPY002
    before = _states()
    drawn = []

    def draw_and_fail():
        with isolated_random(7):
            drawn.append((random.random(), np.random.rand()))  # noqa: NPY002
            raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            draw_and_fail()
        assert _states() == before
    assert drawn[0] == drawn[1]
