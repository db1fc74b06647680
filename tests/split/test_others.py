"""Clips that stand in for others or around them: none is silent, none is heard twice."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import soundfile

from tests.split.small import cuttings, lines, rows_of, write_benchmark, write_suite

SUITE = """
title = "Others"
[[condition]]
name = "original"
[[condition]]
name = "mismatched"
recipe = "seabed/mismatched"
donor = "hard"
[[condition]]
name = "mismatched_2"
recipe = "seabed/mismatched"
donor = "hard"
draw = 2
[[condition]]
name = "joined"
join = { utterances = 4, gap_s = [0.1, 0.2] }
"""


@pytest.fixture
def out(cli, folder):
    """Return a split of six clips that sound, one under two names, silence, and a ruin."""
    (folder / "data").mkdir()
    names = cuttings(folder / "data", 6, seconds=0.4)
    audio = folder / "data" / "audio"
    shutil.copy(folder / "data" / names[0], audio / "copy.wav")
    for form, suffix in (("WAV", "wav"), ("FLAC", "flac")):
        soundfile.write(audio / f"silent.{suffix}", np.zeros(6_400), 16_000, format=form)
    (audio / "ruin.wav").write_bytes(b"ruin")
    rows = rows_of([*names, *(f"audio/{path.name}" for path in sorted(audio.glob("[crs]*.*")))])
    rows = list({row["audio_id"]: row for row in rows}.values())
    for index, row in enumerate(rows):
        row["answer"] = row["choices"][index % 4]
    rows[names.index(names[0])]["answer"] = "happy"
    next(row for row in rows if "copy" in row["audio_id"])["answer"] = "sad"
    bench = write_benchmark(folder / "data", rows)
    suite = write_suite(folder, SUITE)
    assert cli("split", bench, "-o", "out", "--suite", suite, "--writer", "source").code == 1
    return folder / "out", names[0]


def test_silence_is_no_donor_and_joins_nobody(out):
    rows = lines(out[0] / "manifest.jsonl")
    silent = {"audio/silent.wav", "audio/silent.flac"}
    assert silent <= {audio["clip_id"] for row in rows for audio in row["audios"]}
    assert not silent & {row["donor_id"] for row in rows}
    for row in rows:
        own = {audio["clip_id"] for audio in row["audios"]}
        others = {clip["clip"] for clip in (row["joined"] or {"clips": ()})["clips"]} - own
        assert not silent & others
        expected = {"failed"} if "audio/ruin.wav" in own else {"ok", "off_target"}
        if own & silent and row["condition"] != "original":
            expected = {"inapplicable"}
        assert row["status"] in expected, row


def test_one_recording_under_two_names_is_heard_once(out):
    folder, first = out
    joined = [row["joined"] for row in lines(folder / "manifest.jsonl") if row["joined"]]
    assert joined
    for stimulus in joined:
        assert not {"audio/copy.wav", first} <= {clip["clip"] for clip in stimulus["clips"]}


def test_rows_without_a_file_are_no_findings(out, cli):
    answer = cli("verify", out[0], "--json")
    assert (answer.code, answer.envelope["findings"]) == (0, [])
