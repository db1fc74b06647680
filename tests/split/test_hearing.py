"""What a common harness will not hear of a split is said before it is run, and after."""

from __future__ import annotations

import json

import numpy as np

from perturb.audio_io import output_format_for, write_audio
from perturb.cli.app import run
from perturb.signal import Signal
from tests.split.small import rows_of, write_benchmark

SUITE = """
title = "One late edit"
[[condition]]
name = "original"
[[condition]]
name = "louder"
recipe = "audiospan/loudness_up"
at = "30.2-30.8"
"""


def test_long_clips_late_edits_and_channels_are_warned_of(tmp_path, capsys):
    rate = 8000
    noise = np.random.default_rng(0).normal(0.0, 0.05, (2, 31 * rate)).astype(np.float32)
    (tmp_path / "audio").mkdir()
    clip = Signal.from_array(noise, rate, layout="channels_first")
    write_audio(tmp_path / "audio" / "long.wav", clip, output_format_for(None, ".wav"))
    bench = write_benchmark(tmp_path, rows_of(["audio/long.wav"]))
    suite = tmp_path / "late.toml"
    suite.write_text(SUITE)
    words = ["split", str(bench), "-o", str(tmp_path / "out"), "--suite", str(suite), "--json"]
    run([*words, "--dry-run"])
    forecast = json.loads(capsys.readouterr().out)["result"]["warnings"]
    run(words)
    made = json.loads(capsys.readouterr().out)["result"]["warnings"]
    assert made == forecast
    assert any("1 of 1 clips are longer than 30 s" in line for line in made)
    assert any(line.startswith("louder: @30.2-30.8 lies past 30 s") for line in made)
    assert any("1 of 1 clips have more than one channel" in line for line in made)
    notes = json.loads((tmp_path / "out" / "split.json").read_text())["notes"]
    assert set(made) <= set(notes)
