"""The records of donors: who stands in for whom, frozen in ``donors.json``."""

from __future__ import annotations

import functools
from typing import Annotated, Literal

import msgspec

from perturb.benchmark.item import Item
from perturb.errors import ParameterError
from perturb.recipes.suite import DonorArm
from perturb.record import Record, bounds
from perturb.streams import SEED_RANGE

__all__ = ["DonorChoice", "DonorHost", "DonorStratum", "DonorTable"]

Labels = Literal["closed", "open", "unknown"]


class DonorChoice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The donor of a host in one draw.

    Parameters
    ----------
    draw : int
        Which draw, from 1.
    clip : str
        Key of the donor's clip.
    answers : tuple of str
        Gold answers of the donor's own questions: in `hard` and `same_answer` those of the host's
        task and language (of its task, where donors come from other languages too), in `easy` all.
        Empty where none is known.
    duration_ratio : float
        Duration of the donor over that of the host.
    in_options : bool or None
        Whether every answer of the donor is an option of all the host's items, so that an answer
        that follows the donor can be told. None where an item has no options, or the donor no
        answer.
    same_question : bool
        Whether each question of the host is asked of the donor's clip too, word for word.
    shared : bool
        Whether the donor serves another host of the same kind in this draw.
    other_language : bool
        Whether the donor is of another language than the host: in `hard`, where the answer follows
        from the language.
    """

    draw: int
    clip: str
    answers: tuple[str, ...] = ()
    duration_ratio: float
    in_options: bool | None = None
    same_question: bool = False
    shared: bool = False
    other_language: bool = False

    @property
    def answer(self) -> str | None:
        """The donor's gold, where it has exactly one."""
        return self.answers[0] if len(self.answers) == 1 else None


class DonorHost(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A clip as its questions of one stratum need it: one donor serves all of them.

    Parameters
    ----------
    clip : str
        Key of the host's clip.
    pair_ids : tuple of str
        Its items: all those of the clip and stratum, and where the labels are closed those of one
        answer.
    stratum : int
        Place in the table's `strata`.
    answers : tuple of str
        Gold answers of its items.
    donors : tuple of DonorChoice
        By draw, from the first on.
    reason : str or None
        Why there are fewer donors than draws.
    """

    clip: str
    pair_ids: tuple[str, ...]
    stratum: int
    answers: tuple[str, ...] = ()
    donors: tuple[DonorChoice, ...] = ()
    reason: str | None = None


class DonorStratum(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The items of one task and language.

    Parameters
    ----------
    task, language : str or None
        As the items say.
    items, clips : int
        How many, unreadable ones left out.
    unknown_answers : int
        Items without a gold: these cannot be kept from a donor with the same one.
    labels : {'closed', 'open', 'unknown'}
        Whether the golds come from one small set.
    decided : str
        How that was decided.
    one_option_set : bool
        Whether all options are the same and hold every gold.
    by_language : str or None
        Where its answer follows from the language, so that `hard` donors come from the task's other
        languages too: what was counted. None where donors are of the same language.
    other_language : tuple of int
        Hosts with a donor of another language, for each draw.
    shared : tuple of int
        Hosts that share their donor with another, for each draw.
    shared_why : str or None
        Why they had to.
    """

    task: str | None
    language: str | None
    items: int
    clips: int
    unknown_answers: int
    labels: Labels
    decided: str
    one_option_set: bool = False
    by_language: str | None = None
    other_language: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    shared_why: str | None = None


class DonorTable(Record, frozen=True, kw_only=True, dict=True):
    """The donors of one arm. They depend on the set of items and the seed, and on nothing else.

    Parameters
    ----------
    arm : {'hard', 'easy', 'same_answer'}
        Which donors.
    seed : int
        Breaks ties.
    draws : int
        How many donors each host was to get, all of them different.
    role : str
        Role of the audios that are replaced, and donate.
    rule : str
        What the donors of this arm have to be, in one line.
    strata : tuple of DonorStratum
        By task and language.
    hosts : tuple of DonorHost
        By stratum, clip and answers.
    excluded : dict of str to str
        Pair ids of items that neither host nor donate, with the reason.
    """

    arm: DonorArm
    seed: Annotated[int, bounds(*SEED_RANGE, "", "seed of every random stream")]
    draws: Annotated[int, bounds(1, 99, "", "draws of donors")]
    role: str
    rule: str
    strata: tuple[DonorStratum, ...] = ()
    hosts: tuple[DonorHost, ...] = ()
    excluded: dict[str, str] = msgspec.field(default_factory=dict)

    @functools.cached_property
    def _host_of(self) -> dict[str, DonorHost]:
        return {pair_id: host for host in self.hosts for pair_id in host.pair_ids}

    @property
    def impossible(self) -> tuple[DonorHost, ...]:
        """Hosts that lack a donor in some draw."""
        return tuple(host for host in self.hosts if len(host.donors) < self.draws)

    def donor_for(self, item: Item, draw: int = 1) -> DonorChoice | str:
        """Return the donor of an item, or the reason why it has none.

        Parameters
        ----------
        item : Item
            One of the benchmark that the table was made for.
        draw : int
            From 1 to `draws`.

        Raises
        ------
        ParameterError
            A draw that was not made, or an item that was not there.
        """
        if not 1 <= draw <= self.draws:
            raise ParameterError(f"draw is {draw}; accepted: 1 to {self.draws}, as were made")
        if item.pair_id in self.excluded:
            return self.excluded[item.pair_id]
        host = self._host_of.get(item.pair_id)
        if host is None:
            raise ParameterError(
                f"item {item.pair_id!r} is not in the table of donors; assign donors anew for the "
                "items as they are now"
            )
        if draw > len(host.donors):
            return host.reason or "it has no donor"
        return host.donors[draw - 1]
