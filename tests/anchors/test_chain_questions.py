"""Chain questions as pure functions: four options, each of them what some listener would answer."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.anchors.questions.balancing import gold_places
from perturb.anchors.questions.chain import ask_chain
from perturb.anchors.questions.facts import LEVELS, ChainFacts, Place
from perturb.anchors.questions.reasoning import FOIL
from perturb.anchors.questions.wording import EditWords, clock, excerpt

BEEP = EditWords("a sound is laid over this recording: a rising two-tone beep")
COUNTS = {"Once": 1, "Twice": 2, "Three times": 3, "Four times": 4}


def place(number, *, is_worded=True):
    """Return one of the places of a long recording: number n starts after n times 20 s."""
    words = f"word{number} and more" if is_worded else None
    return Place(at_s=20.0 * number + 0.37, segment=number, words=words)


@st.composite
def facts(draw, is_worded=True, has_relations=False):
    """Return an edit at one to three places of a recording, and places far from it."""
    numbers = draw(st.lists(st.integers(0, 200), min_size=7, max_size=7, unique=True))
    count = draw(st.integers(1, 3))
    decoys = draw(st.integers(count + 1 if count == 1 else count, 4))
    relations = {}
    if has_relations:
        pairs = {(min(a, b), max(a, b)) for a in numbers for b in numbers if a != b}
        chosen = draw(st.sets(st.sampled_from(sorted(pairs)), min_size=1))
        relations = {pair: f"{pair[0]} answers {pair[1]}" for pair in sorted(chosen)}
    return ChainFacts(
        chain=draw(st.text(min_size=1, max_size=5)),
        edit=BEEP,
        places=tuple(place(number, is_worded=is_worded) for number in sorted(numbers[:count])),
        decoys=tuple(place(number, is_worded=is_worded) for number in numbers[3 : 3 + decoys]),
        relations=relations,
    )


seeds = st.integers(0, 2**63 - 1)
golds = st.integers(0, 3)


def times_in(text):
    """Return count and start times in seconds of an option of perception."""
    count, _, times = text.partition(", at about ")
    clocks = re.findall(r"(?:(\d+):)?(\d+):(\d\d)", times)
    return COUNTS[count], [int(h or 0) * 3600 + int(m) * 60 + int(s) for h, m, s in clocks]


@given(facts(has_relations=True), seeds, golds)
def test_options_differ_and_the_gold_stands_where_it_was_put(made, seed, gold):
    questions, _ = ask_chain(made, dict.fromkeys(LEVELS, gold), seed)
    for question in questions.values():
        assert len(set(question.choices)) == 4
        assert question.gold == gold
        assert [at for at, errors in enumerate(question.errors) if "none" in errors] == [gold]


def test_the_foil_is_for_a_hearing_whose_relation_is_no_option():
    """Every pair is related in its own way: three wrong hearings, and room for two of them."""
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    made = ChainFacts(
        chain="all",
        edit=BEEP,
        places=tuple(place(number) for number in (0, 2)),
        decoys=tuple(place(number) for number in (4, 5, 6, 7)),
        relations={pair: f"{pair[0]} answers {pair[1]}" for pair in pairs},
    )
    for seed in range(20):
        question = ask_chain(made, {}, seed)[0]["reasoning"]
        assert len(question.choices) == 4
        assert FOIL in question.choices
        assert all(question.choice_after(e) is not None for e in ("count", "position", "none"))


@given(facts(has_relations=True), seeds)
def test_every_wrong_option_follows_from_an_error(made, seed):
    questions, _ = ask_chain(made, {}, seed)
    for question in questions.values():
        assert all(question.errors)
        named = [error for errors in question.errors for error in errors]
        assert len(named) == len(set(named)) or question.level == "reasoning"


@given(facts(), seeds)
def test_perception_is_count_by_place(made, seed):
    question = ask_chain(made, {}, seed)[0]["perception"]
    true = [int(at.at_s) for at in made.places]
    for text, (error,) in zip(question.choices, question.errors, strict=True):
        count, times = times_in(text)
        assert count == len(times)
        assert times == sorted(times)
        assert abs(count - len(true)) == (1 if "count" in error else 0)
        if error == "none":
            assert times == true
        if "position" in error:
            assert not set(times) & set(true)
        if error == "count":
            assert set(times) < set(true) or set(true) < set(times)


@given(facts(), seeds)
def test_a_wrong_hearing_finds_the_words_of_its_own_places(made, seed):
    questions, reasons = ask_chain(made, {}, seed)
    if len(made.places) == 1:
        assert "understanding" not in questions
        assert "one place" in reasons["understanding"]
        return
    perception, understanding = questions["perception"], questions["understanding"]
    for text, (error,) in zip(perception.choices, perception.errors, strict=True):
        heard = [
            int((time_s - 0.37) // 20) if time_s % 20 else time_s // 20
            for time_s in times_in(text)[1]
        ]
        option = understanding.choices[understanding.choice_after(error)]
        assert [int(number) for number in re.findall(r"word(\d+) and more", option)] == heard


@given(facts(has_relations=True), seeds)
def test_reasoning_asks_for_a_relation_that_was_given_between_two_of_the_places(made, seed):
    questions, reasons = ask_chain(made, {}, seed)
    own = {at.segment for at in made.places}
    given_here = [pair for pair in made.relations if set(pair) <= own]
    if "reasoning" not in questions:
        assert len(made.places) == 1 or not given_here or "other relations" in reasons["reasoning"]
        return
    question = questions["reasoning"]
    assert FOIL in question.choices
    assert question.choices[question.gold] in {made.relations[pair] for pair in given_here}
    assert set(question.choices) - {FOIL} <= set(made.relations.values())


@given(facts(is_worded=False), seeds)
def test_without_words_the_chain_ends_after_perception(made, seed):
    questions, reasons = ask_chain(made, {}, seed)
    assert list(questions) == ["perception"]
    assert list(reasons) == ["understanding", "reasoning"]
    assert "understanding, is missing" in reasons["reasoning"]


@given(facts(has_relations=True), seeds, golds)
def test_where_the_gold_goes_changes_no_option(made, seed, gold):
    first, _ = ask_chain(made, {}, seed)
    second, _ = ask_chain(made, dict.fromkeys(LEVELS, gold), seed)
    assert {level: set(one.choices) for level, one in first.items()} == {
        level: set(one.choices) for level, one in second.items()
    }


@given(facts(), seeds)
def test_too_few_wrong_places_leave_no_chain(made, seed):
    short = ChainFacts(made.chain, made.edit, made.places, made.decoys[: len(made.places) - 1])
    questions, reasons = ask_chain(short, {}, seed)
    assert questions == {}
    assert set(reasons) == set(LEVELS)
    assert "offered as wrong" in reasons["perception"]


def test_passages_that_read_alike_leave_no_understanding():
    twice = [Place(at_s=at, segment=number, words="yes") for number, at in enumerate((5.0, 50.0))]
    others = [Place(at_s=at, segment=9, words="yes") for at in (100.0, 150.0)]
    made = ChainFacts("c", BEEP, tuple(twice), tuple(others))
    _, reasons = ask_chain(made, {}, 0)
    assert "read alike" in reasons["understanding"]


def test_a_count_that_is_off_is_more_as_often_as_less():
    two = tuple(place(number) for number in (1, 2))
    far = tuple(place(number) for number in (20, 30, 40))
    counts = Counter()
    for number in range(400):
        question = ask_chain(ChainFacts(str(number), BEEP, two, far), {}, 0)[0]["perception"]
        counts[times_in(question.choices[question.choice_after("count")])[0]] += 1
    assert set(counts) == {1, 3}
    assert abs(counts[1] - counts[3]) < 80  # four standard deviations of 400 coins


@given(st.lists(st.text(), unique=True, max_size=60), seeds, st.randoms())
def test_golds_are_balanced_to_within_one_whatever_the_order(names, seed, random):
    found = gold_places(names, seed)
    counts = Counter(found.values())
    assert max(counts.values(), default=0) - min((counts[at] for at in range(4)), default=0) <= 1
    shuffled = list(names)
    random.shuffle(shuffled)
    assert gold_places(shuffled, seed) == found


def test_another_seed_deals_golds_out_otherwise():
    names = [f"clip-{number}" for number in range(20)]
    assert gold_places(names, 0) != gold_places(names, 1)


@given(st.integers(0, 10**5))
def test_a_clock_says_its_second(second):
    parts = [int(part) for part in clock(second + 0.99).split(":")]
    assert sum(part * 60**power for power, part in enumerate(reversed(parts))) == second


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60).map(" ".join)
SHARES = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted).map(tuple)


@given(WORDS, SHARES, st.booleans())
def test_an_excerpt_quotes_words_in_their_order_and_at_most_twelve(words, share, hides):
    found = [word for word in excerpt(words, share, hides_words=hides).split() if word != "…"]
    assert 1 <= len(found) <= 12
    rest = iter(words.split())
    assert all(word in rest for word in found)


def test_what_an_edit_hides_is_not_quoted():
    words = " ".join(str(number) for number in range(10))
    found = excerpt(words, (0.4, 0.6), hides_words=True)
    assert found == "0 1 2 3 … 6 7 8 9"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_questions_open_alike_at_every_level(count):
    made = ChainFacts(
        "c",
        BEEP,
        tuple(place(number) for number in range(count)),
        tuple(place(number) for number in (20, 30, 40, 50)),
        {(0, 1): "x", (1, 20): "y", (0, 30): "z", (1, 2): "w"},
    )
    questions, _ = ask_chain(made, {}, 1)
    assert len(questions) == (1 if count == 1 else 3)
    assert all(one.question.startswith(BEEP.opening) for one in questions.values())
