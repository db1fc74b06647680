"""Traces: read back as written; refused once altered, or where they contradict themselves."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.errors import ParameterError, PlanError
from perturb.operators.proof import Measured
from perturb.plan.trace import (
    OUTSIDE_PROOF,
    AudioRecord,
    Environment,
    Headroom,
    StepTrace,
    Trace,
    missed_proofs,
)
from perturb.render.rendering import describe_signal
from perturb.render.verify import Verification
from perturb.testing.strategies import time_maps
from perturb.time_map import TimeMap
from tests.strategies import records
from tests.unit.forgery import by_hand, forged, remove_field, set_field


@pytest.fixture(scope="module")
def trace():
    noise = np.random.default_rng(5).normal(0.0, 0.05, 8_000)
    clip = pt.Signal.from_array(noise, 16_000)
    return pt.apply(clip, pt.Gain(gain_db=6.0) @ pt.Span(0.1, 0.2), pt.Silence()).trace


@given(records.traces())
def test_a_trace_is_read_back(trace):
    text = trace.to_json()
    again = Trace.from_json(text)
    assert again == trace
    assert again.to_json() == text


@given(records.traces())
def test_a_trace_is_strict_json_with_a_final_newline(trace):
    text = trace.to_json()
    assert text.endswith(b"}\n")

    def refuse(name):
        raise AssertionError(name)

    fields = json.loads(text, parse_constant=refuse)
    assert next(iter(fields)) == "format"
    assert list(fields)[-1] == "record_sha256"


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [
        (Measured, records.measured()),
        (AudioRecord, records.audio_records()),
        (Headroom, records.headrooms()),
        (StepTrace, records.step_traces()),
        (Environment, records.environments()),
        (pt.Span, records.spans()),
        (pt.TimeMap, st.floats(0.5, 100.0).flatmap(time_maps)),
        (OutputFormat, records.output_formats()),
        (Verification, records.verifications()),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_record_is_read_back(kind, strategy):
    @given(strategy)
    def check(record):
        assert msgspec.json.decode(msgspec.json.encode(record), type=kind) == record

    check()


def test_the_forger_of_these_tests_can_write_a_trace(trace):
    assert Trace.from_json(forged(trace.to_json(), lambda fields: None)) == trace


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_field("steps", 0, "measured", 0, "achieved", 9.0), "verdict 'ok' contradicts"),
        (set_field("steps", 0, "measured", 0, "achieved", None), "undefined without a reason"),
        (set_field("steps", 0, "measured", 0, "verdict", "off_target"), "contradicts its numbers"),
        (set_field("steps", 0, "measured", 0, "tolerance", -1.0), "tolerance"),
        (set_field("status", "off_target"), "status 'off_target' contradicts its proofs"),
        (set_field("status", "inapplicable"), "takes a reason and no output"),
        (set_field("status", "fine"), "$.status"),
        (set_field("output", None), "lacks an output"),
        (set_field("headroom", None), "takes a headroom"),
        (set_field("time_map", None), "takes a headroom, a time map"),
        (remove_field("steps", 1), "a record of each step"),
        (set_field("colour", "blue"), "unknown field `colour`"),
        (set_field("plan", "colour", "blue"), "unknown field `colour`"),
        (set_field("steps", 0, "measured", 0, "colour", "blue"), "unknown field `colour`"),
        (
            set_field("plan", "steps", 0, "operator", "colour", "blue"),
            "colour is not a field of it",
        ),
        (set_field("plan", "steps", 0, "operator", "gain_db", 600.0), "gain_db is 600.0"),
        (
            set_field("plan", "steps", 0, "operator", "op", "louder"),
            "no operator is called 'louder'",
        ),
        (set_field("plan", "steps", 0, "spans", 0, 1, 0.0), "$.plan.steps[0].spans[0]"),
        (set_field("steps", 0, "measured", 0, "achieved", float("nan")), "malformed"),
        (set_field("headroom", "gain_db", float("inf")), "malformed"),
        (set_field("headroom", "gain_db", 3.0), "$.headroom.gain_db"),
        (set_field("time_map", "pieces", 0, 0, 0.1), "$.time_map"),
        (set_field("input", "channels", 0), "$.input.channels"),
        (set_field("input", "samples", -8), "$.input.samples"),
        (set_field("input", "sample_rate_hz", 1), "$.input.sample_rate_hz"),
        (set_field("format", "perturb-trace/2"), "$.format"),
        (remove_field("format"), "format missing"),
        (remove_field("environment"), "environment missing"),
        (remove_field("input"), "input missing"),
    ],
)
def test_a_trace_that_contradicts_itself_is_refused(trace, change, message):
    text = forged(trace.to_json(), change)
    with pytest.raises(PlanError) as caught:
        Trace.from_json(text)
    assert message in str(caught.value)
    assert "perturb-trace/1" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        set_field("plan", "seed", 1),
        set_field("plan", "steps", 0, "operator", "gain_db", 6.5),
        set_field("plan", "steps", 0, "spans", 0, 0, 0.11),
        set_field("steps", 0, "measured", 0, "achieved", 6.0),
        set_field("steps", 0, "notes", {"x": 1}),
        set_field("steps", 1, "stream_key", "0" * 64),
        set_field("environment", "versions", "numpy", "1.0"),
        set_field("environment", "processor", "other"),
        set_field("headroom", "gain_db", -0.01),
        set_field("input", "audio_sha256", "0" * 64),
        set_field("output", "clipped_samples", 1),
        set_field("record_sha256", "0" * 64),
        set_field("record_sha256", None),
        set_field("record_sha256", 3),
        remove_field("record_sha256"),
    ],
)
def test_any_number_altered_by_hand_is_noticed(trace, change):
    with pytest.raises(PlanError, match="the record was altered"):
        Trace.from_json(by_hand(trace.to_json(), change))


def test_layout_and_order_of_fields_are_not_content(trace):
    fields = json.loads(trace.to_json())
    turned = dict(reversed(fields.items()))
    turned["environment"]["versions"] = dict(reversed(fields["environment"]["versions"].items()))
    assert Trace.from_json(json.dumps(turned)) == trace


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b"3", b'"x"', b"\xff", b"{}", b"[" * 100_000, "{}", "ä"]
)
def test_what_is_no_trace_is_refused(text):
    with pytest.raises(PlanError, match="not a trace of format perturb-trace/1"):
        Trace.from_json(text)


def _step_trace(notes):
    return StepTrace(
        spans_original=(),
        spans_before=(),
        spans_after=(),
        time_map=TimeMap.identity(1.0),
        stream_key="k",
        notes=notes,
    )


@pytest.mark.parametrize(
    "value",
    [float("nan"), [1.0, float("inf")], np.zeros(2), np.float32(1.0), {1, 2}, "\ud800"],
    ids=str,
)
def test_notes_that_json_cannot_hold_are_refused(value):
    with pytest.raises(PlanError, match="notes are not plain finite JSON values"):
        _step_trace({"a": value})


def test_notes_are_kept_as_json_gives_them_back():
    notes = _step_trace({"pair": (1, 2.0), "level": np.float64(0.5), "x": None}).notes
    assert notes == {"pair": [1, 2.0], "level": 0.5, "x": None}
    assert type(notes["level"]) is float


def test_status_and_proofs_go_together():
    record = AudioRecord(audio_sha256="a", sample_rate_hz=8_000, channels=1, samples=1)
    plan = pt.Plan.of([pt.Silence()], clip_id="c")
    environment = Environment(versions={}, processor="p")
    shared = {"plan": plan, "input": record, "environment": environment}
    with pytest.raises(PlanError, match="'ok' contradicts its proofs or lacks an output"):
        Trace(status="ok", **shared)
    with pytest.raises(PlanError, match="'failed' takes a reason and no output"):
        Trace(status="failed", **shared)
    with pytest.raises(PlanError, match="'inapplicable' takes a reason and no output"):
        Trace(status="inapplicable", reason="r", output=record, **shared)
    assert Trace(status="inapplicable", reason="r", **shared).measured == ()


@pytest.mark.parametrize(
    ("proofs", "missed"),
    [
        ({0: None}, [0]),
        ({0: 1.0, 1: None}, [1]),
        ({0: None, 1: None}, [0, 1]),
        ({None: 1.0, 0: None, 1: None}, []),
        ({None: None, 0: 1.0}, []),
        ({None: None, 0: 1.0, 1: None}, [1]),
        ({0: 2.0, 1: None}, [1, 0]),
    ],
)
def test_a_span_of_which_nothing_is_shown_is_missed(proofs, missed):
    measured = [
        Measured.within("level", 1.0, achieved, 0.1, span=span, reason="short")
        for span, achieved in proofs.items()
    ]
    outside = Measured.within(OUTSIDE_PROOF, 0.0, 0.0, 0.0)
    step = msgspec.structs.replace(_step_trace({}), measured=(*measured, outside))
    assert [proof.span for proof in missed_proofs((step,))] == missed


def test_proofs_in_their_order(trace):
    assert [proof.name for proof in trace.measured] == [
        "level_change",
        "outside_difference",
        "length",
        "core_peak",
    ]


@pytest.mark.parametrize(
    ("bound", "achieved", "verdict"),
    [
        ("within", 1.1, "ok"),
        ("within", 0.9, "ok"),
        ("within", 1.11, "off_target"),
        ("within", 0.89, "off_target"),
        ("at_most", 1.1, "ok"),
        ("at_most", -5.0, "ok"),
        ("at_most", 1.11, "off_target"),
        ("at_least", 0.9, "ok"),
        ("at_least", 5.0, "ok"),
        ("at_least", 0.89, "off_target"),
        ("within", None, "undefined"),
    ],
)
def test_a_verdict_follows_from_the_numbers(bound, achieved, verdict):
    proof = Measured(
        name="x", requested=1.0, achieved=achieved, tolerance=0.1 + 1e-12, bound=bound, reason="r"
    )
    assert proof.verdict == verdict


def test_a_record_of_audio_names_its_shape():
    signal = pt.Signal.from_array(np.zeros((3, 10)), 8_000, layout="channels_first")
    record = describe_signal(signal)
    assert (record.channels, record.samples, record.sample_rate_hz) == (3, 10, 8_000)
    assert record.audio_sha256 == signal.audio_sha256
    with pytest.raises(ParameterError, match="channels is 65; accepted: a whole number, 1 to 64"):
        msgspec.structs.replace(record, channels=65)


def test_a_record_without_its_format_is_refused(tmp_path):
    signal = pt.Signal.from_array(np.full(800, 0.1), 8_000)
    trace = pt.apply(signal, pt.Gain(gain_db=3.0)).trace
    fields = json.loads(trace.to_json())
    for name in ("format", "reason", "references"):
        altered = {key: value for key, value in fields.items() if key != name}
        with pytest.raises(PlanError, match=rf"{name} missing"):
            Trace.from_json(json.dumps(altered))
