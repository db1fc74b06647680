"""Groups of hosts and of the clips that may serve them, put in numbers for the assignment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perturb.recipes.suite import DonorArm
from perturb.split.donors.hosts import Census, ClipFacts, Gathering, Host
from perturb.split.donors.matching import BLOCK, Side
from perturb.split.donors.strata import as_label

__all__ = ["Group", "Numbering", "batches", "donor_groups", "gathering_for"]


@dataclass(frozen=True)
class Group:
    """Hosts that take donors of one set of clips.

    Parameters
    ----------
    name : str
        Of its random stream.
    hosts : list of int
        Places in the census.
    donors : list of ClipFacts
        In order of position.
    """

    name: str
    hosts: list[int]
    donors: list[ClipFacts]


def gathering_for(clip: ClipFacts, host: Host) -> Gathering:
    """Return what a donor's own items say that matters to a host."""
    return clip.gathered[host.pool]


def donor_groups(census: Census, arm: DonorArm) -> list[Group]:
    """Return the groups of an arm: by pool, by pool and answer, or one over all domains."""
    if arm == "easy":
        hosts = [index for index, host in enumerate(census.hosts) if host.clip.domains]
        donors = [clip for clip in census.clips.values() if clip.domains and clip.may_donate]
        return [Group("all", hosts, donors)] if hosts else []
    by_key: dict[tuple[int, str | None, str | None], list[int]] = defaultdict(list)
    for index, host in enumerate(census.hosts):
        if arm == "hard":
            by_key[host.pool, None, None].append(index)
        elif host.gold is not None:
            by_key[host.pool, host.gold, host.question].append(index)
    pools: dict[tuple[int, str | None, str | None], list[ClipFacts]] = defaultdict(list)
    for clip in census.clips.values():
        for pool, gathering in clip.gathered.items() if clip.may_donate else ():
            if arm == "hard":
                pools[pool, None, None].append(clip)
            elif len(gathering.answers) == 1:
                gold = next(iter(gathering.answers))
                is_closed = census.strata[pool].labels == "closed"
                for question in (None,) if is_closed else sorted(gathering.questions):
                    pools[pool, gold, question].append(clip)
    return [
        Group("/".join([str(key[0]), key[1] or "", key[2] or ""]), hosts, pools[key])
        for key, hosts in by_key.items()
        if pools.get(key)
    ]


def batches(groups: Sequence[Group]) -> Iterator[list[Group]]:
    """Put small groups together, so that each assignment is worth its start."""
    batch: list[Group] = []
    size = 0
    for group in groups:
        if batch and size + len(group.donors) > BLOCK:
            yield batch
            batch, size = [], 0
        batch.append(group)
        size += len(group.donors)
    if batch:
        yield batch


class Numbering:
    """Ties and labels as whole numbers, the same for hosts and donors.

    Parameters
    ----------
    census : Census
        Everybody.
    arm : {'hard', 'easy', 'same_answer'}
        Which donors.
    equal_audio : mapping of str to str
        For clips that hold the same audio, the key of one that stands for all.
    """

    def __init__(self, census: Census, arm: DonorArm, equal_audio: Mapping[str, str]) -> None:
        self._census, self._arm, self._equal_audio = census, arm, equal_audio
        self._numbers: dict[tuple[str, str], int] = {}

    def sides(
        self, batch: Sequence[Group], earlier: Sequence[Sequence[str]]
    ) -> tuple[Side, Side, list[int], list[ClipFacts]]:
        """Return hosts and donors of a batch in numbers, and who they are.

        `earlier` holds, for each host of the census, the audio of its donors in earlier draws.
        """
        hosts: list[tuple[int, int]] = []
        donors: list[tuple[int, ClipFacts]] = []
        for number, group in enumerate(batch):
            ordered = sorted(group.hosts, key=lambda index: self._host(index).clip.position)
            hosts += [(number, index) for index in ordered]
            donors += [(number, clip) for clip in group.donors]
        host_side = self._side(
            [(number, self._host(index).clip) for number, index in hosts],
            [self._host_ties(self._host(index), earlier[index]) for _, index in hosts],
            [self._host_labels(self._host(index)) for _, index in hosts],
        )
        owners = [self._host(group.hosts[0]) for group in batch]
        donor_side = self._side(
            donors,
            [self._donor_ties(clip, owners[number]) for number, clip in donors],
            [self._donor_labels(clip, owners[number]) for number, clip in donors],
        )
        return host_side, donor_side, [index for _, index in hosts], [clip for _, clip in donors]

    def _host(self, index: int) -> Host:
        return self._census.hosts[index]

    def _side(
        self,
        clips: Sequence[tuple[int, ClipFacts]],
        ties: list[list[int]],
        labels: list[list[int]],
    ) -> Side:
        count = len(self._census.clips)
        groups = np.array([number for number, _ in clips], dtype=np.int64)
        places = np.array([clip.position for _, clip in clips], dtype=np.int64)
        return Side(
            log_durations=np.log([clip.duration_s for _, clip in clips]),
            positions=groups * count + places,
            groups=groups,
            ties=ties,
            labels=labels,
        )

    def _number(self, kind: str, value: str) -> int:
        return self._numbers.setdefault((kind, value), len(self._numbers))

    def _clip_ties(self, clip: ClipFacts) -> list[int]:
        ties = [self._number("audio", clip.audio)]
        ties += [self._number("recording", value) for value in clip.recordings]
        ties += [self._number("speaker", value) for value in clip.speakers]
        if self._arm == "easy":
            ties += [self._number("domain", value) for value in clip.domains]
        return ties

    def _host_ties(self, host: Host, earlier: Sequence[str]) -> list[int]:
        own = {self._equal_audio.get(a.clip, a.clip) for item in host.items for a in item.audios}
        ties = {self._number("audio", value) for value in (*own, *earlier)}
        ties.update(self._clip_ties(host.clip))
        if self._arm != "same_answer":
            golds = {as_label(item.answer) for item in host.items if item.answer is not None}
            ties.update(self._number("answer", value) for value in golds)
        return list(ties)

    def _donor_ties(self, clip: ClipFacts, host: Host) -> list[int]:
        ties = self._clip_ties(clip)
        if self._arm != "same_answer":
            answers = gathering_for(clip, host).answers
            ties += [self._number("answer", value) for value in answers]
        return ties

    def _prefers_options(self, host: Host) -> bool:
        """Whether a donor's answer may lie outside the options of a host in the hard arm."""
        stratum = self._census.strata[host.stratum]
        holds_all = stratum.one_option_set and stratum.by_language is None
        return self._arm == "hard" and not holds_all

    def _host_labels(self, host: Host) -> list[int]:
        options = host.options if self._prefers_options(host) else None
        return [self._number("label", value) for value in options or ()]

    def _donor_labels(self, clip: ClipFacts, host: Host) -> list[int]:
        if not self._prefers_options(host):
            return []
        answers = gathering_for(clip, host).answers
        return [self._number("label", value) for value in answers]
