"""Windows obey every rule, and whether there are any is what brute force says."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perturb.anchors.placement import Infeasible, PlacementRules
from perturb.anchors.placing import place
from perturb.anchors.segment import Relation, Segment
from perturb.anchors.segmenting import find_segments
from perturb.measure.analysis import Analysis
from perturb.measure.detectors import SpeechDetections
from perturb.signal import Signal


def analysed(level, voice):
    """Return what a planner asks of a clip, from the two detectors' frames of 10 ms."""
    detections = SpeechDetections(np.array(level, bool), np.array(voice, bool))
    signal = SimpleNamespace(duration_s=len(level) / 100)
    return SimpleNamespace(detections=detections, signal=signal)


@st.composite
def clips(draw):
    """Return a clip of one to three seconds, its segments, and rules that may not fit it."""
    frames = draw(st.integers(100, 300))
    runs = st.lists(st.integers(1, 60), min_size=1, max_size=30)

    def mask():
        pieces = [np.full(run, at % 2 == 0) for at, run in enumerate(draw(runs))]
        return np.resize(np.concatenate(pieces), frames)

    edges = sorted(draw(st.sets(st.integers(0, frames), min_size=2, max_size=8)))
    segments = [
        Segment(
            start_s=low / 100,
            stop_s=high / 100,
            weight=draw(st.sampled_from([0.0, 1.0, 1.0, 10.0])),
        )
        for low, high in itertools.pairwise(edges)
        if high - low > 1
    ]
    fewest = draw(st.integers(1, 2))
    floor = draw(st.integers(10, 60))
    rules = PlacementRules(
        positions=(fewest, draw(st.integers(fewest, 2))),
        floor_s=floor / 100,
        longest_s=floor / 100,
        shortest_s=0.1,
        largest_fraction=1.0,
        edge_s=draw(st.integers(0, 40)) / 100,
        distance_s=draw(st.integers(0, 60)) / 100,
        least_active=draw(st.sampled_from([0.0, 0.5, 0.8, 1.0])),
        hearing_limit_s=draw(st.sampled_from([None, 1.0, 2.0])),
        relations=draw(st.sampled_from(["ignore", "prefer"])),
    )
    return analysed(mask(), mask()), segments, rules


def admissible(clip, segments, rules):
    """Return every start of a window that obeys the rules, by segment, one by one."""
    length = round(100 * rules.floor_s)
    frames = len(clip.detections.by_level)
    found = {}
    for index, segment in enumerate(segments):
        for start in range(frames):
            stop = start + length
            inside = segment.start_s <= start / 100 + 1e-9 and stop / 100 <= segment.stop_s + 1e-9
            clear = start / 100 >= rules.edge_s - 1e-9
            clear &= stop / 100 <= frames / 100 - rules.edge_s + 1e-9
            heard = rules.hearing_limit_s is None or stop / 100 <= rules.hearing_limit_s + 1e-9
            shares = [
                mask[start:stop].sum() / length
                for mask in (clip.detections.by_level, clip.detections.by_voice)
            ]
            active = min(shares) >= rules.least_active - 1e-9
            if segment.weight > 0 and inside and clear and heard and active:
                found.setdefault(index, []).append(start)
    return found, length


def most_apart(clip, segments, rules):
    """Return how many windows, up to two, can stand apart, all pairs tried."""
    found, length = admissible(clip, segments, rules)
    stride = length + round(100 * rules.distance_s)
    for one, other in itertools.combinations(sorted(found), 2):
        if max(found[other]) - min(found[one]) >= stride:
            return 2
    return 1 if found else 0


@settings(deadline=None)
@given(clips(), st.integers(0, 2**32))
def test_feasibility_is_what_brute_force_says_and_windows_obey_every_rule(made, seed):
    clip, segments, rules = made
    placed = place(clip, segments, rules, np.random.default_rng(seed))
    most = most_apart(clip, segments, rules)
    if isinstance(placed, Infeasible):
        assert most < rules.positions[0], placed
        return
    found, length = admissible(clip, segments, rules)
    assert len(placed.windows) == min(placed.wanted, most)
    assert rules.positions[0] <= placed.wanted <= rules.positions[1]
    before = None
    for window in placed.windows:
        start = round(100 * window.span.start_s)
        assert round(100 * window.span.end_s) - start == length
        assert start in found[window.segment]
        if before is not None:
            assert window.segment > before.segment
            assert window.span.start_s - before.span.end_s >= rules.distance_s - 1e-9
        before = window
    again = place(clip, segments, rules, np.random.default_rng(seed))
    assert again == placed


@settings(deadline=None)
@given(st.data(), st.integers(0, 2**32))
def test_required_relations_are_found_wherever_there_are_any(data, seed):
    count = data.draw(st.integers(2, 7))
    pairs = list(itertools.combinations(range(count), 2))
    related = data.draw(st.sets(st.sampled_from(pairs)))
    fewest = data.draw(st.integers(1, 3))
    rules = PlacementRules(
        positions=(fewest, 3),
        floor_s=0.5,
        longest_s=0.5,
        edge_s=0.0,
        distance_s=0.1,
        relations="require",
    )
    segments = [
        Segment(
            start_s=at,
            stop_s=at + 0.9,
            relations=tuple(Relation(to=to, kind="answers") for one, to in related if one == at),
        )
        for at in range(count)
    ]
    lines = [
        line
        for size in range(1, 4)
        for line in itertools.combinations(range(count), size)
        if related.issuperset(itertools.pairwise(line))
    ]
    longest = max(map(len, lines))
    placed = place(analysed(SPEECH, SPEECH), segments, rules, np.random.default_rng(seed))
    if longest < fewest:
        assert placed.constraint in ("relations", "distance", "segments")
        return
    line = tuple(window.segment for window in placed.windows)
    assert line in lines
    assert len(line) == min(placed.wanted, longest)


RULES = PlacementRules(positions=(1, 1), floor_s=0.5, longest_s=0.5, edge_s=0.2, distance_s=0.2)
SPEECH = np.ones(1000, bool)
HALF = np.arange(1000) < 500


@pytest.mark.parametrize(
    ("change", "segments", "masks", "constraint"),
    [
        ({}, [], (SPEECH, SPEECH), "segments"),
        ({}, [(1.0, 1.4)], (SPEECH, SPEECH), "floor"),
        ({"edge_s": 2.0}, [(0.0, 2.4)], (SPEECH, SPEECH), "edges"),
        ({"hearing_limit_s": 3.0}, [(2.6, 8.0)], (SPEECH, SPEECH), "hearing_limit"),
        ({}, [(5.0, 8.0)], (SPEECH, HALF), "activity"),
        ({}, [(5.0, 8.0)], (HALF, SPEECH), "activity"),
        ({"positions": (2, 2)}, [(1.0, 1.55), (1.55, 2.1)], (SPEECH, SPEECH), "distance"),
        (
            {"positions": (2, 2), "relations": "require"},
            [(1.0, 2.0), (4.0, 5.0)],
            (SPEECH, SPEECH),
            "relations",
        ),
        ({"largest_fraction": 0.01}, [(1.0, 9.0)], (SPEECH, SPEECH), "clip"),
    ],
)
def test_the_first_rule_that_leaves_too_few_is_named(change, segments, masks, constraint):
    rules = PlacementRules(
        **{name: getattr(RULES, name) for name in RULES.__struct_fields__} | change
    )
    given = [Segment(start_s=low, stop_s=high) for low, high in segments]
    found = place(analysed(*masks), given, rules, np.random.default_rng(0))
    assert isinstance(found, Infeasible)
    assert found.constraint == constraint


def test_lengths_shrink_on_a_short_clip_and_the_floor_is_told():
    found = place(
        analysed(SPEECH[:400], SPEECH[:400]),
        [Segment(start_s=0.0, stop_s=4.0)],
        PlacementRules(positions=(1, 1)),
        np.random.default_rng(0),
    )
    assert found.floor_s == pytest.approx(0.6)
    assert found.edge_s == pytest.approx(0.6)


def test_related_segments_are_preferred():
    related = Relation(to=9, kind="answers")
    segments = [
        Segment(start_s=at, stop_s=at + 0.9, relations=(related,) if at == 2 else ())
        for at in range(10)
    ]
    rules = PlacementRules(positions=(2, 2), floor_s=0.5, longest_s=0.5, edge_s=0.0, distance_s=0.1)
    chosen = [
        place(analysed(SPEECH, SPEECH), segments, rules, np.random.default_rng(seed))
        for seed in range(200)
    ]
    assert sum(one.is_related for one in chosen) >= 20  # 200 / 45 where nobody preferred them


def silent(seconds):
    return Analysis(Signal.from_array(np.zeros(round(seconds * 16_000)), 16_000))


def test_given_segments_are_mended_and_it_is_said():
    given = [
        Segment(start_s=4.0, stop_s=99.0, text="past", relations=(Relation(to=1, kind="x"),)),
        Segment(start_s=0.0, stop_s=2.0, text="first", relations=(Relation(to=0, kind="x"),)),
        Segment(start_s=1.5, stop_s=3.0, text="second", relations=(Relation(to=3, kind="x"),)),
        Segment(start_s=50.0, stop_s=60.0, text="after"),
    ]
    found = find_segments(silent(10.0), given)
    assert found.source == "transcript"
    assert [(one.text, one.start_s, one.stop_s) for one in found.segments] == [
        ("first", 0.0, 2.0),
        ("second", 2.0, 3.0),
        ("past", 4.0, 10.0),
    ]
    assert [[relation.to for relation in one.relations] for one in found.segments] == [[2], [], [0]]
    said = " | ".join(found.notes)
    assert "runs past the end, 10 s, and is cut there" in said
    assert "overlaps the one before it and begins at 2 s" in said
    assert "lies past the end and is left out" in said


def test_silence_has_no_segments():
    assert find_segments(silent(5.0), None).segments == ()
