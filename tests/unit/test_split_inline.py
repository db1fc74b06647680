"""Options in the question's own text, beside the list: found by letter and text, and taken out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.split.questions.inline import (
    find_inline,
    names_every_option,
    tells_to_choose,
    without_inline,
)

CHOICES = ("dog", "big cat", "owl")


@pytest.mark.parametrize(
    ("text", "without", "two"),
    [
        ("What barks? (a) dog (b) big cat (c) owl", "What barks?", "What barks? (a) dog (b) owl"),
        (
            "What barks?\nA. dog\nB. big cat\nC. owl\nAnswer with the letter.",
            "What barks?",
            "What barks?\nA. dog\nB. owl\nAnswer with the letter.",
        ),
        (
            "What barks? Options:\nA) dog\nB) big cat\nC) owl\nThink of the yard.",
            "What barks?\nThink of the yard.",
            "What barks? Options:\nA) dog\nB) owl\nThink of the yard.",
        ),
        ("Options:\n(A) dog\n(B) big cat\n(C) owl\nWhat barks?", "What barks?", None),
    ],
)
def test_styles(text, without, two):
    found = find_inline(text, CHOICES)
    assert without_inline(found) == without
    assert found.compose(found.question, CHOICES) == text
    if two is not None:
        assert found.compose(found.question, ("dog", "owl")) == two


@pytest.mark.parametrize(
    "text",
    [
        "What barks?",
        "Does the dog bark at the big cat or the owl?",
        "What barks? (a) dog (b) owl (c) big cat",
        "What barks? (a) dog (b) big cat",
        "What barks? (a) dog (c) big cat (d) owl",
    ],
)
def test_nothing_else_is_mistaken_for_options(text):
    assert find_inline(text, CHOICES) is None


WORD = st.text(st.characters(categories=("Lu", "Ll", "Lo")), min_size=1, max_size=8)


@given(
    stem=WORD.map(lambda word: f"What is {word}?"),
    choices=st.lists(WORD, min_size=2, max_size=10),
    style=st.sampled_from(["({0}) ", "{0}. ", "{0}) ", "{0}: "]),
    first=st.sampled_from("Aa"),
)
def test_any_block_is_found_and_comes_back_the_same(stem, choices, style, first):
    lettered = (style.format(chr(ord(first) + n)) + text for n, text in enumerate(choices))
    text = "\n".join([stem, *lettered])
    found = find_inline(text, choices)
    assert found is not None
    assert found.compose(found.question, choices) == text
    assert without_inline(found) == stem


def test_options_named_in_passing():
    assert names_every_option("Is the dog louder than the big cat or the owl?", CHOICES)
    assert not names_every_option("Is the dog louder than the big cat?", CHOICES)
    assert not names_every_option("dogma, big cats, owls", CHOICES)
    assert not names_every_option("What barks?", ())


def test_instructions_are_told_from_questions():
    assert tells_to_choose("Please select one of the options above.")
    assert tells_to_choose("Respond with a single letter (A-D)")
    assert tells_to_choose("Which choice does she regret?") is None
    assert tells_to_choose("Does she choose? Her options are few.") is None
