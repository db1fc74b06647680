"""The records of a score's first table: what is printed and written."""

from __future__ import annotations

from typing import Annotated, Literal

from perturb.record import Record, bounds
from perturb.score.inference.contrasts import Contrast
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.settings import Settings
from perturb.score.inference.verdict import Verdict
from perturb.score.inference.worst_case import WorstCase

__all__ = ["Baselines", "Comparison", "ConditionScore", "ModelScore", "Overview"]


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


class Comparison(Record, frozen=True, kw_only=True):
    """One condition against another.

    Parameters
    ----------
    first, second : str
        The conditions; the difference is first − second.
    role : {'primary', 'exploratory'}
        Whether its p-value is one of the family that Holm's method adjusts.
    against : {'sham', 'repeat', 'original'}
        What the second is to the first.
    contrast : Contrast
        Difference, interval and test.
    verdict : Verdict
        What it shows.
    worst_case : WorstCase
        Bounds of the difference, whatever the missing rows would have said.
    with_off_target : Estimate or None
        The difference with the rows that missed a proof; None where there are none.
    """

    first: str
    second: str
    role: Literal["primary", "exploratory"]
    against: Literal["sham", "repeat", "original"]
    contrast: Contrast
    verdict: Verdict
    worst_case: WorstCase
    with_off_target: Estimate | None = None


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


class ModelScore(Record, frozen=True, kw_only=True):
    """One model.

    Parameters
    ----------
    model : str
        Its name.
    conditions : tuple of ConditionScore
        In the order of the suite.
    comparisons : tuple of Comparison
        Probes first, then shams, then `repeat` against `original`.
    noise_floor : Estimate
        How often two runs on the original's bytes disagree.
    """

    model: str
    conditions: tuple[ConditionScore, ...]
    comparisons: tuple[Comparison, ...]
    noise_floor: Estimate


class Overview(Record, frozen=True, kw_only=True):
    """The first table of a score.

    Parameters
    ----------
    items, clusters : int
        Of the split.
    matcher : str
        The rule by which answers were read.
    settings : Settings
        Confidence, margin, samples and seed.
    baselines : Baselines
        To hold accuracies against.
    models : tuple of ModelScore
        In alphabetical order.
    """

    items: Annotated[int, bounds(0, None, "", "items")]
    clusters: Annotated[int, bounds(0, None, "", "clips")]
    matcher: str
    settings: Settings
    baselines: Baselines
    models: tuple[ModelScore, ...]
