from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from perturb.benchmark.item import ItemAudio
from perturb.errors import ParameterError
from perturb.split.donors.assigning import assign_donors
from perturb.split.donors.matching import BLOCK, Side, match_donors
from perturb.split.donors.strata import decide_labels
from tests.strategies.benchmarks import make_benchmark, make_item


def _assign(items, durations=None, arm="hard", draws=1, seed=0, equal_audio=None):
    clips = {audio.clip for item in items for audio in item.audios}
    durations = dict.fromkeys(clips, 1.0) if durations is None else durations
    return assign_donors(make_benchmark(items), durations, equal_audio or {}, arm, draws, seed)


def _labelled(golds, **fields):
    return [make_item(at, f"c{at}", answer=gold, **fields) for at, gold in enumerate(golds)]


def _uses(table):
    clips = [host.donors[0].clip for host in table.hosts if host.donors]
    return np.unique(clips, return_counts=True)[1]


# --- labels -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "labels", "decided"),
    [
        (_labelled("AB", choices=("a", "b", "c")), "closed", "all options are the same 3"),
        ([*_labelled("AB", choices=("A", "B")), make_item(9, "z", answer="b")], "closed", "same 2"),
        (_labelled("ABABAB"), "closed", "2 different answers in 6 items"),
        (_labelled("ABABA"), "open", "2 different answers in 5 items"),
        (_labelled(["one thing", "another thing", "a third"] * 2), "open", "3 different"),
        (_labelled([str(at) for at in range(65)] * 4), "open", "65 different answers"),
        (_labelled([None, None]), "unknown", "no item states its answer"),
    ],
)
def test_labels_are_closed_where_options_are_one_set_or_golds_repeat(items, labels, decided):
    found = decide_labels(items)
    assert found.labels == labels
    assert decided in found.decided
    assert decide_labels(items[::-1]) == found


def test_options_in_another_order_and_case_are_one_set():
    items = [
        make_item(0, "a", choices=("Happy", "Sad"), answer="Sad"),
        make_item(1, "b", choices=(" sad", "happy "), answer="HAPPY"),
    ]
    assert decide_labels(items).one_option_set


# --- what a donor is --------------------------------------------------------------------------


def test_the_hard_donor_is_the_closest_of_its_stratum_with_another_answer():
    items = [
        make_item(0, "host", answer="A", task="t", language="th"),
        make_item(1, "same answer", answer="A", task="t", language="th"),
        make_item(2, "other task", answer="B", task="u", language="th"),
        make_item(3, "other language", answer="B", task="t", language="id"),
        make_item(4, "far", answer="B", task="t", language="th"),
        make_item(5, "near", answer="B", task="t", language="th"),
    ]
    seconds = dict(zip([item.audio().clip for item in items], [2, 2, 2, 2, 9, 3], strict=True))
    choice = _assign(items, seconds).donor_for(items[0])
    assert (choice.clip, choice.answer, choice.duration_ratio) == ("near", "B", 1.5)


def test_where_the_answer_follows_from_the_language_the_hard_donor_is_of_another():
    named = {"en": "English", "it": "Italian", "ms": "Malay"}
    items = [
        make_item(at, f"c{at}", answer=named[language], task="which language", language=language)
        for at, language in enumerate(["en"] * 4 + ["it"] * 2 + ["ms"])
    ]
    items += [
        make_item(9 + at, f"c{at}", answer="ab"[at % 2], task="t", language="en") for at in range(4)
    ]
    table = _assign(items)
    assert not table.impossible
    for item in items:
        choice = table.donor_for(item)
        assert choice.other_language == (item.task == "which language")
        assert choice.answer != item.answer
    strata = {(stratum.task, stratum.language): stratum for stratum in table.strata}
    english = strata["which language", "en"]
    assert english.other_language == (4,)
    assert english.by_language == (
        "one answer in 4 items of this language, 3 in the 3 languages of the task"
    )
    assert english.shared[0] > 0  # four hosts, three clips of other languages
    assert "the task's other languages" in english.shared_why
    assert strata["t", "en"].by_language is None
    assert strata["t", "en"].other_language == ()
    assert "other languages too where the answer follows" in table.rule


@pytest.mark.parametrize("arm", ["easy", "same_answer"])
def test_other_arms_know_nothing_of_answers_that_follow_from_the_language(arm):
    items = [
        make_item(at, f"c{at}", answer="ab"[at % 2], language=["id", "th"][at % 2], task="t")
        for at in range(8)
    ]
    table = _assign(items, arm=arm)
    assert not table.impossible
    assert {stratum.by_language for stratum in table.strata} == {None}
    assert not any(choice.other_language for host in table.hosts for choice in host.donors)


@pytest.mark.parametrize(
    ("golds", "languages"),
    [
        ("AAAA", ["id", "id", "th", "th"]),  # one answer over the task
        ("AAAB", ["id", "id", None, None]),  # the other answer's language is unknown
        ("AABB", [None, None, None, None]),
    ],
)
def test_languages_that_do_not_tell_the_answer_stay_apart(golds, languages):
    items = [
        make_item(at, f"c{at}", answer=gold, language=language, task="t")
        for at, (gold, language) in enumerate(zip(golds, languages, strict=True))
    ]
    assert {stratum.by_language for stratum in _assign(items).strata} == {None}


def test_a_language_whose_other_clips_are_tied_to_the_host_says_so():
    items = [
        make_item(0, "a", answer="English", language="en", speaker="x"),
        make_item(1, "b", answer="Italian", language="it", speaker="x"),
    ]
    assert _assign(items).donor_for(items[0]) == (
        "no clip of task unknown in any language has another answer, recording, speaker and audio"
    )


def test_the_easy_donor_is_of_another_task_or_else_of_another_language():
    items = [
        make_item(0, "a", answer="1", task="t", language="th"),
        make_item(1, "b", answer="2", task="t", language="id"),
        make_item(2, "c", answer="3", task="u", language="th"),
    ]
    table = _assign(items, arm="easy")
    assert table.donor_for(items[0]).clip == "c"
    assert "another task" in table.rule
    alike = [msgspec.structs.replace(item, task="t") for item in items]
    table = _assign(alike, arm="easy")
    assert table.donor_for(alike[0]).clip == "b"
    assert "another language" in table.rule
    bare = [msgspec.structs.replace(item, task=None, language=None) for item in items]
    assert "no other domain" in _assign(bare, arm="easy").donor_for(bare[0])
    unknown = [*items, make_item(3, "d", answer="4", language="th")]
    assert "task is unknown" in _assign(unknown, arm="easy").donor_for(unknown[3])


def test_the_same_answer_donor_has_the_answer_and_where_labels_are_open_the_question():
    closed = _labelled("AAABBB")
    table = _assign(closed, arm="same_answer")
    assert all(host.donors[0].answers == host.answers for host in table.hosts)
    open_ended = [
        make_item(0, "a", question="Who left?", answer="Ann"),
        make_item(1, "b", question="Who stayed?", answer="Ann"),
        make_item(2, "c", question="Where?", answer="Home"),
    ]
    table = _assign(open_ended, arm="same_answer")
    assert table.donor_for(open_ended[0]) == (
        "none of the 2 other clips of task unknown and language unknown has the same question and "
        "answer alone and another recording, speaker and audio"
    )
    again = [*open_ended, make_item(3, "d", question="who left?", answer="ann")]
    assert _assign(again, arm="same_answer").donor_for(again[0]).clip == "d"
    unknown = [*closed, make_item(9, "z")]
    assert "answer is unknown" in _assign(unknown, arm="same_answer").donor_for(unknown[-1])


def _sides(host_s, donors_s, offered, answers):
    hosts = Side(np.log([host_s]), np.array([0]), np.array([0]), [[]], [offered])
    count = len(donors_s)
    positions = np.arange(1, count + 1)
    groups = np.zeros(count, dtype=np.int64)
    return hosts, Side(np.log(donors_s), positions, groups, [[]] * count, answers)


@pytest.mark.parametrize(
    ("donors_s", "offered", "expected"),
    [
        ((1.1, 2.1), [1, 2], 1),  # the second's answer is offered
        ((1.1, 2.3), [1, 2], 0),  # beyond twice the first's distance the nearer one counts
        ((1.1, 2.1), [], 0),  # no options, no preference
    ],
)
def test_an_answer_that_is_offered_is_worth_twice_the_duration(donors_s, offered, expected):
    sides = _sides(1.0, donors_s, offered, [[3], [2]])
    assert match_donors(*sides, np.random.default_rng(0)).donors.tolist() == [expected]


def test_the_table_says_whether_the_donors_answer_is_offered():
    items = [
        make_item(0, "a", answer="x", choices=("x", "y")),
        make_item(1, "b", answer="y", choices=("y", "z")),
    ]
    table = _assign(items)
    assert [table.donor_for(item).in_options for item in items] == [True, False]
    assert table.donor_for(items[0]).same_question
    bare = [msgspec.structs.replace(items[0], choices=()), items[1]]
    assert [_assign(bare).donor_for(item).in_options for item in bare] == [None, False]
    silent = [msgspec.structs.replace(items[0], answer=None), items[1]]
    assert [_assign(silent).donor_for(item).in_options for item in silent] == [True, None]


def test_an_items_own_other_audios_do_not_stand_in_for_its_main_one():
    reference = ItemAudio(role="reference", clip="b", source="b")
    first = make_item(0, "a", answer="1")
    items = [
        msgspec.structs.replace(first, audios=(*first.audios, reference)),
        make_item(1, "b", answer="2"),
        make_item(2, "c", answer="3"),
    ]
    assert _assign(items, {"a": 1.0, "b": 1.0, "c": 50.0}).donor_for(items[0]).clip == "c"


def test_equal_audio_recordings_and_speakers_are_kept_apart():
    items = [
        make_item(0, "host", answer="0", speaker="s", recording="r"),
        make_item(1, "copy", answer="1"),
        make_item(2, "speaker", answer="2", speaker="s"),
        make_item(3, "recording", answer="3", recording="r"),
    ]
    reason = _assign(items, equal_audio={"copy": "host"}).donor_for(items[0])
    assert reason == (
        "none of the 3 other clips of task unknown and language unknown has another answer, "
        "recording, speaker and audio"
    )
    assert _assign(items).donor_for(items[0]).clip == "copy"


# --- hosts ------------------------------------------------------------------------------------


def test_questions_of_a_clip_share_a_donor_unless_their_golds_differ_in_a_closed_set():
    def ask(answers):
        return [make_item(at, "shared", answer=gold) for at, gold in enumerate(answers)]

    others = [make_item(10 + at, f"c{at}", answer="ABC"[at % 3]) for at in range(9)]
    closed = _assign([*ask("AAB"), *others])
    shared = [host for host in closed.hosts if host.clip == "shared"]
    assert [(host.answers, len(host.pair_ids)) for host in shared] == [(("A",), 2), (("B",), 1)]
    unlike = [make_item(10 + at, f"c{at}", answer=f"text {at}") for at in range(9)]
    loose = _assign([*ask("AAB"), *unlike])
    (host,) = [host for host in loose.hosts if host.clip == "shared"]
    assert host.answers == ("A", "B")


def test_unreadable_clips_and_missing_audio_take_no_part():
    items = [*_labelled("ABAB"), make_item(4, None, answer="A")]
    table = _assign(items, {"c0": 1.0, "c1": 1.0, "c3": math.nan})
    assert table.donor_for(items[0]).clip == "c1"
    assert table.donor_for(items[2]) == "its clip 'c2' could not be read: no duration"
    assert table.donor_for(items[3]) == "its clip 'c3' could not be read: no duration"
    assert table.donor_for(items[4]) == "the item has no audio in the role 'main'"
    assert _assign([make_item(0, "a")]).donor_for(make_item(0, "a")) == (
        "no other clip is of task unknown and language unknown"
    )


def test_unknown_answers_are_counted_and_keep_nobody_apart():
    items = _labelled([None, "A"])
    table = _assign(items)
    assert table.strata[0].unknown_answers == 1
    assert not table.impossible


# --- draws, sharing, size ---------------------------------------------------------------------


def test_later_draws_end_with_a_reason_where_donors_run_out():
    items = _labelled("ABB")
    table = _assign(items, draws=3)
    clips = [table.donor_for(items[0], draw).clip for draw in (1, 2)]
    assert sorted(clips) == ["c1", "c2"]
    assert table.donor_for(items[0], 3).endswith("besides its 2 earlier")
    assert len(table.impossible) == 3


def test_donors_are_shared_evenly_and_only_out_of_need():
    even = _assign(_labelled("AB" * 20))
    assert even.strata[0].shared == (0,)
    assert even.strata[0].shared_why is None
    table = _assign(_labelled("A" * 30 + "B" * 10))
    assert not table.impossible
    assert _uses(table).max() == 3  # thirty hosts, ten donors
    assert "40 hosts and 40 clips" in table.strata[0].shared_why
    assert sum(host.donors[0].shared for host in table.hosts) == table.strata[0].shared[0] == 30


def test_answers_that_go_with_duration_share_nobody():
    """Blocks of neighbours hold one answer each, so all of it is left to the mixed blocks."""
    count = 6 * BLOCK
    items = _labelled(["A"] * (count // 2) + ["B"] * (count // 2))
    seconds = {f"c{at}": 1.0 + at for at in range(count)}
    table = _assign(items, seconds)
    assert not table.impossible
    assert _uses(table).max() == 1


def test_an_answer_that_is_common_among_short_clips_alone_shares_nobody():
    """Blocks of short clips leave hosts and donors of one answer: served pairs have to swap."""
    golds = ["A"] * 900 + ["B", "C"] * 574
    table = _assign(_labelled(golds), {f"c{at}": 1.0 + at for at in range(len(golds))})
    assert not table.impossible
    assert _uses(table).max() == 1


def test_large_strata_stay_close_in_duration():
    generator = np.random.default_rng(0)
    items = _labelled(["ABCD"[at % 4] for at in range(5 * BLOCK)])
    seconds = {f"c{at}": float(value) for at, value in enumerate(generator.gamma(2.0, 3.0, 2560))}
    table = _assign(items, seconds)
    ratios = np.abs(np.log([host.donors[0].duration_ratio for host in table.hosts]))
    assert np.median(ratios) < 0.002
    assert np.quantile(ratios, 0.95) < 0.02


def test_a_large_stratum_of_one_answer_is_impossible_and_says_so():
    table = _assign(_labelled("A" * (4 * BLOCK)))
    assert len(table.impossible) == 4 * BLOCK
    assert "has another answer" in table.hosts[0].reason


def test_seeds_order_equal_durations():
    items = _labelled("AB" * 30)
    tables = [_assign(items, seed=seed) for seed in (0, 0, 1)]
    assert tables[0] == tables[1]
    assert tables[0].hosts != tables[2].hosts


@pytest.mark.slow
def test_donors_are_the_same_in_every_process():
    code = (
        "import hashlib, msgspec\n"
        "from perturb.split.donors.assigning import assign_donors\n"
        "from tests.strategies.benchmarks import make_benchmark, make_item\n"
        "items = [make_item(at, f'c{at % 60}', answer='ABC'[at % 3], task='tu'[at % 2],\n"
        "                   speaker=f's{at % 7}', choices=('A', 'B', 'C', 'DEF'[at % 3]))\n"
        "         for at in range(120)]\n"
        "for arm in ('hard', 'easy', 'same_answer'):\n"
        "    seconds = {f'c{at}': 1.0 + at % 5 for at in range(60)}\n"
        "    table = assign_donors(make_benchmark(items), seconds, {}, arm, 2, 0)\n"
        "    print(hashlib.sha256(msgspec.json.encode(table)).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_questions_that_the_table_cannot_answer_are_refused():
    items = _labelled("AB")
    table = _assign(items, draws=2)
    with pytest.raises(ParameterError, match=r"draw is 3; accepted: 1 to 2"):
        table.donor_for(items[0], 3)
    with pytest.raises(ParameterError, match="'item 7' is not in the table"):
        table.donor_for(make_item(7, "c0"))
    with pytest.raises(ParameterError, match="draws is 0"):
        _assign(items, draws=0)
