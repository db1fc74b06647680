"""Laws of donors, checked against the rules as their own words say them."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from unittest import mock

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from perturb.split.donors import groups, matching
from perturb.split.donors.assigning import assign_donors
from perturb.split.donors.table import DonorTable
from tests.strategies.benchmarks import donor_benchmarks, make_benchmark, make_item

ARMS = st.sampled_from(["hard", "easy", "same_answer"])


class Rules:
    """The rules once more, item by item and without numbers."""

    def __init__(self, items, durations, equal_audio, table):
        self.items = [i for i in items if i.audio() is not None and i.audio().clip in durations]
        self.by_id = {item.pair_id: item for item in self.items}
        self.equal_audio, self.table, self.arm = equal_audio, table, table.arm
        self.clips = sorted({item.audio().clip for item in self.items})
        tasks = {item.task for item in self.items if item.task}
        languages = {item.language for item in self.items if item.language}
        self.domain = "task" if len(tasks) > 1 else "language" if len(languages) > 1 else None

    def of(self, clip):
        return [item for item in self.items if item.audio().clip == clip]

    def follows_language(self, task, language):
        known = [i for i in self.items if i.task == task and i.answer is not None]
        here = {item.answer for item in known if item.language == language}
        return len(here) == 1 and {item.answer for item in known if item.language} > here

    def pool(self, host):
        """What sets of hosts that choose from the same clips have in common."""
        stratum = self.table.strata[host.stratum]
        is_wide = self.arm == "hard" and self.follows_language(stratum.task, stratum.language)
        return (stratum.task, "any" if is_wide else stratum.language)

    def audio(self, clip):
        return self.equal_audio.get(clip, clip)

    def is_allowed(self, host, clip):
        own = [self.by_id[pair_id] for pair_id in host.pair_ids]
        hosts_all, donors_all = self.of(host.clip), self.of(clip)
        if self.audio(clip) == self.audio(host.clip):
            return False
        for name in ("speaker", "recording"):
            known = {getattr(item, name) for item in hosts_all} - {None}
            if known & {getattr(item, name) for item in donors_all}:
                return False
        stratum = self.table.strata[host.stratum]
        task, language = self.pool(host)
        alike = [
            item
            for item in donors_all
            if item.task == task
            and (item.language is not None if language == "any" else item.language == language)
        ]
        golds = {item.answer for item in own} - {None}
        if self.arm == "easy":
            domains = [
                {getattr(item, self.domain) for item in group if self.domain} - {None}
                for group in (hosts_all, donors_all)
            ]
            answers = {item.answer for item in donors_all}
            return bool(all(domains) and not domains[0] & domains[1] and not golds & answers)
        answers = {item.answer for item in alike} - {None}
        if self.arm == "hard":
            return bool(alike) and not golds & answers
        questions = {item.question for item in own}
        return (
            len(golds) == 1
            and answers == golds
            and (stratum.labels == "closed" or questions <= {item.question for item in alike})
        )


def _assign(items, durations, equal_audio, arm, draws=1, seed=0):
    return assign_donors(make_benchmark(items), durations, equal_audio, arm, draws, seed)


@given(donor_benchmarks(), ARMS, st.integers(1, 3))
def test_donors_keep_the_rules_and_are_missing_only_where_none_is_left(case, arm, draws):
    table = _assign(*case, arm, draws)
    rules = Rules(*case, table)
    for host in table.hosts:
        allowed = {clip for clip in rules.clips if rules.is_allowed(host, clip)}
        taken = [choice.clip for choice in host.donors]
        assert set(taken) <= allowed
        audios = [rules.audio(clip) for clip in taken]
        assert len(set(audios)) == len(audios)
        assert [choice.draw for choice in host.donors] == list(range(1, len(taken) + 1))
        if len(taken) < draws:
            assert not {clip for clip in allowed if rules.audio(clip) not in audios}
            assert host.reason
        else:
            assert host.reason is None


@given(donor_benchmarks(), ARMS)
def test_every_item_hosts_once_or_is_excluded_with_a_reason(case, arm):
    items, durations, _ = case
    table = _assign(*case, arm)
    hosted = Counter(pair_id for host in table.hosts for pair_id in host.pair_ids)
    assert set(hosted.values()) <= {1}
    for item in items:
        is_usable = item.audio() is not None and item.audio().clip in durations
        assert (item.pair_id in hosted) == is_usable
        found = table.donor_for(item)
        assert found if isinstance(found, str) else found.clip in durations
        assert is_usable or "no duration" in found or "no audio" in found


@given(donor_benchmarks(), ARMS)
def test_the_most_hosts_get_a_donor_of_their_own(case, arm):
    table = _assign(*case, arm)
    rules = Rules(*case, table)
    allowed = [[rules.is_allowed(host, clip) for clip in rules.clips] for host in table.hosts]
    chosen = [(host.donors[0], host) for host in table.hosts if host.donors]
    if not table.hosts:
        return  # not one clip could be read
    if arm == "easy":
        edges = csr_matrix(np.array(allowed, dtype=int).reshape(len(table.hosts), -1))
        most = np.count_nonzero(maximum_bipartite_matching(edges, perm_type="column") >= 0)
        assert len({choice.clip for choice, _ in chosen}) == most
    else:  # one assignment for each pool (and answer), so counted by pool
        for pool in {rules.pool(host) for host in table.hosts}:
            rows = [at for at, host in enumerate(table.hosts) if rules.pool(host) == pool]
            edges = csr_matrix(np.array([allowed[at] for at in rows], dtype=int))
            most = np.count_nonzero(maximum_bipartite_matching(edges, perm_type="column") >= 0)
            assert len({c.clip for c, host in chosen if rules.pool(host) == pool}) == most


@given(donor_benchmarks())
def test_donors_of_another_language_are_told_and_counted_where_answers_follow_from_it(case):
    table = _assign(*case, "hard", 2)
    rules = Rules(*case, table)
    for number, stratum in enumerate(table.strata):
        is_wide = rules.follows_language(stratum.task, stratum.language)
        assert (stratum.by_language is not None) == is_wide
        hosts = [host for host in table.hosts if host.stratum == number]
        told = [[c.draw for c in host.donors if c.other_language] for host in hosts]
        if is_wide:
            assert stratum.other_language == tuple(sum(d in t for t in told) for d in (1, 2))
        else:
            assert not any(told)
            assert stratum.other_language == ()
        for host in hosts:
            for choice in host.donors:
                of_task = [i for i in rules.of(choice.clip) if i.task == stratum.task]
                has_language = stratum.language in {item.language for item in of_task}
                assert choice.other_language == (not has_language)


@given(donor_benchmarks(), ARMS, st.randoms(use_true_random=False))
def test_donors_depend_on_the_set_of_items_and_not_on_their_order(case, arm, random):
    items, durations, equal_audio = case
    shuffled = [
        msgspec.structs.replace(item, row=row)
        for row, item in enumerate(random.sample(items, len(items)))
    ]
    keys = random.sample(list(durations), len(durations))
    again = _assign(shuffled, {key: durations[key] for key in keys}, equal_audio, arm, 2)
    assert again == _assign(*case, arm, 2)


@given(donor_benchmarks(), ARMS)
def test_a_draw_does_not_depend_on_how_many_follow(case, arm):
    one, three = _assign(*case, arm, 1), _assign(*case, arm, 3)
    assert [host.donors[:1] for host in one.hosts] == [host.donors[:1] for host in three.hosts]


@given(donor_benchmarks(), ARMS)
def test_the_table_survives_its_file(case, arm):
    table = _assign(*case, arm, 2)
    text = msgspec.json.encode(table)
    again = msgspec.json.decode(text, type=DonorTable)
    assert again == table
    assert all(again.donor_for(item) == table.donor_for(item) for item in case[0])


@given(donor_benchmarks(max_clips=24), ARMS, st.integers(2, 6))
def test_small_blocks_keep_the_rules_and_leave_nobody_out(case, arm, block):
    with (
        mock.patch.object(matching, "BLOCK", block),
        mock.patch.object(groups, "BLOCK", block),
    ):
        table = _assign(*case, arm)
    rules = Rules(*case, table)
    for host in table.hosts:
        allowed = {clip for clip in rules.clips if rules.is_allowed(host, clip)}
        assert bool(host.donors) == bool(allowed)
        assert {choice.clip for choice in host.donors} <= allowed


@given(st.lists(st.floats(0.1, 100.0), min_size=2, max_size=6))
def test_durations_are_as_close_as_any_assignment_makes_them(seconds):
    items = [make_item(at, f"clip {at}", answer=f"own {at}") for at in range(len(seconds))]
    durations = {f"clip {at}": value for at, value in enumerate(seconds)}
    table = _assign(items, durations, {}, "hard")
    costs = [
        sum(abs(math.log(seconds[a] / seconds[b])) for a, b in enumerate(order))
        for order in itertools.permutations(range(len(seconds)))
        if all(a != b for a, b in enumerate(order))
    ]
    ratios = [host.donors[0].duration_ratio for host in table.hosts]
    assert sum(abs(math.log(ratio)) for ratio in ratios) == pytest.approx(min(costs), abs=1e-9)


def test_global_random_states_are_left_alone():
    state, numpy_state = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    items = [make_item(at, f"clip {at}", answer="ab"[at % 2]) for at in range(40)]
    _assign(items, {f"clip {at}": 1.0 for at in range(40)}, {}, "hard", 3)
    assert random.getstate() == state
    assert np.random.get_state()[1].tolist() == numpy_state  # noqa: NPY002
