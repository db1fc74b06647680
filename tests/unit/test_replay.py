"""Replay: the same bytes again, from the trace and the input."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat, file_sha256
from perturb.errors import AudioError, ParameterError, PlanError
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from perturb.render.replay import load_trace, replay_to_file
from perturb.signal import Signal
from perturb.span import Span
from tests.unit.specimens import Overlay, Squeeze

FORMS = [
    ("in.wav", OutputFormat(subtype="PCM_16"), "out.wav"),
    ("in.wav", OutputFormat(subtype="PCM_24"), "out.wav"),
    ("in.wav", OutputFormat(subtype="PCM_32"), "out.wav"),
    ("in.wav", OutputFormat(subtype="FLOAT"), "out.wav"),
    ("in.wav", OutputFormat(subtype="DOUBLE"), "out.wav"),
    ("in.wav", OutputFormat(container="WAVEX", subtype="FLOAT", channel_mask=3), "out.wav"),
    ("in.flac", OutputFormat(container="FLAC", subtype="PCM_24"), "out.flac"),
    ("in.wav", OutputFormat(subtype="FLOAT"), "out.flac"),
]


def _noise_and_gain():
    return (
        Step(operator=pt.Silence(fill="noise"), spans=(Span(0.1, 0.2),)),
        Step(operator=pt.Gain(gain_db=26.0), spans=(Span(0.3, 0.4),)),
    )


@pytest.mark.parametrize(("name", "form", "output"), FORMS)
@pytest.mark.parametrize("overflow", ["scale", "limit"])
def test_the_same_bytes_again(folder, babble, name, form, output, overflow):
    pt.write_audio(folder / name, babble, form)
    job = FileJob(folder / name, folder / output, _noise_and_gain(), seed=5, overflow=overflow)
    trace = apply_to_file(job)
    assert trace.headroom.gain_db < 0.0 or overflow == "limit"
    again = folder / f"again{(folder / output).suffix}"
    replayed = replay_to_file(folder / "out.json", again)
    assert replayed == trace
    assert again.read_bytes() == (folder / output).read_bytes()
    assert file_sha256(again) == trace.output.file_sha256


def test_a_chain_with_time_edits_and_references(specimens, clip, folder):
    pt.write_audio(folder / "dog.wav", Signal.from_array([0.1, 0.2], 16_000), OutputFormat())
    steps = (
        Step(operator=Squeeze(rate=1.7), spans=(Span(0.1, 0.2),)),
        Step(operator=Overlay(ref="file:dog.wav"), spans=(Span(0.15), Span(0.3))),
        Step(operator=pt.Silence(fill="room"), spans=(Span(0.4, 0.45),)),
    )
    apply_to_file(FileJob(clip, folder / "out.wav", steps))
    replay_to_file(folder / "out.wav", folder / "again.wav")  # the audio beside the trace will do
    assert (folder / "again.wav").read_bytes() == (folder / "out.wav").read_bytes()


@pytest.mark.parametrize("steps", [_noise_and_gain()], ids=["chain"])
def test_a_sham_is_replayed_as_a_sham(clip, folder, steps):
    made = tuple(step.with_role("sham") for step in steps)
    apply_to_file(FileJob(clip, folder / "out.wav", made))
    replay_to_file(folder / "out.json", folder / "again.wav")
    assert (folder / "again.wav").read_bytes() == (folder / "out.wav").read_bytes()


@pytest.fixture
def done(clip, folder):
    apply_to_file(FileJob(clip, folder / "out.wav", _noise_and_gain()))
    return folder / "out.json"


def test_the_variant_itself_is_written_again(done, folder):
    before = (folder / "out.wav").read_bytes()
    (folder / "out.wav").unlink()
    replay_to_file(done, folder / "out.wav")
    assert (folder / "out.wav").read_bytes() == before
    replay_to_file(done, folder / "out.wav")
    assert (folder / "out.wav").read_bytes() == before


def test_an_input_that_moved_is_pointed_to(done, clip, folder):
    (folder / "moved").mkdir()
    shutil.move(clip, folder / "moved" / "other name.wav")
    with pytest.raises(PlanError, match=r"^input: .*in\.wav"):
        replay_to_file(done, folder / "again.wav")
    assert not (folder / "again.wav").exists()
    replay_to_file(done, folder / "again.wav", folder / "moved" / "other name.wav")
    assert (folder / "again.wav").read_bytes() == (folder / "out.wav").read_bytes()


def test_another_input_is_refused(done, clip, folder):
    pt.write_audio(clip, Signal.from_array(np.ones(8_000) / 2, 16_000), OutputFormat())
    with pytest.raises(PlanError, match="is other audio than the trace recorded"):
        replay_to_file(done, folder / "again.wav")
    assert not (folder / "again.wav").exists()


@pytest.mark.parametrize("how", ["itself", "symlink", "hardlink"])
@pytest.mark.parametrize("name", ["in.wav", "out.json"])
def test_neither_input_nor_trace_is_overwritten(done, clip, folder, how, name):
    target = folder / name
    before = target.read_bytes()
    output = target
    if how != "itself":
        output = folder / "link.wav"
        (output.symlink_to if how == "symlink" else output.hardlink_to)(target)
    with pytest.raises(PlanError, match="name another"):
        replay_to_file(done, output)
    assert target.read_bytes() == before


def test_nor_a_reference(specimens, clip, folder):
    pt.write_audio(folder / "dog.wav", Signal.from_array([0.1, 0.2], 16_000), OutputFormat())
    steps = (Step(operator=Overlay(ref="file:dog.wav"), spans=(Span(0.1),)),)
    apply_to_file(FileJob(clip, folder / "out.wav", steps))
    with pytest.raises(ParameterError, match="is the reference"):
        replay_to_file(folder / "out.json", folder / "dog.wav")


def test_another_form_than_the_variants_is_refused(done, folder):
    with pytest.raises(ParameterError, match=r"WAV is written under \.wav"):
        replay_to_file(done, folder / "again.flac")
    with pytest.raises(AudioError, match="does not exist"):
        replay_to_file(done, folder / "nowhere" / "again.wav")


def test_a_trace_without_a_variant_has_nothing_to_replay(folder):
    pt.write_audio(folder / "in.wav", Signal.from_array(np.zeros(8_000), 16_000), OutputFormat())
    apply_to_file(FileJob(folder / "in.wav", folder / "out.wav", _noise_and_gain()[:1]))
    with pytest.raises(PlanError, match="no variant: inapplicable: span @0"):
        replay_to_file(folder / "out.json", folder / "again.wav")


def test_a_trace_that_was_never_a_file(folder, babble):
    trace = pt.apply(babble, pt.Gain(gain_db=3.0)).trace
    (folder / "t.json").write_bytes(trace.to_json())
    with pytest.raises(PlanError, match="names no input file; point to it with --input"):
        replay_to_file(folder / "t.json", folder / "again.wav")
    pt.write_audio(folder / "in.wav", babble, OutputFormat(subtype="FLOAT"))
    with pytest.raises(PlanError, match="a variant that was never a file"):
        replay_to_file(folder / "t.json", folder / "again.wav", folder / "in.wav")


def test_what_is_no_trace_is_named(folder, clip):
    with pytest.raises(PlanError, match=r"in\.json: no trace there"):
        load_trace(clip)
    (folder / "in.json").write_text("{}")
    with pytest.raises(PlanError, match=r"in\.json: not a trace of format perturb-trace/1"):
        load_trace(clip)
    (folder / "x.json").mkdir()
    with pytest.raises(PlanError, match=r"x\.json: cannot be read: Is a directory"):
        load_trace(folder / "x.json")
