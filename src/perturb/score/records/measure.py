"""`Measure`: one statistic of one model, with what it is to be held against."""

from __future__ import annotations

from typing import Literal

import msgspec

from perturb.record import Record
from perturb.score.inference.estimate import Estimate

__all__ = ["Beside", "Measure", "NotApplicable", "Unit"]

Unit = Literal["share", "difference", "ratio", "score", "count"]


class Beside(Record, frozen=True, kw_only=True):
    """What a measure is to be held against.

    Parameters
    ----------
    label : str
        What it is, in words: "noise floor", "the sham's", "a guesser's".
    estimate : Estimate
        Its value. Floors that follow from the number of options have no interval, and say so.
    """

    label: str
    estimate: Estimate


class Measure(Record, frozen=True, kw_only=True):
    """One statistic of one model.

    Parameters
    ----------
    family : str
        The kind of statistic, the name of its file in `score/measures`: measures of a family
        belong together and follow each other.
    name : str
        Its name, ``[a-z_]+``; with condition, against and group it occurs once for a model.
    title : str
        The same for people.
    unit : {'share', 'difference', 'ratio', 'score', 'count'}
        What the value is: a share of items, 0 to 1; a difference of shares, −1 to 1; a quotient,
        from 0; a score, 0 to 1; a number of items.
    condition : str or None
        Where; None where it is about no single condition.
    against : str or None
        The condition that it compares with.
    group : dict of str to str
        The items that it is of, such as ``{"language": "th"}``; empty for all.
    estimate : Estimate
        Value and interval, or the reason why there is none.
    beside : tuple of Beside
        What it is to be held against.
    """

    family: str
    name: str
    title: str
    unit: Unit
    condition: str | None = None
    against: str | None = None
    group: dict[str, str] = msgspec.field(default_factory=dict)
    estimate: Estimate
    beside: tuple[Beside, ...] = ()


class NotApplicable(Record, frozen=True, kw_only=True):
    """A family of statistics that this split or these answers have no input for, said once.

    Parameters
    ----------
    family : str
        As in `Measure`.
    title : str
        For people.
    reason : str
        What is missing, and how it could be given.
    """

    family: str
    title: str
    reason: str
