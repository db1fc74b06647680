"""Joined stimuli: who stands around a clip, in what order, by keyed draws alone."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import InapplicableError
from perturb.recipes.suite import Condition, Join
from perturb.split.joining.planning import JoinPlanner
from tests.strategies.items import benchmark_of, make_item

DIALECTS = ("north", "south", "east", "west", "island")
CONDITION = Condition(name="joined", join=Join(utterances=4, gap_s=(0.3, 0.6)))


def _items(count=60, **fields):
    return [
        make_item(
            n,
            clip=f"clip{n}.wav",
            task="dialect",
            language=("id", "th")[n % 2],
            answer=DIALECTS[n % 5],
            recording=f"tape{n // 3}",
            **fields,
        )
        for n in range(count)
    ]


def _durations(items):
    return {item.audio().clip: 1.0 + 0.25 * item.row for item in items}


def _planner(items, seed=0):
    return JoinPlanner(benchmark_of(items), _durations(items), seed)


def test_others_are_of_the_same_kind_with_another_answer_and_recording():
    items = _items()
    of_clip = {item.audio().clip: item for item in items}
    planner = _planner(items)
    for item in items:
        plan = planner.plan(item, CONDITION)
        clips = [clip.clip for clip in plan.clips]
        assert len(set(clips)) == 4
        assert clips[plan.position - 1] == item.audio().clip
        others = [of_clip[clip] for clip in clips if clip != item.audio().clip]
        assert {other.language for other in others} == {item.language}
        assert item.answer not in {other.answer for other in others}
        assert len({other.recording for other in others} | {item.recording}) == 4


def test_labels_places_and_gaps_are_carried():
    items = _items()
    plan = _planner(items).plan(items[7], CONDITION)
    answers = {item.audio().clip: item.answer for item in items}
    durations = _durations(items)
    at_s = 0.0
    for clip, gap_s in zip(plan.clips, (*plan.gaps_s, 0.0), strict=True):
        assert clip.label == answers[clip.clip]
        assert clip.start_s == pytest.approx(at_s)
        assert clip.stop_s - clip.start_s == pytest.approx(durations[clip.clip])
        assert gap_s == 0.0 or 0.3 <= gap_s <= 0.6
        at_s = clip.stop_s + gap_s


def test_the_step_names_the_others_around_the_clip():
    items = _items()
    plan = _planner(items).plan(items[7], CONDITION)
    operator = plan.operator()
    assert len(operator.before) == plan.position - 1
    names = [f"item:{clip.clip}" for clip in plan.clips]
    names.remove("item:clip7.wav")
    assert list(operator.references()) == names
    assert operator.gaps_s == plan.gaps_s


@given(st.randoms(use_true_random=False), st.integers(0, 2**63 - 1))
def test_order_of_items_changes_nothing(shuffler, seed):
    items = _items()
    shuffled = list(items)
    shuffler.shuffle(shuffled)
    plans = [_planner(each, seed).plan(items[11], CONDITION) for each in (items, shuffled)]
    assert plans[0] == plans[1]


def test_seeds_and_conditions_draw_apart_and_other_conditions_do_not_matter():
    items = _items()
    other = msgspec.structs.replace(CONDITION, name="joined_again")
    plans = [_planner(items, seed).plan(items[0], CONDITION) for seed in range(8)]
    assert len({tuple(clip.clip for clip in plan.clips) for plan in plans}) > 1
    assert _planner(items).plan(items[0], other) != plans[0]
    planner = _planner(items)
    planner.plan(items[5], other)
    assert planner.plan(items[0], CONDITION) == plans[0]


def test_questions_about_one_clip_share_its_stimulus():
    shared = [
        make_item(n, clip="shared.wav", task="dialect", language="id", answer=answer)
        for n, answer in enumerate(("north", "south"))
    ]
    items = [*shared, *(msgspec.structs.replace(each, row=each.row + 2) for each in _items())]
    planner = _planner(items)
    first, second = (planner.plan(item, CONDITION) for item in shared)
    assert first == second
    own = first.clips[first.position - 1]
    assert own.label is None
    assert not {"north", "south"} & {clip.label for clip in first.clips}


def test_where_the_answer_follows_from_the_language_others_are_of_other_languages():
    named = {"id": "Indonesian", "th": "Thai", "ms": "Malay"}
    items = [
        make_item(n, clip=f"{n}.wav", task="language", language=language, answer=named[language])
        for n, language in enumerate(list(named) * 4)
    ]
    language_of = {item.audio().clip: item.language for item in items}
    planner = _planner(items)
    for item in items:
        plan = planner.plan(item, CONDITION)
        own = plan.clips[plan.position - 1]
        assert not own.other_language
        for other in plan.clips:
            assert other.label == named[language_of[other.clip]]
            assert other.other_language == (other is not own)
            assert (language_of[other.clip] != item.language) == (other is not own)


def test_a_task_with_two_answers_in_a_language_stays_in_it():
    answers = [("id", "a"), ("id", "b"), ("th", "b")]
    items = [
        make_item(n, clip=f"{n}.wav", task="t", language=language, answer=answer)
        for n, (language, answer) in enumerate(answers * 5)
    ]
    language_of = {item.audio().clip: item.language for item in items}
    planner = _planner(items)
    for item in items[:3]:
        clips = planner.plan(item, CONDITION).clips
        others = {language_of[clip.clip] for clip in clips} - {item.language}
        assert others == (set() if item.language == "id" else {"id"})


def test_questions_of_several_tasks_each_have_a_stimulus_with_others_of_their_own():
    """No other clip differs from one in all three tasks, but each task has enough that do."""
    items = [
        make_item(3 * n + at, clip=f"{n}.wav", task=task, language="id", answer=answer)
        for n in range(8)
        for at, (task, answer) in enumerate(
            [("half", "ab"[n % 2]), ("part", "ab"[n // 4]), ("other half", "ba"[n % 2])]
        )
    ]
    planner = _planner(items)
    answers = {(item.audio().clip, item.task): item.answer for item in items}
    for item in items:
        plan = planner.plan(item, CONDITION)
        own = plan.position - 1
        assert [clip.label for clip in plan.clips] == [
            answers[clip.clip, item.task] for clip in plan.clips
        ]
        assert item.answer not in [clip.label for at, clip in enumerate(plan.clips) if at != own]
    plans = [planner.plan(item, CONDITION) for item in items[:2]]
    assert plans[0] != plans[1]


def test_positions_are_even():
    items = _items(2_000)
    planner = _planner(items)
    counts = Counter(planner.plan(item, CONDITION).position for item in items)
    deviation = (2_000 * 0.25 * 0.75) ** 0.5
    assert all(abs(counts[position] - 500) < 4 * deviation for position in range(1, 5))


def test_others_are_drawn_evenly():
    items = [make_item(n, clip=f"{n}.wav", answer=str(n)) for n in range(12)]
    benchmark, durations = benchmark_of(items), _durations(items)
    drawn = Counter(
        clip.clip
        for seed in range(1_100)
        for clip in JoinPlanner(benchmark, durations, seed).plan(items[0], CONDITION).clips
    )
    expected = 1_100 * 3 / 11
    deviation = (expected * (1 - 3 / 11)) ** 0.5
    assert drawn["0.wav"] == 1_100
    assert all(abs(drawn[f"{n}.wav"] - expected) < 4 * deviation for n in range(1, 12))


def test_a_gold_of_most_items_leaves_the_few_others():
    rare = random.Random(0).sample(range(500), 5)
    items = [
        make_item(n, clip=f"{n}.wav", answer="odd" if n in rare else "usual") for n in range(500)
    ]
    planner = _planner(items)
    usual = next(item for item in items if item.answer == "usual")
    labels = [clip.label for clip in planner.plan(usual, CONDITION).clips]
    assert sorted(labels) == ["odd", "odd", "odd", "usual"]


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (
            [make_item(n, clip=f"{n}.wav", answer=str(n), recording="tape") for n in range(9)],
            "only 0 other clips of task unknown and language unknown have another answer and "
            "different recordings; 3 are needed",
        ),
        ([make_item(0)], "no main audio"),
        ([make_item(n, clip=f"{n}.wav", answer="same") for n in range(9)], "only 0 other clips"),
        ([make_item(n, clip=f"{n}.wav", task=str(n)) for n in range(9)], "other clips of task 0"),
        (
            [
                make_item(n, clip=f"{n}.wav", answer="ab"[n > 2], language="xy"[n > 2])
                for n in range(5)
            ],
            "only 2 other clips of task unknown in any language have another answer",
        ),
    ],
)
def test_what_cannot_be_joined_says_why(items, reason):
    durations = {item.audio().clip: 1.0 for item in items if item.audio()}
    planner = JoinPlanner(benchmark_of(items), durations, 0)
    with pytest.raises(InapplicableError, match=reason):
        planner.plan(items[0], CONDITION)


def test_unreadable_clips_are_neither_joined_nor_company():
    items = _items()
    durations = _durations(items)
    del durations["clip7.wav"]
    planner = JoinPlanner(benchmark_of(items), durations, 0)
    with pytest.raises(InapplicableError, match=r"'clip7\.wav' could not be read"):
        planner.plan(items[7], CONDITION)
    heard = {
        clip.clip for item in items if item.row != 7 for clip in planner.plan(item, CONDITION).clips
    }
    assert "clip7.wav" not in heard


def test_a_condition_without_a_join_is_refused():
    items = _items()
    with pytest.raises(InapplicableError, match="joins nothing"):
        _planner(items).plan(items[0], Condition(name="silence", recipe="seabed/silence"))
