"""Recipes that leave places and sounds to the clip: `perturb apply --recipe audiospan/…`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from perturb.anchors.finding import ClipFinder
from perturb.anchors.sounds import SoundBank
from perturb.audio_io import OutputFormat, read_audio, write_audio
from perturb.errors import InapplicableError, ParameterError, RecipeError
from perturb.events.exclusion import excluded_categories
from perturb.measure.analysis import Analysis
from perturb.recipes.catalogue import load_recipe
from perturb.recipes.for_clip import RecipeSteps
from perturb.signal import Signal

SPEECH = sorted((Path(__file__).parents[2] / "examples" / "audio" / "librivox").glob("*.wav"))
ADDITION = load_recipe("audiospan/addition")


@pytest.fixture(scope="module")
def recording():
    """Sentences with pauses of half a second, 25 s."""
    parts = []
    for path in SPEECH:
        row = read_audio(path).signal.samples[0]
        parts += [row, np.full(8_000, 1e-5, dtype=np.float32)]
    return Signal.from_array(np.concatenate(parts)[: 25 * 16_000], 16_000)


def plan(recording, seed, recipe=ADDITION, **fields):
    make = RecipeSteps(recipe=recipe, seed=seed, find=ClipFinder(), **fields)
    return make(recording.audio_sha256, recording.duration_s, Analysis(recording))


def test_a_sound_that_is_absent_at_places_of_speech(recording):
    excluded = excluded_categories(recording)
    places, sounds = set(), set()
    for seed in range(6):
        (step,) = plan(recording, seed)
        category = step.operator.ref.removeprefix("bank:").partition("#")[0]
        assert category not in excluded
        assert 1 <= len(step.spans) <= 3
        assert all(span.start_s >= 3.0 and span.end_s <= 22.0 for span in step.spans)
        places.add(step.spans)
        sounds.add(category)
    assert len(places) > 3
    assert len(sounds) > 3
    assert plan(recording, 5) == plan(recording, 5)


def test_places_and_sounds_that_are_named_come_first(recording):
    (step,) = plan(recording, 0, given={"ref": "bank:church_bell#1"})
    assert step.operator.ref == "bank:church_bell#1"


def test_the_sham_is_at_the_same_places(recording):
    (probe,), (sham,) = plan(recording, 3), plan(recording, 3, role="sham")
    assert (probe.spans, probe.operator, sham.role) == (sham.spans, sham.operator, "sham")


def test_without_a_clip_nothing_is_guessed():
    with pytest.raises(ParameterError, match="--at"):
        RecipeSteps(recipe=ADDITION)
    make = RecipeSteps(recipe=ADDITION, find=ClipFinder())
    with pytest.raises(RecipeError, match="found in a clip"):
        make("clip", 30.0)


@pytest.mark.parametrize(
    ("samples", "rule"),
    [
        (np.zeros(160_000, dtype=np.float32), "silence|segment|speech"),
        (0.1 * np.ones(8_000, dtype=np.float32), "15%"),
    ],
)
def test_a_clip_without_a_place_says_why(samples, rule):
    clip = Signal.from_array(samples, 16_000)
    with pytest.raises(InapplicableError, match=rule):
        plan(clip, 0)


def test_a_bank_without_the_category_is_refused():
    with pytest.raises(ParameterError, match="church_bell"):
        SoundBank(names=("church_bel",)).check()


def edit(clip, folder, cli):
    write_audio(folder / "in.wav", clip, OutputFormat())
    return cli("apply", folder / "in.wav", "-o", folder / "out.wav", "--recipe", ADDITION.name)


def test_apply_plans_edits_and_proves(recording, tmp_path, cli):
    write_audio(tmp_path / "in.wav", recording, OutputFormat())
    result = cli(
        "apply", tmp_path / "in.wav", "-o", tmp_path / "out.wav", "--recipe", ADDITION.name
    )
    assert result.code == 0, result.err
    trace = json.loads((tmp_path / "out.json").read_text())
    assert trace["plan"]["steps"][0]["operator"]["ref"].startswith("bank:")
    assert cli("verify", tmp_path / "out.json").code == 0


def test_apply_says_why_a_clip_has_no_place(tmp_path, cli):
    write_audio(
        tmp_path / "in.wav",
        Signal.from_array(np.zeros(160_000, dtype=np.float32), 16_000),
        OutputFormat(),
    )
    result = cli(
        "apply", tmp_path / "in.wav", "-o", tmp_path / "out.wav", "--recipe", ADDITION.name
    )
    assert result.code == 1
    assert "inapplicable" in result.out + result.err
    assert not (tmp_path / "out.wav").exists()
    verified = cli("verify", tmp_path / "out.json")
    assert verified.code == 0, verified.out
    assert "nothing was planned" in verified.out
