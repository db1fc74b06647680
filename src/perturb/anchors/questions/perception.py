"""The first link: how often, and where? From the edit manifest alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.anchors.questions.facts import ChainFacts, ChainQuestion
from perturb.anchors.questions.hearings import Hearing
from perturb.anchors.questions.laying_out import lay_out
from perturb.anchors.questions.wording import clock, count_words, joined

__all__ = ["ask_perception"]


def ask_perception(
    facts: ChainFacts, hearings: Sequence[Hearing], gold: int, generator: np.random.Generator
) -> ChainQuestion:
    """Return the question of count and place: each true or wrong, four options.

    Parameters
    ----------
    facts : ChainFacts
        The edit and its places.
    hearings : sequence of Hearing
        The right one first (`hearings_of`).
    gold : int
        Place of the gold.
    generator : numpy.random.Generator
        Draws the order of the others.
    """
    question = f"{facts.edit.opening} How often, and at about what time?"
    options = [(_say(hearing), (hearing.error,)) for hearing in hearings]
    return lay_out("perception", question, options, gold, generator)


def _say(hearing: Hearing) -> str:
    times = joined([clock(place.at_s) for place in hearing.places])
    return f"{count_words(len(hearing.places)).capitalize()}, at about {times}"
