"""Lists of options as tables write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.benchmark.choices import letter_index, parse_choices


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (["Man", "Woman"], ("Man", "Woman")),
        (["Man", "Man, or none", "Man"], ("Man", "Man, or none", "Man")),
        (["(A) Man", "(B) Woman"], ("Man", "Woman")),
        (["A. Man", "B. Woman", "C. A. Smith"], ("Man", "Woman", "A. Smith")),
        (["a) Man", "b) Woman"], ("Man", "Woman")),
        ('["Man", "Woman"]', ("Man", "Woman")),
        ('["Man","Woman"]', ("Man", "Woman")),
        ('["(A) Man", "(B) Woman"]', ("Man", "Woman")),
        ("['Man', \"It's she\"]", ("Man", "It's she")),
        ("(A) Man (B) Woman", ("Man", "Woman")),
        ("A. Man\nB. Woman\nC. Both", ("Man", "Woman", "Both")),
        ("A: one; B: two", ("one", "two")),
        ([], ()),
        ("[]", ()),
        ([" leading", "trailing "], (" leading", "trailing ")),
        (["A. only one"], ("A. only one",)),
        (["(A) Man", "(C) Woman"], ("(A) Man", "(C) Woman")),
        (["A man", "A woman"], ("A man", "A woman")),
    ],
)
def test_options_are_read_without_letters_and_written_back_as_they_were(value, texts):
    found, style = parse_choices(value)
    assert found == texts
    assert style.format(found) == value


@pytest.mark.parametrize(
    "value", ["Man or woman", {"A": "Man"}, 7, "[1, 2", "[not a list]", [None]]
)
def test_what_is_no_list_of_options_is_not_made_one(value):
    assert parse_choices(value) is None


@pytest.mark.parametrize(
    ("value", "fewer"),
    [
        (["(A) x", "(B) y", "(C) z"], ["(A) x", "(B) z"]),
        ('["(a) x", "(b) y", "(c) z"]', '["(a) x", "(b) z"]'),
        ("A. x\nB. y\nC. z", "A. x\nB. z"),
        (["x", "y", "z"], ["x", "z"]),
    ],
)
def test_fewer_options_are_lettered_anew_in_the_same_style(value, fewer):
    _, style = parse_choices(value)
    assert style.format(("x", "z")) == fewer


@given(st.lists(st.text(min_size=1), min_size=2, max_size=10))
def test_every_list_survives(texts):
    found, style = parse_choices(texts)
    assert style.format(found) == texts


def test_letters_name_places():
    assert [letter_index(text, 4) for text in ("A", "(b)", "c.", " D ", "E", "AB", "")] == [
        0,
        1,
        2,
        3,
        None,
        None,
        None,
    ]
