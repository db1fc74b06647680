"""Fewer options: nested, the gold kept, the order kept, whatever sizes are asked."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.benchmark.variant import Question
from perturb.errors import InapplicableError
from perturb.split.questions.options import keep_options, rank_options, reduced
from tests.strategies.items import make_item

TEN = tuple(f"option {n}" for n in range(10))


@st.composite
def items(draw):
    """Return items of 2 to 12 options, some of which may read alike."""
    choices = tuple(draw(st.lists(st.sampled_from("abcdefgh ABC"), min_size=2, max_size=12)))
    gold = draw(st.integers(0, len(choices) - 1))
    pair_id = draw(st.text(min_size=1, max_size=5))
    return make_item(pair_id=pair_id, choices=choices, answer=choices[gold], answer_index=gold)


@given(items(), st.integers(0, 2**63 - 1), st.data())
def test_sets_are_nested_keep_the_gold_and_their_order(item, seed, data):
    abstaining = data.draw(st.lists(st.integers(0, len(item.choices) - 1), max_size=2))
    larger = set(range(len(item.choices)))
    for size in range(len(item.choices), 0, -1):
        kept = keep_options(item, size, abstaining, seed)
        assert len(kept) == size
        assert list(kept) == sorted(kept)
        assert item.answer_index in kept
        assert set(kept) <= larger
        left = reduced(item, Question.of(item), kept)
        assert left.choices == tuple(item.choices[place] for place in kept)
        assert left.answer == item.answer
        assert left.choices[left.answer_index] == item.answer
        larger = set(kept)


def test_sizes_do_not_depend_on_which_others_are_asked():
    item = make_item(choices=TEN, answer="option 3")
    alone = keep_options(item, 4, (), seed=5)
    for size in (10, 7, 4):
        last = keep_options(item, size, (), seed=5)
    assert last == alone


def test_all_options_are_the_question_as_it_was():
    item = make_item(choices=TEN, answer="option 3")
    assert reduced(item, Question.of(item), keep_options(item, 10, (), 0)) == Question.of(item)


def test_distractors_fall_evenly():
    item_count, size = 4_000, 4
    kept = Counter(
        place
        for n in range(item_count)
        for place in keep_options(make_item(n, choices=TEN, answer="option 3"), size, (), seed=0)
    )
    assert kept[3] == item_count
    expected = item_count * (size - 1) / 9
    deviation = (expected * (1 - (size - 1) / 9)) ** 0.5
    assert all(abs(count - expected) < 4 * deviation for place, count in kept.items() if place != 3)


def test_seeds_and_items_draw_apart():
    item, other = (make_item(n, choices=TEN, answer="option 3") for n in (0, 1))
    draws = {
        rank_options(each.choices, 3, (), seed, each.pair_id)
        for each in (item, other)
        for seed in range(5)
    }
    assert len(draws) == 10


@given(st.integers(0, 10_000))
def test_abstaining_options_stay_as_long_as_there_is_room(seed):
    item = make_item(choices=(*TEN[:9], "cannot be determined"), answer="option 3")
    for size in (9, 7, 4, 2):
        assert 9 in keep_options(item, size, (9,), seed)


@given(st.integers(0, 10_000))
def test_options_that_say_the_same_go_before_any_other(seed):
    choices = ("dog", "cat", "Dog ", "owl", "cat", "cow")
    item = make_item(choices=choices, answer="dog", answer_index=0)
    kept = keep_options(item, 4, (), seed)
    texts = [choices[place].strip().lower() for place in kept]
    assert sorted(texts) == ["cat", "cow", "dog", "owl"]
    assert 0 in kept
    assert 2 not in kept


def test_a_gold_named_by_a_text_that_two_options_share_stays_open_until_one_is_gone():
    item = make_item(choices=("dog", "cat", "dog", "owl"), answer="dog", answer_index=None)
    whole = reduced(item, Question.of(item), keep_options(item, 4, (), 0))
    assert whole == Question.of(item)
    assert whole.answer_index is None
    fewer = reduced(item, Question.of(item), keep_options(item, 3, (), 0))
    assert fewer.choices == ("dog", "cat", "owl")
    assert fewer.answer_index == 0


@pytest.mark.parametrize(
    ("item", "size", "reason"),
    [
        (make_item(answer="dog"), 4, "no options"),
        (make_item(choices=("dog", "cat"), answer="dog"), 4, "has 2 options; 4 were asked for"),
        (make_item(choices=("dog", "cat")), 2, "gold answer is unknown"),
        (make_item(choices=("dog", "cat"), answer="owl"), 2, "'owl', which is no option"),
    ],
)
def test_what_cannot_be_had_says_why(item, size, reason):
    with pytest.raises(InapplicableError, match=reason):
        keep_options(item, size, (), 0)
