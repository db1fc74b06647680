"""The frame of all commands: usage errors, --json, --version, interrupts, broken pipes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import perturb as pt
from perturb.audio_io import OutputFormat, write_audio
from perturb.cli import app as application
from perturb.errors import BenchmarkError


@pytest.mark.parametrize(
    ("words", "command", "message"),
    [
        (("frob",), "frob", "No such command 'frob'."),
        (("apply",), "apply", "Missing argument 'IN...'."),
        (("apply", "in.wav"), "apply", "Missing option '-o' / '--output'."),
        (("apply", "in.wav", "-o", "out.wav"), "apply", "give --op STEP or --recipe NAME"),
        (("apply", "in.wav", "-o"), "apply", "Option '-o' requires an argument."),
        (("apply", "in.wav", "-o", "o.wav", "--op", "x", "--seed", "one"), "apply", "'--seed'"),
        (("apply", "in.wav", "--loud"), "apply", "No such option: --loud"),
        (("verify",), "verify", "Missing argument 'path'."),
        (("replay", "x.json"), "replay", "Missing option '-o' / '--output'."),
        (("measure",), "measure", "Missing argument 'IN'."),
        (("ops", "gian"), "ops", "no operator is called 'gian'; did you mean 'gain'?"),
        (("ops", "gain", "silence"), "ops", "unexpected extra argument"),
        (("verify", "nowhere"), "verify", "nowhere: nothing there; accepted: a trace, its audio"),
        (("measure", "nowhere.wav"), "measure", "nowhere.wav: no such file"),
        (("replay", "nowhere.json", "-o", "x.wav"), "replay", "nowhere.json: no trace there"),
    ],
)
def test_mistakes_end_in_one_line_and_two(cli, folder, words, command, message):
    answer = cli(*words)
    assert answer.code == 2
    assert message in answer.error
    assert answer.out == ""
    again = cli(words[0], "--json", *words[1:])
    assert again.code == 2
    assert again.envelope == {
        "command": command,
        "version": pt.__version__,
        "ok": False,
        "result": None,
        "findings": [{"kind": "error", "message": answer.error}],
    }


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "in.wav", "-o", "", "--op", "monotone"),
        ("apply", "in.wav", "--output=", "--op", "monotone"),
        ("apply", "in.wav", "", "-o", "out", "--op", "monotone"),
        ("apply", "in.wav", "-o", "out.wav", "--op", "monotone", "--bank", ""),
        ("split", "b.json", "-o", ""),
        ("split", "", "-o", "set"),
        ("split", "b.json", "-o", "set", "--audio-root", ""),
        ("anchors", "audio", "-o", "", "--operation", "deletion"),
        ("score", "set", "p.json", "-o", ""),
        ("report", "score.json", "-o", ""),
        ("report", "score.json", "--figures", ""),
        ("replay", "t.json", "-o", ""),
        ("verify", ""),
        ("measure", ""),
        ("events", "render", "rain", "-o", ""),
        ("events", "sheet", "-o", ""),
    ],
)
def test_a_name_that_an_unset_variable_left_empty_is_refused(cli, clip, words):
    answer = cli(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.error.endswith("'' names nothing; name a file or folder, '.' for this folder")
    named = next((w for w in reversed(words) if w.startswith("-")), "")
    if words[-1] == "":
        assert {"-o": "'-o' / '--output'"}.get(named, named) in answer.error
    assert [path.name for path in clip.parent.iterdir()] == ["in.wav"]


@pytest.mark.parametrize("positions", ["0", "4", "2-1", "1-4", "many", "-1"])
def test_positions_are_one_to_three(cli, folder, positions):
    (folder / "audio").mkdir()
    answer = cli(
        "anchors", "audio", "-o", "set", "--operation", "deletion", f"--positions={positions}"
    )
    assert answer.code == 2
    assert answer.error == (
        f"--positions is '{positions}'; accepted: a number or FEWEST-MOST, 1 to 3"
    )


def test_problems_of_several_rows_are_told_apart_in_one_line(cli, folder):
    (folder / "audio").mkdir()
    sound = pt.Signal.from_array([0.0, 0.1] * 400, 8_000)
    write_audio(folder / "audio" / "a.wav", sound, OutputFormat())
    rows = "".join(f"a.wav,{second},{second}\n" for second in range(7))
    (folder / "t.csv").write_text("clip,start_s,stop_s\n" + rows)
    words = ("anchors", "audio", "-o", "set", "--operation", "deletion", "--segments", "t.csv")
    answer = cli(*words)
    assert answer.code == 2
    parts = answer.error.split("; t.csv, line ")
    assert len(parts) == 5
    assert answer.error.endswith("; and 2 more")


def test_version_and_help(cli):
    answer = cli("--version")
    assert (answer.code, answer.out) == (0, f"perturb {pt.__version__}\n")
    answer = cli("--help")
    assert answer.code == 0
    for command in ("apply", "ops", "measure", "verify", "replay"):
        assert command in answer.out
        help_of = cli(command, "--help")
        assert help_of.code == 0
        assert "--json" in help_of.out
        assert help_of.err == ""
    assert cli().code == 2
    assert "Usage: perturb" in cli().out


def _raising(error):
    def command(*_words, **_options):
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (PermissionError(13, "Permission denied", "/etc/x"), 2, "/etc/x: Permission denied"),
        (OSError(28, "No space left on device", "o\nut"), 2, "'o\\nut': No space left on device"),
        (pt.AudioError("a\nb"), 2, "a b"),
        (BenchmarkError("a:\n  b\nc"), 2, "a: b; c"),
        (MemoryError(), 2, "MemoryError:  (a fault of perturb; --debug shows where)"),
    ],
)
def test_whatever_is_raised_becomes_a_line(cli, monkeypatch, error, code, message):
    monkeypatch.setattr(application, "app", _raising(error))
    answer = cli("apply")
    assert (answer.code, answer.error) == (code, " ".join(message.split()))
    assert cli("apply", "--json").envelope["findings"][0]["message"] == " ".join(message.split())


def test_an_interrupt_that_typer_has_caught(cli, monkeypatch):
    monkeypatch.setattr(application, "app", lambda **_options: 130)
    answer = cli("apply")
    assert (answer.code, answer.error) == (130, "interrupted")


def test_a_reader_that_has_gone_is_no_error(cli, monkeypatch):
    monkeypatch.setattr(application, "app", _raising(BrokenPipeError()))
    answer = cli("apply")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def _perturb(*words, **more):
    return subprocess.run(
        [sys.executable, "-c", "from perturb.cli import main; main()", *words],
        capture_output=True,
        check=False,
        **more,
    )


@pytest.mark.slow
def test_as_a_program(clip, folder):
    done = _perturb("apply", "in.wav", "-o", "out.wav", "--op", "gain:gain_db=3", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(b"out.wav: ok\n")
    done = _perturb("apply", "in.wav", "-o", "out.wav", "--op", "gain", cwd=folder)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"perturb: gain: give gain_db")
    done = _perturb("apply", "no.wav", "-o", "o.wav", "--op", "identity", "--debug", cwd=folder)
    assert done.returncode == 2
    assert b"Traceback" in done.stderr


@pytest.mark.slow
def test_on_a_terminal_of_another_alphabet(clip, folder):
    clip.replace(folder / "🐕 犬.wav")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    words = ("apply", "🐕 犬.wav", "-o", "🐕.wav", "--op", "gain:gain_db=3")
    done = _perturb(*words, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    assert (folder / "🐕.json").exists()


@pytest.mark.slow
def test_into_a_pipe_that_closes(folder):
    shell = (
        f"{sys.executable} -c 'from perturb.cli import main; main()' ops gain --json | head -c 1"
    )
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False)
    assert done.stdout == b"{"
    assert done.stderr == b""
