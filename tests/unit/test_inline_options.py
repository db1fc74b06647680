"""Options inside a question are taken out, and put back as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.benchmark.readers.inline_options import InlineOptions


@pytest.mark.parametrize(
    ("text", "question", "options"),
    [
        ("Which? (a) dog (b) cat", "Which?", ("dog", "cat")),
        ("Which? (A) dog, big, (B) cat, (C) cow.", "Which?", ("dog, big", "cat", "cow.")),
        ("Which?\nA. dog\nB. a (b) c\nC. cow\n\nAnswer.", "Which?", ("dog", "a (b) c", "cow")),
        ("Which?\nOptions:\n(A) dog\n(B) cat\n.Answer now.", "Which?", ("dog", "cat")),
        ("See (a) and (b) of it. Which? (a) x (b) y (c) z", "See (a) and (b) of it. Which?", "xyz"),
        ("哪个?\n选项：\nA: 狗\nB: 猫", "哪个?", ("狗", "猫")),
    ],
)
def test_options_are_found(text, question, options):
    inline = InlineOptions.find(text)
    assert (inline.question, inline.options) == (question, tuple(options))
    assert inline.compose(inline.question, inline.options) == text


@pytest.mark.parametrize(
    "text", ["", "Which?", "Only (a) one", "(b) b (a) a", "It is A. Then B. Then C.", "(a) x (B) y"]
)
def test_text_without_options_has_none(text):
    assert InlineOptions.find(text) is None


def test_fewer_options_are_lettered_anew_and_none_leave_the_question():
    inline = InlineOptions.find("Which?\n(a) dog\n(b) cat\n(c) cow\nAnswer.")
    assert inline.compose("Which now?", ("cat", "cow")) == "Which now?\n(a) cat\n(b) cow\nAnswer."
    assert inline.compose("Which now?", ()) == "Which now?"


words = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=2, max_size=6)


@given(
    words,
    st.lists(words, min_size=2, max_size=10),
    st.sampled_from(
        [("? (", ") ", " "), ("?\n(", ") ", "\n"), ("?\n", ". ", "\n"), ("?\n", ") ", "\n")]
    ),
    st.sampled_from(["", "\nAnswer now."]),
    st.booleans(),
)
def test_what_is_found_composes_to_the_text(word, options, style, tail, is_upper):
    lead, after, gap = style
    tail = tail if "\n" in gap else ""
    letters = "ABCDEFGHIJ" if is_upper else "abcdefghij"
    before = "(" if lead.endswith("(") else ""
    body = gap.join(f"{before}{letters[i]}{after}{text}" for i, text in enumerate(options))
    text = f"{word}{lead.removesuffix('(')}{body}{tail}"
    inline = InlineOptions.find(text)
    assert inline.options == tuple(options)
    assert inline.compose(inline.question, inline.options) == text
