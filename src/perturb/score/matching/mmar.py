"""``mmar``: as the evaluation of MMAR scores ``answer_prediction``."""

from __future__ import annotations

from perturb.score.matching.token_subset import TokenSubsetMatcher

__all__ = ["MmarMatcher"]


class MmarMatcher(TokenSubsetMatcher):
    """The rule of MMAR's evaluation (Ma et al. 2025), which takes over MMAU's."""

    name = "mmar"
