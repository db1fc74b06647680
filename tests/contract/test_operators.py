"""What every registered operator owes, whoever wrote it."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import numpy as np
import pytest

from perturb.errors import InapplicableError
from perturb.measure.analysis import Analysis
from perturb.operators.ledger import PROPERTIES
from perturb.operators.registry import all_operators, operator_from_fields, operator_schema
from perturb.plan.step import Plan, Step
from perturb.plan.step_text import format_step, parse_step
from perturb.plan.trace import Trace
from perturb.record import describe_fields
from perturb.render.apply import apply
from perturb.render.chain import StepContext
from perturb.render.references import References
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import speech_like
from tests.extras import example_params

KINDS = list(all_operators().values())
EXAMPLES = [example for kind in KINDS for example in kind.examples()]
CLIP = speech_like(2.4, 16_000, channels=2, seed=3, level=0.05)
SPAN = Span(0.6, 2.0)

pytestmark = pytest.mark.usefixtures("example_references")

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.op_name())
each_example = pytest.mark.parametrize(
    "operator",
    example_params(EXAMPLES),
    ids=lambda operator: format_step(Step(operator=operator)),
)


def _placed(operator):
    return operator if operator.needs_whole_clip else operator @ SPAN


@each_kind
def test_it_is_described(kind):
    assert kind.__doc__
    assert kind.__doc__.strip().splitlines()[0].endswith(".")
    assert kind.sham_description
    assert kind.proof_description
    assert kind.source
    for info in describe_fields(kind):
        assert info.name in kind.__doc__, f"{info.name} is not in the docstring"
        if "number" in info.accepted:
            assert info.description, f"{info.name} has no meaning; annotate it with bounds()"
    for ledger in kind.ledger_table().values():
        assert set(ledger.keeps) | set(ledger.destroys) <= set(PROPERTIES)


@each_kind
def test_it_has_a_schema(kind):
    schema = operator_schema(kind)
    properties = next(iter(schema["$defs"].values()))["properties"]
    assert properties["op"]["enum"] == [kind.op_name()]
    assert set(properties) == {"op", *(info.name for info in describe_fields(kind))}


@each_example
def test_it_survives_dump_and_load(operator):
    assert operator_from_fields(msgspec.to_builtins(operator)) == operator
    step = Step(operator=operator, spans=() if operator.needs_whole_clip else (SPAN,))
    assert parse_step(format_step(step)) == step
    plan = Plan(steps=(step,), clip_id="clip", seed=5)
    assert Plan.from_json(plan.to_json()) == plan


@each_example
@pytest.mark.parametrize("sham", [False, True], ids=["probe", "sham"])
def test_it_keeps_its_promises(operator, sham):
    if sham and not operator.sham_exists():
        pytest.skip(f"{operator.op_name()} declares that it has no sham")
    original = CLIP.samples.copy()
    state = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    variant = apply(CLIP, _placed(operator), seed=1, sham=sham)
    again = apply(CLIP, _placed(operator), seed=1, sham=sham)

    assert random.getstate() == state[0]
    assert np.array_equal(np.random.get_state()[1], state[1])  # noqa: NPY002
    assert np.array_equal(CLIP.samples, original)
    assert variant.signal.is_equal(again.signal)
    assert variant.trace == again.trace
    assert variant.signal is not CLIP
    assert variant.signal.channel_count == CLIP.channel_count
    assert Trace.from_json(variant.trace.to_json()) == variant.trace
    assert variant.trace.measured, "nothing was proven"
    gain = np.float32(10 ** (variant.trace.headroom.gain_db / 20))
    if variant.trace.time_map.is_identity and not operator.needs_whole_clip:
        start, stop = SPAN.to_samples(CLIP.sample_rate_hz)
        for part in (slice(0, start), slice(stop, None)):
            expected = original[:, part] * gain if gain != 1 else original[:, part]
            assert np.array_equal(variant.signal.samples[:, part], expected)


@each_example
def test_probe_and_sham_share_their_gain(operator):
    if not operator.sham_exists():
        pytest.skip(f"{operator.op_name()} declares that it has no sham")
    loud = Signal.adopt(CLIP.samples * np.float32(0.98 / np.abs(CLIP.samples).max()), 16_000)
    gains = {
        apply(loud, _placed(operator), sham=sham).trace.headroom.gain_db for sham in (False, True)
    }
    assert len(gains) == 1


@each_example
def test_seeds_change_noise_and_nothing_else(operator, monkeypatch):
    generators = []
    original = StepContext.generator

    def watched(self, purpose):
        generator = original(self, purpose)
        generators.append((generator, str(generator.bit_generator.state)))
        return generator

    monkeypatch.setattr(StepContext, "generator", watched)
    one, two = (apply(CLIP, _placed(operator), seed=seed).signal for seed in (1, 2))
    drew = any(str(generator.bit_generator.state) != before for generator, before in generators)
    assert one.is_equal(two) != drew


@each_example
def test_a_clip_that_it_cannot_act_on_is_inapplicable_or_proven(operator):
    silence = Signal.from_array(np.zeros(16_000), 16_000)
    try:
        variant = apply(silence, operator)
    except InapplicableError as error:
        reason = str(error)
        assert len(reason) > 10, reason
        return
    assert operator.is_neutral or not variant.signal.is_equal(silence)


@each_example
def test_measure_is_pure(operator):
    variant = apply(CLIP, _placed(operator), seed=1)
    step = variant.trace.steps[0]

    class Context:
        def __init__(self):
            self.before, self.after = Analysis(CLIP), Analysis(variant.signal)
            self.time_map = step.time_map

        def as_written(self, signal):
            return signal

        def resolve(self, reference):
            return References(Path.cwd()).resolve(reference)

    if variant.trace.headroom.gain_db == 0.0:
        found = operator.measure(CLIP, variant.signal, step.spans_before, Context())
        recorded = [proof for proof in step.measured if proof.name != "outside_difference"]
        assert found == recorded
