"""Steps and plans: what they accept, how they turn into shams, how they are written and read."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from perturb.errors import ParameterError, PlanError
from perturb.operators.gain import Gain
from perturb.operators.identity import Identity
from perturb.operators.silence import Silence
from perturb.plan.step import Plan, Step
from perturb.span import Span
from tests.strategies.records import plans, steps
from tests.unit.specimens import Mirror, Overlay


@given(plans())
def test_a_plan_is_read_back(plan):
    assert Plan.from_json(plan.to_json()) == plan


@given(steps())
def test_a_step_is_read_back(step):
    assert msgspec.json.decode(msgspec.json.encode(step), type=Step) == step


def test_a_plan_is_plain_json():
    plan = Plan.of([Gain(gain_db=10) @ Span(1.0, 2.5)], clip_id="c", seed=7, stream="dose")
    assert msgspec.json.decode(plan.to_json()) == {
        "steps": [
            {
                "operator": {"op": "gain", "gain_db": 10.0, "target_lufs": None},
                "spans": [[1.0, 2.5]],
                "role": "probe",
            }
        ],
        "seed": 7,
        "clip_id": "c",
        "stream": "dose",
        "overflow": "scale",
    }


def test_operators_placed_operators_and_steps_make_a_plan():
    step = Step(operator=Silence(), spans=(Span(0.0, 1.0),), role="sham")
    plan = Plan.of(
        [Identity(), Gain(gain_db=1) @ Span(0.0, 1.0) @ Span(2.0, 3.0), step], clip_id="c"
    )
    assert [len(made.spans) for made in plan.steps] == [0, 2, 1]
    assert [made.role for made in plan.steps] == ["probe", "probe", "sham"]
    assert [made.name for made in plan.steps] == ["identity", "gain", "silence"]


def test_a_plan_of_shams_makes_a_sham_of_every_step():
    step = Step(operator=Silence(), spans=(Span(0.0, 1.0),))
    plan = Plan.of([Identity(), Gain(gain_db=1) @ Span(0.0, 1.0), step], clip_id="c", role="sham")
    assert [made.role for made in plan.steps] == ["sham", "sham", "sham"]
    assert plan.steps[2].spans == step.spans


def test_the_counterpart_turns_every_role_and_nothing_else():
    plan = Plan.of([Gain(gain_db=1) @ Span(0.0, 1.0), Silence()], clip_id="c", seed=3, stream="s")
    turned = plan.counterpart()
    assert turned == Plan.of(
        [Gain(gain_db=1) @ Span(0.0, 1.0), Silence()], clip_id="c", seed=3, stream="s", role="sham"
    )
    assert turned.counterpart() == plan


def test_without_a_sham_there_is_no_counterpart():
    assert Plan.of([Gain(gain_db=1), Mirror()], clip_id="c").counterpart() is None
    with pytest.raises(ParameterError, match="mirror has no sham: none: there is no half-way"):
        Step(operator=Mirror(), role="sham")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Step(operator="gain"), "operator is 'gain'; accepted: an operator"),
        (lambda: Step(operator={"op": "gian"}), "no operator is called 'gian'"),
        (lambda: Step(operator={"op": "gain", "gain_db": 99}), "gain_db is 99"),
        (lambda: Step(operator={"gain_db": 3}), "op is None; accepted: the name of an operator"),
        (
            lambda: Step(operator=Silence(duration_s=30), spans=(Span(1.0, 2.0),)),
            "silence: these parameters are for the whole clip; leave out @1-2",
        ),
        (lambda: Step(operator=Silence(), spans=(Span(1.0),)), "silence: span @1 has no stop"),
        (
            lambda: Step(operator=Silence(), spans=(Span(2.0, 3.0), Span(1.0, 2.1))),
            "silence: spans @1-2.1 and @2-3 overlap",
        ),
        (lambda: Step(operator=Silence(), role="placebo"), "role is 'placebo'"),
        (lambda: Plan.of([Silence()], clip_id="c", seed=-1), "seed is -1; accepted: a whole"),
        (lambda: Plan.of([Silence()], clip_id="c", seed=2**63), "seed is 9223372036854775808"),
        (lambda: Plan.of([Silence()], clip_id="c", overflow="clip"), "overflow is 'clip'"),
        (lambda: Plan.of([Silence()] * 101, clip_id="c"), "101 steps; accepted: up to 100"),
    ],
)
def test_what_is_not_acceptable_is_named(make, message):
    with pytest.raises(ParameterError) as caught:
        make()
    assert message in str(caught.value)


def test_spans_may_touch():
    assert Step(operator=Silence(), spans=(Span(1.0, 2.0), Span(2.0, 3.0)))


def test_a_point_and_a_span_may_start_together_only_apart():
    ref = "file:x.wav"
    assert Step(operator=Overlay(ref=ref), spans=(Span(1.0), Span(1.0, 2.0)))
    with pytest.raises(ParameterError, match="overlap"):
        Step(operator=Overlay(ref=ref), spans=(Span(1.5), Span(1.0, 2.0)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"seed":0', '"seed":0,"colour":1', "unknown field `colour`"),
        ('"gain_db":10.0', '"gain_db":1000.0', "gain_db is 1000.0"),
        ('"gain_db":10.0', '"gain_db":NaN', "malformed"),
        ('"gain_db":10.0', '"gain_db":1e999', "out of range"),
        ('"gain_db":10.0', '"volume":10.0', "volume is not a field of it"),
        ('"probe"', '"placebo"', "$.steps[0].role"),
        ("[1.0,2.5]", "[2.5,1.0]", "has no length"),
        ("[1.0,2.5]", '["1",2.5]', "$.steps[0].spans[0]"),
        ('"seed":0', '"seed":-1', "$.seed"),
        ('"clip_id":"c",', "", "missing required field `clip_id`"),
        ('"seed":0', '"seed":', "malformed"),
    ],
)
def test_an_altered_plan_is_refused(old, new, message):
    text = Plan.of([Gain(gain_db=10) @ Span(1.0, 2.5)], clip_id="c").to_json().decode()
    assert old in text
    with pytest.raises(PlanError) as caught:
        Plan.from_json(text.replace(old, new, 1))
    assert message in str(caught.value)
