"""`perturb apply` on one file: what it writes, what it never touches, how it ends."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.plan.trace import Trace
from perturb.signal import Signal
from perturb.span import Span

GAIN = ("--op", "gain:gain_db=3@0.1-0.2")
PCM_16 = OutputFormat(subtype="PCM_16")


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def snapshot(folder):
    """Return every file of a folder with its bytes: to see that nothing has changed."""
    return {
        name: (folder / name).read_bytes() for name in names(folder) if (folder / name).is_file()
    }


# What it says.


def test_a_short_table_for_people(cli, clip, folder):
    answer = cli("apply", "in.wav", "-o", "out.wav", *GAIN)
    assert answer.code == 0
    lines = [line.split() for line in answer.out.splitlines()]
    assert lines == [
        ["step", "measured", "asked", "achieved", "verdict"],
        ["gain", "level", "change", "3", "±", "0.05", "dB", "3.00", "dB", "ok"],
        ["gain", "outside", "difference", "0", "0", "ok"],
        ["out.wav:", "ok"],
    ]
    assert names(folder) == ["in.wav", "out.json", "out.wav"]


def test_the_table_names_shams_spans_headroom_and_clipping(cli, folder):
    loud = Signal.from_array(np.concatenate([np.full(8_000, 0.5), np.full(100, 1.5)]), 16_000)
    pt.write_audio(folder / "in.wav", loud, OutputFormat(subtype="FLOAT"))
    answer = cli(
        "apply", "in.wav", "-o", "out.flac", "--op", "gain:gain_db=24@0.1-0.2+0.3-0.4", "--sham"
    )
    assert answer.code == 0
    assert "gain (sham)" in answer.out
    assert "note: out.flac: FLAC holds no FLOAT samples: written as 24-bit" in answer.out
    assert "out.flac: ok, headroom -" in answer.out
    answer = cli("apply", "in.wav", "-o", "out.flac", "--op", "gain:gain_db=1@0.1-0.2+0.3-0.4")
    assert "level change [2]" in answer.out
    assert "warning: 100 samples clipped on writing" in answer.out


def test_one_json_object(cli, clip, folder):
    answer = cli("apply", "in.wav", "-o", "out.wav", *GAIN, "--json")
    assert answer.code == 0
    envelope = answer.envelope
    assert list(envelope) == ["command", "version", "ok", "result", "findings"]
    assert (envelope["command"], envelope["ok"], envelope["findings"]) == ("apply", True, [])
    assert envelope["version"] == pt.__version__
    result = envelope["result"]
    assert result["output"] == "out.wav"
    assert result["trace_path"] == "out.json"
    trace = Trace.from_json((folder / "out.json").read_bytes())
    assert result["trace"]["steps"][0]["stream_key"] == trace.steps[0].stream_key
    assert answer.err == ""


def test_the_same_grammar_in_python(cli, clip, folder):
    cli(
        "apply", "in.wav", "-o", "out.wav", "--op", "silence:fill=noise@0.1-0.2", *GAIN, "--seed", 7
    )
    variant = pt.apply(
        folder / "in.wav",
        pt.Silence(fill="noise") @ Span(0.1, 0.2),
        pt.Gain(gain_db=3) @ Span(0.1, 0.2),
        seed=7,
    )
    written = pt.read_audio(folder / "out.wav").signal
    assert np.abs(written.samples - variant.signal.samples).max() <= 2.0**-16
    trace = Trace.from_json((folder / "out.json").read_bytes())
    assert trace.plan == variant.trace.plan


def test_paths_in_a_trace_are_relative_to_it(cli, clip, folder):
    (folder / "a" / "b").mkdir(parents=True)
    assert cli("apply", clip.resolve(), "-o", folder / "a" / "b" / "out.wav", *GAIN).code == 0
    trace = Trace.from_json((folder / "a" / "b" / "out.json").read_bytes())
    assert (trace.input.path, trace.output.path) == ("../../in.wav", "out.wav")


@pytest.mark.parametrize("role", [(), ("--sham",)])
@pytest.mark.parametrize(
    "step", ["identity", "gain:gain_db=3", "silence", "silence:fill=room", "silence:fill=noise"]
)
def test_the_same_bytes_every_time(cli, clip, folder, step, role):
    cli("apply", "in.wav", "-o", "one.wav", "--op", step, *role)
    cli("apply", "in.wav", "-o", "two.wav", "--op", step, *role)
    assert (folder / "one.wav").read_bytes() == (folder / "two.wav").read_bytes()
    one, two = ((folder / f"{name}.json").read_bytes() for name in ("one", "two"))
    assert Trace.from_json(one).steps == Trace.from_json(two).steps
    if step == "silence:fill=noise" and not role:
        cli("apply", "in.wav", "-o", "two.wav", "--op", step, "--seed", 1)
        assert (folder / "one.wav").read_bytes() != (folder / "two.wav").read_bytes()


def test_global_random_states_are_left_alone(cli, clip):
    states = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    cli("apply", "in.wav", "-o", "out.wav", "--op", "silence:fill=noise")
    cli("verify", "out.wav")
    cli("measure", "out.wav")
    assert random.getstate() == states[0]
    assert np.array_equal(np.random.get_state()[1], states[1])  # noqa: NPY002


# What it writes over, and what it never does.


def test_an_existing_output_is_replaced(cli, clip, folder):
    (folder / "out.wav").write_bytes(b"anything")
    assert cli("apply", "in.wav", "-o", "out.wav", *GAIN).code == 0
    first = snapshot(folder)
    assert cli("apply", "in.wav", "-o", "out.wav", "--op", "silence@0.1-0.2").code == 0
    second = snapshot(folder)
    assert first["out.wav"] != second["out.wav"]
    assert Trace.from_json(second["out.json"]).plan.steps[0].name == "silence"
    assert second["in.wav"] == first["in.wav"]


@pytest.mark.parametrize("content", [b"{}", b"not json", b"", b'{"format": "perturb-trace/1"}'])
def test_a_foreign_json_is_never_replaced(cli, clip, folder, content):
    (folder / "out.json").write_bytes(content)
    before = snapshot(folder)
    answer = cli("apply", "in.wav", "-o", "out.wav", *GAIN)
    assert answer.code == 2
    assert answer.error.startswith("out.json exists and is not a trace of this program")
    assert answer.error.endswith("Name another output")
    assert snapshot(folder) == before


def test_nor_is_a_trace_that_somebody_altered(cli, clip, folder):
    cli("apply", "in.wav", "-o", "out.wav", *GAIN)
    text = (folder / "out.json").read_bytes()
    (folder / "out.json").write_bytes(text.replace(b'"seed": 0', b'"seed": 1'))
    before = snapshot(folder)
    answer = cli("apply", "in.wav", "-o", "out.wav", *GAIN)
    assert (answer.code, snapshot(folder)) == (2, before)


@pytest.mark.parametrize("link", ["symbolic", "hard", "dangling"])
def test_a_foreign_json_behind_a_link(cli, clip, folder, link):
    (folder / "mine.json").write_text("{}")
    if link == "symbolic":
        (folder / "out.json").symlink_to("mine.json")
    elif link == "hard":
        (folder / "out.json").hardlink_to(folder / "mine.json")
    else:
        (folder / "out.json").symlink_to("nowhere.json")
    answer = cli("apply", "in.wav", "-o", "out.wav", *GAIN)
    assert answer.code == 2
    assert "is not a trace" in answer.error
    assert (folder / "mine.json").read_text() == "{}"
    assert not (folder / "out.wav").exists()


@pytest.mark.parametrize("how", ["same", "dotted", "symbolic", "hard", "link of a folder"])
def test_the_input_is_never_the_output(cli, clip, folder, how):
    output = {"same": "in.wav", "dotted": "./x/../in.wav", "link of a folder": "here/in.wav"}.get(
        how, "link.wav"
    )
    if how == "symbolic":
        (folder / "link.wav").symlink_to("in.wav")
    elif how == "hard":
        (folder / "link.wav").hardlink_to(folder / "in.wav")
    elif how == "link of a folder":
        (folder / "here").symlink_to(folder)
    elif how == "dotted":
        (folder / "x").mkdir()
    before = clip.read_bytes()
    answer = cli("apply", "in.wav", "-o", output, *GAIN)
    assert answer.code == 2
    assert "is the input itself; name another" in answer.error
    assert clip.read_bytes() == before
    assert not (folder / "in.json").exists()


def test_nor_is_the_output_the_input_behind_a_link(cli, clip, folder):
    (folder / "link.wav").symlink_to("in.wav")
    before = clip.read_bytes()
    answer = cli("apply", "link.wav", "-o", "in.wav", *GAIN)
    assert answer.code == 2
    assert "is the input itself" in answer.error
    assert clip.read_bytes() == before


def test_nor_is_the_trace(cli, clip, folder):
    clip.replace(folder / "song.json")
    before = snapshot(folder)
    for output in ("song.wav", "song.flac"):
        answer = cli("apply", "song.json", "-o", output, *GAIN)
        assert answer.code == 2
        assert "song.json is the input itself; name another" in answer.error
    assert snapshot(folder) == before


def test_the_trace_of_another_file_is_not_taken_from_it(cli, clip, folder):
    assert cli("apply", "in.wav", "-o", "out.wav", *GAIN).code == 0
    before = snapshot(folder)
    answer = cli("apply", "in.wav", "-o", "out.flac", *GAIN)
    assert answer.code == 2
    assert "out.json is the trace of out.wav" in answer.error
    assert snapshot(folder) == before
    (folder / "out.wav").unlink()
    assert cli("apply", "in.wav", "-o", "out.flac", *GAIN).code == 0


def test_a_link_is_replaced_itself_never_what_it_points_to(cli, clip, folder):
    (folder / "other.wav").write_bytes(b"precious")
    (folder / "out.wav").symlink_to("other.wav")
    assert cli("apply", "in.wav", "-o", "out.wav", *GAIN).code == 0
    assert (folder / "other.wav").read_bytes() == b"precious"
    assert not (folder / "out.wav").is_symlink()


# Where it cannot write.


def test_a_missing_folder_is_made(cli, clip, folder):
    assert cli("apply", "in.wav", "-o", "new/and/deep/out.wav", *GAIN).code == 0
    assert names(folder / "new") == ["and", "and/deep", "and/deep/out.json", "and/deep/out.wav"]


@pytest.mark.parametrize(
    "words",
    [
        ("in.wav", "--op", "gain:gain_db=3@1-2"),
        ("in.wav", *GAIN, "--overflow", "error", "--op", "gain:gain_db=40"),
        ("bad.wav", *GAIN),
        ("missing.wav", *GAIN),
    ],
)
def test_but_not_for_nothing(cli, clip, folder, words):
    (folder / "bad.wav").write_bytes(b"RIFF")
    answer = cli("apply", *words, "-o", "new/out.wav")
    assert answer.code == 2
    assert answer.error
    assert names(folder) == ["bad.wav", "in.wav"]


def test_a_folder_as_output_takes_the_name_of_the_input(cli, clip, folder):
    (folder / "d.wav").mkdir()
    assert cli("apply", "in.wav", "-o", "d.wav", *GAIN).code == 0
    assert names(folder / "d.wav") == ["in.json", "in.wav"]


@pytest.mark.parametrize("name", ["out.wav", "out.json"])
def test_a_folder_in_the_way(cli, clip, folder, name):
    (folder / "d" / name).mkdir(parents=True)
    (folder / "d" / "in.wav").write_bytes(clip.read_bytes())
    answer = cli("apply", "in.wav", "-o", "d/out.wav", *GAIN)
    if name == "out.wav":  # a folder is a place to write to
        assert answer.code == 0
        assert (folder / "d" / "out.wav" / "in.wav").is_file()
    else:
        assert answer.code == 2
        assert "d/out.json is a folder; name a file in it" in answer.error


def test_a_file_where_a_folder_is_needed(cli, clip, folder):
    (folder / "file").write_text("x")
    answer = cli("apply", "in.wav", "-o", "file/out.wav", *GAIN)
    assert answer.code == 2
    assert answer.error.startswith("file")
    assert (folder / "file").read_text() == "x"


@pytest.fixture
def closed_folder(folder):
    """Return a folder in which nobody may write, the superuser neither."""
    if os.geteuid() != 0:
        closed = folder / "closed"
        closed.mkdir(mode=0o555)
        return closed
    closed = Path("/sys/kernel")
    if not closed.is_dir():
        pytest.skip("running as the superuser, without a folder that is closed to everyone")
    return closed


def test_a_closed_folder(cli, clip, closed_folder):
    for output in (closed_folder / "out.wav", closed_folder / "new" / "out.wav"):
        answer = cli("apply", "in.wav", "-o", output, *GAIN)
        assert answer.code == 2
        assert str(closed_folder) in answer.error
        assert "fault of perturb" not in answer.error
        assert not output.exists()


@pytest.mark.parametrize("name", ["out.mp3", "out.ogg", "out.json", "out.WAVE", "out.wav.bak"])
def test_other_suffixes_are_refused_with_those_accepted(cli, clip, folder, name):
    answer = cli("apply", "in.wav", "-o", name, *GAIN)
    assert answer.code == 2
    suffix = Path(name).suffix
    assert answer.error == f"the output's suffix is {suffix!r}; accepted: .wav, .flac"
    assert names(folder) == ["in.wav"]


# How it ends.


def test_inapplicable_writes_the_trace_alone_and_removes_what_was_there(cli, clip, folder):
    assert cli("apply", "in.wav", "-o", "out.wav", *GAIN).code == 0
    pt.write_audio(clip, Signal.from_array(np.zeros(8_000), 16_000), PCM_16)
    answer = cli("apply", "in.wav", "-o", "out.wav", *GAIN)
    assert answer.code == 1
    assert answer.err == ""
    assert answer.out == (
        "inapplicable: span @0.1-0.2 is digital silence: no gain is heard there. "
        "No audio written; the trace says so\n"
    )
    assert names(folder) == ["in.wav", "out.json"]
    trace = Trace.from_json((folder / "out.json").read_bytes())
    assert trace.status == "inapplicable"
    assert trace.input.audio_sha256 == pt.read_audio(clip).signal.audio_sha256

    envelope = cli("apply", "in.wav", "-o", "out.wav", *GAIN, "--json").envelope
    assert not envelope["ok"]
    assert envelope["findings"] == [
        {
            "kind": "inapplicable",
            "path": "in.wav",
            "message": "span @0.1-0.2 is digital silence: no gain is heard there",
        }
    ]
    assert envelope["result"]["trace"]["output"] is None


def test_an_inapplicable_trace_gives_way_to_a_variant(cli, clip, folder):
    silence = Signal.from_array(np.zeros(8_000), 16_000)
    pt.write_audio(folder / "silence.wav", silence, PCM_16)
    assert cli("apply", "silence.wav", "-o", "out.wav", *GAIN).code == 1
    assert cli("apply", "in.wav", "-o", "out.wav", *GAIN).code == 0
    assert names(folder) == ["in.wav", "out.json", "out.wav", "silence.wav"]


def test_off_target_writes_both(cli, specimens, clip, folder):
    answer = cli("apply", "in.wav", "-o", "out.wav", "--op", "miss")
    assert answer.code == 1
    assert "off_target" in answer.out
    assert names(folder) == ["in.wav", "out.json", "out.wav"]
    trace = Trace.from_json((folder / "out.json").read_bytes())
    assert (trace.status, trace.reason) == ("off_target", "off target: promise")
    envelope = cli("apply", "in.wav", "-o", "out.wav", "--op", "miss", "--json").envelope
    assert not envelope["ok"]
    assert envelope["findings"][0]["kind"] == "off_target"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.wav", *GAIN), "missing.wav: no such file"),
        (("notes.txt", *GAIN), "notes.txt: "),
        (("cut.wav", *GAIN), "cut.wav: "),
        (("empty.wav", *GAIN), "empty.wav: "),
        (("nan.wav", *GAIN), "sample 100 of channel 0 is not finite"),
        (("in.wav", "--op", "gain"), "gain: give gain_db"),
        (("in.wav", "--op", "gain:gain_db=3@0.4-0.6"), "span @0.4-0.6 runs past the end"),
        (("in.wav", "--op", "gain:gain_db=99"), "gain_db is 99; accepted: a finite number, -60"),
        (("in.wav", "--op", "gian"), "no operator is called 'gian'; did you mean 'gain'?"),
        (("in.wav", *GAIN, "--seed", "-1"), "seed is -1; accepted"),
        (("in.wav", *GAIN, "--overflow", "clip"), "accepted: 'error', 'limit', 'scale'"),
        (("in.wav", *GAIN, "--op", "gain:gain_db=40", "--overflow", "error"), "the ceiling of -1"),
    ],
)
def test_failures_write_nothing_and_say_why_in_one_line(cli, clip, folder, words, message):
    (folder / "notes.txt").write_text("no audio")
    (folder / "cut.wav").write_bytes(clip.read_bytes()[:8_000])
    (folder / "empty.wav").write_bytes(clip.read_bytes()[:44])
    samples = np.full(800, 0.1, dtype=np.float32)
    samples[100] = np.nan
    import soundfile

    soundfile.write(folder / "nan.wav", samples, 16_000, subtype="FLOAT")
    (folder / "out.wav").write_bytes(b"older")
    before = snapshot(folder)
    answer = cli("apply", *words, "-o", "out.wav")
    assert answer.code == 2
    assert message in answer.error
    assert answer.out == ""
    assert snapshot(folder) == before
    # The same for programs: one object on stdout, and the line on stderr.
    again = cli("apply", *words, "-o", "out.wav", "--json")
    assert again.code == 2
    assert again.envelope == {
        "command": "apply",
        "version": pt.__version__,
        "ok": False,
        "result": None,
        "findings": [{"kind": "error", "message": answer.error}],
    }
    assert again.error == answer.error


@pytest.mark.parametrize("how", ["rate", "channels", "map", "notes", "raise"])
def test_an_operator_that_fails_writes_nothing(cli, specimens, clip, folder, how):
    answer = cli("apply", "in.wav", "-o", "out.wav", "--op", f"break:how={how}")
    assert answer.code == 2
    assert answer.error
    assert names(folder) == ["in.wav"]
    if how == "raise":
        assert answer.error == (
            "ZeroDivisionError: a fault of two lines (a fault of perturb; --debug shows where)"
        )


def test_debug_shows_where(cli, specimens, clip, folder):
    for words in (("--op", "break"), ("--op", "gain:gain_db=3@5-6")):
        answer = cli("apply", "in.wav", "-o", "out.wav", *words, "--debug")
        assert answer.code == 2
        assert "Traceback (most recent call last)" in answer.err
        assert answer.err.splitlines()[-1].startswith("perturb: ")
        assert answer.out == ""
        answer = cli("apply", "in.wav", "-o", "out.wav", *words, "--debug", "--json")
        assert answer.envelope["ok"] is False
        assert "Traceback" in answer.err


# Names.


@pytest.mark.parametrize(
    "name",
    ["two words.wav", "犬の声.wav", "🐕.wav", "UPPER.WAV", "a.b.c.wav", "-dash.wav", "é.wav"],
)
def test_names_of_all_kinds(cli, clip, folder, name):
    clip.replace(folder / name)
    output = f"out of {name}"
    answer = cli("apply", f"./{name}", "-o", f"./{output}", *GAIN)
    assert answer.code == 0, answer.err
    trace = Trace.from_json((folder / output).with_suffix(".json").read_bytes())
    assert trace.input.path == name
    assert trace.output.path == output
    assert cli("verify", f"./{output}").code == 0


def test_a_name_that_is_no_unicode_is_refused_with_the_way_out(cli, clip, folder):
    odd = os.fsdecode(b"caf\xe9.wav")
    shutil.copy(clip, folder / odd)
    for words in ((odd, "-o", "out.wav"), ("in.wav", "-o", f"x/{odd}")):
        answer = cli("apply", *words, *GAIN)
        assert answer.code == 2
        assert "'caf\\udce9.wav'" in answer.error
        assert "not valid UTF-8" in answer.error
        assert "rename" in answer.error
        assert not (folder / "out.wav").exists()
        assert cli("apply", *words, *GAIN, "--json").envelope["ok"] is False


def test_names_with_control_characters_stay_on_one_line(cli, clip, folder):
    clip.replace(folder / "a\nb.wav")
    answer = cli("apply", "a\nb.wav", "-o", "c\nd.wav", *GAIN)
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "'c\\nd.wav': ok"
    envelope = cli("apply", "a\nb.wav", "-o", "c\nd.wav", *GAIN, "--json").envelope
    assert envelope["result"]["output"] == "c\nd.wav"
