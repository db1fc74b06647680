"""Windows obey every rule, and whether there are any is what brute force says."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from perturb.anchors.placement import Infeasible, PlacementRules
from perturb.anchors.placing import place
from perturb.anchors.segment import Relation, Segment
from perturb.anchors.segmenting import find_segments
from perturb.audio_io import read_audio
from perturb.measure.analysis import Analysis
from perturb.measure.detectors import SpeechDetections
from perturb.signal import Signal


def analysed(level, voice):
    """Return what a planner asks of a clip, from the two detectors' frames of 10 ms."""
    detections = SpeechDetections(np.array(level, bool), np.array(voice, bool))
    signal = SimpleNamespace(duration_s=len(level) / 100)
    return SimpleNamespace(detections=detections, signal=signal)


@st.composite
def planned(draw):
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
    fewest = draw(st.integers(1, 3))
    floor = draw(st.integers(10, 60))
    rules = PlacementRules(
        positions=(fewest, draw(st.integers(fewest, 3))),
        floor_s=floor / 100,
        longest_s=(floor + draw(st.sampled_from([0, 0, 50, 110]))) / 100,
        shortest_s=0.1,
        largest_fraction=1.0,
        edge_s=draw(st.integers(0, 40)) / 100,
        distance_s=draw(st.integers(0, 60)) / 100,
        least_active=draw(st.sampled_from([0.0, 0.5, 0.8, 1.0])),
        hearing_limit_s=draw(st.sampled_from([None, 1.0, 2.0])),
        lengthening=draw(st.sampled_from([1.0, 1.5, 3.0])),
        relations=draw(st.sampled_from(["ignore", "prefer"])),
    )
    return analysed(mask(), mask()), segments, rules


ORDER = ("segments", "floor", "edges", "hearing_limit", "activity", "distance")


def lengths_of(clip, rules):
    """Return the lengths of windows that the rules allow, in frames."""
    longest = min(round(100 * rules.longest_s), len(clip.detections.by_level))
    return range(round(100 * rules.floor_s), longest + 1, 50)


def admits(clip, segment, rules, start, length, number, upto):
    """Whether a window, the `number`-th of its clip, obeys every rule up to one of `ORDER`."""
    stop = start + length
    frames = len(clip.detections.by_level)
    heard = stop + number * (rules.lengthening - 1.0) * length
    shares = [
        mask[start:stop].sum() / length
        for mask in (clip.detections.by_level, clip.detections.by_voice)
    ]
    obeyed = {
        "segments": segment.weight > 0.0,
        "floor": segment.start_s <= start / 100 + 1e-9 and stop / 100 <= segment.stop_s + 1e-9,
        "edges": start >= 100 * rules.edge_s - 1e-7 and stop <= frames - 100 * rules.edge_s + 1e-7,
        "hearing_limit": rules.hearing_limit_s is None
        or heard <= 100 * rules.hearing_limit_s + 1e-7,
        "activity": min(shares) >= rules.least_active - 1e-9,
    }
    return all(obeyed[name] for name in ORDER[: ORDER.index(upto) + 1] if name in obeyed)


def fits(clip, segments, rules, count, length, upto="distance"):
    """Whether so many windows obey every rule up to one: every choice is tried."""
    if upto == "segments":
        return sum(segment.weight > 0.0 for segment in segments) >= count
    stride = length + (round(100 * rules.distance_s) if upto == "distance" else 0)
    frames = len(clip.detections.by_level)
    found = [
        [
            [
                start
                for start in range(frames - length + 1)
                if admits(clip, segment, rules, start, length, number, upto)
            ]
            for segment in segments
        ]
        for number in range(1, count + 1)
    ]
    for chosen in itertools.combinations(range(len(segments)), count):
        starts = [found[number][index] for number, index in enumerate(chosen)]
        if not all(starts):
            continue
        if count == 1:
            return True
        if count == 2 and starts[1][-1] - starts[0][0] >= stride:
            return True
        if count == 3 and any(
            middle - starts[0][0] >= stride and starts[2][-1] - middle >= stride
            for middle in starts[1]
        ):
            return True
    return False


def fits_somehow(clip, segments, rules, upto="distance"):
    """Whether the fewest windows fit at any length."""
    lengths = lengths_of(clip, rules)
    return any(fits(clip, segments, rules, rules.positions[0], one, upto) for one in lengths)


@settings(deadline=None)
@given(planned(), st.integers(0, 2**32))
def test_feasibility_is_what_brute_force_says_and_windows_obey_every_rule(made, seed):
    clip, segments, rules = made
    placed = place(clip, segments, rules, np.random.default_rng(seed))
    if isinstance(placed, Infeasible):
        first = next(name for name in ORDER if not fits_somehow(clip, segments, rules, name))
        assert placed.constraint == first, placed
        return
    length = round(100 * placed.length_s)
    assert length in lengths_of(clip, rules)
    most = next(
        count for count in (3, 2, 1) if count <= placed.wanted and fits(*made, count, length)
    )
    assert len(placed.windows) == most
    assert rules.positions[0] <= most
    assert rules.positions[0] <= placed.wanted <= rules.positions[1]
    before = None
    for number, window in enumerate(placed.windows, 1):
        start = round(100 * window.span.start_s)
        assert round(100 * window.span.end_s) - start == length
        segment = segments[window.segment]
        assert admits(clip, segment, rules, start, length, number, "activity")
        if before is not None:
            assert window.segment > before.segment
            assert window.span.start_s - before.span.end_s >= rules.distance_s - 1e-9
        before = window
    again = place(clip, segments, rules, np.random.default_rng(seed))
    assert again == placed


FIELDS = {
    "floor": "floor_s",
    "edges": "edge_s",
    "hearing_limit": "hearing_limit_s",
    "activity": "least_active",
    "distance": "distance_s",
}


@settings(deadline=None)
@given(planned(), st.integers(0, 2**32))
def test_what_would_do_does_or_the_next_rule_is_named(made, seed):
    clip, segments, rules = made
    placed = place(clip, segments, rules, np.random.default_rng(seed))
    if not isinstance(placed, Infeasible) or placed.constraint == "segments":
        return
    told = re.search(r"([0-9.]+)( s|%) would do$", placed.reason)
    if told is None:
        assert placed.constraint == "distance"  # too few segments in a row, at any distance
        assert not fits_somehow(clip, segments, replace(rules, distance_s=0.0))
        return
    value = float(told[1]) / (100.0 if told[2] == "%" else 1.0)
    change = {FIELDS[placed.constraint]: value}
    if placed.constraint == "floor":
        if value < 0.1:
            return  # shorter than any rule may ask for
        change["longest_s"] = value
    lifted = place(clip, segments, replace(rules, **change), np.random.default_rng(seed))
    if isinstance(lifted, Infeasible):
        assert ORDER.index(lifted.constraint) > ORDER.index(placed.constraint), (placed, lifted)


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
    rules = replace(RULES, **change)
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
    assert all(one.is_related for one in chosen)
    assert {tuple(window.segment for window in one.windows) for one in chosen} == {(2, 9)}


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


def test_fewer_windows_where_more_would_push_the_last_out_of_what_is_heard():
    rules = replace(
        RULES, positions=(1, 3), hearing_limit_s=3.2, lengthening=3.0, relations="ignore"
    )
    given = [Segment(start_s=at, stop_s=at + 1.0) for at in (0.2, 1.4, 2.6)]
    for seed in range(10):
        found = place(analysed(SPEECH, SPEECH), given, rules, np.random.default_rng(seed))
        # One ends by 3.2 - 1.0 s of the clip's own time, of two the second by 3.2 - 2.0 s.
        assert len(found.windows) == 1
        assert found.windows[0].span.end_s <= 2.2


def test_a_heavier_segment_is_drawn_as_often_as_it_weighs():
    rules = replace(RULES, relations="ignore")
    given = [
        Segment(start_s=1.0 + at, stop_s=1.8 + at, weight=weight)
        for at, weight in enumerate((1.0, 3.0))
    ]
    draws = [
        place(analysed(SPEECH, SPEECH), given, rules, np.random.default_rng(seed))
        for seed in range(400)
    ]
    share = sum(one.windows[0].segment for one in draws) / len(draws)
    assert 0.67 < share < 0.83


def music(seconds, rate_hz=16_000):
    """Return plucked notes over a beat, a tune that no voice speaks."""
    generator = np.random.default_rng(1)
    at_s = np.arange(round(seconds * rate_hz)) / rate_hz
    notes = 220.0 * 2.0 ** (generator.integers(0, 13, round(seconds * 4)) / 12.0)
    phase = 2.0 * np.pi * np.cumsum(np.repeat(notes, rate_hz // 4)[: at_s.size]) / rate_hz
    tune = sum(np.sin(partial * phase) / partial for partial in range(1, 8))
    pluck = np.exp(-4.0 * (at_s % 0.25))
    beat = generator.normal(0.0, 0.3, at_s.size) * np.exp(-20.0 * (at_s % 0.5))
    return Signal.from_array((0.2 * tune * pluck + beat).astype(np.float32), rate_hz)


def test_music_is_no_speech_though_both_detectors_take_it_for_it():
    analysis = Analysis(music(20.0))
    assert analysis.activity.active_share > 0.3
    found = find_segments(analysis, None)
    assert found.segments == ()
    assert "music" in found.notes[0]


def test_all_of_real_speech_is_speech(clips):
    for path in clips:
        found = find_segments(Analysis(read_audio(path).signal), None)
        assert found.segments
        assert not found.notes


def test_lines_of_relations_are_drawn_by_weight():
    related = {0: 2, 1: 2, 2: 4}
    segments = [
        Segment(
            start_s=at,
            stop_s=at + 0.9,
            weight=3.0 if at == 1 else 1.0,
            relations=(Relation(to=related[at], kind="answers"),) if at in related else (),
        )
        for at in range(6)
    ]
    rules = PlacementRules(
        positions=(3, 3),
        floor_s=0.5,
        longest_s=0.5,
        edge_s=0.0,
        distance_s=0.1,
        relations="require",
    )
    lines = Counter(
        tuple(
            window.segment
            for window in place(
                analysed(SPEECH, SPEECH), segments, rules, np.random.default_rng(seed)
            ).windows
        )
        for seed in range(400)
    )
    assert lines.keys() == {(0, 2, 4), (1, 2, 4)}
    assert 0.67 < lines[1, 2, 4] / 400 < 0.83
