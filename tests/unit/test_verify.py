"""Verify: an untouched variant passes; whatever was touched is found."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat, file_sha256
from perturb.plan.step import Step
from perturb.plan.trace import Trace
from perturb.render.environment import current_environment
from perturb.render.files import FileJob, apply_to_file
from perturb.render.verify import verify_trace
from perturb.signal import Signal
from perturb.span import Span
from tests.unit.forgery import by_hand, forged, remove_field, set_field
from tests.unit.specimens import Miss, Overlay, Squeeze

PCM_16 = OutputFormat(subtype="PCM_16")
FLOAT = OutputFormat(subtype="FLOAT")


@pytest.fixture
def made(specimens, clip, folder):
    """Return the trace of a chain with a time edit, noise, a reference and a gain over all."""
    pt.write_audio(folder / "dog.wav", Signal.from_array([0.9, -0.9], 16_000), PCM_16)
    steps = (
        Step(operator=Squeeze(rate=1.5), spans=(Span(0.05, 0.1),)),
        Step(operator=Overlay(ref="file:dog.wav"), spans=(Span(0.12),)),
        Step(operator=pt.Silence(fill="noise"), spans=(Span(0.2, 0.25),)),
        Step(operator=pt.Gain(gain_db=20.0), spans=(Span(0.3, 0.4), Span(0.42, 0.45))),
    )
    trace = apply_to_file(FileJob(clip, folder / "out.wav", steps, seed=3))
    assert trace.status == "ok"
    assert trace.headroom.gain_db < 0.0
    return folder / "out.json"


def kinds(path, *more):
    return {finding.kind for finding in verify_trace(path, *more).findings}


def test_an_untouched_variant_is_verified(made):
    result = verify_trace(made)
    assert result.findings == ()
    assert result.status == "ok"
    assert result.missed == 0
    assert result.checks == (
        "output: hash",
        "input: same file",
        "references: 1 with the recorded audio",
        "replay: same bytes",
        f"proof: {len(Trace.from_json(made.read_bytes()).measured)} values measured again",
    )
    assert verify_trace(made.with_suffix(".wav")) == result


@pytest.mark.parametrize(
    ("name", "form", "output"),
    [
        ("a.wav", FLOAT, "b.wav"),
        ("a.wav", OutputFormat(subtype="DOUBLE"), "b.wav"),
        ("a.wav", OutputFormat(subtype="PCM_24"), "b.wav"),
        ("a.wav", OutputFormat(container="WAVEX", subtype="PCM_16", channel_mask=3), "b.wav"),
        ("a.flac", OutputFormat(container="FLAC", subtype="PCM_24"), "b.flac"),
        ("a.wav", FLOAT, "b.flac"),
    ],
)
@pytest.mark.parametrize("role", ["probe", "sham"])
@pytest.mark.parametrize("overflow", ["scale", "limit"])
def test_every_form_role_and_overflow_is_verified(
    folder, babble, name, form, output, role, overflow
):
    pt.write_audio(folder / name, babble, form)
    steps = (
        Step(operator=pt.Silence(fill="room"), spans=(Span(0.1, 0.2),), role=role),
        Step(operator=pt.Gain(gain_db=26.0), spans=(Span(0.3, 0.4),), role=role),
    )
    job = FileJob(folder / name, folder / output, steps, overflow=overflow)
    apply_to_file(job)
    assert verify_trace(folder / "b.json").findings == ()


def test_an_honest_miss_is_counted_and_is_no_finding(specimens, clip, folder):
    apply_to_file(FileJob(clip, folder / "out.wav", (Step(operator=Miss()),)))
    result = verify_trace(folder / "out.json")
    assert result.status == "off_target"
    assert result.findings == ()
    assert result.missed == 1


# What lies on disk is touched.


def _change_sample(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def _append(path):
    path.write_bytes(path.read_bytes() + b"LIST\x04\0\0\0abcd")


def _truncate(path):
    path.write_bytes(path.read_bytes()[:-1_000])


def _replace(path):
    pt.write_audio(path, Signal.from_array(np.full(8_000, 0.1), 16_000), PCM_16)


def _shorten(path):
    signal = pt.read_audio(path).signal
    pt.write_audio(path, signal.slice(0, signal.sample_count - 1), PCM_16)


def _delete(path):
    path.unlink()


def _make_folder(path):
    path.unlink()
    path.mkdir()


def _write_garbage(path):
    path.write_bytes(b"RIFF nothing")


@pytest.mark.parametrize(
    "touch",
    [_change_sample, _append, _truncate, _replace, _shorten, _delete, _make_folder, _write_garbage],
)
@pytest.mark.parametrize("name", ["out.wav", "in.wav", "dog.wav"])
def test_a_file_that_was_touched_is_found(made, folder, name, touch):
    audio = pt.read_audio(folder / name).signal.audio_sha256
    touch(folder / name)
    result = verify_trace(made)
    is_same_audio = touch is _append and pt.read_audio(folder / name).signal.audio_sha256 == audio
    if name != "out.wav" and is_same_audio:
        # The same samples with other words around them are the same input.
        assert result.findings == ()
        assert name == "dog.wav" or "input: same audio" in result.checks
        return
    kind = {"out.wav": "output", "in.wav": "input", "dog.wav": "replay"}[name]
    assert kind in {finding.kind for finding in result.findings}
    assert all(finding.path == str(made) for finding in result.findings)
    assert any(name in finding.message for finding in result.findings)


def test_another_variant_under_its_name_is_found(made, clip, folder):
    other = (Step(operator=pt.Gain(gain_db=1.0)),)
    apply_to_file(FileJob(clip, folder / "other.wav", other))
    (folder / "other.wav").replace(folder / "out.wav")
    assert "output" in kinds(made)


def test_a_trace_laid_beside_another_file_is_found(made, folder):
    shutil.copy(folder / "out.wav", folder / "copy.wav")
    shutil.copy(made, folder / "copy.json")
    # The copy of the trace still describes out.wav.
    assert kinds(folder / "copy.wav") == {"output"}
    assert kinds(folder / "copy.json") == set()
    (folder / "out.wav").unlink()
    assert kinds(folder / "copy.json") == {"output"}


# What the trace says is touched.

_STEP = ("plan", "steps", 3, "operator")
ALTERATIONS = {
    "gain asked": set_field(*_STEP, "gain_db", 19.9),
    "span asked": set_field("plan", "steps", 3, "spans", 0, 0, 0.31),
    "span recorded": set_field("steps", 3, "spans_original", 0, 0, 0.31),
    "span before": set_field("steps", 3, "spans_before", 0, 1, 0.39),
    "span after": set_field("steps", 0, "spans_after", 0, 1, 0.09),
    "operator": set_field("plan", "steps", 2, "operator", "fill", "zero"),
    "rate": set_field("plan", "steps", 0, "operator", "rate", 1.4),
    "role": set_field("plan", "steps", 2, "role", "sham"),
    "step removed": lambda f: (f["plan"]["steps"].pop(), f["steps"].pop()),
    "seed": set_field("plan", "seed", 4),
    "stream": set_field("plan", "stream", "other"),
    "clip id": set_field("plan", "clip_id", "0" * 64),
    "overflow": set_field("plan", "overflow", "limit"),
    "stream key": set_field("steps", 3, "stream_key", "0" * 64),
    "notes": set_field("steps", 3, "notes", {"said": 1}),
    "step's time map": set_field("steps", 3, "time_map", "pieces", 0, 3, 0.4),
    "time map": set_field("time_map", "pieces", 0, 3, 0.04),
    "achieved": set_field("steps", 3, "measured", 0, "achieved", 20.01),
    "asked": set_field("steps", 3, "measured", 0, "requested", 20.01),
    "tolerance": set_field("steps", 3, "measured", 0, "tolerance", 1.0),
    "instrument": set_field("steps", 3, "measured", 0, "instrument", "independent"),
    "unit": set_field("steps", 3, "measured", 0, "unit", "LU"),
    "proof of an earlier step": lambda f: f["steps"][2]["measured"][1].update(
        achieved=f["steps"][2]["measured"][1]["achieved"] + 0.001
    ),
    "proof removed": remove_field("steps", 3, "measured", 0),
    "proof added": lambda f: f["steps"][3]["measured"].append(
        {**f["steps"][3]["measured"][0], "name": "beauty"}
    ),
    "headroom": lambda f: f["headroom"].update(gain_db=f["headroom"]["gain_db"] - 0.01),
    "headroom needed": lambda f: f["headroom"].update(needed_db=-0.01),
    "headroom of the counterpart": lambda f: f["headroom"].update(counterpart_needed_db=-0.01),
    "ceiling": set_field("headroom", "ceiling_dbtp", 0.0),
    "limited": set_field("headroom", "limited", True),
    "input hash": set_field("input", "audio_sha256", "0" * 64),
    "input path": set_field("input", "path", "dog.wav"),
    "input samples": set_field("input", "samples", 7_999),
    "input rate": set_field("input", "sample_rate_hz", 8_000),
    "input channels": set_field("input", "channels", 1),
    "input subtype": set_field("input", "subtype", "PCM_24"),
    "output hash": set_field("output", "audio_sha256", "0" * 64),
    "output file hash": set_field("output", "file_sha256", "0" * 64),
    "output path": set_field("output", "path", "in.wav"),
    "output samples": set_field("output", "samples", 7_999),
    "output channels": set_field("output", "channels", 1),
    "output subtype": set_field("output", "subtype", "PCM_24"),
    "output notes": set_field("output", "notes", ["dithered"]),
    "clipped samples": set_field("output", "clipped_samples", 3),
    "form": set_field("output_format", "subtype", "PCM_24"),
    "container": set_field("output_format", "container", "WAVEX"),
    "no form": set_field("output_format", None),
    "reference hash": set_field("references", "file:dog.wav", "audio_sha256", "0" * 64),
    "reference samples": set_field("references", "file:dog.wav", "samples", 3),
    "reference path": set_field("references", "file:dog.wav", "path", "in.wav"),
    "reference removed": remove_field("references", "file:dog.wav"),
    "reference added": lambda f: f["references"].update(
        {"file:cat.wav": f["references"]["file:dog.wav"]}
    ),
    "status": lambda f: f.update(
        status="inapplicable", reason="so", output=None, headroom=None, steps=[]
    ),
}


@pytest.mark.parametrize("change", ALTERATIONS.values(), ids=ALTERATIONS.keys())
def test_what_a_forger_changes_in_the_trace_is_found(made, change):
    before = made.read_bytes()
    made.write_bytes(forged(before, change))
    Trace.from_json(made.read_bytes())  # the record itself is consistent
    result = verify_trace(made)
    assert result.findings, "a forged trace was verified"
    assert kinds(made) <= {"trace", "input", "output", "replay", "proof"}


BY_HAND = ("gain asked", "span asked", "achieved", "stream key", "headroom", "output file hash")


@pytest.mark.parametrize(
    "change",
    [
        *(ALTERATIONS[name] for name in BY_HAND),
        set_field("environment", "versions", "numpy", "1.0"),
        set_field("environment", "versions", "perturb", "0.0.1"),
        set_field("environment", "processor", "abacus"),
        set_field("input", "file_sha256", "0" * 64),
        remove_field("record_sha256"),
    ],
    ids=[*BY_HAND, "numpy", "perturb", "processor", "input file hash", "seal"],
)
def test_what_is_changed_by_hand_is_found(made, change):
    made.write_bytes(by_hand(made.read_bytes(), change))
    result = verify_trace(made)
    assert [finding.kind for finding in result.findings] == ["trace"]
    assert result.status is None


def test_a_variant_forged_with_its_hashes_is_found_by_replay(made, folder):
    signal = pt.read_audio(folder / "out.wav").signal
    samples = signal.samples.copy()
    samples[0, 100] += 2.0**-15
    written = pt.write_audio(folder / "out.wav", Signal.adopt(samples, 16_000), PCM_16)

    def change(fields):
        fields["output"]["audio_sha256"] = written.signal.audio_sha256
        fields["output"]["file_sha256"] = written.file_sha256

    made.write_bytes(forged(made.read_bytes(), change))
    assert "replay" in kinds(made)


def test_other_bytes_around_the_same_samples_are_found_by_replay(made, folder):
    _append(folder / "out.wav")
    change = set_field("output", "file_sha256", file_sha256(folder / "out.wav"))
    made.write_bytes(forged(made.read_bytes(), change))
    messages = [finding.message for finding in verify_trace(made).findings]
    assert messages == [
        "rendering the plan again gives the recorded samples in a file of other bytes"
    ]


# Another machine.


def _from_elsewhere(made, **more):
    def change(fields):
        fields["environment"]["versions"]["numpy"] = "1.0"
        for path, value in more.items():
            fields["output"][path] = value

    made.write_bytes(forged(made.read_bytes(), change))


def test_a_variant_made_elsewhere_is_verified_within_one_lsb(made, folder):
    _from_elsewhere(made)
    result = verify_trace(made)
    assert result.findings == ()
    assert "replay: same bytes" in result.checks

    signal = pt.read_audio(folder / "out.wav").signal
    for steps, is_accepted in ((1, True), (2, False)):
        samples = signal.samples.copy()
        samples[:, ::50] += np.float32(steps * 2.0**-15)
        written = pt.write_audio(folder / "out.wav", Signal.adopt(samples, 16_000), PCM_16)
        _from_elsewhere(
            made, audio_sha256=written.signal.audio_sha256, file_sha256=written.file_sha256
        )
        result = verify_trace(made)
        assert any("within 1 LSB" in check for check in result.checks) == is_accepted
        assert any("accepted on another machine" in f.message for f in result.findings) != (
            is_accepted
        )


# Places.


def test_a_folder_that_moved_whole_is_verified(made, folder, tmp_path_factory):
    moved = tmp_path_factory.mktemp("moved") / "the set"
    shutil.move(folder, moved)
    folder.mkdir()
    assert verify_trace(moved / "out.json").findings == ()


def test_an_input_that_moved_is_a_finding_until_it_is_pointed_to(made, clip, folder):
    moved = folder / "elsewhere.wav"
    clip.replace(moved)
    result = verify_trace(made)
    assert [finding.kind for finding in result.findings] == ["input"]
    assert "in.wav" in result.findings[0].message
    assert verify_trace(made, moved).findings == ()
    assert kinds(made, folder / "dog.wav") == {"input"}


def test_an_input_in_another_container_is_the_same_input(made, clip, folder):
    signal = pt.read_audio(clip).signal
    pt.write_audio(folder / "in.flac", signal, OutputFormat(container="FLAC"))
    result = verify_trace(made, folder / "in.flac")
    assert result.findings == ()
    assert "input: same audio" in result.checks


# No variant.


@pytest.fixture
def inapplicable(folder):
    silence = Signal.from_array(np.zeros(8_000), 16_000)
    pt.write_audio(folder / "in.wav", silence, PCM_16)
    step = Step(operator=pt.Silence(), spans=(Span(0.1, 0.2),))
    trace = apply_to_file(FileJob(folder / "in.wav", folder / "out.wav", (step,)))
    assert trace.status == "inapplicable"
    return folder / "out.json"


def test_where_there_is_no_edit_there_is_no_variant(inapplicable, folder):
    result = verify_trace(inapplicable)
    assert result.findings == ()
    assert result.checks[-1] == "no variant, as recorded: inapplicable"
    for name in ("out.wav", "out.flac"):
        shutil.copy(folder / "in.wav", folder / name)
        assert kinds(inapplicable) == {"output"}
        (folder / name).unlink()


@pytest.mark.parametrize(
    "change",
    [
        set_field("reason", "too quiet"),
        set_field("plan", "steps", 0, "operator", {"op": "identity"}),
        set_field("plan", "steps", 0, "spans", 0, 1, 0.3),
        set_field("plan", "steps", 0, "spans", 0, 1, 30.0),
    ],
)
def test_a_reason_is_checked_by_trying_again(inapplicable, change):
    inapplicable.write_bytes(forged(inapplicable.read_bytes(), change))
    assert kinds(inapplicable) == {"replay"}


def test_an_inapplicable_edit_with_a_reference(specimens, clip, folder):
    (folder / "deep").mkdir()
    pt.write_audio(folder / "dog.wav", Signal.from_array([0.9, -0.9], 16_000), PCM_16)
    steps = (
        Step(operator=Overlay(ref="file:dog.wav"), spans=(Span(0.1),)),
        Step(operator=pt.Silence(duration_s=1.0)),
        Step(operator=pt.Silence(), spans=(Span(0.1, 0.2),)),
    )
    trace = apply_to_file(FileJob(clip, folder / "deep" / "out.wav", steps))
    assert trace.status == "inapplicable"
    assert verify_trace(folder / "deep" / "out.json").findings == ()


# No trace.


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[]", b"{", b"\xff\xfe"])
def test_a_trace_that_cannot_be_read_is_a_finding(clip, folder, content):
    if content is not None:
        (folder / "in.json").write_bytes(content)
    result = verify_trace(clip)
    assert [finding.kind for finding in result.findings] == ["trace"]
    assert result.status is None
    assert "in.json" in result.findings[0].message


def test_an_operator_that_is_not_installed_is_named(made, monkeypatch):
    from perturb.operators import registry

    monkeypatch.setattr(registry, "_foreign", dict)
    result = verify_trace(made)
    assert [finding.kind for finding in result.findings] == ["trace"]
    assert "no operator is called 'squeeze'" in result.findings[0].message


def test_the_environment_is_recorded(made):
    fields = json.loads(made.read_bytes())
    recorded = current_environment()
    assert fields["environment"]["versions"] == recorded.versions
    assert {"perturb", "python", "numpy", "numba", "scipy", "soundfile"} <= set(recorded.versions)
    assert len(recorded.processor) > 5
