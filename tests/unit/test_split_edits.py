"""Edits in plain words, from the trace alone."""

from __future__ import annotations

import pytest

from perturb.errors import InapplicableError
from perturb.operators.crop import Crop
from perturb.operators.event import Event
from perturb.operators.gain import Gain
from perturb.operators.join import Join
from perturb.operators.mismatch import Mismatch
from perturb.operators.noise_vocode import NoiseVocode
from perturb.operators.obscure import Obscure
from perturb.operators.registry import all_operators
from perturb.operators.reverse import Reverse
from perturb.operators.shuffle import Shuffle
from perturb.operators.silence import Silence
from perturb.operators.speed import Speed
from perturb.operators.vocode import Vocode
from perturb.plan.step import Plan, Step
from perturb.plan.trace import Trace
from perturb.render.apply import apply
from perturb.render.references import References
from perturb.render.rendering import describe_signal, inapplicable_trace
from perturb.signal import Signal
from perturb.span import Span
from perturb.split.questions.edits import WORDED_OPERATORS, describe_edits
from perturb.testing.strategies import speech_like
from tests.conftest import CLIPS_FOLDER
from tests.strategies.sounds import burst, store

RATE = 16_000
CLIP = speech_like(4.0, RATE, level=0.05)
SPAN = Span(1.0, 2.5)
OTHER = f"file:{CLIPS_FOLDER / 'librivox' / 'sense-and-sensibility-0880.wav'}"


def _traced(*placed, clip=CLIP, **options):
    # As it comes back from its file: nothing that only a run remembers.
    return Trace.from_json(apply(clip, *placed, **options).trace.to_json())


def _told(*placed, clip=CLIP, **options):
    return describe_edits(_traced(*placed, clip=clip, **options))


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        (Gain(gain_db=10.0), "10 dB louder"),
        (Gain(gain_db=-8.5), "8.5 dB softer"),
        (Silence(), "replaced by silence"),
        (Silence(fill="noise"), "replaced by white noise as loud as what was there"),
        (Obscure(), "muffled and covered with noise, so that it cannot be made out"),
        (Vocode(), "replaced by a buzz that keeps melody, loudness and rhythm, without words"),
        (NoiseVocode(bands=4), "replaced by noise in 4 frequency bands (noise-vocoded)"),
        (Reverse(), "played backwards"),
        (Shuffle(), "cut into pieces of 0.25 s, which are played in another order"),
    ],
)
def test_a_place_and_what_was_done_there(operator, words):
    assert _told(operator @ SPAN).startswith("- From 1.0 to 2.5 s")
    assert _told(operator @ SPAN).endswith(f": {words}.")


def test_each_place_has_its_line():
    assert _told(Gain(gain_db=10.0) @ Span(0.5, 1.0) @ Span(2.25, 3.0)) == (
        "- From 0.5 to 1.0 s: 10 dB louder.\n- From 2.25 to 3.0 s: 10 dB louder."
    )


def test_an_event_has_its_start_its_end_and_its_name(tmp_path):
    ref = store(tmp_path, burst(0.5, RATE, -20.0), RATE, "dog bark.wav")
    assert _told(Event(ref=ref, snr_db=8.0) @ Span(1.0) @ Span(2.0)) == (
        "- From 1.0 to 1.5 s: another sound laid over (dog bark), 8 dB louder than what is there.\n"
        "- From 2.0 to 2.5 s: another sound laid over (dog bark), 8 dB louder than what is there."
    )
    assert "8 dB softer" in _told(Event(ref=ref, snr_db=8.0, over="host") @ Span(1.0))


def test_an_event_is_called_as_questions_call_it(tmp_path):
    ref = store(tmp_path, burst(0.5, RATE, -20.0), RATE, "1-4711-A.wav")
    trace = _traced(Event(ref=ref, snr_db=8.0) @ Span(1.0))
    assert "(a dog bark)" in describe_edits(trace, {ref: "a dog bark"})
    assert "(1-4711-A)" in describe_edits(trace, {"file:other.wav": "a dog bark"})


def test_times_that_an_edit_moves_are_told_twice():
    assert _told(Speed(rate=2.0) @ Span(1.0, 2.0), Gain(gain_db=10.0) @ Span(3.0, 3.5)) == (
        "- From 1.0 to 2.0 s of the audio before the edits (from 1.0 to 1.5 s of the edited "
        "audio): played 2 times as fast, at the same pitch.\n"
        "- From 3.0 to 3.5 s of the audio before the edits (from 2.5 to 3.0 s of the edited "
        "audio): 10 dB louder."
    )
    assert "played 2 times as slowly" in _told(Speed(rate=0.5) @ Span(1.0, 2.0))
    assert _told(Crop() @ Span(1.0, 2.0)) == (
        "- From 1.0 to 2.0 s of the audio before the edits (from 0.0 to 1.0 s of the edited "
        "audio): kept, and everything else cut away."
    )


def test_edits_of_the_whole(tmp_path):
    ref = store(tmp_path, burst(1.0, RATE), RATE)
    assert _told(Silence(duration_s=30.0)) == ("- The whole audio: replaced by silence, 30 s long.")
    assert _told(Mismatch(ref=OTHER)) == "- The whole audio: replaced by another recording."
    row = Join(before=(ref,), after=(ref,), gaps_s=(0.1, 0.1))
    assert _told(row) == (
        "- The whole audio: set as number 2 among 3 recordings in a row, with silence between them."
    )


def test_shams_are_told_as_what_they_are():
    told = _told(Obscure() @ SPAN, sham=True)
    assert told == (
        "- From 1.0 to 2.5 s: processed like the others, without the edit "
        f"({Obscure.sham_description})."
    )
    assert _told(Gain(gain_db=0.0) @ SPAN) == "- From 1.0 to 2.5 s: left as it is."


def test_where_nothing_was_edited_the_reason_is_told():
    silence = Signal.from_array([0.0] * RATE, RATE)
    plan = Plan(steps=(Step(operator=Vocode()),), clip_id="clip")
    trace = inapplicable_trace(
        plan, describe_signal(silence), "no speech", References(CLIPS_FOLDER)
    )
    with pytest.raises(InapplicableError, match="no edit to tell: no speech"):
        describe_edits(trace)


def test_every_operator_of_the_package_has_words_of_its_own():
    # A transform of another library is told by its step: its name says what it does.
    own = {name for name, kind in all_operators().items() if kind.__module__.startswith("perturb.")}
    assert own - WORDED_OPERATORS == {"audiomentations"}
