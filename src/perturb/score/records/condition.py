"""What a split's conditions are, and what one model scored in each."""

from __future__ import annotations

from typing import Annotated, Literal

from perturb.record import Record, bounds
from perturb.score.inference.estimate import Estimate

__all__ = [
    "Baselines",
    "ConditionFacts",
    "ConditionKind",
    "ConditionScore",
    "GroupBaselines",
    "GroupKind",
    "GroupScore",
]

ConditionKind = Literal["original", "repeat", "control", "probe", "sham", "question"]
GroupKind = Literal["task", "language"]


class ConditionFacts(Record, frozen=True, kw_only=True):
    """One condition of the split, whoever answers it; its statuses are the attrition.

    Parameters
    ----------
    condition : str
        Its name.
    kind : {'original', 'repeat', 'control', 'probe', 'sham', 'question'}
        `control`: nothing of the clip that was asked about can be heard (silence, noise, another
        clip, no audio). `question`: the audio as it is, asked otherwise.
    title : str
        What is done, in one line; the recipe's title where there is one.
    sham_of : str or None
        The condition whose sham it is.
    has_audio : bool
        Whether its rows carry audio.
    keeps, destroys : tuple of str
        Properties of the audio that the edit is known to keep and to destroy.
    rows : int
        Items of the split: each is a row in every condition.
    statuses : dict of str to int
        Rows by status, `ok`, `off_target`, `inapplicable` and `failed`, in this order; those that
        do not occur are left out.
    """

    condition: str
    kind: ConditionKind
    title: str = ""
    sham_of: str | None = None
    has_audio: bool = True
    keeps: tuple[str, ...] = ()
    destroys: tuple[str, ...] = ()
    rows: Annotated[int, bounds(0, None, "", "rows")]
    statuses: dict[str, int]


class ConditionScore(Record, frozen=True, kw_only=True):
    """One model in one condition.

    Parameters
    ----------
    condition : str
        Its name.
    sham_of : str or None
        The condition whose sham it is.
    repeats : int
        Runs that were averaged.
    states : dict of str to int
        Rows by what became of them, all repeats together.
    off_target : int
        Items left out of the accuracy since their edit missed a proof.
    accuracy : Estimate
        Over the items that count.
    """

    condition: str
    sham_of: str | None
    repeats: Annotated[int, bounds(1, None, "", "runs")]
    states: dict[str, int]
    off_target: Annotated[int, bounds(0, None, "", "items")]
    accuracy: Estimate


class GroupScore(Record, frozen=True, kw_only=True):
    """One model in one condition, on the items of one task or language.

    Parameters
    ----------
    by : {'task', 'language'}
        What the items were grouped by.
    group : str
        Which one.
    condition : str
        Where.
    accuracy : Estimate
        Over the items of the group that count.
    """

    by: GroupKind
    group: str
    condition: str
    accuracy: Estimate


class Baselines(Record, frozen=True, kw_only=True):
    """What needs no audio and no reading: accuracies over the items of `original`.

    Parameters
    ----------
    chance, majority, always_first, longest_option : Estimate
        A guesser; the commonest gold of each task; the first option; the longest one.
    """

    chance: Estimate
    majority: Estimate
    always_first: Estimate
    longest_option: Estimate


class GroupBaselines(Record, frozen=True, kw_only=True):
    """The baselines of one task or language.

    Parameters
    ----------
    by : {'task', 'language'}
        What the items were grouped by.
    group : str
        Which one.
    items : int
        How many items it has.
    baselines : Baselines
        Over these items.
    """

    by: GroupKind
    group: str
    items: Annotated[int, bounds(0, None, "", "items")]
    baselines: Baselines
