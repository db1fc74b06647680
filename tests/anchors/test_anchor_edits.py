"""Edits, decoys and the manifest's line as values."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.anchors.decoys import draw_decoys, far_s
from perturb.anchors.edits import AnchorEdit, anchor_edit
from perturb.anchors.manifest import AnchorPosition, AnchorRow, facts_of, heard_at_s
from perturb.anchors.placement import ActiveShares, Placement, Window
from perturb.anchors.segment import Segment
from perturb.errors import ParameterError
from perturb.operators.event import Event
from perturb.operators.gain import Gain
from perturb.operators.speed import Speed
from perturb.recipes.catalogue import load_recipe
from perturb.span import Span
from perturb.time_map import TimeMap

ALL = [
    ("addition", "event", None),
    ("deletion", "silence", None),
    ("deletion", "smear", None),
    ("modification", "gain", "up"),
    ("modification", "gain", "down"),
    ("modification", "speed", "up"),
    ("modification", "speed", "down"),
]
ACTIVE = ActiveShares(level=1.0, voice=0.9)


@pytest.mark.parametrize(("operation", "edit", "direction"), ALL)
def test_every_edit_has_a_recipe_of_one_step_with_a_sham_and_words(operation, edit, direction):
    found = anchor_edit(operation, edit, direction)
    recipe = load_recipe(found.recipe)
    assert len(recipe.steps) == 1
    assert recipe.needs_spans
    words = found.words("a rising two-tone beep")
    assert words.opening.startswith("At one or more places, ")
    assert words.hides_words == (operation == "deletion")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("addition", "gain", None), "accepted with addition: event"),
        (("modification", "silence", None), "accepted with modification: gain, speed"),
        (("deletion", None, "up"), "accepted with modification"),
        (("subtraction", None, None), "accepted: addition, deletion, modification"),
    ],
)
def test_what_does_not_go_together_is_refused(asked, message):
    with pytest.raises(ParameterError, match=message):
        anchor_edit(*asked)


def test_what_is_left_out_is_the_first_kind_and_up():
    assert anchor_edit("addition").edit == "event"
    assert anchor_edit("deletion").edit == "silence"
    assert anchor_edit("modification") == AnchorEdit(
        operation="modification", edit="gain", direction="up"
    )


windows = st.lists(st.integers(0, 60), min_size=1, max_size=3, unique=True).map(sorted)


@given(windows, st.floats(0.3, 3.0), st.floats(0.0, 700.0))
def test_where_a_moment_is_heard_is_what_the_time_map_says(starts, rate, time_s):
    spans = tuple(Span(10.0 * start + 1.0, 10.0 * start + 5.0) for start in starts)
    whole = TimeMap.identity(700.0)
    for span in reversed(spans):  # later edits do not move what lies before them
        here = TimeMap.stretch(whole.target_duration_s, span.start_s, span.stop_s, rate)
        whole = whole.then(here)
    heard = whole.map_span(Span(time_s))
    assert heard_at_s(Speed(rate=rate), spans, time_s) == pytest.approx(heard[0].start_s, abs=0.006)


@given(st.floats(0.0, 100.0))
def test_edits_that_keep_time_move_nothing(time_s):
    for operator in (Event(ref="bank:dog_bark#1", snr_db=8.0), Gain(gain_db=9.0)):
        assert heard_at_s(operator, (Span(1.0, 4.0),), time_s) == round(time_s, 2)


def placement_at(starts, length_s=3.0):
    return Placement(
        windows=tuple(
            Window(span=Span(start, start + length_s), segment=number, active=ACTIVE)
            for number, start in starts
        ),
        floor_s=3.0,
        edge_s=3.0,
        distance_s=3.0,
        length_s=length_s,
        wanted=max(1, len(starts)),
    )


@st.composite
def recordings(draw):
    """Return segments of five seconds and more, some with words, and windows in some of them."""
    lengths = draw(st.lists(st.integers(5, 30), min_size=2, max_size=30))
    edges = np.cumsum([0, *lengths])
    segments = [
        Segment(
            start_s=float(start),
            stop_s=float(stop) - 0.5,
            text=draw(st.one_of(st.none(), st.sampled_from(["yes", "no", f"words {start}"]))),
        )
        for start, stop in itertools.pairwise(edges)
    ]
    chosen = draw(
        st.lists(
            st.integers(0, len(segments) - 1),
            min_size=1,
            max_size=min(3, len(segments)),
            unique=True,
        )
    )
    starts = [(number, segments[number].start_s + 0.5) for number in sorted(chosen)]
    return placement_at(starts), segments, float(edges[-1])


@given(recordings(), st.integers(0, 2**32))
def test_decoys_are_far_from_edits_and_say_something_else(made, seed):
    placement, segments, duration_s = made
    found = draw_decoys(placement, segments, duration_s, np.random.default_rng(seed))
    assert len(found) <= len(placement.windows) + 1
    edits = [window.span.start_s for window in placement.windows]
    said = [segments[window.segment].text for window in placement.windows]
    for at, decoy in enumerate(found):
        assert 0.0 <= decoy.span.start_s < decoy.span.end_s <= duration_s
        assert min(abs(decoy.span.start_s - edit) for edit in edits) >= far_s(duration_s) - 0.01
        others = [other.span.start_s for other in found[:at]]
        assert all(abs(decoy.span.start_s - other) >= 1.99 for other in others)
        if decoy.segment is not None:
            segment = segments[decoy.segment]
            assert decoy.segment not in {window.segment for window in placement.windows}
            assert segment.start_s - 0.01 <= decoy.span.start_s < segment.stop_s
            assert segment.text is None or segment.text not in said
            said.append(segment.text)
    again = draw_decoys(placement, segments, duration_s, np.random.default_rng(seed))
    assert again == found


def test_a_clip_of_one_breath_has_no_decoy():
    placement = placement_at([(0, 1.0)], length_s=0.6)
    placement = msgspec.structs.replace(placement, edge_s=0.4)
    segments = [Segment(start_s=0.5, stop_s=2.5)]
    assert draw_decoys(placement, segments, 3.0, np.random.default_rng(0)) == ()


def test_a_line_comes_back_as_it_was_written_and_its_facts_follow_from_it():
    row = AnchorRow(
        chain="a.wav",
        status="ok",
        edit=anchor_edit("modification", "speed", "up"),
        recipe="audiospan/speed_up",
        operator={"op": "speed", "rate": 2.0, "engine": "wsola"},
        positions=(
            AnchorPosition(
                original=Span(4.0, 8.0), segment=0, segment_span=Span(2.0, 10.0), active=ACTIVE
            ),
            AnchorPosition(
                original=Span(20.0, 24.0), segment=1, segment_span=Span(20.0, 24.0), active=ACTIVE
            ),
        ),
    )
    assert msgspec.json.decode(msgspec.json.encode(row), type=AnchorRow) == row
    facts = facts_of(row)
    assert [place.at_s for place in facts.places] == [4.0, 18.0]
    assert [place.share for place in facts.places] == [(0.25, 0.75), (0.0, 1.0)]
