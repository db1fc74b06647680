"""Laws of the time map, and its shapes by value."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import ParameterError
from perturb.span import Span
from perturb.testing.strategies import time_maps
from perturb.time_map import TimeMap
from perturb.time_piece import Piece


def _covered(spans):
    return sum(span.duration_s for span in spans)


def _at(spans, time_s):
    return any(span.start_s - 1e-9 <= time_s <= span.end_s + 1e-9 for span in spans)


@st.composite
def chains(draw):
    first = draw(time_maps(draw(st.floats(0.5, 10.0))))
    second = draw(time_maps(first.target_duration_s))
    third = draw(time_maps(second.target_duration_s))
    return first, second, third


@given(chains())
def test_composition_maps_as_the_maps_in_turn(chain):
    first, second, _ = chain
    both = first.then(second)
    assert both.target_duration_s == pytest.approx(second.target_duration_s)
    duration = first.source_duration_s
    for start, stop in ((0.0, duration), (0.2 * duration, 0.5 * duration)):
        direct = both.map_span(Span(start, stop))
        inner = first.map_span(Span(start, stop))
        in_turn = [span for part in inner for span in second.map_span(part)]
        # The same moments, however they are cut into spans.
        for step in range(101):
            moment = second.target_duration_s * step / 100
            near_edge = any(
                abs(moment - edge) < 1e-6
                for span in (*direct, *in_turn)
                for edge in (span.start_s, span.end_s)
            )
            assert near_edge or _at(direct, moment) == _at(in_turn, moment)


@given(chains())
def test_composition_is_associative(chain):
    first, second, third = chain
    left = first.then(second).then(third)
    right = first.then(second.then(third))
    span = Span(0.1 * first.source_duration_s, 0.9 * first.source_duration_s)
    assert _covered(left.map_span(span)) == pytest.approx(_covered(right.map_span(span)), abs=1e-6)
    assert left.target_duration_s == pytest.approx(right.target_duration_s)


@given(st.floats(0.5, 100.0).flatmap(lambda duration: time_maps(duration)))
def test_identity_is_neutral(time_map):
    before = TimeMap.identity(time_map.source_duration_s)
    after = TimeMap.identity(time_map.target_duration_s)
    span = Span(0.25 * time_map.source_duration_s, 0.75 * time_map.source_duration_s)
    expected = time_map.map_span(span)
    for composed in (before.then(time_map), time_map.then(after)):
        found = composed.map_span(span)
        assert _covered(found) == pytest.approx(_covered(expected), abs=1e-6)


@given(
    st.floats(1.0, 100.0),
    st.floats(0.0, 0.4),
    st.floats(0.05, 0.5),
    st.floats(0.25, 4.0),
)
def test_a_stretch_follows_its_formula_and_inverts(duration, start, length, rate):
    a, b = start * duration, (start + length) * duration
    time_map = TimeMap.stretch(duration, a, b, rate)
    for moment in (0.5 * a, a + 0.3 * (b - a), b + 0.5 * (duration - b)):
        if moment < a:
            expected = moment
        elif moment <= b:
            expected = a + (moment - a) / rate
        else:
            expected = moment - (b - a) * (1 - 1 / rate)
        assert time_map.map_point(moment)[0] == pytest.approx(expected, abs=1e-6)
    assert time_map.then(time_map.inverse()).is_identity


def test_removal_maps_to_nothing():
    silence = TimeMap.removal(5.0, 30.0)
    assert silence.map_span(Span(0.0, 5.0)) == ()
    assert silence.target_duration_s == 30.0
    assert TimeMap.identity(5.0).then(silence).map_span(Span(1.0, 2.0)) == ()


def test_a_span_across_a_removal_keeps_what_is_left():
    cut = TimeMap(
        source_duration_s=10.0,
        pieces=(Piece(0.0, 4.0, 0.0, 4.0), Piece(4.0, 8.0, 6.0, 10.0)),
    )
    assert cut.map_span(Span(3.0, 7.0)) == (Span(3.0, 5.0),)
    assert cut.map_span(Span(4.5, 5.5)) == ()
    with pytest.raises(ParameterError, match="merely stretches"):
        cut.inverse()


def test_reversal_turns_spans_round():
    back = TimeMap.reversal(10.0, 2.0, 8.0)
    assert back.map_span(Span(2.0, 3.0)) == (Span(7.0, 8.0),)
    assert back.map_span(Span(1.0, 3.0)) == (Span(1.0, 2.0), Span(7.0, 8.0))
    assert back.then(back).is_identity
    assert back.map_point(3.0) == (7.0,)


def test_repetition_is_heard_twice():
    twice = TimeMap(
        source_duration_s=2.0, pieces=(Piece(0.0, 2.0, 0.0, 2.0), Piece(2.0, 4.0, 0.0, 2.0))
    )
    assert twice.map_span(Span(0.5, 1.0)) == (Span(0.5, 1.0), Span(2.5, 3.0))


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ((), "no pieces"),
        ((Piece(0.5, 1.0, 0.0, 1.0),), "starts at 0.5 s where 0.0 s was expected"),
        ((Piece(0.0, 1.0, 0.0, 1.0), Piece(2.0, 3.0)), "starts at 2.0 s where 1.0 s"),
        ((Piece(0.0, 1.0, 0.0, 12.0),), "ends at 12.0 s of a source of 10.0 s"),
    ],
)
def test_impossible_maps_are_refused(pieces, message):
    with pytest.raises(ParameterError, match=message):
        TimeMap(source_duration_s=10.0, pieces=pieces)


def test_maps_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="cannot follow"):
        TimeMap.identity(5.0).then(TimeMap.identity(6.0))


@given(st.floats(0.5, 100.0).flatmap(lambda duration: time_maps(duration)))
def test_dump_and_load(time_map):
    assert msgspec.json.decode(msgspec.json.encode(time_map), type=TimeMap) == time_map
