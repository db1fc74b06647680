"""Options in the question's own text: found by letter and text, removed, written anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.split.inline import find_inline, names_every_option

CHOICES = ("dog", "big cat", "owl")


@pytest.mark.parametrize(
    ("text", "without", "two"),
    [
        ("What barks? (a) dog (b) big cat (c) owl", "What barks?", "What barks? (a) dog (b) owl"),
        (
            "What barks?\nA. dog\nB. big cat\nC. owl\nAnswer at once.",
            "What barks?\nAnswer at once.",
            "What barks?\nA. dog\nB. owl\nAnswer at once.",
        ),
        (
            "What barks? Options: A) dog, B) big cat, C) owl.",
            "What barks?",
            "What barks? Options: A) dog, B) owl.",
        ),
        (
            "What barks? Choose the best of these: (A)dog; (B)big cat; or (C)owl",
            "What barks?",
            "What barks? Choose the best of these: (A)dog; or (B)owl",
        ),
        ("What barks: 1. dog 2. big cat 3. owl", "What barks:", "What barks: 1. dog 2. owl"),
        ("The choices are:\na: dog\nb: big cat\nc: owl\n\nWhat barks?", "What barks?", None),
    ],
)
def test_styles(text, without, two):
    found = find_inline(text, CHOICES)
    assert found.without_options() == without
    assert found.with_options(CHOICES) == text
    if two is not None:
        assert found.with_options(("dog", "owl")) == two


@pytest.mark.parametrize(
    "text",
    [
        "What barks?",
        "Does the dog bark at the big cat or the owl?",
        "What barks? (a) dog (b) owl (c) big cat",
        "What barks? (a) dog (b) big cat",
        "What barks? (a) dog (c) big cat (d) owl",
        "Plan BA. dog B. big cat C. owl",
    ],
)
def test_nothing_else_is_mistaken_for_options(text):
    assert find_inline(text, CHOICES) is None


WORD = st.text(st.characters(categories=("Lu", "Ll", "Lo")), min_size=1, max_size=8)


@given(
    stem=WORD.map(lambda word: f"What is {word}?"),
    choices=st.lists(WORD, min_size=2, max_size=10),
    style=st.sampled_from(["({0}) ", "{0}. ", "{0}) ", "{0}: "]),
    separator=st.sampled_from([" ", "\n", ", ", "; "]),
    is_upper=st.booleans(),
)
def test_any_block_is_found_and_comes_back_the_same(stem, choices, style, separator, is_upper):
    first = "A" if is_upper else "a"
    block = separator.join(
        style.format(chr(ord(first) + n)) + choice for n, choice in enumerate(choices)
    )
    text = f"{stem} {block}"
    found = find_inline(text, choices)
    assert found is not None
    assert found.with_options(choices) == text
    assert found.without_options() == stem
    assert find_inline(found.with_options(choices[:2]), choices[:2]) is not None


def test_options_named_in_passing():
    assert names_every_option("Is the dog louder than the big cat or the owl?", CHOICES)
    assert not names_every_option("Is the dog louder than the big cat?", CHOICES)
    assert not names_every_option("dogma, big cats, owls", CHOICES)
    assert not names_every_option("What barks?", ())
