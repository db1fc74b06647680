"""Laws of recipes: they survive their file, and draw the same numbers for the same clip."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perturb.recipes.ledger import recipe_ledger
from perturb.recipes.parsing import dump_recipe, parse_recipe
from perturb.streams import Streams
from perturb.testing.strategies import recipes


@given(recipes())
def test_dump_and_parse(recipe):
    assert parse_recipe(dump_recipe(recipe), recipe.name) == recipe


@given(recipes(), st.integers(0, 2**32), st.floats(1.0, 1000.0))
def test_drawing_is_a_function_of_seed_and_clip(recipe, seed, duration_s):
    streams = Streams(seed, "clip", "main")
    steps = recipe.resolve(streams, duration_s)
    assert steps == recipe.resolve(Streams(seed, "clip", "main"), duration_s)
    assert len(steps) == len(recipe.steps)
    assert all(span.end_s <= duration_s + 1e-9 for step in steps for span in step.spans)
    assert recipe_ledger(recipe)
