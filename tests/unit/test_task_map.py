from __future__ import annotations

import msgspec
import pytest

from perturb.benchmark.variant import Question
from perturb.errors import RecipeError
from perturb.operators.ledger import PROPERTIES, Ledger
from perturb.operators.registry import all_operators
from perturb.recipes.catalogue import TASK_MAPS, catalogue_names, load_recipe, load_suite
from perturb.recipes.parsing import parse_recipe
from perturb.recipes.suite import Condition
from perturb.split.expectations.condition_ledger import condition_ledger
from perturb.split.expectations.expectation import Expected, expect
from perturb.split.expectations.task_map import load_task_map, parse_task_map, task_map_names
from tests.strategies.benchmarks import make_item

ALL = Ledger(keeps=PROPERTIES)
NOTHING = Ledger(destroys=PROPERTIES)
UNKNOWN = Expected("unknown")
CUE = "Cannot be determined from the audio"
OPTIONS = ("Ann", "Ben", CUE)
ITEM = make_item(0, "c", task="who_spoke", language="th", choices=OPTIONS, answer="Ann")
TABLE = {
    "title": "A map",
    "task": [
        {
            "name": "who",
            "match": {"task": ["Who Spoke", "who"], "language": "th"},
            "needs": ["speaker", "words"],
            "flip": [
                {"condition": "swap", "gold": {"ann": "Ben", "Ben": "Cy"}},
                {"condition": ["other", "other_sham"], "gold": "donor"},
            ],
        },
        {"name": "any Thai", "match": {"language": ["th"]}, "needs": ["lexical_tone"]},
    ],
}
MAP = parse_task_map(TABLE, "map")


def _condition(name="edit", **fields):
    return Condition(name=name, **fields)


def _expect(ledger, condition=None, item=ITEM, task_map=MAP, **fields):
    return expect(item, condition or _condition(), ledger, task_map, **fields)


# --- expectation ------------------------------------------------------------------------------


def test_without_a_map_or_a_task_nothing_is_expected():
    assert _expect(NOTHING, task_map=None) == UNKNOWN
    assert _expect(ALL, task_map=None) == UNKNOWN
    other = msgspec.structs.replace(ITEM, language="id")
    assert _expect(NOTHING, item=other) == UNKNOWN
    assert _expect(NOTHING, item=msgspec.structs.replace(ITEM, language=None)) == UNKNOWN


def test_all_needs_destroyed_are_unanswerable_and_all_kept_are_invariant():
    assert _expect(NOTHING) == Expected("unanswerable", CUE)
    assert _expect(ALL) == Expected("invariant", "Ann")
    assert _expect(Ledger(destroys=("words", "speaker"))) == Expected("unanswerable", CUE)
    assert _expect(Ledger(keeps=("words", "speaker"))) == Expected("invariant", "Ann")


@pytest.mark.parametrize(
    "ledger",
    [
        Ledger(),
        Ledger(keeps=("words",)),
        Ledger(destroys=("words",)),
        Ledger(keeps=("words",), destroys=("speaker",)),
        Ledger(keeps=("timing",), destroys=("background",)),
    ],
)
def test_anything_between_is_unknown(ledger):
    assert _expect(ledger) == UNKNOWN


def test_the_first_task_that_matches_counts():
    assert MAP.task_of(ITEM).name == "who"
    assert MAP.task_of(msgspec.structs.replace(ITEM, task="WHO-spoke")).name == "who"
    assert MAP.task_of(msgspec.structs.replace(ITEM, task="else")).name == "any Thai"


def test_one_abstaining_option_is_the_answer_of_the_unanswerable():
    two = Question(question="?", choices=(CUE, "Unknown", "Ann"), answer="Ann")
    none = Question(question="?", answer="Ann")
    assert _expect(NOTHING, question=two) == Expected("unanswerable")
    assert _expect(NOTHING, question=none) == Expected("unanswerable")
    declared = msgspec.structs.replace(MAP, abstention=("ben",))
    assert _expect(NOTHING, task_map=declared) == Expected("unanswerable", "Ben")


def test_a_table_of_golds_flips():
    assert _expect(NOTHING, _condition("swap")) == Expected("flips", "Ben")
    ben = msgspec.structs.replace(ITEM, answer=" BEN ")
    # "Cy" is not offered: no answer, so the ledger decides.
    assert _expect(Ledger(), _condition("swap"), ben) == UNKNOWN
    assert _expect(NOTHING, _condition("swap"), ben) == Expected("unanswerable", CUE)
    open_ended = msgspec.structs.replace(ben, choices=())
    assert _expect(Ledger(), _condition("swap"), open_ended) == Expected("flips", "Cy")
    unlisted = msgspec.structs.replace(ITEM, answer="Dee")
    assert _expect(Ledger(), _condition("swap"), unlisted) == UNKNOWN


def test_the_donors_answer_is_a_flip_only_where_the_map_says_so():
    assert _expect(NOTHING, donor_answer="Ben") == Expected("unanswerable", CUE)
    other = _condition("other")
    assert _expect(NOTHING, other, donor_answer="ben") == Expected("flips", "Ben")
    assert _expect(NOTHING, other, donor_answer="ANN") == Expected("invariant", "Ann")
    assert _expect(NOTHING, other, donor_answer="Zoe") == Expected("unanswerable", CUE)
    assert _expect(NOTHING, other) == Expected("unanswerable", CUE)


def test_a_new_gold_speaks_as_the_condition_asks():
    thai = Question(question="?", choices=("แอน", "เบน", "อื่น"), answer="แอน", answer_index=0)
    assert _expect(NOTHING, _condition("swap"), question=thai) == Expected("flips", "เบน")
    assert _expect(ALL, question=thai) == Expected("invariant", "แอน")
    fewer = Question(question="?", choices=("Ann", CUE), answer="Ann")
    assert _expect(Ledger(), _condition("swap"), question=fewer) == UNKNOWN


# --- ledgers of conditions --------------------------------------------------------------------


def _ledger(condition, *others, load=load_recipe):
    return condition_ledger(condition, [condition, *others], load)


def test_unedited_audio_keeps_all_and_no_audio_destroys_all():
    assert _ledger(_condition("original")) == ALL
    assert _ledger(_condition("fewer", options=4)) == ALL
    assert _ledger(_condition("blind", audio="none")) == NOTHING


def test_a_transcript_gives_the_words_back():
    ledger = _ledger(_condition("text", audio="none", transcript="plain"))
    assert not ledger.keeps
    assert set(ledger.destroys) == set(PROPERTIES) - {"words"}
    both = _ledger(_condition("both", recipe="seabed/silence", transcript="oracle"))
    assert "words" not in both.destroys
    assert "speaker" in both.destroys


def test_a_recipe_has_the_ledger_of_its_steps_and_its_sham_what_is_promised():
    probe = _condition("prosody_only", recipe="seabed/prosody_only")
    assert "words" in _ledger(probe).destroys
    sham = _condition("sham", sham_of="prosody_only")
    assert _ledger(sham, probe).destroys == ()
    assert set(_ledger(sham, probe).keeps) == set(_ledger(probe).keeps)
    silence = _condition("silence", recipe="seabed/silence")
    assert _ledger(_condition("sham", sham_of="silence"), silence) == ALL
    noise = _condition("bands", recipe="seabed/noise_vocoded_4")
    assert "words" in _ledger(_condition("sham", sham_of="bands"), noise).keeps


@pytest.mark.parametrize("kind", all_operators().values(), ids=lambda kind: kind.op_name())
def test_a_sham_keeps_what_its_probe_keeps_and_destroys_nothing_that_it_did_not(kind):
    for operator in kind.examples():
        probe, sham = operator.ledger(), operator.sham_ledger()
        if operator.sham_exists():
            assert set(probe.keeps) <= set(sham.keeps)
            assert set(sham.destroys) <= set(probe.destroys)


def test_an_edit_of_spans_destroys_nothing_for_certain():
    partial = {"op": "silence", "at": [1.0, 2.0]}
    recipe = parse_recipe({"title": "x", "step": [partial]}, "partial")
    assert _ledger(_condition(recipe="partial"), load=lambda name: recipe) == Ledger()
    both = parse_recipe({"title": "x", "step": [partial, {"op": "gain", "gain_db": 3.0}]}, "both")
    assert _ledger(_condition(recipe="both"), load=lambda name: both).destroys == ("intensity",)


def test_what_is_not_known_is_not_promised():
    mismatch = {"recipe": "seabed/mismatched"}
    assert "words" in _ledger(_condition("hard", donor="hard", **mismatch)).destroys
    assert _ledger(_condition("same", donor="same_answer", **mismatch)) == Ledger()
    other = _condition("reference", recipe="seabed/silence", roles=("reference",))
    assert _ledger(other) == Ledger()
    assert _ledger(_condition("sham", sham_of="reference"), other) == Ledger()
    assert _ledger(Condition(name="joined", join={"utterances": 4})) == Ledger()


# --- files ------------------------------------------------------------------------------------


def test_task_maps_are_no_recipes():
    assert not [name for name in catalogue_names() if name.startswith(TASK_MAPS)]
    assert "seabed" in task_map_names()


def test_an_unknown_map_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(RecipeError, match=r"no task map is called 'seabad'; did you mean 'seabed'"):
        load_task_map("seabad")
    with pytest.raises(RecipeError, match="no such file"):
        load_task_map(str(tmp_path / "none.toml"))


def test_a_map_in_a_file_of_ones_own(tmp_path):
    path = tmp_path / "map.toml"
    path.write_text(
        'title = "x"\n[[task]]\nname = "n"\nmatch = { task = "t" }\nneeds = ["words"]\n'
        '[[task.flip]]\ncondition = "swap"\ngold = "donor"\n'
    )
    (task,) = load_task_map(str(path)).tasks
    assert (task.match, task.flip[0].gold) == ({"task": ("t",)}, "donor")


def test_every_problem_is_named_with_file_and_path():
    table = {
        "titel": "x",
        "abstention": [1],
        "abstention_languages": ["xx"],
        "task": [
            {"name": "", "match": {"taks": "t"}, "needs": ["wrods"]},
            {"name": "a", "match": {}, "needs": []},
            "no table",
            {
                "name": "b",
                "match": {"task": 3},
                "needs": "words",
                "flip": [
                    {"condition": "Bad Name", "gold": "someone"},
                    {"gold": {"Ann": "ann"}},
                    {"condition": "c", "gold": {}},
                ],
            },
        ],
    }
    with pytest.raises(RecipeError) as caught:
        parse_task_map(table, "my.toml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("my.toml: $.") for line in lines)
    for path in (
        "$.titel: unknown key; did you mean 'title'?",
        "$.title: is missing",
        "$.abstention: is [1]",
        "$.abstention_languages: holds 'xx'",
        "$.task[0].name",
        "$.task[0].match.taks: unknown key; did you mean 'task'?",
        "$.task[0].needs: is ['wrods']; accepted: one or more of words",
        "$.task[1].match: is {}",
        "$.task[1].needs: is []",
        "$.task[2]: is no table",
        "$.task[3].match.task: is 3",
        "$.task[3].flip[0].condition: is 'Bad Name'",
        "$.task[3].flip[0].gold: is 'someone'",
        "$.task[3].flip[1].condition: is missing",
        "$.task[3].flip[1].gold: maps 'Ann' to itself",
        "$.task[3].flip[2].gold: is {}",
    ):
        assert any(line.startswith(f"my.toml: {path}") for line in lines), path
    with pytest.raises(RecipeError, match=r"\$\.task: is missing"):
        parse_task_map({"title": "x"}, "empty.toml")


# --- SEABED's -----------------------------------------------------------------------------------

SEABED = load_task_map("seabed")
SUITE = load_suite("seabed/controls")
TASKS = {
    "dialect and language identification",
    "prosodic ambiguity",
    "dialectal speech comprehension",
    "long-form reasoning",
    "emotion recognition",
    "affective interpretation",
}


def _seabed(task, language, condition_name):
    item = make_item(0, "c", task=task, language=language, choices=OPTIONS, answer="Ann")
    condition = next(each for each in SUITE.conditions if each.name == condition_name)
    ledger = condition_ledger(condition, SUITE.conditions, load_recipe)
    return expect(item, condition, ledger, SEABED)


@pytest.mark.parametrize("task", sorted(TASKS))
@pytest.mark.parametrize("language", ["th", "id", "ms", "Thai", "Indonesian", "Malay"])
def test_seabed_knows_every_task_in_every_language(task, language):
    for name in ("original", "repeat"):
        assert _seabed(task, language, name) == Expected("invariant", "Ann")
    for name in ("silence", "noise", "mismatched"):
        assert _seabed(task, language, name) == Expected("unanswerable", CUE)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_seabed_says_nothing_of_other_languages(task):
    assert _seabed(task, "fr", "silence") == UNKNOWN
    assert _seabed(task, None, "silence") == UNKNOWN


def test_prosody_only_keeps_thai_tones_so_comprehension_is_not_said_to_be_lost():
    task = "dialectal speech comprehension"
    assert _seabed(task, "id", "prosody_only") == Expected("unanswerable", CUE)
    assert _seabed(task, "th", "prosody_only") == UNKNOWN
    for feeling in ("emotion recognition", "prosodic ambiguity"):
        assert _seabed(feeling, "id", "prosody_only") == UNKNOWN
        assert _seabed(feeling, "th", "prosody_only") == UNKNOWN


def test_every_thai_row_that_needs_words_needs_their_tones():
    for task in SEABED.tasks:
        is_thai = "thai" in task.match["language"]
        assert ("lexical_tone" in task.needs) == (is_thai and "words" in task.needs)


@pytest.mark.parametrize(
    ("steps", "needs", "expected"),
    [
        ({"op": "monotone"}, ("lexical_tone", "intonation"), "unanswerable"),
        ({"op": "monotone"}, ("words", "timing", "intensity"), "invariant"),
        ({"op": "monotone"}, ("words", "intonation"), "unknown"),
        ({"op": "contour", "points": [[0.0, 120.0]]}, ("lexical_tone",), "unanswerable"),
        ({"op": "contour", "points": [[0.0, 120.0]]}, ("words",), "invariant"),
        ({"op": "contour", "points": [[0.0, 120.0]]}, ("speaker",), "unknown"),
        ({"op": "exaggerate"}, ("words",), "invariant"),
        ({"op": "exaggerate"}, ("intonation",), "unknown"),
        ({"op": "exaggerate"}, ("lexical_tone",), "unknown"),
        ({"op": "whisper"}, ("voice_quality", "intonation"), "unanswerable"),
        ({"op": "whisper"}, ("words", "intensity"), "invariant"),
        ({"op": "whisper"}, ("speaker",), "unknown"),
        ({"op": "flat_intensity"}, ("intensity",), "unanswerable"),
        ({"op": "flat_intensity"}, ("words", "intonation", "timing"), "invariant"),
        ({"op": "flat_intensity"}, ("background",), "unknown"),
        ({"op": "retime", "what": "tempo"}, ("timing",), "unanswerable"),
        ({"op": "retime", "what": "tempo"}, ("words", "intonation"), "invariant"),
        ({"op": "retime", "what": "pauses"}, ("timing",), "unknown"),
        ({"op": "retime", "what": "pauses"}, ("words",), "invariant"),
    ],
)
def test_what_is_expected_of_each_edit_of_the_mirror(steps, needs, expected):
    recipe = parse_recipe({"title": "x", "step": [steps]}, "edit")
    task = {"name": "task", "match": {"language": "th"}, "needs": list(needs)}
    task_map = parse_task_map({"title": "x", "task": [task]}, "map")
    ledger = _ledger(_condition(recipe="edit"), load=lambda name: recipe)
    assert _expect(ledger, task_map=task_map).expectation == expected


def test_a_map_of_one_thing_asks_for_one_thing_but_where_languages_or_stress_need_more():
    for task in load_task_map("prosody").tasks:
        assert len(task.needs) == 1 or task.name in (
            "words, in a language with lexical tone",
            "stress",
        )
