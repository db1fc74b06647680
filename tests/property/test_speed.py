"""Laws of `speed`, over any signal, rate and spans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import InapplicableError
from perturb.operators.gain import Gain
from perturb.operators.silence import Silence
from perturb.operators.speed import Speed
from perturb.operators.tempo_edit import places_at_rate
from perturb.plan.step import Step
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing import check_operator
from perturb.testing.strategies import RATES_HZ, signals, spans_of, speech_like

rates = st.floats(0.25, 4.0).map(lambda rate: round(rate, 3)).filter(lambda rate: rate != 1.0)
engines = st.sampled_from(["wsola", "wsola_speech"])


@given(signals(), rates, engines, st.booleans(), st.data())
def test_any_clip_is_edited_exactly_or_refused(signal, rate, engine, is_sham, data):
    spans = data.draw(spans_of(signal))
    role = "sham" if is_sham else "probe"
    try:
        variant = apply(
            signal, Step(operator=Speed(rate=rate, engine=engine), spans=spans, role=role)
        )
    except InapplicableError as error:
        reason = str(error)
        assert "too short" in reason or "digital silence" in reason
        return
    proofs = {(proof.name, proof.span): proof for proof in variant.trace.steps[0].measured}
    assert proofs["length", None].verdict == "ok"
    outside = proofs.get(("shifted_difference", None)) or proofs.get(("outside_difference", None))
    assert outside is None or outside.achieved == 0.0
    time_map, result = variant.trace.time_map, variant.signal
    assert abs(time_map.target_duration_s - result.duration_s) <= 0.5 / signal.sample_rate_hz
    assert time_map.is_identity == is_sham
    exact = signal.duration_s
    if not is_sham:
        for span in spans or (Span(0.0, signal.duration_s),):
            start, stop = span.to_samples(signal.sample_rate_hz)
            exact -= (stop - start) / signal.sample_rate_hz * (1.0 - 1.0 / rate)
    assert abs(result.duration_s - exact) <= 0.51 / signal.sample_rate_hz


@given(st.sampled_from(RATES_HZ), rates, engines, st.integers(0, 50))
def test_clicks_are_heard_once_and_where_the_map_says(sample_rate_hz, rate, engine, seed):
    random = np.random.default_rng(seed)
    samples = np.zeros(round(0.6 * sample_rate_hz))
    places = np.sort(random.uniform([0.1, 0.3, 0.45], [0.2, 0.4, 0.52]) * sample_rate_hz)
    samples[places.astype(int)] = 0.5
    clip = Signal.from_array(samples, sample_rate_hz)
    variant = apply(clip, Speed(rate=rate, engine=engine))
    heard = np.flatnonzero(np.abs(variant.signal.samples[0]) > 0.25) / sample_rate_hz
    time_map = variant.trace.time_map
    due = [time_map.map_point(int(place) / sample_rate_hz)[0] for place in places]
    # Locally the mode for speech may be so fast that two clicks share a window.
    if engine == "wsola" and rate < 3.0:
        assert len(heard) == len(due)
    assert all(min(abs(moment - other) for other in due) < 0.012 for moment in heard)


@given(rates, st.integers(0, 20))
def test_equal_channels_stay_equal(rate, seed):
    mono = speech_like(0.6, 16_000, seed=seed).samples
    clip = Signal.adopt(np.repeat(mono, 3, axis=0), 16_000)
    result = apply(clip, Speed(rate=rate)).signal.samples
    assert all(np.array_equal(result[0], channel) for channel in result)


@given(rates, engines, st.floats(0.1, 0.9), st.floats(0.3, 0.8))
def test_later_spans_land_on_the_audio_they_were_meant_for(rate, engine, start_s, length_s):
    # A second of speech, then a mark; the tempo edit comes before it, in the middle of a chain.
    samples = speech_like(3.0, 16_000, seed=5, level=0.05).samples.copy()
    samples[:, 36_000:40_000] = 0.25
    clip = Signal.adopt(samples, 16_000)
    span = Span(start_s, start_s + length_s)
    variant = apply(
        clip,
        Gain(gain_db=-3.0) @ Span(0.2, 0.6),
        Speed(rate=rate, engine=engine) @ span,
        Silence() @ Span(2.3, 2.45),
    )
    place = places_at_rate([span], 16_000, rate)[0]
    shift = place.new_stop - place.stop
    result = variant.signal.samples[0] / 10 ** (variant.trace.headroom.gain_db / 20)
    mark = result[36_000 + shift : 40_000 + shift]
    np.testing.assert_allclose(mark[:700], 0.25, atol=1e-6)
    np.testing.assert_allclose(mark[3_300:], 0.25, atol=1e-6)
    assert not mark[1_000:3_000].any()
    assert not np.isclose(result[35_990 + shift], 0.25)


@pytest.mark.slow
@pytest.mark.parametrize(
    "operator",
    [Speed(rate=1.5), Speed(rate=0.5), Speed(rate=2.0, engine="wsola_speech")],
    ids=["faster", "slower", "speech"],
)
def test_it_owes_what_every_operator_owes(operator):
    check_operator(operator)
