"""`perturb measure`: the instruments, for people and for programs."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import soundfile

import perturb as pt
from perturb.audio_io import OutputFormat


def tone(frequency_hz=220.0, level=0.5, duration_s=1.0, rate_hz=16_000):
    time_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    return level * np.sin(2 * np.pi * frequency_hz * time_s)


def test_a_tone_by_value(cli, folder):
    soundfile.write(folder / "a.wav", tone(), 16_000)
    answer = cli("measure", "a.wav")
    assert answer.code == 0
    values = cli("measure", "a.wav", "--json").envelope["result"]
    assert values["path"] == "a.wav"
    assert values["rms_level"]["value"] == pytest.approx(20 * math.log10(0.5 / math.sqrt(2)), 0.01)
    assert values["true_peak"]["value"] == pytest.approx(20 * math.log10(0.5), abs=0.05)
    assert values["f0_median"]["value"] == pytest.approx(220.0, rel=0.005)
    assert values["duration"]["value"] == pytest.approx(1.0)
    for name, value in values.items():
        if name not in ("path", "notes"):
            assert value["value"] is not None or value["reason"], name


@pytest.mark.parametrize(
    ("samples", "rate_hz"),
    [
        (np.zeros(16_000), 16_000),
        (np.zeros(1), 8_000),
        (np.full(479, 0.5), 16_000),
        (np.full(8_000, 0.5), 8_000),
        (np.random.default_rng(0).normal(0, 0.1, 5_000), 48_000),
        (np.random.default_rng(0).normal(0, 1e-4, (320, 3)), 16_000),
        (np.sign(np.sin(np.arange(30_000))), 192_000),
    ],
)
def test_anything_is_measured_or_has_a_reason(cli, folder, samples, rate_hz):
    soundfile.write(folder / "a.wav", samples, rate_hz, subtype="FLOAT")
    answer = cli("measure", "a.wav", "--json")
    assert answer.code == 0
    assert "NaN" not in answer.out

    def refuse(name):
        raise AssertionError(name)

    values = json.loads(answer.out, parse_constant=refuse)["result"]
    for name, value in values.items():
        if name not in ("path", "notes"):
            assert value["value"] is not None or value["reason"], name
    assert cli("measure", "a.wav").code == 0


def test_against_another_clip(cli, folder):
    soundfile.write(folder / "a.wav", tone(), 16_000, subtype="FLOAT")
    soundfile.write(folder / "b.wav", tone(level=0.25), 16_000, subtype="FLOAT")
    values = cli("measure", "b.wav", "--against", "a.wav", "--json").envelope["result"]
    assert values["rms_level_change"]["value"] == pytest.approx(-6.02, abs=0.01)
    assert values["largest_difference"]["value"] == pytest.approx(0.25, abs=1e-3)
    assert values["f0_median_error"]["value"] == pytest.approx(0.0, abs=0.1)
    assert cli("measure", "b.wav", "--against", "a.wav").code == 0


def test_against_what_cannot_be_compared(cli, folder):
    soundfile.write(folder / "a.wav", tone(), 16_000)
    soundfile.write(folder / "b.wav", tone(rate_hz=8_000), 8_000)
    soundfile.write(folder / "c.wav", tone(duration_s=0.9), 16_000)
    answer = cli("measure", "b.wav", "--against", "a.wav")
    assert answer.code == 2
    assert answer.error == (
        "--against has 16000 Hz, the clip 8000 Hz; accepted: two clips of one rate"
    )
    values = cli("measure", "c.wav", "--against", "a.wav", "--json").envelope["result"]
    assert values["largest_difference"]["value"] is None
    assert "other length or channels" in values["largest_difference"]["reason"]


def test_what_the_reader_has_to_say(cli, folder):
    pt.write_audio(
        folder / "a.wav", pt.Signal.from_array(2.0 * tone(), 16_000), OutputFormat(subtype="FLOAT")
    )
    soundfile.write(folder / "b.wav", 2.0 * np.ones(800), 16_000, subtype="FLOAT")
    answer = cli("measure", "b.wav")
    assert "note: " in answer.out
    assert cli("measure", "b.wav", "--json").envelope["result"]["notes"]
