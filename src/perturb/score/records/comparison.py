"""Two arms compared: a condition against another, a model against another."""

from __future__ import annotations

from typing import Annotated, Literal

from perturb.record import Record, bounds
from perturb.score.inference.contrasts import Contrast
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.models import RankStability
from perturb.score.inference.sensitivity import Sensitivity
from perturb.score.inference.sign_flip import Test
from perturb.score.inference.verdict import Verdict
from perturb.score.inference.worst_case import WorstCase

__all__ = ["Comparison", "ModelComparison", "ModelsCompared", "PairedTable"]


class PairedTable(Record, frozen=True, kw_only=True):
    """Items by whether they are right in the first arm, the second, both or neither.

    An item counts as right with a score of .5 or more, averaged over repeats.

    Parameters
    ----------
    first, second : str
        The conditions.
    both, only_first, only_second, neither : int
        Items right in both, in one alone, in none.
    """

    first: str
    second: str
    both: Annotated[int, bounds(0, None, "", "items")]
    only_first: Annotated[int, bounds(0, None, "", "items")]
    only_second: Annotated[int, bounds(0, None, "", "items")]
    neither: Annotated[int, bounds(0, None, "", "items")]


class Comparison(Record, frozen=True, kw_only=True):
    """One condition against another.

    Parameters
    ----------
    first, second : str
        The conditions; the difference is first − second.
    role : {'primary', 'exploratory'}
        Whether its p-value is one of the family that Holm's method adjusts.
    against : {'sham', 'repeat', 'original', 'control'}
        What the second is to the first.
    contrast : Contrast
        Difference, interval and test.
    verdict : Verdict
        What it shows.
    worst_case : WorstCase
        Bounds of the difference, whatever the missing rows would have said.
    with_off_target : Estimate or None
        The difference with the rows that missed a proof; None where there are none.
    mcnemar : Test or None
        McNemar's exact test, which holds only where each clip carries one question: else it says
        why it was not made. None in a score of an earlier version.
    sensitivity : Sensitivity or None
        The smallest difference that could have been found, and the items needed for the margin.
    """

    first: str
    second: str
    role: Literal["primary", "exploratory"]
    against: Literal["sham", "repeat", "original", "control"]
    contrast: Contrast
    verdict: Verdict
    worst_case: WorstCase
    with_off_target: Estimate | None = None
    mcnemar: Test | None = None
    sensitivity: Sensitivity | None = None


class ModelComparison(Record, frozen=True, kw_only=True):
    """Two models on the same items of one condition.

    Parameters
    ----------
    first, second : str
        The models; the difference is first − second.
    contrast : Contrast
        Difference, interval and test.
    verdict : Verdict
        What it shows; p-values are adjusted by Holm over the pairs of models.
    """

    first: str
    second: str
    contrast: Contrast
    verdict: Verdict


class ModelsCompared(Record, frozen=True, kw_only=True):
    """Several models in one condition.

    Parameters
    ----------
    condition : str
        Where.
    pairs : tuple of ModelComparison
        Each pair of models once.
    ranks : RankStability
        Their order, and how sure it is.
    """

    condition: str
    pairs: tuple[ModelComparison, ...]
    ranks: RankStability
