"""``mmau``: as the evaluation of MMAU scores ``model_output`` or ``model_prediction``."""

from __future__ import annotations

from perturb.score.matching.token_subset import TokenSubsetMatcher

__all__ = ["MmauMatcher"]


class MmauMatcher(TokenSubsetMatcher):
    """The rule of MMAU's evaluation: Sakshi et al. 2024.

    It accepts a bare letter for next to no option, and in a few items of a thousand the text of a
    wrong one. Answers that it cannot read count as wrong, as they do there.
    """

    name = "mmau"
