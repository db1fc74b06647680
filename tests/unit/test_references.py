"""References: audio from outside the clip, found again by its hash."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.errors import AudioError, ParameterError, PlanError
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from perturb.render.references import References
from perturb.signal import Signal
from perturb.span import Span
from tests.unit.specimens import Overlay


@pytest.fixture
def dog(folder):
    """Return the path of a reference, and the audio that it holds."""
    signal = Signal.from_array(np.linspace(-0.25, 0.25, 400), 16_000)
    written = pt.write_audio(folder / "dog.wav", signal, OutputFormat())
    return folder / "dog.wav", written.signal


def test_a_file_is_read_once_and_recorded_by_its_hash(dog):
    path, signal = dog
    references = References(path.parent)
    found = references.resolve("file:dog.wav")
    assert found.is_equal(signal)
    assert references.resolve("file:dog.wav") is found
    record = references.used["file:dog.wav"]
    assert record.audio_sha256 == signal.audio_sha256
    assert record.path == str(path)
    assert (record.samples, record.subtype) == (400, "PCM_16")


def test_absolute_paths_and_home_folders(dog, monkeypatch):
    path, signal = dog
    monkeypatch.setenv("HOME", str(path.parent))
    elsewhere = References(Path("/"))
    assert elsewhere.resolve(f"file:{path}").is_equal(signal)
    assert elsewhere.resolve("file:~/dog.wav").is_equal(signal)
    with pytest.raises(ParameterError, match="no such user's home folder"):
        elsewhere.resolve("file:~nobody-of-this-name/dog.wav")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("dog.wav", "reference 'dog.wav'; accepted: file:PATH"),
        ("file:", "reference 'file:'; accepted: file:PATH"),
        ("", "reference ''; accepted: file:PATH"),
        ("tape:dog#3", "nothing here resolves 'tape'; accepted: file:PATH, bank:…, item:…"),
        ("bank:dog_bark", "accepted: bank:CATEGORY#SEED, such as bank:dog_bark#3"),
        ("bank:dog_brak#3", "category 'dog_brak' is not in the bank"),
    ],
)
def test_what_is_no_reference_is_refused(folder, reference, message):
    references = References(folder, schemes={"item": lambda name: None})
    with pytest.raises(ParameterError) as caught:
        references.resolve(reference)
    assert message in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(folder):
    with pytest.raises(AudioError, match=r"cat\.wav"):
        References(folder).resolve("file:cat.wav")


def test_other_schemes_are_handed_in(folder):
    asked = []

    def resolve(name):
        asked.append(name)
        return Signal.from_array(np.ones(10) / 2, 16_000)

    references = References(folder, schemes={"bank": resolve})
    assert references.resolve("bank:dog#3").sample_count == 10
    assert asked == ["dog#3"]
    assert references.used["bank:dog#3"].path is None


def test_replay_takes_the_recorded_bytes_alone(dog, folder):
    path, _ = dog
    first = References(folder)
    first.resolve("file:dog.wav")
    recorded = first.used
    assert References(folder, recorded).resolve("file:dog.wav")
    # In another container it is the same audio.
    pt.write_audio(folder / "dog2.wav", pt.read_audio(path).signal, OutputFormat(subtype="FLOAT"))
    (folder / "dog2.wav").replace(path)
    assert References(folder, recorded).resolve("file:dog.wav")
    pt.write_audio(path, Signal.from_array(np.zeros(400), 16_000), OutputFormat())
    with pytest.raises(PlanError, match=r"'file:dog.wav' is other audio than the trace recorded"):
        References(folder, recorded).resolve("file:dog.wav")
    with pytest.raises(PlanError, match="the trace does not record the reference 'file:dog"):
        References(folder, {}).resolve("file:dog.wav")


def test_the_trace_records_the_way_from_itself(dog, clip, folder):
    step = Step(operator=Overlay(ref="file:dog.wav"), spans=(Span(0.1),))
    trace = apply_to_file(FileJob(clip, folder / "deep" / "er" / "out.wav", (step,)))
    assert trace.references["file:dog.wav"].path == "../../dog.wav"
    os.chdir(folder / "deep")
    # The recorded way holds from wherever one looks.
    found = References(folder / "deep" / "er", trace.references).resolve("file:dog.wav")
    assert found.is_equal(dog[1])


@pytest.mark.parametrize("name", ["dog.wav", "dog.flac"])
def test_a_reference_is_never_the_output(dog, clip, folder, name):
    path, signal = dog
    source = folder / name
    if name != "dog.wav":
        pt.write_audio(source, signal, OutputFormat(container="FLAC"))
    before = source.read_bytes()
    step = Step(operator=Overlay(ref=f"file:{name}"), spans=(Span(0.1),))
    for output in (source, folder / "link.wav"):
        if output != source:
            output.symlink_to(source)
        with pytest.raises(ParameterError, match=f"is the reference 'file:{name}'; name another"):
            apply_to_file(FileJob(clip, output, (step,)))
    assert source.read_bytes() == before
    assert path.exists()
