"""Hosts and donors as the assignment sees them: clips, what they are tied to, what they answer."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from perturb.benchmark.item import Benchmark, Item
from perturb.operators.mismatch import MIN_DONOR_S
from perturb.recipes.suite import DonorArm
from perturb.split.donors.strata import StratumKey, answered_by_language, as_label, decide_labels
from perturb.split.donors.table import DonorStratum
from perturb.streams import Streams

__all__ = ["OVERALL", "Census", "ClipFacts", "Gathering", "Host", "take_census"]

OVERALL = -1
"""Pool of all clips; those of strata have the stratum's number, and those of tasks follow."""


@dataclass(slots=True)
class Gathering:
    """What the items of one clip say: those that belong to one pool."""

    answers: dict[str, str] = field(default_factory=dict)
    questions: set[str] = field(default_factory=set)

    def add(self, item: Item) -> None:
        """Take in an item; of answers that differ in case alone the first in the alphabet stays."""
        self.questions.add(as_label(item.question))
        if item.answer is not None:
            label = as_label(item.answer)
            self.answers[label] = min(item.answer, self.answers.get(label, item.answer))

    @property
    def texts(self) -> tuple[str, ...]:
        """The answers as they are written, in the order of their labels."""
        return tuple(self.answers[label] for label in sorted(self.answers))


@dataclass(slots=True)
class ClipFacts:
    """A clip, what it must not meet, and what is asked of it.

    `position` is its place among all clips by duration; equal durations lie in an order drawn for
    each clip by itself. `gathered` is by pool.
    """

    key: str
    duration_s: float
    audio: str
    position: int
    recordings: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    gathered: dict[int, Gathering] = field(default_factory=dict)
    is_silent: bool = False

    @property
    def may_donate(self) -> bool:
        """Whether it is long enough to stand in for another, and sounds."""
        return self.duration_s >= MIN_DONOR_S and not self.is_silent

    def add(self, item: Item, pools: Iterable[int], domain: str | None) -> None:
        """Take in what an item says of the clip, which it makes a donor in some pools."""
        self.recordings = _joined(self.recordings, item.recording)
        self.speakers = _joined(self.speakers, item.speaker)
        self.domains = _joined(self.domains, domain)
        for pool in pools:
            if pool not in self.gathered:
                self.gathered[pool] = Gathering()
            self.gathered[pool].add(item)


def _joined(known: tuple[str, ...], value: str | None) -> tuple[str, ...]:
    return known if not value or value in known else (*known, value)


@dataclass
class Host:
    """The items of one clip and stratum that share a donor, which is one of a pool."""

    clip: ClipFacts
    stratum: int
    pool: int
    items: list[Item]
    gold: str | None
    question: str | None

    @property
    def sort_key(self) -> tuple[int, str, str, str]:
        """Order in the table."""
        return (self.stratum, self.clip.key, self.gold or "", self.question or "")

    @functools.cached_property
    def options(self) -> set[str] | None:
        """The options that all items offer; None where one has none."""
        offered = [{as_label(choice) for choice in item.choices} for item in self.items]
        return set.intersection(*offered) if all(offered) else None


@dataclass(frozen=True)
class Census:
    """Everybody, counted.

    Parameters
    ----------
    clips : dict of str to ClipFacts
        By key, in order of position.
    strata : tuple of DonorStratum
        By task and language.
    hosts : tuple of Host
        In the table's order.
    domain_field : str or None
        What tells domains apart: the task, else the language; None where neither does.
    excluded : dict of str to str
        Pair ids of items that cannot take part, with the reason.
    """

    clips: dict[str, ClipFacts]
    strata: tuple[DonorStratum, ...]
    hosts: tuple[Host, ...]
    domain_field: str | None
    excluded: dict[str, str]


def take_census(
    benchmark: Benchmark,
    durations_s: Mapping[str, float],
    equal_audio: Mapping[str, str],
    role: str,
    streams: Streams,
    arm: DonorArm,
) -> Census:
    """Gather clips, strata and hosts; the result does not depend on the order of items.

    Parameters
    ----------
    benchmark : Benchmark
        All its items.
    durations_s, equal_audio : mapping
        As for `assign_donors`.
    role : str
        Role of the audios in question.
    streams : Streams
        Of seed and arm: orders clips of equal duration.
    arm : {'hard', 'easy', 'same_answer'}
        In `same_answer` hosts are told apart by gold, and by question, where labels are open too;
        in `easy` all clips are one pool; in `hard` those of a task are one more for the strata
        whose answer follows from the language.
    """
    by_gold = arm == "same_answer"
    items, excluded = _with_audio(benchmark.items, durations_s, role)
    clips = _order_clips(items, durations_s, equal_audio, streams)
    domain_field = _domain_field(item for item, _ in items)
    by_stratum: dict[StratumKey, list[tuple[Item, ClipFacts]]] = defaultdict(list)
    for item, key in items:
        by_stratum[item.task, item.language].append((item, clips[key]))
    by_language = answered_by_language(item for item, _ in items) if arm == "hard" else {}
    keys = sorted(by_stratum, key=_none_first)
    tasks = dict.fromkeys(key[0] for key in keys if key in by_language)
    task_pools = {task: len(keys) + number for number, task in enumerate(tasks)}
    strata: list[DonorStratum] = []
    hosts: dict[tuple[int, str, str | None, str | None], Host] = {}
    for number, (task, language) in enumerate(keys):
        members = by_stratum[task, language]
        stratum = _describe((task, language), members, by_language.get((task, language)))
        is_closed = stratum.labels == "closed"
        pools = [OVERALL if arm == "easy" else number]
        pools += [task_pools[task]] if language and task in task_pools else []
        pool = pools[0] if stratum.by_language is None else pools[-1]
        for item, clip in members:
            domain = getattr(item, domain_field) if domain_field else None
            clip.add(item, pools, domain)
            gold = as_label(item.answer) if item.answer is not None else None
            split_gold = gold if by_gold or is_closed else None
            question = as_label(item.question) if by_gold and not is_closed else None
            host_key = (number, clip.key, split_gold, question)
            if host_key not in hosts:
                hosts[host_key] = Host(clip, number, pool, [], split_gold, question)
            hosts[host_key].items.append(item)
        strata.append(stratum)
    ordered = sorted(hosts.values(), key=lambda host: host.sort_key)
    for host in ordered:
        host.items.sort(key=lambda item: item.pair_id)
    return Census(clips, tuple(strata), tuple(ordered), domain_field, excluded)


def _with_audio(
    items: Iterable[Item], durations_s: Mapping[str, float], role: str
) -> tuple[list[tuple[Item, str]], dict[str, str]]:
    """Return items with the key of their clip, and those that have no usable one."""
    usable: list[tuple[Item, str]] = []
    excluded: dict[str, str] = {}
    for item in items:
        audio = item.audio(role)
        if audio is None:
            excluded[item.pair_id] = f"the item has no audio in the role {role!r}"
            continue
        duration_s = durations_s.get(audio.clip)
        if duration_s is None or not (math.isfinite(duration_s) and duration_s > 0.0):
            excluded[item.pair_id] = f"its clip {audio.clip!r} could not be read: no duration"
            continue
        usable.append((item, audio.clip))
    return usable, dict(sorted(excluded.items()))


def _order_clips(
    items: Iterable[tuple[Item, str]],
    durations_s: Mapping[str, float],
    equal_audio: Mapping[str, str],
    streams: Streams,
) -> dict[str, ClipFacts]:
    keys = {key for _, key in items}
    drawn = {key: Streams(streams.seed, key, streams.name).key("order") for key in keys}
    ordered = sorted(keys, key=lambda key: (durations_s[key], drawn[key]))
    return {
        key: ClipFacts(key, float(durations_s[key]), equal_audio.get(key, key), position)
        for position, key in enumerate(ordered)
    }


def _domain_field(items: Iterable[Item]) -> str | None:
    """Return the first of task and language of which there are two or more."""
    tasks: set[str] = set()
    languages: set[str] = set()
    for item in items:
        tasks.update([item.task] if item.task else [])
        languages.update([item.language] if item.language else [])
    if len(tasks) > 1:
        return "task"
    return "language" if len(languages) > 1 else None


def _describe(
    key: StratumKey, members: list[tuple[Item, ClipFacts]], by_language: str | None
) -> DonorStratum:
    items = [item for item, _ in members]
    decided = decide_labels(items)
    return DonorStratum(
        task=key[0],
        language=key[1],
        items=len(items),
        clips=len({clip.key for _, clip in members}),
        unknown_answers=sum(item.answer is None for item in items),
        labels=decided.labels,
        decided=decided.decided,
        one_option_set=decided.one_option_set,
        by_language=by_language,
    )


def _none_first(key: StratumKey) -> tuple[tuple[bool, str], ...]:
    return tuple((value is not None, value or "") for value in key)
