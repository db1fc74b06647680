"""How conditions ask: every question side in closed form, every reason why it cannot be had."""

from __future__ import annotations

import msgspec
import pytest

from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError, InapplicableError, ParameterError, RecipeError
from perturb.recipes.catalogue import load_recipe, load_suite
from perturb.recipes.condition_text import describe_condition
from perturb.recipes.suite import Condition, Join, parse_suite
from perturb.recipes.wording import Wording
from perturb.split.joining.planning import JoinedClip, JoinPlan
from perturb.split.questions.asking import QuestionMaterial, ask, check_material
from perturb.split.questions.options import keep_options
from perturb.split.questions.transcripts import GivenQuestion
from tests.strategies.items import make_item

CHOICES = ("happy", "sad", "calm", "cannot be determined")
ITEM = make_item(0, question="How does she feel?", choices=CHOICES, answer="sad")
INLINE = msgspec.structs.replace(
    ITEM, question="How does she feel? (a) happy (b) sad (c) calm (d) cannot be determined"
)
NOTHING = QuestionMaterial()
INDONESIAN = GivenQuestion(
    question="Bagaimana perasaannya?",
    choices=("senang", "sedih", "tenang", "tidak dapat ditentukan"),
    answer="sedih",
    answer_index=1,
)


def _ask(item=ITEM, material=NOTHING, seed=0, **fields):
    return ask(item, Condition(name="condition", **fields), material, seed)


def test_the_question_alone_is_the_sources():
    asked = _ask(audio="none")
    assert asked == Question.of(ITEM)
    assert _ask(recipe="seabed/silence") == Question.of(ITEM)


def test_a_transcript_goes_before_the_question_with_audio_and_without():
    material = QuestionMaterial(transcripts={"0": "I lost my dog. \n"})
    with_audio = _ask(material=material, transcript="plain")
    assert with_audio.question == ("Transcript of the audio:\nI lost my dog.\n\nHow does she feel?")
    assert with_audio == _ask(material=material, transcript="plain", audio="none")
    assert (with_audio.choices, with_audio.answer_index) == (CHOICES, 1)


def test_a_given_transcript_goes_before_the_sources_own():
    item = msgspec.structs.replace(ITEM, transcript="the source's")
    assert "the source's" in _ask(item, transcript="plain").question
    material = QuestionMaterial(transcripts={"0": "the table's"})
    assert "the table's" in _ask(item, material, transcript="plain").question


def test_braces_in_texts_are_left_alone():
    item = msgspec.structs.replace(ITEM, question="What is {question}?")
    material = QuestionMaterial(transcripts={"0": "{transcript} {0}"})
    asked = _ask(item, material, transcript="plain").question
    assert asked == "Transcript of the audio:\n{transcript} {0}\n\nWhat is {question}?"


def test_the_oracle_tells_the_edits_of_its_condition():
    edits = {("louder", "0"): "- From 1.0 to 2.0 s: 10 dB louder."}
    material = QuestionMaterial(transcripts={"0": "Hello."}, edits=edits)
    asked = _ask(material=material, transcript="oracle", edits_of="louder", audio="none")
    assert asked.question == (
        "Transcript of the audio before it was edited:\nHello.\n\n"
        "Edits made to the audio:\n- From 1.0 to 2.0 s: 10 dB louder.\n\nHow does she feel?"
    )
    with pytest.raises(InapplicableError, match="'softer' has no edit of this item"):
        _ask(material=material, transcript="oracle", edits_of="softer", audio="none")


def test_open_ended_keeps_the_gold_text_and_nothing_of_the_options():
    asked = _ask(open_ended=True)
    assert asked == Question(question="How does she feel?", answer="sad")
    assert _ask(INLINE, open_ended=True) == asked


def test_options_that_stand_in_the_text_go_there_too():
    kept = keep_options(INLINE, 3, (), 0)
    asked = _ask(INLINE, options=3)
    left = [CHOICES[place] for place in kept]
    assert asked.choices == tuple(left)
    assert asked.question == (f"How does she feel? (a) {left[0]} (b) {left[1]} (c) {left[2]}")
    assert asked.choices[asked.answer_index] == "sad"


def test_the_abstaining_option_is_told_by_the_material():
    for seed in range(20):
        material = QuestionMaterial(abstaining={"0": (3,)})
        assert _ask(material=material, seed=seed, options=2).choices == (
            "sad",
            "cannot be determined",
        )


def test_another_language_takes_gold_and_options_by_place():
    material = QuestionMaterial(table={"0": INDONESIAN})
    asked = _ask(material=material, table=True)
    assert asked == Question(
        question="Bagaimana perasaannya?",
        choices=INDONESIAN.choices,
        answer="sedih",
        answer_index=1,
    )
    open_ended = _ask(material=material, table=True, open_ended=True)
    assert open_ended == Question(question="Bagaimana perasaannya?", answer="sedih")


@pytest.mark.parametrize("seed", range(10))
def test_the_same_options_are_left_in_every_language(seed):
    material = QuestionMaterial(table={"0": INDONESIAN})
    own = _ask(seed=seed, options=2)
    other = _ask(material=material, seed=seed, options=2, table=True)
    places = [CHOICES.index(choice) for choice in own.choices]
    assert [INDONESIAN.choices.index(choice) for choice in other.choices] == places
    assert own.answer_index == other.answer_index
    assert other.answer == "sedih"


def test_a_table_writes_its_options_where_the_source_has_them():
    material = QuestionMaterial(table={"0": INDONESIAN})
    asked = _ask(INLINE, material, table=True).question
    assert asked == (
        "Bagaimana perasaannya? (a) senang (b) sedih (c) tenang (d) tidak dapat ditentukan"
    )
    written = msgspec.structs.replace(INDONESIAN, question=asked)
    again = _ask(INLINE, QuestionMaterial(table={"0": written}), table=True)
    assert again.question == asked


def test_a_joined_stimulus_says_which_utterance_is_meant():
    clips = tuple(JoinedClip(clip=name, start_s=0.0, stop_s=1.0) for name in "abcd")
    plan = JoinPlan(clips=clips, position=3, gaps_s=(0.3, 0.3, 0.3))
    material = QuestionMaterial(joins={("condition", "0"): plan}, transcripts={"0": "Hi."})
    asked = _ask(material=material, join=Join(), transcript="plain")
    assert asked.question == (
        "Transcript of the audio:\nHi.\n\nThe audio holds 4 utterances, one after the other. "
        "The question is about utterance 3.\n\nHow does she feel?"
    )
    with pytest.raises(InapplicableError, match="no joined stimulus"):
        _ask(join=Join())


def test_wording_can_be_the_suites():
    wording = Wording(transcript="Transkrip: {transcript}\n{question}")
    material = QuestionMaterial(transcripts={"0": "Halo."})
    asked = _ask(material=material, transcript="plain", wording=wording)
    assert asked.question == "Transkrip: Halo.\nHow does she feel?"


@pytest.mark.parametrize(
    "fields",
    [
        {"transcript": "{question}"},
        {"transcript": "{transcript} {question} {question}"},
        {"transcript": "{transcript!r} {question}"},
        {"transcript": "{transcript:>9} {question}"},
        {"oracle": "{transcript} {question}"},
        {"joined": "{position} of {count}: {question} {"},
        {"joined": "{0} {count} {question}"},
    ],
)
def test_wording_without_its_places_is_refused(fields):
    with pytest.raises(ParameterError, match=next(iter(fields))):
        Wording(**fields)


def test_questions_that_only_speak_of_choices_are_asked():
    for text in ("Which choice does she regret?", "Which letter is spelled first?"):
        item = make_item(question=text, choices=("a", "b"), answer="a")
        assert _ask(item, open_ended=True).question == text


BARE = make_item(0, question="What is said?")


@pytest.mark.parametrize(
    ("item", "fields", "reason"),
    [
        (ITEM, {"transcript": "plain"}, "no transcript for this item"),
        (msgspec.structs.replace(ITEM, transcript=" "), {"transcript": "plain"}, "no transcript"),
        (ITEM, {"options": 7}, "has 4 options; 7 were asked for"),
        (BARE, {"options": 4}, "no options"),
        (BARE, {"open_ended": True}, "no options to take away"),
        (make_item(choices=CHOICES), {"open_ended": True}, "gold answer is unknown"),
        (ITEM, {"table": True}, "question table has no question for this item"),
        (
            make_item(question="Sad or happy?", choices=("happy", "sad"), answer="sad"),
            {"open_ended": True},
            "names its options in its own words",
        ),
        (
            make_item(question="(a) happy (b) sad", choices=("happy", "sad"), answer="sad"),
            {"open_ended": True},
            "nothing is left to ask",
        ),
        (
            make_item(
                question="Reply with the letter of the best option. How does she feel?",
                choices=("happy", "sad"),
                answer="sad",
            ),
            {"open_ended": True},
            "tells to answer by an option: 'Reply with the letter of the best option'",
        ),
    ],
)
def test_what_cannot_be_asked_says_why(item, fields, reason):
    with pytest.raises(InapplicableError, match=reason):
        _ask(item, QuestionMaterial(table={}), **fields)


def test_material_that_is_missing_altogether_stops_before_the_first_write():
    conditions = load_suite("seabed/text").conditions
    with pytest.raises(BenchmarkError) as caught:
        check_material((*conditions, Condition(name="english", table=True)), [ITEM], NOTHING)
    assert str(caught.value).splitlines() == [
        "condition 'transcript' needs transcripts: the benchmark has none; give a table of them",
        "condition 'audio_transcript' needs transcripts: the benchmark has none; give a table of "
        "them",
        "condition 'english' needs a question table; give one",
    ]
    check_material(conditions, [msgspec.structs.replace(ITEM, transcript="Hi.")], NOTHING)
    check_material(conditions, [ITEM], QuestionMaterial(transcripts={"0": "Hi."}))


def test_what_the_suites_of_questions_hold():
    def summary(name):
        return {each.name: describe_condition(each) for each in load_suite(name).conditions}

    assert summary("seabed/text") == {
        "original": "the clip itself",
        "repeat": "the clip itself",
        "question_only": "no audio",
        "transcript": "no audio, transcript",
        "audio_transcript": "the clip itself, transcript",
        "open_ended": "the clip itself, options taken away",
    }
    assert summary("seabed/options")["options_4_question_only"] == "no audio, 4 options"
    assert summary("seabed/joined")["joined"] == "one of 4 clips in a row, 0.3 to 0.6 s apart"
    assert summary("seabed/joined")["joined_sham"] == "sham of joined"
    full = summary("seabed/controls_full")
    assert full["mismatched_3"].endswith("donor of the same kind, another answer, draw 3")
    assert full["mismatched_same_answer"].endswith("donor with the same answer")
    standard = {each.name for each in load_suite("seabed/controls").conditions}
    assert standard < set(full)


def test_an_oracle_needs_an_earlier_edit_and_no_audio():
    def suite(**fields):
        edit = {"name": "louder", "recipe": "audiospan/loudness_up", "at": "1-2"}
        table = {"title": "t", "condition": [edit, {"name": "oracle", **fields}]}
        return parse_suite(table, "s.toml", load_recipe)

    good = {"transcript": "oracle", "audio": "none", "edits_of": "louder"}
    assert suite(**good).conditions[1].edits_of == "louder"
    for changed, words in [
        ({"edits_of": None}, r"edits_of"),
        ({"edits_of": "softer"}, r"is 'softer'; accepted: an earlier condition that edits audio"),
        ({"transcript": "plain"}, r"edits_of: goes with transcript = 'oracle'"),
        ({"audio": "own"}, r"audio: is 'own', and 'oracle' stands in for it"),
        ({"wording": {"oracle": "{edits}"}}, r"wording: .*\{transcript\}"),
    ]:
        fields = {key: value for key, value in {**good, **changed}.items() if value is not None}
        with pytest.raises(RecipeError, match=words):
            suite(**fields)


@pytest.mark.parametrize(
    "edit",
    [{"recipe": "seabed/mismatched", "donor": "hard"}, {"join": {"utterances": 2}}],
    ids=["donor", "join"],
)
def test_other_clips_come_in_the_place_of_main_alone(edit):
    table = {"title": "t", "condition": [{"name": "a", "roles": ["reference"], **edit}]}
    with pytest.raises(RecipeError, match=r"\$.condition\[0\].roles: .* for main alone"):
        parse_suite(table, "s.toml", load_recipe)


def test_a_sham_edits_the_audios_of_its_probe_and_is_asked_alike():
    def suite(**fields):
        probe = {"name": "noise", "recipe": "seabed/noise", "roles": ["reference"], "options": 3}
        sham = {"name": "noise_sham", "sham_of": "noise", **fields}
        return parse_suite({"title": "t", "condition": [probe, sham]}, "s.toml", load_recipe)

    assert suite().conditions[1].roles == ("reference",)
    assert suite(roles=["reference"], options=3).conditions[1].roles == ("reference",)
    for fields, words in [
        ({"roles": ["main"]}, r"\$.condition\[1\].roles: a sham has its probe's: reference"),
        ({"options": 4}, r"\$.condition\[1\].options: a sham is asked as its probe, 'noise', is"),
        ({"transcript": "plain"}, r"\$.condition\[1\].transcript: a sham is asked as its probe"),
    ]:
        with pytest.raises(RecipeError, match=words):
            suite(**fields)
