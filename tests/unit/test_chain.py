"""Chains: spans in the original's time land on the right audio, whatever came before them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import perturb as pt
from perturb.errors import AudioError, InapplicableError, ParameterError, PlanError
from perturb.plan.step import Plan, Step
from perturb.signal import Signal
from perturb.span import Span
from perturb.streams import Streams
from tests.unit.specimens import Break, Cut, Loose, Mirror, Overlay, Squeeze

RATE_HZ = 8_000
EDGE_S = 0.0102  # a join, and a sample of rounding


def _ramp(duration_s: float) -> Signal:
    """Return a clip in which the value of a sample tells where it came from."""
    count = round(duration_s * RATE_HZ)
    return Signal.from_array((np.arange(count) + 1) / count / 2, RATE_HZ)


def _is_from(signal: Signal, duration_s: float, *spans: Span) -> np.ndarray:
    """Read from its value whether each sample came from one of the spans."""
    count = round(duration_s * RATE_HZ)
    source = np.rint(signal.samples[0].astype(np.float64) * 2 * count) - 1
    found = np.zeros(signal.sample_count, dtype=bool)
    for span in spans:
        start, stop = span.to_samples(RATE_HZ)
        found |= (source >= start) & (source < stop)
    return found


def _far_from_edges(spans, count):
    """Return which samples of a result lie clear of the joins of its spans."""
    time_s = np.arange(count) / RATE_HZ
    far = np.ones(count, dtype=bool)
    for span in spans:
        for edge_s in (span.start_s, span.end_s):
            far &= np.abs(time_s - edge_s) > EDGE_S
    return far


def test_silence_after_a_cut_a_squeeze_and_a_reversal_hits_what_it_names():
    clip = _ramp(6.0)
    edits = (
        Cut() @ Span(1.0, 1.5),
        Squeeze(rate=2.0) @ Span(2.0, 3.0),
        Mirror() @ Span(3.5, 4.5),
    )
    asked = (Span(2.5, 3.75), Span(4.8, 5.0))
    plain = pt.apply(clip, *edits)
    variant = pt.apply(clip, *edits, Step(operator=pt.Silence(), spans=asked))
    assert variant.signal.sample_count == (6.0 - 0.5 - 0.5) * RATE_HZ

    done = variant.trace.steps[3]
    assert done.spans_original == asked
    # 2.5–3 lies in the squeezed half, 3–3.5 behind it, 3.5–3.75 at the end of what runs backwards.
    assert [str(span) for span in done.spans_before] == ["@1.75-2.5", "@3.25-3.5", "@3.8-4"]

    named = _is_from(plain.signal, 6.0, *asked)
    silent = variant.signal.samples[0] == 0.0
    far = _far_from_edges(done.spans_before, len(silent))
    assert np.array_equal(silent[far], named[far])
    assert silent[far].sum() > 0.6 * RATE_HZ


def test_spans_after_are_in_the_time_of_the_variant():
    variant = pt.apply(
        _ramp(6.0),
        pt.Gain(gain_db=-6.0) @ Span(4.0, 5.0),
        Squeeze(rate=2.0) @ Span(1.0, 3.0),
        pt.Silence() @ Span(0.5, 0.75),
    )
    gain, squeeze, silence = variant.trace.steps
    assert (gain.spans_before, gain.spans_after) == ((Span(4.0, 5.0),), (Span(3.0, 4.0),))
    assert (squeeze.spans_before, squeeze.spans_after) == ((Span(1.0, 3.0),), (Span(1.0, 2.0),))
    assert (silence.spans_before, silence.spans_after) == ((Span(0.5, 0.75),), (Span(0.5, 0.75),))
    assert variant.trace.time_map.map_span(Span(4.0, 5.0)) == (Span(3.0, 4.0),)
    assert variant.trace.time_map.target_duration_s == pytest.approx(5.0)


operators = st.sampled_from(
    [Cut(), Squeeze(rate=2.0), Squeeze(rate=0.5), Squeeze(rate=3.7), Squeeze(rate=1.1), Mirror()]
)


@st.composite
def spans_in(draw, duration_s, max_count=2):
    edges = sorted(
        draw(
            st.lists(
                st.integers(0, round(duration_s * 1_000)), min_size=2, max_size=2 * max_count,
                unique=True,
            )
        )
    )  # fmt: skip
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    return tuple(Span(a / 1_000, b / 1_000) for a, b in pairs)


@given(st.data())
def test_any_chain_lands_on_the_right_audio(data):
    duration_s = 1.5
    clip = _ramp(duration_s)
    steps = []
    for _ in range(data.draw(st.integers(1, 4))):
        step = Step(operator=data.draw(operators), spans=data.draw(spans_in(duration_s)))
        try:
            pt.apply(clip, *steps, step)
        except (InapplicableError, AudioError, ParameterError):
            continue  # everything cut out, or nothing left to act on
        steps.append(step)
    assume(steps)
    plain = pt.apply(clip, *steps).signal
    asked = data.draw(spans_in(duration_s, max_count=1))[0]
    named = _is_from(plain, duration_s, asked)
    try:
        variant = pt.apply(clip, *steps, pt.Silence() @ asked)
    except InapplicableError as error:
        assert f"span {asked} removed by step" in str(error)  # noqa: PT017
        assert named.sum() <= 2  # what rounding may leave of it
        return
    before = variant.trace.steps[-1].spans_before
    silent = variant.signal.samples[0] == 0.0
    far = _far_from_edges(before, len(silent))
    assert np.array_equal(silent[far], named[far])


def test_a_removed_span_is_inapplicable_and_names_the_step_that_removed_it():
    clip = _ramp(3.0)
    steps = (
        Squeeze(rate=2.0) @ Span(0.0, 0.5),
        Cut() @ Span(1.0, 2.0),
        Mirror() @ Span(2.5, 3.0),
    )
    message = r"^step 4 \(silence\): span @1\.2-1\.4 removed by step 2 \(cut\)$"
    with pytest.raises(InapplicableError, match=message):
        pt.apply(clip, *steps, pt.Silence() @ Span(1.2, 1.4))
    # Nothing is said of the clip where one of several spans is gone: the step is not what it was.
    with pytest.raises(InapplicableError, match=message):
        pt.apply(clip, *steps, pt.Silence() @ Span(0.1, 0.2) @ Span(1.2, 1.4))
    # What is left of a span that was cut into is still that span.
    variant = pt.apply(clip, *steps, pt.Silence() @ Span(0.8, 1.4))
    assert variant.trace.steps[3].spans_before == (Span(0.55, 0.75),)


def test_a_span_of_which_no_sample_is_left_is_removed():
    clip = _ramp(1.0)
    with pytest.raises(InapplicableError, match=r"span @0\.5-0\.5001 removed by step 1 \(squeeze"):
        pt.apply(clip, Squeeze(rate=10.0) @ Span(0.0, 1.0), pt.Silence() @ Span(0.5, 0.5001))


def test_fixed_length_silence_removes_everything():
    clip = _ramp(1.0)
    with pytest.raises(InapplicableError, match=r"span @0.1-0.2 removed by step 1 \(silence\)"):
        pt.apply(clip, pt.Silence(duration_s=2.0), pt.Gain(gain_db=3) @ Span(0.1, 0.2))
    with pytest.raises(ParameterError, match="for the whole clip; leave out @0"):
        pt.apply(clip, pt.Silence(duration_s=2.0) @ Span(0.1, 0.2))
    variant = pt.apply(clip, pt.Silence(duration_s=2.0))
    assert variant.signal.sample_count == 2 * RATE_HZ
    assert not variant.signal.samples.any()
    assert variant.trace.time_map.map_span(Span(0.1, 0.2)) == ()


def test_points_are_mapped_too(folder):
    click = Signal.from_array([0.25], RATE_HZ)
    pt.write_audio(folder / "click.wav", click, _float())
    quiet = Signal.from_array(np.zeros(2 * RATE_HZ), RATE_HZ)
    overlay = Overlay(ref="file:click.wav")
    variant = pt.apply(quiet, Squeeze(rate=2.0) @ Span(0.0, 1.0), overlay @ Span(0.5) @ Span(1.5))
    assert np.flatnonzero(variant.signal.samples[0]).tolist() == [RATE_HZ // 4, RATE_HZ]
    assert variant.trace.steps[1].spans_before == (Span(0.25), Span(1.0))
    with pytest.raises(InapplicableError, match=r"span @0.5 removed by step 1 \(cut\)"):
        pt.apply(quiet, Cut() @ Span(0.2, 0.8), overlay @ Span(0.5))


def _float():
    from perturb.audio_io import OutputFormat

    return OutputFormat(subtype="FLOAT")


def test_spans_that_share_an_edge_stay_apart_after_any_map():
    clip = _ramp(2.0)
    spans = tuple(Span(i / 7, (i + 1) / 7) for i in range(14))
    variant = pt.apply(
        clip,
        Squeeze(rate=1.3) @ Span(0.1, 1.9),
        Squeeze(rate=0.77) @ Span(0.3, 1.2),
        Step(operator=pt.Silence(), spans=spans),
    )
    before = variant.trace.steps[2].spans_before
    assert len(before) == 14
    assert before[-1].end_s == pytest.approx(variant.signal.duration_s)


def test_what_a_map_may_be_rounded_by_puts_no_span_past_the_end_or_into_another():
    clip = _ramp(1.0)
    spans = (Span(0.2, 0.5), Span(0.5, 0.7), Span(0.8, 1.0))
    variant = pt.apply(clip, Loose(), Step(operator=pt.Silence(), spans=spans))
    assert [str(span) for span in variant.trace.steps[1].spans_before] == [
        "@0.1-0.4",
        "@0.4-0.600125",
        "@0.700125-0.9",
    ]


def test_nor_a_point(folder):
    pt.write_audio(folder / "click.wav", Signal.from_array([0.25], RATE_HZ), _float())
    quiet = Signal.from_array(np.zeros(RATE_HZ), RATE_HZ)
    last = Span((RATE_HZ - 1) / RATE_HZ)
    variant = pt.apply(quiet, Loose(), Overlay(ref="file:click.wav") @ last)
    assert np.flatnonzero(variant.signal.samples[0]).tolist() == [variant.signal.sample_count - 1]


@pytest.mark.parametrize(
    ("span", "message"),
    [
        (Span(0.5, 1.1), "span @0.5-1.1 runs past the end of the clip; accepted: 0 to 1 s"),
        (Span(2.0, 3.0), "runs past the end"),
        (Span(0.5, 0.50001), "span @0.5-0.50001 holds no sample at 8000 Hz"),
    ],
)
def test_spans_that_the_clip_does_not_have(span, message):
    with pytest.raises(ParameterError) as caught:
        pt.apply(_ramp(1.0), pt.Silence() @ span)
    assert message in str(caught.value)
    with pytest.raises(ParameterError) as caught:
        pt.apply(_ramp(1.0), pt.Identity(), pt.Silence() @ span)
    assert str(caught.value).startswith("step 2 (silence): span ")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("rate", "operator break changed the rate to 8001 Hz; this is a fault of the operator"),
        ("channels", "changed the channels to 2"),
        ("map", "returned a time map of another source duration"),
        ("long_map", "returned a time map that does not fit its result"),
        ("shape", "a spliced operator keeps channels and length"),
        ("notes", "notes are not plain finite JSON"),
    ],
)
def test_an_operator_that_breaks_its_contract_is_named(how, message):
    clip = _ramp(1.0) if how != "notes" else Signal.from_array(np.full(100, 0.1), 16_000)
    with pytest.raises(PlanError) as caught:
        pt.apply(clip, Break(how=how))
    assert message in str(caught.value)


def test_a_result_that_is_not_finite_is_refused():
    with pytest.raises(AudioError, match="sample 0 of channel 0 is not finite"):
        pt.apply(_ramp(1.0), Break(how="nan"))


def test_no_step_at_all_is_a_copy():
    clip = _ramp(1.0)
    variant = pt.apply(clip)
    assert variant.signal.is_equal(clip)
    assert variant.signal is not clip
    assert variant.trace.status == "ok"
    assert variant.trace.steps == ()


def test_streams_are_keyed_by_seed_clip_stream_and_step():
    clip = Signal.from_array(np.random.default_rng(0).normal(0, 0.1, RATE_HZ), RATE_HZ)
    noise = pt.Silence(fill="noise")

    def result(*steps, **more):
        return pt.apply(clip, *steps, **more).signal

    same = result(noise, seed=1)
    assert same.is_equal(result(noise, seed=1))
    assert not same.is_equal(result(noise, seed=2))
    assert not same.is_equal(result(noise, seed=1, clip_id="other"))
    assert not same.is_equal(result(noise, seed=1, stream="other"))
    # The step's place is part of the key, and what else stands in the plan is not.
    assert not same.is_equal(result(pt.Identity(), noise, seed=1))
    assert same.is_equal(result(noise, pt.Identity(), seed=1))
    trace = pt.apply(clip, pt.Identity(), noise, seed=1).trace
    keys = Streams(1, clip.audio_sha256, "main")
    assert [step.stream_key for step in trace.steps] == [
        keys.key("0:identity"),
        keys.key("1:silence"),
    ]


def test_global_random_states_are_left_alone():
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002  (the legacy state is what must not change)
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    clip = Signal.from_array(np.random.default_rng(0).normal(0, 0.1, RATE_HZ), RATE_HZ)
    pt.apply(clip, pt.Silence(fill="noise") @ Span(0.2, 0.5), pt.Gain(gain_db=20), seed=1)
    pt.apply(clip, pt.Silence(fill="room"), overflow="limit")
    assert random.getstate() == states[0]
    after = np.random.get_state()  # noqa: NPY002
    assert after[0] == states[1][0]
    assert np.array_equal(after[1], states[1][1])
    assert after[2:] == states[1][2:]


def test_a_plan_renders_the_same_whatever_order_its_spans_are_given_in():
    clip = _ramp(1.0)
    spans = (Span(0.1, 0.2), Span(0.4, 0.6))
    one, two = (
        pt.apply(clip, Step(operator=pt.Silence(fill="noise"), spans=given), clip_id="c").signal
        for given in (spans, spans[::-1])
    )
    assert one.is_equal(two)
    assert Plan.of([pt.Silence() @ spans[0]], clip_id="c").steps[0].spans == spans[:1]


def test_what_is_no_clip_is_refused():
    with pytest.raises(ParameterError, match=r"clip is ndarray; accepted: a Signal"):
        pt.apply(np.zeros(100), pt.Gain(gain_db=3.0))


def test_operators_get_spans_from_sample_to_sample():
    assert Span(0.10004, 0.2).on_samples(8_000) == Span(0.1, 0.2)
    assert Span(0.10004).on_samples(8_000) == Span(0.10004)
    (step,) = pt.apply(_ramp(1.0), pt.Gain(gain_db=-3.0) @ Span(0.10004, 0.5)).trace.steps
    assert step.spans_before == (Span(0.1, 0.5),)
    assert step.spans_original == (Span(0.10004, 0.5),)
