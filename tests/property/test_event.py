"""Laws of events and of replaced, reversed, shuffled and cropped clips, over any signal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.crop import Crop
from perturb.operators.event import Event
from perturb.operators.mismatch import Mismatch
from perturb.operators.reverse import Reverse
from perturb.operators.shuffle import Shuffle
from perturb.plan.step import Plan, Step
from perturb.render.apply import apply
from perturb.render.chain import run_chain
from perturb.render.references import References
from perturb.render.rendering import prove, render
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import signals, spans_of

SOUNDING = ("speech", "noise", "dc", "clipped", "tiny", "click")


@st.composite
def places_in(draw, signal):
    """Return points and spans, in order and apart."""
    spans = draw(spans_of(signal, max_count=3))
    return tuple(Span(span.start_s) if draw(st.booleans()) else span for span in spans) or (
        Span(0.0),
    )


def _run(step, host, **sounds):
    references = References(base=None, schemes={"item": sounds.__getitem__})
    rendering = render(Plan.of([step], clip_id="clip"), Analysis(host), references)
    return rendering, prove(rendering, rendering.finished(), references)[0]


@given(
    signals(kinds=SOUNDING),
    signals(kinds=SOUNDING),
    st.floats(-40.0, 60.0),
    st.sampled_from(["event", "host"]),
    st.data(),
)
def test_any_event_is_at_its_ratio_or_refused_with_a_reason(host, event, snr_db, over, data):
    spans = data.draw(places_in(host))
    fade = data.draw(st.sampled_from([0.0, 0.01, 0.5]))
    operator = Event(ref="item:event", snr_db=snr_db, over=over, fade_in_s=fade)
    try:
        rendering, trace = _run(Step(operator=operator, spans=spans), host, event=event)
    except (InapplicableError, ParameterError) as error:
        assert len(str(error)) > 20  # noqa: PT017  (either outcome is right)
        return
    edited = rendering.chain.links[0].edited
    total = edited.stems["host"].samples + edited.stems["event"].samples
    assert np.array_equal(total, edited.signal.samples)
    assert np.isfinite(edited.signal.samples).all()
    event_over_host_db = snr_db if over == "event" else -snr_db
    for proof in trace.measured:
        # float32 holds a mixture to 144 dB: what lies further under the host drowns in rounding.
        if proof.name == "snr" and event_over_host_db > -50.0:
            assert proof.achieved == pytest.approx(snr_db, abs=0.01)
        if proof.name in ("residual", "outside_difference"):
            assert proof.achieved <= 1.0
    assert len(edited.notes["events"]) == len(spans)


@given(signals(kinds=SOUNDING), signals(kinds=SOUNDING), st.sampled_from(["speech", "other"]))
def test_any_donor_fits_or_is_refused_with_a_reason(host, donor, material):
    operator = Mismatch(ref="item:donor", material=material)
    try:
        rendering, trace = _run(Step(operator=operator), host, donor=donor)
    except (InapplicableError, ParameterError) as error:
        assert len(str(error)) > 20  # noqa: PT017  (either outcome is right)
        return
    assert rendering.finished().samples.shape == host.samples.shape
    assert np.isfinite(rendering.finished().samples).all()
    for proof in trace.measured:
        if proof.name in ("active_level", "loudness", "rms"):
            assert proof.achieved == pytest.approx(proof.requested, abs=0.1)


@given(signals(max_duration_s=0.5), st.data())
def test_the_map_of_an_order_edit_leads_to_the_same_samples(signal, data):
    operator = data.draw(st.sampled_from([Reverse(), Shuffle(segment_s=0.02), Crop()]))
    spans = data.draw(spans_of(signal, max_count=1 if isinstance(operator, Crop) else 2))
    plan = Plan.of([Step(operator=operator, spans=spans)], clip_id="clip")
    try:
        chain = run_chain(plan, Analysis(signal), References(base=None))
    except (InapplicableError, ParameterError):
        return
    rate = signal.sample_rate_hz
    edge = round(0.01 * rate) + 1
    for piece in chain.time_map.pieces:
        target = Span(piece.target_start_s, piece.target_stop_s).to_samples(rate)
        source = Span(piece.source_start_s, piece.source_stop_s).to_samples(rate)
        heard = chain.result.samples[:, slice(*target)]
        there = signal.samples[:, slice(*source)]
        there = there[:, ::-1] if piece.is_reversed else there
        assert heard.shape == there.shape
        assert np.array_equal(heard[:, edge:-edge], there[:, edge:-edge])


@given(signals(kinds=("noise", "clipped", "speech"), max_duration_s=0.4))
def test_backwards_twice_is_forwards(signal):
    try:
        assert apply(signal, Reverse(), Reverse()).signal.is_equal(signal)
    except InapplicableError:
        assert np.array_equal(signal.samples, signal.samples[:, ::-1])
    assert isinstance(signal, Signal)
