"""Rubric score: open-ended answers graded by criteria in meaning and in time (AudioSpan).

A criterion is *essential* (weight 1) or *supporting* (weight .5). Essential ones are graded on one
axis: in time where they localise, else in meaning. Supporting ones are graded by the mean of both
where they have a reference time, else in meaning. Meaning is 0, .5 or 1; time is 1 within ± 5 s of
the reference, else 0. A criterion that is wrong in meaning scores 0 whatever its time; where a time
is missing, in the answer or the reference, the meaning is the score.
The item's score is Σ weight · score / Σ weight. Undefined for an item without criteria.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from perturb.record import Record

__all__ = ["TOLERANCE_S", "Criterion", "rubric_score"]

TOLERANCE_S = 5.0


class Criterion(Record, frozen=True, kw_only=True):
    """One criterion of a rubric, as a judge graded it.

    Parameters
    ----------
    kind : {'essential', 'localisation', 'supporting'}
        `localisation` is an essential criterion that is graded in time.
    semantic : {0, 1, 2}
        Grade in meaning in halves: 2 is right, 1 half right, 0 wrong.
    reference_s : float or None
        When it happens, in seconds.
    answered_s : float or None
        When the answer says that it happens.
    """

    kind: Literal["essential", "localisation", "supporting"]
    semantic: Literal[0, 1, 2]
    reference_s: float | None = None
    answered_s: float | None = None

    @property
    def weight(self) -> float:
        """Weight in the item's score."""
        return 0.5 if self.kind == "supporting" else 1.0

    def score(self) -> float:
        """Return the score of the criterion, 0 to 1."""
        meaning = self.semantic / 2.0
        if meaning == 0.0 or self.kind == "essential":
            return meaning
        if self.reference_s is None or self.answered_s is None:
            return meaning
        in_time = float(abs(self.answered_s - self.reference_s) <= TOLERANCE_S)
        return in_time if self.kind == "localisation" else (meaning + in_time) / 2.0


def rubric_score(criteria: Sequence[Criterion]) -> float:
    """Return the score of one answer, 0 to 1, NaN without criteria."""
    total = sum(criterion.weight for criterion in criteria)
    if total == 0.0:
        return math.nan
    return sum(criterion.weight * criterion.score() for criterion in criteria) / total
