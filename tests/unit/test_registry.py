"""The registry: built-in operators, and those of other packages through real entry points."""

from __future__ import annotations

import pytest

import perturb as pt
from perturb.errors import ParameterError
from perturb.operators import registry
from perturb.operators.gain import Gain
from perturb.operators.registry import (
    all_operators,
    operator_by_class_name,
    operator_class,
    operator_from_fields,
    operator_schema,
)
from perturb.plan.step_text import parse_step
from tests.unit.specimens import Cut, Tangle


def test_built_in_operators_are_found_by_their_files():
    assert {"gain", "identity", "silence"} <= set(all_operators())
    assert list(all_operators()) == sorted(all_operators())
    assert operator_class("gain") is Gain
    assert operator_by_class_name("Gain") is Gain
    assert operator_by_class_name("GAIN") is None
    assert operator_by_class_name("Louder") is None


def test_every_operator_lies_in_the_file_of_its_name():
    for name, kind in all_operators().items():
        if kind.__module__.startswith("perturb.operators."):
            assert kind.__module__ == f"perturb.operators.{name}"
            assert getattr(pt, kind.__name__) is kind


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"op": "gian"}, "no operator is called 'gian'; did you mean 'gain'? accepted: "),
        ({"op": "xyzzy"}, "no operator is called 'xyzzy'; accepted: "),
        ({"op": "registry"}, "no operator is called 'registry'"),
        ({"op": "protocol"}, "no operator is called 'protocol'"),
        ({"op": "__init__"}, "no operator is called '__init__'"),
        ({"op": "gain.gain"}, "no operator is called 'gain.gain'"),
        ({"op": 3}, "op is 3; accepted: the name of an operator"),
        ({}, "op is None"),
        ({"op": "identity", "level": 3}, "level is not a field of it; accepted: none, it has no"),
        (
            {"op": "gain", "gain": 3, "spam": 4},
            "gain: gain is not a field of it; did you mean 'gain_db'? accepted: gain_db, "
            "target_lufs; spam is not a field of it; accepted: gain_db, target_lufs",
        ),
        ({"op": "gain", "gain_db": [1]}, "gain: gain_db: "),
    ],
)
def test_errors_name_the_field_and_the_way_out(fields, message):
    with pytest.raises(ParameterError) as caught:
        operator_from_fields(fields)
    assert message in str(caught.value)


def test_schemas_of_one_and_of_all():
    assert operator_schema(Gain)["$defs"]["Gain"]["properties"]["gain_db"]["default"] is None
    assert {"Gain", "Identity", "Silence"} <= set(operator_schema()["$defs"])


def test_an_operator_of_another_package(specimens):
    assert operator_class("cut") is Cut
    assert all_operators()["tangle"] is Tangle
    assert operator_by_class_name("Cut") is Cut
    assert parse_step("tangle:count=3").operator == Tangle(count=3)
    assert operator_from_fields({"op": "tangle", "params": {"a": 1}}).params == {"a": 1.0}
    assert "Tangle" in operator_schema()["$defs"]


def test_a_required_field_and_nested_ones_are_named(specimens):
    with pytest.raises(ParameterError, match=r"^overlay: ref is missing; accepted: text$"):
        operator_from_fields({"op": "overlay"})
    with pytest.raises(ParameterError, match=r"^tangle: params: Expected `float`, got `str`"):
        operator_from_fields({"op": "tangle", "params": {"a": "loud"}})
    with pytest.raises(ParameterError, match=r"cutting: .*unknown field `width`"):
        operator_from_fields({"op": "tangle", "cutting": {"width": 1}})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"cut": "tests.unit.nowhere:Cut"}, "'cut' of perturb-specimens cannot be loaded"),
        ({"cut": "tests.unit.specimens:Nothing"}, "cannot be loaded: AttributeError"),
        ({"cut": "tests.unit.specimens:SPECIMENS"}, "is not an Operator class"),
        ({"cut": "tests.unit.specimens:Cutting"}, "is not an Operator class"),
        ({"slice": "tests.unit.specimens:Cut"}, "loads an operator tagged 'cut'; the two names"),
    ],
)
def test_a_bad_entry_point_is_named_with_its_package(install_operators, entry, message):
    install_operators(entry)
    with pytest.raises(ParameterError) as caught:
        all_operators()
    assert message in str(caught.value)
    assert "perturb-specimens" in str(caught.value)
    # What is built in does not fall with it.
    assert operator_class("gain") is Gain


def test_a_name_that_is_taken_is_refused(install_operators, tmp_path):
    install_operators({"cut": "tests.unit.specimens:Cut"})
    install_operators({"cut": "tests.unit.specimens:Cut"}, package="perturb-others")
    with pytest.raises(ParameterError, match=r"'cut' of .*: the name is taken; register it under"):
        all_operators()


def test_a_built_in_name_cannot_be_taken_over(install_operators, monkeypatch, tmp_path):
    (tmp_path / "impostor.py").write_text(
        "from perturb.operators.identity import Identity\n"
        "class Gain(Identity, frozen=True):\n    'Not a gain.'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    install_operators({"gain": "impostor:Gain"})
    with pytest.raises(ParameterError, match="'gain' of perturb-specimens: the name is taken"):
        all_operators()
    assert registry.operator_class("gain") is Gain
