"""The second link: what is said there? Options quote the real words at each hearing's places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.anchors.questions.facts import ChainFacts, ChainQuestion
from perturb.anchors.questions.hearings import Hearing
from perturb.anchors.questions.laying_out import lay_out
from perturb.anchors.questions.wording import excerpt, joined
from perturb.errors import InapplicableError

__all__ = ["LEAST_POSITIONS", "ask_understanding"]

LEAST_POSITIONS = 2
"""Of an edit at one place, the words there would be asked for twice."""


def ask_understanding(
    facts: ChainFacts, hearings: Sequence[Hearing], gold: int, generator: np.random.Generator
) -> ChainQuestion:
    """Return the question of the words at the places: whoever heard wrong finds the wrong words.

    Parameters
    ----------
    facts, hearings, gold, generator
        As for `ask_perception`.

    Raises
    ------
    InapplicableError
        Fewer than two places, or one whose words are not known.
    """
    if len(facts.places) < LEAST_POSITIONS:
        raise InapplicableError(
            f"the edit has one place; understanding is asked from {LEAST_POSITIONS} on"
        )
    if not all(place.words for place in facts.places):
        raise InapplicableError("there is no text of the segments: their words are not known")
    if not all(place.words for hearing in hearings for place in hearing.places):
        raise InapplicableError(
            "too few other segments with words of their own lie far enough from the edits to be "
            "offered as wrong answers"
        )
    question = f"{facts.edit.opening} Which passages does that fall into?"
    options = [(_say(hearing, facts), (hearing.error,)) for hearing in hearings]
    return lay_out("understanding", question, options, gold, generator)


def _say(hearing: Hearing, facts: ChainFacts) -> str:
    return joined(
        [
            f"“{excerpt(place.words or '', place.share, hides_words=facts.edit.hides_words)}”"
            for place in hearing.places
        ]
    )
