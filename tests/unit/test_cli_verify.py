"""`perturb verify` and `perturb replay`: what they print and how they end."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat, file_sha256

GAIN = ("--op", "gain:gain_db=3@0.1-0.2")


@pytest.fixture
def done(cli, clip, folder):
    assert cli("apply", "in.wav", "-o", "out.wav", *GAIN).code == 0
    return folder / "out.json"


def _touch(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["out.json", "out.wav"])
def test_untouched(cli, done, name):
    answer = cli("verify", name)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "out.json: verified (status ok)"
    assert all(line.startswith("  ok       ") for line in lines[1:])
    assert len(lines) == 5
    envelope = cli("verify", name, "--json").envelope
    assert envelope["ok"]
    assert envelope["findings"] == []
    assert [one["path"] for one in envelope["result"]] == ["out.json"]


def test_touched(cli, done, folder):
    _touch(folder / "out.wav")
    answer = cli("verify", "out.wav")
    assert answer.code == 1
    assert answer.out.splitlines()[0] == "out.json: findings (status ok)"
    assert "  finding  output: out.wav is another file than was recorded" in answer.out
    envelope = cli("verify", "out.wav", "--json").envelope
    assert not envelope["ok"]
    assert envelope["findings"][0]["kind"] == "output"
    assert envelope["findings"] == envelope["result"][0]["findings"]


def test_a_folder_of_traces(cli, clip, folder):
    shutil.copy(clip, folder / "two.wav")
    assert cli("apply", "in.wav", "two.wav", "-o", "out", *GAIN).code == 0
    # What is not a trace is not judged; what was one and is damaged, is.
    (folder / "out" / "split.json").write_text('{"name": "mine"}')
    (folder / "out" / "._in.json").write_bytes(b"\x00\x05\x16\x07perturb-trace/1")
    (folder / "out" / "folder.json").mkdir()
    (folder / "out" / "dangling.json").symlink_to("nowhere")
    answer = cli("verify", "out")
    assert answer.code == 0
    assert "2 variants: 0 findings, 0 with honestly recorded misses" in answer.out
    _touch(folder / "out" / "two.wav")
    (folder / "out" / "in.json").write_bytes((folder / "out" / "in.json").read_bytes()[:-40])
    answer = cli("verify", "out")
    assert answer.code == 1
    assert "finding  trace: out/in.json: not a trace of format" in answer.out
    assert "finding  output: out/two.wav is another file" in answer.out
    assert len(cli("verify", "out", "--json").envelope["result"]) == 2


def test_a_folder_that_moved(cli, clip, folder, tmp_path_factory):
    (folder / "set").mkdir()
    clip.replace(folder / "set" / "in.wav")
    assert cli("apply", "set/in.wav", "-o", "set/out.wav", *GAIN).code == 0
    moved = tmp_path_factory.mktemp("else") / "set"
    shutil.move(folder / "set", moved)
    assert cli("verify", moved).code == 0
    assert cli("verify", moved / "out.wav").code == 0


def test_an_input_that_moved(cli, done, clip, folder):
    clip.replace(folder / "moved.wav")
    answer = cli("verify", "out.wav")
    assert answer.code == 1
    assert "finding  input: input: " in answer.out
    assert cli("verify", "out.wav", "--input", "moved.wav").code == 0
    assert cli("replay", "out.json", "-o", "again.wav").code == 2
    assert cli("replay", "out.json", "-o", "again.wav", "--input", "moved.wav").code == 0


def test_what_there_is_nothing_to_verify_in(cli, clip, folder):
    (folder / "empty").mkdir()
    answer = cli("verify", "empty")
    assert (answer.code, answer.error) == (2, "empty: no traces in this folder")
    answer = cli("verify", "nothing.wav")
    assert answer.code == 2
    answer = cli("verify", "in.wav")  # audio, but nothing beside it
    assert answer.code == 1
    assert "in.json: no trace there" in answer.out


def test_input_goes_with_one_trace(cli, clip, folder):
    shutil.copy(clip, folder / "two.wav")
    cli("apply", "in.wav", "two.wav", "-o", "out", *GAIN)
    answer = cli("verify", "out", "--input", "in.wav")
    assert answer.code == 2
    assert answer.error == "--input goes with a single trace; this folder holds several"


def test_misses_are_counted_not_found(cli, specimens, clip, folder):
    assert cli("apply", "in.wav", "-o", "out.wav", "--op", "miss").code == 1
    answer = cli("verify", "out.wav")
    assert answer.code == 0
    assert answer.out.startswith("out.json: verified (status off_target, 1 recorded misses)")


def test_replay_says_that_it_is_the_same(cli, done, folder):
    answer = cli("replay", "out.json", "-o", "again.wav")
    assert answer.code == 0
    assert answer.out == "again.wav: byte-identical to the recorded variant\n"
    assert (folder / "again.wav").read_bytes() == (folder / "out.wav").read_bytes()
    envelope = cli("replay", "out.wav", "-o", "again.wav", "--json").envelope
    assert envelope["ok"]
    digest = file_sha256(folder / "out.wav")
    assert envelope["result"] == {
        "output": "again.wav",
        "file_sha256": digest,
        "recorded_sha256": digest,
    }


def test_replay_that_is_not_the_same(cli, done, folder, monkeypatch):
    from perturb.render import replay

    render = replay.render

    def drifted(*given):
        rendering = render(*given)
        samples = rendering.chain.result.samples + np.float32(2.0**-15)
        chain = replace(rendering.chain, result=pt.Signal.adopt(samples, 16_000))
        return replace(rendering, chain=chain)

    monkeypatch.setattr(replay, "render", drifted)
    answer = cli("replay", "out.json", "-o", "again.wav")
    assert answer.code == 1
    assert "again.wav: other bytes than recorded (sha256 " in answer.out
    assert "perturb verify tells whether they are within 1 LSB" in answer.out
    envelope = cli("replay", "out.json", "-o", "again.wav", "--json").envelope
    assert not envelope["ok"]
    assert envelope["findings"][0]["kind"] == "replay"


@pytest.mark.parametrize("target", ["in.wav", "out.json"])
def test_replay_writes_over_nothing_that_it_needs(cli, done, folder, target):
    before = (folder / target).read_bytes()
    answer = cli("replay", "out.json", "-o", target)
    assert answer.code == 2
    assert "name another" in answer.error
    assert (folder / target).read_bytes() == before


def test_a_name_that_is_no_unicode(cli, done, folder):
    odd = os.fsdecode(b"caf\xe9")
    done.replace(folder / f"{odd}.json")
    answer = cli("verify", f"{odd}.json", "--json")
    assert answer.code == 0
    assert answer.envelope["result"][0]["path"] == f"{odd}.json"
    (folder / f"{odd}.json").write_text("{}")
    assert cli("verify", f"{odd}.json", "--json").envelope["findings"][0]["kind"] == "trace"
    assert cli("replay", f"{odd}.json", "-o", "x.wav", "--json").code == 2


def test_float_files(cli, folder, babble):
    pt.write_audio(folder / "in.wav", babble, OutputFormat(subtype="FLOAT"))
    cli("apply", "in.wav", "-o", "out.wav", "--op", "silence:fill=noise", *GAIN)
    assert cli("verify", "out.wav").code == 0
    assert cli("replay", "out.wav", "-o", "again.wav").code == 0
