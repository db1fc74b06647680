"""What gold answers are is told from all rows, and another gold is said the same way."""

from __future__ import annotations

import pytest

from perturb.benchmark.answers import express_answer, find_answer, find_answer_form
from perturb.benchmark.choices import ChoiceStyle, Lettering
from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError

OPTIONS = ("Man", "Woman", "Child")
LETTERED = ChoiceStyle(
    form="joined", lettering=Lettering(before="(", after=")", gap=" ", is_upper=False)
)


def asked(*answers, choices=OPTIONS, style=None):
    return [(answer, choices, style) for answer in answers]


@pytest.mark.parametrize(
    ("form", "answers"),
    [
        ("text", ["Man", " woman", "Child "]),
        ("letter", ["A", "(b)", "C."]),
        ("option", ["(A) Man", " (b) woman", "C. Child"]),
        ("index", [0, "1", 2]),
    ],
)
def test_each_form_is_told_and_finds_its_gold(form, answers):
    rows = asked(*answers)
    assert find_answer_form(rows, "f") == form
    assert [find_answer(row, form) for row in rows] == [("Man", 0), ("Woman", 1), ("Child", 2)]


def test_a_row_that_fits_two_forms_decides_nothing():
    notes = asked("A", choices=("B", "A"))
    assert find_answer_form(notes + asked("Man"), "f") == "text"
    assert find_answer_form(notes + asked("B"), "f") == "letter"
    assert find_answer_form(notes, "f", otherwise="letter") == "letter"
    with pytest.raises(BenchmarkError, match="f: the answers can be read as option text and as le"):
        find_answer_form(notes, "f")


def test_one_odd_row_in_ten_is_borne_and_more_are_not():
    assert find_answer_form(asked(*["Man"] * 9, "B"), "f") == "text"
    with pytest.raises(BenchmarkError, match="option text in 8, letters in 2 rows"):
        find_answer_form(asked(*["Man"] * 8, "B", "C"), "f")


def test_without_any_match_answers_are_text():
    assert find_answer_form(asked("Somebody"), "f") == "text"
    assert find_answer(asked("Somebody")[0], "text") == ("Somebody", None)
    assert find_answer_form([], "f") == "text"


def test_equal_options_leave_the_place_open_and_the_closest_match_counts():
    assert find_answer(("a", ("a", "b", "a"), None), "text") == ("a", None)
    assert find_answer(("a", ("A", "a"), None), "text") == ("a", 1)
    assert find_answer(("E", OPTIONS, None), "letter") == ("E", None)


@pytest.mark.parametrize(
    ("form", "written", "expected"),
    [
        ("text", "Man", "Child"),
        ("text", " man", " Child"),
        ("letter", "(a)", "(b)"),
        ("letter", "A.", "B."),
        ("letter", "odd", "B"),
        ("option", " (a) Man", " (b) Child"),
        ("index", 0, 1),
        ("index", "0", "1"),
    ],
)
def test_another_gold_is_said_the_same_way(form, written, expected):
    new = Question(question="q", choices=("Man", "Child"), answer="Child", answer_index=1)
    assert express_answer((written, OPTIONS, None), form, new) == expected


def test_options_that_carry_letters_lend_them_to_an_answer_without():
    new = Question(question="q", choices=("Man", "Child"), answer="Child", answer_index=1)
    assert express_answer(("odd", OPTIONS, LETTERED), "option", new) == "(b) Child"


@pytest.mark.parametrize("form", ["text", "letter", "option", "index"])
def test_an_open_question_has_text_and_an_unknown_gold_nothing(form):
    open_ended = Question(question="q", answer="Man")
    written = {"text": "Man", "letter": "A", "option": "(A) Man", "index": 0}[form]
    expected = "Man"
    assert express_answer((written, OPTIONS, None), form, open_ended) == expected
    assert express_answer((written, OPTIONS, None), form, Question(question="q")) is None
