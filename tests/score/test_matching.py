"""Matching rules: what each accepts, and what none of them may."""

from __future__ import annotations

import json
import math
import re
from string import ascii_uppercase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perturb.errors import ParameterError, ScoreError
from perturb.score.matching.normalising import normalise
from perturb.score.matching.protocol import ANSWERED, UNGRADED, UNPARSED, Asked
from perturb.score.matching.refusal import is_refusal
from perturb.score.matching.registry import find_matcher

ASKED = Asked(("a man", "a woman", "a child", "It cannot be determined"), "a woman", 1)


def read(rule, text, asked=ASKED):
    matcher, _ = find_matcher(rule)
    return matcher.reader(asked)(text)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("B", 1),
        ("b", 1),
        ("(B)", 1),
        ("[b]", 1),
        ("B.", 1),
        ("B)", 1),
        ("b:", 1),
        ("Option B", 1),
        ("**B**", 1),
        ("a woman", 1),
        (" A  Woman. ", 1),
        ('"a woman"', 1),
        ("B. a woman", 1),
        ("(b) A woman", 1),
        ("B) a woman.", 1),
        ("(B)a woman", 1),
        ("B - a woman", 1),
        ("Answer: B", 1),
        ("ANSWER: B", 1),
        ("The answer is B.", 1),
        ("The correct answer is: (B) a woman", 1),
        ("So, the answer is **a woman**", 1),
        ("<think>A? no, C.</think>\nB", 1),
        ("reasoning… <answer>B</answer>", 1),
        ("$\\boxed{B}$", 1),
        ("A", 0),
        ("A man", 0),
        ("D. It cannot be determined", 3),
        ("E", -1),
        ("a man or a woman", -1),
        ("not a woman", -1),
        ("woman", -1),
        ("A. a woman", -1),
        ("B, because she speaks softly", -1),
        ("?", -1),
        ("BB", -1),
    ],
)
def test_the_stated_rule_takes_letter_text_or_both_and_nothing_else(text, choice):
    match = read("stated", text)
    assert match.choice == choice
    assert match.state == (UNPARSED if choice < 0 else ANSWERED)
    assert match.correct == float(choice == 1)


def test_a_letter_with_another_options_text_is_contradictory():
    assert read("stated", "A. a woman").why == "contradictory"


def test_a_letter_that_is_another_options_text_is_ambiguous():
    notes = Asked(("B", "A", "C", "D"), "A", 1)
    assert read("stated", "A", notes).why == "ambiguous"
    assert read("stated", "C", notes).choice == 2
    assert read("stated", "(A) B", notes).choice == 0


def test_equal_options_are_one_answer():
    twins = Asked(("a dog", "a cat", "A dog", "a cow"), "a dog", 0)
    for text in ("a dog", "A", "C", "C. a dog", "A dog"):
        assert read("stated", text, twins).correct == 1.0
    assert read("stated", "A dog", twins).choice == 2
    assert read("stated", "B", twins).correct == 0.0


def test_an_option_that_begins_like_a_lead_is_still_itself():
    leads = Asked(("Answer: maybe", "the answer is no", "Best option: all", "yes"), "yes", 3)
    for place, text in enumerate(leads.choices):
        assert read("stated", text, leads).choice == place
        assert read("stated", f" {text.upper()}. ", leads).choice == place


def test_without_a_known_gold_nothing_is_right_or_wrong():
    unknown = Asked(("a", "b"), None, -1)
    assert read("stated", "(b)", unknown).choice == 1
    assert math.isnan(read("stated", "(b)", unknown).correct)


def test_an_open_ended_answer_is_the_golds_text_or_needs_a_judge():
    asked = Asked((), "Two dogs", -1)
    right, other = read("stated", "two dogs.", asked), read("stated", "dogs, two of them", asked)
    assert (right.state, right.correct) == (ANSWERED, 1.0)
    assert other.state == UNGRADED
    assert math.isnan(other.correct)
    assert read("exact", "dogs, two of them", asked).correct == 0.0


def test_an_option_called_by_another_ones_letter_is_ambiguous():
    assert read("stated", "Option A", Asked(("yes", "Option A"), "yes", 0)).why == "ambiguous"


TEXTS = st.text(st.characters(categories=["L", "Nd", "Po", "Sm"]), min_size=7, max_size=12)


@given(st.lists(TEXTS, min_size=2, max_size=10, unique_by=normalise), st.data())
def test_every_option_is_read_back_by_letter_text_and_both(options, data):
    assume(all(len(normalise(option)) > 1 for option in options))
    place = data.draw(st.integers(0, len(options) - 1))
    asked = Asked(tuple(options), options[place], place)
    letter = ascii_uppercase[place]
    lettered = f"{letter}. {options[place]}"
    for text in (letter, f"({letter.lower()})", options[place], lettered):
        match = read("stated", text, asked)
        assert (match.choice, match.correct) == (place, 1.0)


def token_rule(answer, prediction, choices):
    """The published rule of MMAU, from its description: words as sets."""

    def words(text):
        return set(re.findall(r"\b\w+\b", text.lower()))

    foreign = set()
    for choice in choices:
        if words(choice) != words(answer):
            foreign |= words(choice) - words(answer)
    said = words(prediction)
    return bool(said) and words(answer) <= said and not said & foreign


@given(
    st.lists(st.sampled_from(["a dog", "dog", "a big dog", "cat", "big cat"]), min_size=2),
    st.lists(st.sampled_from(["a", "dog", "big", "cat", "not", "A.", "B."])).map(" ".join),
    st.integers(0, 9),
)
def test_the_rule_of_mmau_is_its_published_one(choices, text, number):
    gold = number % len(choices)
    asked = Asked(tuple(choices), choices[gold], gold)
    for rule in ("mmau", "mmar"):
        match = read(rule, text, asked)
        assert match.correct == float(token_rule(choices[gold], text, choices))
        if match.choice >= 0:
            assert token_rule(choices[match.choice], text, choices)


def test_the_rule_of_mmau_takes_no_bare_letter_but_lettered_text():
    assert read("mmau", "B").state == UNPARSED
    assert read("mmau", "B. a woman").choice == 1
    assert read("mmau", "not a woman").correct == 1.0  # as it does


@pytest.mark.parametrize(
    ("text", "choice"),
    [("B", 1), ("(B) a man", 1), ("B, since", 1), ("a woman", -1), ("Because", -1), ("E.", -1)],
)
def test_the_letter_rule_looks_at_the_first_letter_alone(text, choice):
    assert read("letter", text).choice == choice


def test_the_exact_rule_takes_text_alone():
    assert read("exact", "A  WOMAN").choice == 1
    assert read("exact", "B").state == UNPARSED
    assert read("exact", "B. a woman").state == UNPARSED


def test_a_pattern_reads_its_last_match():
    rule = r"regex:I pick (?P<answer>\w+)"
    assert read(rule, "I pick A, no, I pick B").choice == 1
    assert read(rule, "B").state == UNPARSED


def test_rules_that_do_not_exist_are_named_with_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'letter'"):
        find_matcher("leter")
    with pytest.raises(ParameterError, match="does not compile"):
        find_matcher("regex:(")
    with pytest.raises(ParameterError, match="takes a file"):
        find_matcher("judge-file")


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot hear any audio in this conversation.",
        "As an AI language model, I am unable to listen to recordings.",
        "There is no audio provided.",
        "The audio is silent.",
        "No speech was detected",
        "It cannot be determined from the audio",
        "Maaf, saya tidak dapat mendengar audio.",
        "ไม่สามารถระบุได้จากเสียง",
        "Please upload the audio file.",
    ],
)
def test_refusals_are_told_from_other_unparsed_answers(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text", ["banana", "Two dogs.", "He says he is sorry.", "The speaker cannot be a child."]
)
def test_an_answer_that_mentions_refusal_is_none(text):
    assert not is_refusal(text)


def test_a_judges_file_must_be_plain(tmp_path):
    path = tmp_path / "grades.csv"
    for text, message in (
        ("id,score\na,1\n", "`condition`"),
        ("id,condition,score\na,noise,4\n", "row 0: the grade is '4'"),
        ("id,condition,score\na,noise,1\na,noise,1\n", "row 1 grades 'a' a second time"),
        ("id,condition,score\n,noise,1\n", "row 0 has no id"),
    ):
        path.write_text(text)
        with pytest.raises(ScoreError, match=re.escape(message)):
            find_matcher(f"judge-file:{path}")


@pytest.mark.parametrize("grade", [10**400, "nan", "1e999"])
def test_grades_that_no_double_holds_are_refused_in_words(grade, tmp_path):
    judge, rubric = tmp_path / "grades.json", tmp_path / "rubric.json"
    row = {"id": "a", "condition": "noise"}
    judge.write_text(json.dumps([{**row, "score": grade}]))
    rubric.write_text(json.dumps([{**row, "kind": "essential", "semantic": grade}]))
    with pytest.raises(ScoreError, match="row 0: the grade is"):
        find_matcher(f"judge-file:{judge}")
    with pytest.raises(ScoreError, match="semantic is"):
        find_matcher(f"rubric-file:{rubric}")
