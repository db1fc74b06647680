"""Every recipe of the catalogue, rendered on a real clip, by name."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.anchors.finding import ClipFinder
from perturb.audio_io import OutputFormat, read_audio, write_audio
from perturb.measure.analysis import Analysis
from perturb.recipes.catalogue import catalogue_names, is_suite, load_recipe
from perturb.recipes.for_clip import RecipeSteps
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from tests.conftest import CLIPS_FOLDER, write_respoken
from tests.extras import is_missing

RECIPES = [name for name in catalogue_names() if not is_suite(name)]
CLIP = CLIPS_FOLDER / "librivox" / "sense-and-sensibility-0870.wav"
SPANS = (Span(1.0, 2.2), Span(3.5, 4.7))


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    """Return a sound that is as long as the clip: what is given where a recipe asks for one."""
    path = tmp_path_factory.mktemp("event") / "rain.wav"
    noise = np.random.default_rng(0).standard_normal(16_000 * 8) * 0.05
    write_audio(path, Signal.from_array(noise, 16_000), OutputFormat())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_renders_and_is_proven(name, event, tmp_path):
    recipe = load_recipe(name)
    uses_library = any(step.op == "audiomentations" for step in recipe.steps)
    if uses_library and is_missing("audiomentations"):
        pytest.skip("audiomentations is not installed: NOT TESTED")
    donor = CLIPS_FOLDER / "librivox" / "sense-and-sensibility-0920.wav"
    ref = donor if recipe.steps[0].op == "mismatch" else event
    clip = Analysis(read_audio(CLIP).signal)
    given, spans = dict.fromkeys(recipe.given_names, f"file:{ref}"), SPANS
    if recipe.steps[0].op == "voice_file":
        spans = (Span(0.0, clip.signal.duration_s),)
        write_respoken(tmp_path, clip.signal, spans[0])
        given = {
            "ref": f"file:{tmp_path / 'respoken.wav'}",
            "sham_ref": f"file:{tmp_path / 'own_voice.wav'}",
        }
    steps = RecipeSteps(
        recipe=recipe,
        seed=3,
        given=given,
        spans=spans if recipe.needs_spans else None,
        find=ClipFinder(),
    )
    made = steps(clip.signal.audio_sha256, clip.signal.duration_s, clip)
    variant = apply(clip, *made, seed=3, stream=steps.stream)
    assert variant.trace.status == "ok", variant.trace.reason
    assert not variant.signal.is_equal(clip.signal)
