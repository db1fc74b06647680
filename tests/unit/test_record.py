from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.record import Record, bounds, describe_fields


class Example(Record, frozen=True, kw_only=True):
    level_db: Annotated[float, bounds(-60.0, 20.0, "dB", "level")]
    count: Annotated[int, bounds(1, None, "", "how many")] = 1
    cutoff_hz: Annotated[float, bounds(0.0, None, "Hz", "cut-off", open_low=True)] | None = None
    fill: Literal["zero", "room"] = "zero"


def test_every_problem_is_named_with_value_range_and_unit():
    with pytest.raises(ParameterError) as caught:
        Example(level_db=99, count=0, fill="nothing", cutoff_hz=0.0)
    assert str(caught.value) == (
        "Example: level_db is 99; accepted: a finite number, -60 to 20 dB; "
        "count is 0; accepted: a whole number, at least 1; "
        "cutoff_hz is 0.0; accepted: a finite number, above 0 Hz or none; "
        "fill is 'nothing'; accepted: 'room', 'zero'"
    )


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "3", None, True, [1.0]])
def test_a_number_is_a_finite_number(bad):
    with pytest.raises(ParameterError, match="level_db is"):
        Example(level_db=bad)


@pytest.mark.parametrize("value", [3, np.float32(3.0), np.float64(3.0), np.int64(3)])
def test_numbers_of_any_kind_become_plain_ones(value):
    assert type(Example(level_db=value).level_db) is float
    assert Example(level_db=value) == Example(level_db=3.0)


def test_records_are_frozen():
    with pytest.raises(AttributeError):
        Example(level_db=1.0).level_db = 2.0


def test_unknown_fields_and_bad_values_are_refused_on_loading():
    with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
        msgspec.json.decode(b'{"level_db": 1, "colour": 2}', type=Example)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"level_db": 100}', type=Example)
    one = Example(level_db=-3.25, cutoff_hz=8.0)
    assert msgspec.json.decode(msgspec.json.encode(one), type=Example) == one


def test_fields_are_described():
    info = {field.name: field for field in describe_fields(Example)}
    assert info["level_db"].unit == "dB"
    assert info["level_db"].is_required
    assert info["cutoff_hz"].unit == "Hz"
    assert info["cutoff_hz"].description == "cut-off"
    assert info["count"].default == 1
