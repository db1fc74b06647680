from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.errors import ParameterError
from perturb.split.sampling import Share, parse_share, parse_strata, sample_items
from tests.strategies.benchmarks import make_item


@st.composite
def samples(draw):
    tasks = draw(st.lists(st.sampled_from([None, "t", "u", "v", "w"]), min_size=1, max_size=60))
    items = [make_item(at, f"c{at}", task=task) for at, task in enumerate(tasks)]
    share = draw(
        st.one_of(
            st.none(),
            st.builds(Share, fraction=st.floats(0.001, 1.0)),
            st.builds(Share, items=st.integers(1, 80)),
        )
    )
    return items, share, draw(st.integers(0, 3))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("10%", Share(fraction=0.1)),
        ("0.1", Share(fraction=0.1)),
        (" .5 ", Share(fraction=0.5)),
        ("100 %", Share(fraction=1.0)),
        ("1.0", Share(fraction=1.0)),
        ("2.5%", Share(fraction=0.025)),
        ("250", Share(items=250)),
        ("1", Share(items=1)),
    ],
)
def test_shares_are_read(text, share):
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["", "0", "0%", "101%", "1.5", "-3", "ten", "1e3", "10%%", "١٠%"])
def test_other_shares_are_refused(text):
    with pytest.raises(ParameterError, match=r"accepted: a share such as 10% or 0\.1"):
        parse_share(text)


def test_strata_are_fields_of_items():
    assert parse_strata("task, language") == ("task", "language")
    assert parse_strata("") == ()
    for text in ("tasks", "task,task", "task,"):
        with pytest.raises(ParameterError, match="accepted: task, language"):
            parse_strata(text)


@given(samples(), st.randoms(use_true_random=False))
def test_the_same_items_are_taken_in_any_order(case, random):
    items, share, seed = case
    taken = sample_items(items, share, ["task"], seed)
    again = sample_items(random.sample(items, len(items)), share, ["task"], seed)
    assert {item.pair_id for item in taken} == {item.pair_id for item in again}
    assert [item.row for item in taken] == sorted(item.row for item in taken)


@given(samples())
def test_strata_give_their_share_to_within_one_item_and_one_at_least(case):
    items, share, seed = case
    sizes = Counter(item.task for item in items)
    taken = Counter(item.task for item in sample_items(items, share, ["task"], seed))
    wanted = len(items) if share is None else share.of(len(items))
    assert sum(taken.values()) == max(wanted, len(sizes))
    assert set(taken) == set(sizes)
    if all(size * wanted >= len(items) for size in sizes.values()):
        assert all(abs(taken[t] - wanted * sizes[t] / len(items)) < 1 for t in sizes)


@given(samples(), st.integers(1, 60))
def test_a_limit_holds_whatever_the_strata_ask_for(case, limit):
    items, share, seed = case
    taken = sample_items(items, share, ["task"], seed, limit)
    strata = len({item.task for item in items})
    wanted = len(items) if share is None else share.of(len(items))
    assert len(taken) == min(limit, max(wanted, strata))


@given(samples(), st.integers(0, 59))
def test_a_larger_sample_of_one_stratum_holds_a_smaller_one(case, more):
    items, _, seed = case
    small = sample_items(items, Share(items=max(1, more // 2)), (), seed)
    large = sample_items(items, Share(items=more + 1), (), seed)
    assert {item.pair_id for item in small} <= {item.pair_id for item in large}


@given(samples())
def test_an_added_item_takes_the_place_of_one_at_most(case):
    items, _, seed = case
    share = Share(items=max(1, len(items) // 3))
    before = {item.pair_id for item in sample_items(items, share, (), seed)}
    added = make_item(1000, "new")
    after = {item.pair_id for item in sample_items([*items, added], share, (), seed)}
    assert len(before - after) <= 1
    assert after - before <= {added.pair_id}


def test_largest_remainders_decide():
    """10 of 47, 33, 20: shares 4.7, 3.3, 2.0."""
    items = [make_item(at, f"c{at}", task="a") for at in range(47)]
    items += [make_item(at, f"c{at}", task="b") for at in range(47, 80)]
    items += [make_item(at, f"c{at}", task="c") for at in range(80, 100)]
    taken = Counter(item.task for item in sample_items(items, Share(items=10), ["task"]))
    assert taken == {"a": 5, "b": 3, "c": 2}


def test_seeds_take_other_items():
    items = [make_item(at, f"c{at}") for at in range(100)]
    sets = [
        tuple(item.pair_id for item in sample_items(items, Share(fraction=0.1), (), seed))
        for seed in (0, 1)
    ]
    assert sets[0] != sets[1]
    assert len(sets[0]) == len(sets[1]) == 10


def test_a_limit_below_one_is_refused():
    with pytest.raises(ParameterError, match="limit is 0; accepted"):
        sample_items([make_item(0, "c")], limit=0)
