"""Donors: for every clip another one of the benchmark that takes its place.

Never the same clip, the same audio under another name, the same source recording or speaker (where
these are known), or an audio of the host's own items. Besides:

hard
    Of the same task and language, with another answer, closest in duration. Where a task's
    questions come with different options, a donor whose answer is among the host's costs less, so
    that answers which follow the donor can be told. Where the answer follows from the language (a
    task that asks for it: one answer in each language, several in all) another answer is another
    language, so there donors are of the same task in any language; strata say where, and count.
easy
    Of another domain: another task where the benchmark knows two or more, else another language.
    Also with another answer, closest in duration.
same_answer
    As `hard`, with the host's own answer: the sham of the other two. Where labels are open, the
    same answer to another question says nothing, so there the question is the same as well.

An unknown answer cannot be compared: it keeps nobody apart, and has no `same_answer` donor; strata
count them. Each clip serves one host in a draw where that is possible. Where it is not (most clips
share one answer, or more questions than clips), a donor is shared rather than a host left without:
a shared donor costs a little independence, a missing one the item. Shared ones say so.

Draws follow one another: a host's donor in one draw is kept from it in later ones, and the first
draw does not depend on how many follow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from perturb.benchmark.item import MAIN_ROLE, Benchmark
from perturb.operators.mismatch import MIN_DONOR_S
from perturb.recipes.suite import DonorArm
from perturb.split.donors.groups import Numbering, batches, donor_groups, gathering_for
from perturb.split.donors.hosts import Census, ClipFacts, Host, take_census
from perturb.split.donors.matching import match_donors
from perturb.split.donors.strata import as_label
from perturb.split.donors.table import DonorChoice, DonorHost, DonorStratum, DonorTable
from perturb.streams import Streams

__all__ = ["assign_donors"]

_RULES: dict[DonorArm, str] = {
    "hard": "same task and language, another answer, closest in duration; the task's other "
    "languages too where the answer follows from the language",
    "easy": "another {domain}, another answer, closest in duration",
    "same_answer": "same task, language and answer, closest in duration; the same question where "
    "labels are open",
}
_SHARED_WHY = (
    "{hosts} hosts and {clips} clips{besides}: answers, recordings, speakers or earlier draws "
    "leave fewer donors than hosts, and a shared donor is better than none"
)
_NEVER = (
    f"; never the same audio, recording or speaker, nor a clip of less than {MIN_DONOR_S:g} s "
    "or without a sound"
)


def assign_donors(
    benchmark: Benchmark,
    durations_s: Mapping[str, float],
    equal_audio: Mapping[str, str],
    arm: DonorArm,
    draws: int,
    seed: int,
    role: str = MAIN_ROLE,
    *,
    silent: Collection[str] = (),
) -> DonorTable:
    """Assign donors to all items of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        All its items, whatever part of them is rendered later.
    durations_s : mapping of str to float
        Duration of each clip that could be read, in seconds, by key. A clip without one neither
        hosts nor donates.
    equal_audio : mapping of str to str
        For clips that hold the same audio, the key of one that stands for all; others may be left
        out.
    arm : {'hard', 'easy', 'same_answer'}
        Which donors.
    draws : int
        How many each host gets, all different, 1 to 99.
    seed : int
        Orders clips of equal duration.
    role : str
        Role of the audios that are replaced, and donate.
    silent : collection of str
        Clips without a sound: they donate to nobody.

    Returns
    -------
    DonorTable
        A function of the set of items, never of their order.

    Raises
    ------
    ParameterError
        `draws` or `seed` out of range.
    """
    DonorTable(arm=arm, seed=seed, draws=draws, role=role, rule="")  # checks the numbers early
    streams = Streams(seed, "", f"donors/{arm}/{role}")
    census = take_census(benchmark, durations_s, equal_audio, role, streams, arm)
    for key in silent:
        if key in census.clips:
            census.clips[key].is_silent = True
    choices = _draw_all(census, arm, draws, streams, equal_audio)
    hosts = tuple(
        DonorHost(
            clip=host.clip.key,
            pair_ids=tuple(item.pair_id for item in host.items),
            stratum=host.stratum,
            answers=tuple(sorted({item.answer for item in host.items if item.answer is not None})),
            donors=tuple(found),
            reason=_reason(census, host, arm, len(found)) if len(found) < draws else None,
        )
        for host, found in zip(census.hosts, choices, strict=True)
    )
    return DonorTable(
        arm=arm,
        seed=seed,
        draws=draws,
        role=role,
        rule=_RULES[arm].format(domain=census.domain_field or "domain") + _NEVER,
        strata=_counted(census, hosts, draws),
        hosts=hosts,
        excluded=census.excluded,
    )


def _draw_all(
    census: Census,
    arm: DonorArm,
    draws: int,
    streams: Streams,
    equal_audio: Mapping[str, str],
) -> list[list[DonorChoice]]:
    """Return the donors of every host, by draw."""
    choices: list[list[DonorChoice]] = [[] for _ in census.hosts]
    earlier: list[list[str]] = [[] for _ in census.hosts]
    numbering = Numbering(census, arm, equal_audio)
    for draw in range(1, draws + 1):
        for batch in batches(donor_groups(census, arm)):
            hosts, donors, indices, clips = numbering.sides(batch, earlier)
            generator = streams.generator(f"draw {draw} {batch[0].name}")
            found = match_donors(hosts, donors, generator)
            for index, at, is_shared in zip(indices, found.donors, found.is_shared, strict=True):
                if at >= 0:
                    choice = _choice(census.hosts[index], clips[at], arm, draw, bool(is_shared))
                    choices[index].append(choice)
                    earlier[index].append(clips[at].audio)
    return choices


def _choice(host: Host, donor: ClipFacts, arm: DonorArm, draw: int, shared: bool) -> DonorChoice:
    gathered = gathering_for(donor, host)
    return DonorChoice(
        draw=draw,
        clip=donor.key,
        answers=gathered.texts,
        duration_ratio=donor.duration_s / host.clip.duration_s,
        in_options=(
            gathered.answers.keys() <= host.options if host.options and gathered.answers else None
        ),
        same_question={as_label(item.question) for item in host.items} <= gathered.questions,
        shared=shared,
        other_language=arm == "hard" and host.stratum not in donor.gathered,
    )


def _reason(census: Census, host: Host, arm: DonorArm, found: int) -> str:
    """Return why a host has no donor after those that were found."""
    stratum = census.strata[host.stratum]
    where = f"of task {stratum.task or 'unknown'} and language {stratum.language or 'unknown'}"
    besides = f", besides its {found} earlier" if found else ""
    if arm == "easy" and census.domain_field is None:
        return "all items are of one task and language as far as is known: no other domain"
    if arm == "easy" and not host.clip.domains:
        return f"its {census.domain_field} is unknown, so no other one can be told"
    if arm == "easy":
        wanted = f"is of another {census.domain_field}, answer, recording, speaker and audio"
        return f"no clip {wanted}{besides}"
    if stratum.by_language is not None:
        wanted = "another answer, recording, speaker and audio"
        return f"no clip of task {stratum.task or 'unknown'} in any language has {wanted}{besides}"
    if stratum.clips == 1:
        return f"no other clip is {where}"
    if arm == "same_answer" and host.gold is None:
        return "its answer is unknown, so the same one cannot be told"
    others = f"none of the {stratum.clips - 1} other clips {where}"
    if arm == "hard":
        return f"{others} has another answer, recording, speaker and audio{besides}"
    same = "answer" if stratum.labels == "closed" else "question and answer"
    return f"{others} has the same {same} alone and another recording, speaker and audio{besides}"


def _counted(census: Census, hosts: tuple[DonorHost, ...], draws: int) -> tuple[DonorStratum, ...]:
    """Return the strata with the number of hosts that share their donor, and why they have to."""
    shared = [[0] * draws for _ in census.strata]
    elsewhere = [[0] * draws for _ in census.strata]
    in_stratum = [0] * len(census.strata)
    for host in hosts:
        in_stratum[host.stratum] += 1
        for choice in host.donors:
            shared[host.stratum][choice.draw - 1] += choice.shared
            elsewhere[host.stratum][choice.draw - 1] += choice.other_language
    return tuple(
        msgspec.structs.replace(
            stratum,
            shared=tuple(shared[at]),
            shared_why=_shared_why(stratum, in_stratum[at]) if any(shared[at]) else None,
            other_language=() if stratum.by_language is None else tuple(elsewhere[at]),
        )
        for at, stratum in enumerate(census.strata)
    )


def _shared_why(stratum: DonorStratum, hosts: int) -> str:
    besides = "" if stratum.by_language is None else " besides those of the task's other languages"
    return _SHARED_WHY.format(hosts=hosts, clips=stratum.clips, besides=besides)
