"""Laws of rendering, over any signal, operator and spans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perturb.errors import InapplicableError, ParameterError
from perturb.operators.gain import Gain
from perturb.operators.identity import Identity
from perturb.operators.registry import all_operators
from perturb.operators.silence import Silence
from perturb.plan.step import Step
from perturb.plan.trace import Trace
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.testing.strategies import signals, spans_of, speech_like
from tests.extras import is_missing

EXAMPLES = [
    example
    for name, kind in all_operators().items()
    if not (name == "audiomentations" and is_missing(name))
    for example in kind.examples()
]

pytestmark = pytest.mark.usefixtures("example_references")


@st.composite
def cases(draw):
    signal = draw(signals())
    operator = draw(st.sampled_from(EXAMPLES))
    spans = () if operator.needs_whole_clip else draw(spans_of(signal))
    role = draw(st.sampled_from(["probe", "sham"] if operator.sham_exists() else ["probe"]))
    return signal, Step(operator=operator, spans=spans, role=role)


@given(cases())
def test_any_clip_is_edited_or_refused_with_a_reason(case):
    signal, step = case
    before = signal.samples.copy()
    try:
        variant = apply(signal, step, seed=3)
    except (InapplicableError, ParameterError) as error:
        assert len(str(error)) > 10  # noqa: PT017  (either outcome is right)
        return
    finally:
        assert np.array_equal(signal.samples, before)
    assert np.isfinite(variant.signal.samples).all()
    assert variant.signal.sample_rate_hz == signal.sample_rate_hz
    assert variant.signal.channel_count == signal.channel_count
    assert Trace.from_json(variant.trace.to_json()) == variant.trace
    outside = [p for p in variant.trace.measured if p.name == "outside_difference"]
    assert all(proof.achieved == 0.0 for proof in outside)


@given(signals(), st.data())
def test_neutral_steps_are_the_identity(signal, data):
    neutral = data.draw(st.sampled_from([Identity(), Gain(gain_db=0.0)]))
    spans = data.draw(spans_of(signal))
    variant = apply(signal, Step(operator=neutral, spans=spans))
    assert variant.signal.is_equal(signal)
    assert variant.trace.headroom.gain_db == 0.0
    assert variant.trace.status == "ok"


@given(signals(kinds=("noise", "clipped")), st.floats(-30.0, 30.0), st.data())
def test_gain_is_what_it_says(signal, gain_db, data):
    if abs(gain_db) < 0.1 or signal.sample_count < 400:
        return
    spans = data.draw(spans_of(signal, max_count=1))
    variant = apply(signal, Step(operator=Gain(gain_db=gain_db), spans=spans))
    proofs = [p for p in variant.trace.measured if p.name == "level_change"]
    assert all(proof.achieved == pytest.approx(gain_db, abs=0.01) for proof in proofs)


@given(signals(kinds=("noise", "dc", "clipped", "speech")), st.data())
def test_silence_is_exact_and_does_not_click(signal, data):
    spans = data.draw(spans_of(signal, max_count=2))
    try:
        variant = apply(signal, Step(operator=Silence(), spans=spans))
    except InapplicableError:
        assert any(
            not signal.samples[:, slice(*span.to_samples(signal.sample_rate_hz))].any()
            for span in spans
        )
        return
    result = variant.signal.samples
    if not spans:
        assert not result.any()
        return
    for span in spans:
        start, stop = span.to_samples(signal.sample_rate_hz)
        quarter = min(round(0.01 * signal.sample_rate_hz) + 1, (stop - start) // 4 + 1)
        assert not result[:, start + quarter : stop - quarter].any()


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 192_000])
def test_edges_on_dc_and_on_a_tone_are_smooth(rate):
    time_s = np.arange(rate) / rate
    tone = Signal.from_array(0.4 + 0.3 * np.sin(2 * np.pi * 100 * time_s), rate)
    variant = apply(tone, Silence() @ _span(0.3, 0.7))
    steps = np.abs(np.diff(variant.signal.samples[0]))
    # A raised cosine of 10 ms has a slope of at most π/2 per 10 ms; the tone adds its own.
    slope = 0.7 * np.pi / 2 / (0.01 * rate) + 0.3 * 2 * np.pi * 100 / rate
    assert steps.max() <= 1.02 * slope
    assert not variant.signal.samples[0, round(0.311 * rate) : round(0.689 * rate)].any()


def _span(start, stop):
    from perturb.span import Span

    return Span(start, stop)


@given(st.integers(1, 4), st.sampled_from([8_000, 16_000, 44_100]), st.integers(0, 100))
@settings(max_examples=10)
def test_equal_channels_stay_equal(channels, rate, seed):
    mono = speech_like(1.2, rate, seed=seed).samples
    clip = Signal.adopt(np.repeat(mono, channels, axis=0), rate)
    for operator in EXAMPLES:
        try:
            result = apply(clip, operator).signal.samples
        except InapplicableError:
            continue
        assert all(np.array_equal(result[0], channel) for channel in result), operator
