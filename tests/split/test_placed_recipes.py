"""Conditions whose recipes find their places, and an absent sound, in each clip."""

from __future__ import annotations

import json

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, find_audio, read_audio, write_audio
from perturb.events.label_words import labelled_categories
from perturb.signal import Signal
from tests.split.small import AUDIO, lines, tree, write_benchmark

SUITE = """
title = "Recipes that place themselves"
[[condition]]
name = "original"
[[condition]]
name = "addition"
recipe = "audiospan/addition"
[[condition]]
name = "addition_sham"
sham_of = "addition"
[[condition]]
name = "gone"
recipe = "audiospan/deletion_silence"
"""
LABEL = "dogs barking, animals, alarm, impact, weather, vehicle, kitchen"


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Return a folder with three clips of 12 to 13 s of speech, one of silence and a short one."""
    folder = tmp_path_factory.mktemp("placed")
    (folder / "audio").mkdir()
    speech = [read_audio(path).signal.samples[0] for path in find_audio(AUDIO / "librivox")]
    whole = np.concatenate(speech)
    made = {f"speech-{at}": whole[at * 16_000 :][: 12 * 16_000] for at in range(3)}
    made |= {"silent": np.zeros(192_000, np.float32), "short": whole[:16_000]}
    for name, samples in made.items():
        write_audio(folder / "audio" / f"{name}.wav", Signal.from_array(samples, 16_000), FORM)
    rows = [
        {
            "id": name,
            "audio_id": f"./audio/{name}.wav",
            "question": "What is heard?",
            "choices": ["a", "b"],
            "answer": "a",
        }
        for name in made
    ]
    rows[1]["sounds"] = LABEL
    (folder / "suite.toml").write_text(SUITE)
    write_benchmark(folder, rows)
    return folder


FORM = OutputFormat()


@pytest.fixture
def split(cli, clips, folder):
    def made(*options, output="out"):
        bench, suite = clips / "bench.json", clips / "suite.toml"
        return cli("split", bench, "-o", output, "--suite", suite, *options)

    return made


def rows_by_name(folder, output="out"):
    return {
        (row["item_id"], row["condition"]): row for row in lines(folder / output / "manifest.jsonl")
    }


def plan_of(folder, row):
    name, _, number = row["audios"][0]["trace"].partition("#")
    text = (folder / "out" / name).read_text().splitlines()[int(number) - 1]
    return json.loads(text)["plan"]


def test_places_and_sounds_are_found_in_each_clip(split, folder, cli):
    made = split()
    assert made.code in (0, 1), made.err
    rows = rows_by_name(folder)
    for at in range(3):
        probe, sham = rows[f"speech-{at}", "addition"], rows[f"speech-{at}", "addition_sham"]
        assert (probe["status"], sham["status"]) == ("ok", "ok"), (probe, sham)
        (step,), (shammed,) = plan_of(folder, probe)["steps"], plan_of(folder, sham)["steps"]
        assert step["spans"] == shammed["spans"]
        assert step["operator"] == shammed["operator"]
        assert step["operator"]["ref"].startswith("bank:")
        assert 1 <= len(step["spans"]) <= 3
    verified = cli("verify", "out", "--replay", "all")
    assert verified.code == 0, verified.out


def test_a_clip_without_a_place_is_a_row_with_the_reason(split, folder):
    split()
    rows = rows_by_name(folder)
    for name, reason in (("silent", "hold speech"), ("short", "15% of the clip")):
        for condition in ("addition", "addition_sham", "gone"):
            row = rows[name, condition]
            assert row["status"] == "inapplicable"
            assert reason in row["reason"]
            assert row["audios"][0]["path"].startswith("audio/original/")


def test_workers_and_company_change_no_byte(split, folder):
    split(output="one")
    split("--jobs", "2", output="two")
    assert tree(folder / "one") == tree(folder / "two")
    split("--limit", "2", output="few")
    all_bytes, few = tree(folder / "one"), tree(folder / "few")
    audio = [name for name in few if name.startswith("audio/")]
    assert len(audio) >= 5
    assert all(few[name] == all_bytes[name] for name in audio)


def test_a_sound_that_the_item_is_labelled_with_is_never_laid_over_it(split, folder):
    labelled = set(labelled_categories(LABEL.split(", ")))
    for seed in range(4):
        split("--seed", str(seed))
        row = rows_by_name(folder)["speech-1", "addition"]
        (step,) = plan_of(folder, row)["steps"]
        assert step["operator"]["ref"].removeprefix("bank:").partition("#")[0] not in labelled


def test_a_dry_run_needs_no_clip_to_be_placed(split):
    made = split("--dry-run")
    assert made.code == 0, made.err


def test_a_recipe_may_name_the_choice(clips, folder, cli):
    text = """
title = "A sound, placed"
[[step]]
op = "event"
ref = { choice = "bank:absent" }
snr_db = { uniform = [6.0, 10.0] }
at = { anchor = "speech", positions = [1, 1] }
"""
    (folder / "mine.toml").write_text(text)
    for output in ("one.wav", "two.wav"):
        made = cli(
            *("apply", clips / "audio" / "speech-0.wav", "-o", output),
            *("--recipe", "mine.toml", "--seed", "4"),
        )
        assert made.code == 0, made.err
    assert (folder / "one.wav").read_bytes() == (folder / "two.wav").read_bytes()
