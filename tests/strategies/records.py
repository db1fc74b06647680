"""Hypothesis strategies for every record that is written to disk."""

from __future__ import annotations

from hypothesis import strategies as st

from perturb.audio_io import OutputFormat
from perturb.operators.gain import Gain
from perturb.operators.identity import Identity
from perturb.operators.proof import Measured
from perturb.operators.silence import Silence
from perturb.plan.step import Plan, Step
from perturb.plan.trace import AudioRecord, Environment, Headroom, StepTrace, Trace, missed_proofs
from perturb.render.verify import Finding, Verification
from perturb.span import Span
from perturb.streams import SEED_RANGE
from perturb.testing.strategies import time_maps

__all__ = [
    "audio_records",
    "environments",
    "headrooms",
    "measured",
    "operators",
    "output_formats",
    "plans",
    "span_lists",
    "spans",
    "step_traces",
    "steps",
    "traces",
    "verifications",
]

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=12)
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spans(draw, *, points: bool = True):
    start_s = draw(st.floats(0.0, 1e4))
    if points and draw(st.booleans()):
        return Span(start_s)
    return Span(start_s, start_s + draw(st.floats(1e-3, 1e3)))


@st.composite
def span_lists(draw, *, points: bool = False, max_size: int = 3):
    found = []
    at_s = 0.0
    for _ in range(draw(st.integers(0, max_size))):
        start_s = at_s + draw(st.floats(0.0, 100.0))
        at_s = start_s + draw(st.floats(1e-3, 100.0))
        is_point = points and draw(st.booleans())
        found.append(Span(start_s) if is_point else Span(start_s, at_s))
    return tuple(draw(st.permutations(found)))


def operators():
    return st.one_of(
        st.just(Identity()),
        st.builds(Gain, gain_db=st.floats(-60.0, 60.0)),
        st.builds(Gain, target_lufs=st.floats(-60.0, 0.0)),
        st.builds(Silence, fill=st.sampled_from(["zero", "room", "noise"])),
        st.builds(Silence, duration_s=st.floats(0.1, 3600.0)),
    )


@st.composite
def steps(draw):
    operator = draw(operators())
    found = () if operator.needs_whole_clip else draw(span_lists())
    return Step(operator=operator, spans=found, role=draw(st.sampled_from(["probe", "sham"])))


def plans():
    return st.builds(
        Plan,
        steps=st.lists(steps(), max_size=3).map(tuple),
        seed=st.integers(*SEED_RANGE),
        clip_id=texts,
        stream=texts,
        overflow=st.sampled_from(["scale", "error", "limit"]),
    )


def measured():
    def build(reason, achieved, **more):
        # An undefined value comes with its reason.
        return Measured(achieved=achieved if reason else achieved or 0.0, reason=reason, **more)

    return st.builds(
        build,
        name=texts,
        unit=texts,
        requested=finite,
        achieved=st.none() | finite,
        tolerance=st.floats(0.0, 1e300),
        bound=st.sampled_from(["within", "at_most", "at_least"]),
        instrument=st.sampled_from(["independent", "self-consistent"]),
        span=st.none() | st.integers(0, 9),
        reason=st.none() | texts,
    )


def audio_records():
    return st.builds(
        AudioRecord,
        path=st.none() | texts,
        file_sha256=st.none() | hashes,
        audio_sha256=hashes,
        sample_rate_hz=st.integers(8_000, 192_000),
        channels=st.integers(1, 64),
        samples=st.integers(1, 2**40),
        container=st.none() | texts,
        subtype=st.none() | texts,
        clipped_samples=st.integers(0, 2**40),
        notes=st.lists(texts, max_size=2).map(tuple),
    )


def headrooms():
    gains = st.floats(max_value=0.0, allow_infinity=False)
    return st.builds(
        Headroom,
        gain_db=gains,
        ceiling_dbtp=finite,
        needed_db=gains,
        counterpart_needed_db=st.none() | gains,
        limited=st.booleans(),
    )


def environments():
    return st.builds(
        Environment, versions=st.dictionaries(texts, texts, max_size=3), processor=texts
    )


def output_formats():
    return st.builds(
        OutputFormat,
        container=st.sampled_from(["WAV", "WAVEX"]),
        subtype=st.sampled_from(["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]),
        channel_mask=st.integers(0, 2**32 - 1),
        notes=st.lists(texts, max_size=2).map(tuple),
    )


def step_traces():
    return st.builds(
        StepTrace,
        spans_original=span_lists(points=True),
        spans_before=span_lists(points=True),
        spans_after=span_lists(points=True),
        time_map=st.floats(0.5, 100.0).flatmap(time_maps),
        stream_key=hashes,
        measured=st.lists(measured(), max_size=2).map(tuple),
        notes=st.dictionaries(texts, json_values, max_size=3),
    )


def verifications():
    finding = st.builds(
        Finding,
        kind=st.sampled_from(["trace", "input", "output", "replay", "proof"]),
        path=texts,
        message=texts,
    )
    return st.builds(
        Verification,
        path=texts,
        status=st.none() | st.sampled_from(["ok", "off_target", "inapplicable", "failed"]),
        checks=st.lists(texts, max_size=2).map(tuple),
        findings=st.lists(finding, max_size=2).map(tuple),
        missed=st.integers(0, 9),
    )


@st.composite
def traces(draw):
    plan = draw(plans())
    count = len(plan.steps)
    done = tuple(draw(st.lists(step_traces(), min_size=count, max_size=count)))
    missed = bool(missed_proofs(done))
    shared = {
        "plan": plan,
        "input": draw(audio_records()),
        "references": draw(st.dictionaries(texts, audio_records(), max_size=2)),
        "environment": draw(environments()),
    }
    if draw(st.booleans()):
        return Trace(
            status=draw(st.sampled_from(["inapplicable", "failed"])), reason=draw(texts), **shared
        )
    return Trace(
        status="off_target" if missed else "ok",
        reason="off target" if missed else None,
        output=draw(audio_records()),
        output_format=draw(st.none() | output_formats()),
        headroom=draw(headrooms()),
        time_map=draw(st.floats(0.5, 100.0).flatmap(time_maps)),
        steps=done,
        **shared,
    )
