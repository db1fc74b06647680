from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import ParameterError, RecipeError
from perturb.operators.ledger import PROPERTIES
from perturb.recipes.catalogue import (
    catalogue_names,
    is_suite,
    load_recipe,
    load_suite,
)
from perturb.recipes.draws import Choice, Given, Integer, LogUniform, Uniform, draw_value, read_draw
from perturb.recipes.for_clip import RecipeSteps, parse_given
from perturb.recipes.ledger import recipe_ledger
from perturb.recipes.parsing import dump_recipe, parse_recipe
from perturb.recipes.schema import recipe_schema, suite_schema
from perturb.recipes.suite import CONDITION_NAME, parse_suite
from perturb.span import Span
from perturb.streams import Streams

STREAMS = Streams(0, "clip", "main")
RECIPES = [name for name in catalogue_names() if not is_suite(name)]
SUITES = [name for name in catalogue_names() if is_suite(name)]


def _generator(seed=0):
    return np.random.default_rng(seed)


@given(st.floats(-50, 50), st.floats(0, 50), st.integers(0, 2**32))
def test_uniform_draws_lie_in_their_range(low, width, seed):
    value = draw_value(Uniform(uniform=(low, low + width)), _generator(seed), {})
    assert low - 1e-4 <= value <= low + width + 1e-4


def test_draws_have_the_distribution_that_they_name():
    values = [
        draw_value(LogUniform(log_uniform=(1.0, 100.0)), _generator(seed), {})
        for seed in range(2000)
    ]
    assert np.median(values) == pytest.approx(10.0, rel=0.15)
    whole = [draw_value(Integer(integer=(1, 3)), _generator(seed), {}) for seed in range(300)]
    assert set(whole) == {1, 2, 3}
    chosen = [draw_value(Choice(choice=("a", "b")), _generator(seed), {}) for seed in range(100)]
    assert set(chosen) == {"a", "b"}


def test_given_values_are_asked_for():
    assert draw_value(Given(given="ref"), _generator(), {"ref": "file:x"}) == "file:x"
    assert draw_value(Given(given="ref", default="file:y"), _generator(), {}) == "file:y"
    with pytest.raises(ParameterError, match=r"ref has to be given.*--set ref="):
        draw_value(Given(given="ref"), _generator(), {})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"uniform": [3.0, 1.0]}, "the lower one first"),
        ({"uniform": [1.0]}, "length 2"),
        ({"uniform": [1.0, 2.0], "choice": [1]}, "choice does not go with uniform"),
        ({"log_uniform": [0.0, 1.0]}, "accepted: above 0"),
        ({"choice": []}, "at least one value"),
        ({"integer": [0.5, 2]}, "int"),
    ],
)
def test_bad_draws_are_refused(table, message):
    with pytest.raises(ParameterError, match=message):
        read_draw(table)


def test_every_problem_of_a_recipe_is_named_with_file_and_path():
    table = {
        "titel": "x",
        "step": [
            {"op": "gain", "gain_db": {"uniform": [5, 99]}, "at": [3, 2]},
            {"op": "gian"},
            {"op": "silence", "fil": "x", "fill": {"choice": ["zero", "y"]}},
            {"op": "gain"},
            "text",
            {"op": ["gain"]},
            {"gain_db": 3},
            {"op": "gain", "gain_db": 3, "at": {"anchor": "given", "positions": [3, 1]}},
        ],
    }
    with pytest.raises(RecipeError) as caught:
        parse_recipe(table, "my.toml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("my.toml: $.") for line in lines)
    found = "\n".join(lines)
    for expected in (
        "$.titel: unknown key; did you mean 'title'?",
        "$.title: is missing",
        "$.step[0].gain_db: is 99.0; accepted: a finite number, -60 to 60 dB",
        "$.step[0].at: span @3-2 has no length",
        "$.step[1].op: no operator is called 'gian'; did you mean 'gain'?",
        "$.step[2].fil: unknown key; did you mean 'fill'?",
        "$.step[2].fill: is 'y'; accepted: 'noise', 'room', 'zero'",
        "$.step[3]: gain: give gain_db",
        "$.step[4]: is no table",
        "$.step[5].op: is ['gain']; accepted: the name of an operator",
        "$.step[6].op: is missing; accepted: the name of an operator",
        "$.step[7].at: positions is [3, 1]; accepted: two whole numbers, the fewest first",
    ):
        assert expected in found


def test_a_draw_depends_on_its_own_stream_alone():
    one = {"title": "t", "step": [{"op": "gain", "gain_db": {"uniform": [1.0, 9.0]}}]}
    two = {"title": "t", "step": [*one["step"], {"op": "silence", "at": [0.0, 0.5]}]}
    drawn = [
        parse_recipe(table, "r").resolve(STREAMS, 10.0)[0].operator.gain_db for table in (one, two)
    ]
    assert drawn[0] == drawn[1]
    other = parse_recipe(one, "r").resolve(Streams(1, "clip", "main"), 10.0)[0].operator.gain_db
    assert other != drawn[0]


def test_probe_and_sham_draw_the_same_numbers():
    recipe = load_recipe("audiospan/loudness_up")
    probe, sham = (
        recipe.resolve(STREAMS, 10.0, role=role, place=lambda anchor: (Span(1.0, 2.0),))
        for role in ("probe", "sham")
    )
    assert probe[0].operator == sham[0].operator
    assert probe[0].spans == sham[0].spans
    assert (probe[0].role, sham[0].role) == ("probe", "sham")


def test_places():
    step = {"op": "silence", "at": {"relative": [[0.5, 0.75]]}}
    recipe = parse_recipe({"title": "t", "step": [step]}, "r")
    assert recipe.resolve(STREAMS, 8.0)[0].spans == (Span(4.0, 6.0),)
    with pytest.raises(RecipeError, match=r"\$.step\[0\]: .*--at start-stop"):
        load_recipe("audiospan/loudness_up").resolve(STREAMS, 8.0)


@pytest.mark.parametrize("name", RECIPES)
def test_the_catalogue_is_complete(name):
    recipe = load_recipe(name)
    assert recipe.title
    assert not recipe.title.endswith(".")
    assert recipe.source
    assert parse_recipe(dump_recipe(recipe), recipe.name) == recipe
    ledger = recipe_ledger(recipe)
    assert set(ledger.keeps) | set(ledger.destroys) <= set(PROPERTIES)


@pytest.mark.parametrize("name", SUITES)
def test_suites_are_complete(name):
    suite = load_suite(name)
    assert suite.title
    assert suite.source
    assert all(CONDITION_NAME.fullmatch(condition.name) for condition in suite.conditions)


def test_every_problem_of_a_suite_is_named():
    table = {
        "title": "t",
        "condition": [
            {"name": "original"},
            {"name": "prosody-only", "recipe": "seabed/prosody_only"},
            {"name": "silence", "recipe": "seabed/silense"},
            {"name": "silence", "recipe": "seabed/silence"},
            {"name": "sham", "sham_of": "nothing"},
            {"name": "both", "recipe": "seabed/silence", "sham_of": "silence"},
            {"name": "neither"},
            {"name": "repeat", "recipe": "seabed/silence"},
        ],
    }
    with pytest.raises(RecipeError) as caught:
        parse_suite(table, "s.toml", load_recipe)
    found = str(caught.value)
    for expected in (
        "$.condition[1].name: is 'prosody-only'; accepted: [a-z][a-z0-9_]*",
        "$.condition[2].recipe: no recipe is called 'seabed/silense'; did you mean",
        "$.condition[3].name: 'silence' is taken",
        "$.condition[4].sham_of: is 'nothing'; accepted: an earlier condition",
        "$.condition[5]: needs a recipe or sham_of, one of the two",
        "$.condition[6]: needs a recipe or sham_of",
        "$.condition[7]: 'repeat' is the unedited clip",
    ):
        assert expected in found


def test_files_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('title = "t"\n[[step]]\nop = "silence"\n')
    assert load_recipe(str(path)).steps[0].op == "silence"
    path.write_text('title = "t"\n[[step]]\nop = "silence"\n', encoding="utf-8-sig")
    assert load_recipe(str(path)).title == "t"
    path.write_text("title = \n")
    with pytest.raises(RecipeError, match=r"not TOML.*line 1"):
        load_recipe(str(path))
    path.write_text("title = " + "[" * 10_000 + "]" * 10_000)
    with pytest.raises(RecipeError, match="nested too deeply"):
        load_recipe(str(path))
    path.write_text('title = "t"\n' + '[[step]]\nop = "silence"\n' * 101)
    with pytest.raises(RecipeError, match="holds 101 steps; accepted: up to 100"):
        load_recipe(str(path))
    with pytest.raises(RecipeError, match="no such file"):
        load_recipe(str(tmp_path / "none.toml"))
    with pytest.raises(RecipeError, match="did you mean 'seabed/silence'"):
        load_recipe("seabed/silenc")


def test_schemas_know_every_operator_and_draw():
    schema = recipe_schema()
    ops = {
        step["properties"]["op"]["const"] for step in schema["properties"]["step"]["items"]["anyOf"]
    }
    assert {"gain", "silence", "vocode", "identity"} <= ops
    assert "draw_uniform" in schema["$defs"]
    assert suite_schema()["properties"]["condition"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("[1, 2]", [1, 2]),
        ("'3'", "3"),
        ("3 #1.wav", "3 #1.wav"),
        ("1\nother = 2", "1\nother = 2"),
        ("file:a=b.wav", "file:a=b.wav"),
    ],
)
def test_a_given_value_is_one_value_and_all_of_it(text, value):
    assert parse_given([f"x={text}"]) == {"x": value}


def test_values_that_nobody_asked_for_are_refused():
    with pytest.raises(ParameterError, match=r"does not ask for typo; accepted by --set: nothing"):
        RecipeSteps(recipe=load_recipe("seabed/silence"), given={"typo": 3})
    with pytest.raises(ParameterError, match=r"has its own places; leave out --at"):
        RecipeSteps(recipe=load_recipe("seabed/silence"), spans=(Span(0.0, 1.0),))
    with pytest.raises(ParameterError, match=r"asks where: --at"):
        RecipeSteps(recipe=load_recipe("audiospan/loudness_up"))
    steps = RecipeSteps(recipe=load_recipe("audiospan/loudness_up"), spans=(Span(0.0, 1.0),) * 4)
    with pytest.raises(RecipeError, match=r"4 positions; accepted: 1 to 3"):
        steps("clip", 10.0)
