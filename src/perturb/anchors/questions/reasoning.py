"""The third link: how do the passages relate? Options are relations that somebody has given."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from perturb.anchors.questions.facts import OPTION_COUNT, ChainFacts, ChainQuestion, Error
from perturb.anchors.questions.hearings import Hearing
from perturb.anchors.questions.laying_out import lay_out
from perturb.errors import InapplicableError

__all__ = ["FOIL", "ask_reasoning"]

FOIL = "There is no clear relation between them"
"""The option for whoever sees none."""

_ORDINALS = ("first", "second", "third", "fourth")


def ask_reasoning(
    facts: ChainFacts, hearings: Sequence[Hearing], gold: int, generator: np.random.Generator
) -> ChainQuestion:
    """Return the question of how two of the passages relate, with the foil among its options.

    A wrong hearing has the relation of *its* passages, or where none is given or there is no room
    left, the foil. Options that are left over are
    relations of one of the two passages with another, then of any two others.

    Parameters
    ----------
    facts, hearings, gold, generator
        As for `ask_perception`.

    Raises
    ------
    InapplicableError
        No relation between two of the places is given, or too few others for wrong options.
    """
    related = [
        pair
        for pair in itertools.combinations(range(len(facts.places)), 2)
        if _relation(facts, hearings[0], pair) is not None
    ]
    if not related:
        raise InapplicableError("no relation between the segments of the positions is given")
    pair = related[int(generator.integers(len(related)))]
    options: dict[str, list[Error]] = {str(_relation(facts, hearings[0], pair)): ["none"]}
    options[FOIL] = []
    for hearing in hearings[1:]:
        said = _relation(facts, hearing, pair) or FOIL
        if said not in options and len(options) == OPTION_COUNT:
            said = FOIL  # whoever hears that finds no option that tells of it
        options.setdefault(said, []).append(hearing.error)
    if not options[FOIL]:
        options[FOIL].append("no relation")
    for text, error in _others(facts, hearings[0], pair, generator):
        if len(options) == OPTION_COUNT:
            break
        options.setdefault(text, [error])
    if len(options) < OPTION_COUNT:
        raise InapplicableError(
            f"{len(options) - 2} other relations are given for wrong options; "
            f"{OPTION_COUNT - 2} are needed"
        )
    ordinals = " and the ".join(_ORDINALS[place] for place in pair)
    question = f"{facts.edit.opening} How do the passages at the {ordinals} of these places relate?"
    found = [(text, tuple(errors)) for text, errors in options.items()]
    return lay_out("reasoning", question, found, gold, generator)


def _relation(facts: ChainFacts, hearing: Hearing, pair: tuple[int, int]) -> str | None:
    """Return how the passages at two of a hearing's places relate; None where nothing is given."""
    if pair[1] >= len(hearing.places):
        return None
    first, second = (hearing.places[at].segment for at in pair)
    if first is None or second is None:
        return None
    return facts.relations.get((min(first, second), max(first, second)))


def _others(
    facts: ChainFacts, truth: Hearing, pair: tuple[int, int], generator: np.random.Generator
) -> Iterator[tuple[str, Error]]:
    """Yield the other relations, those with one of the two passages first, in a drawn order."""
    own = {truth.places[at].segment for at in pair}
    known = sorted(facts.relations.items())
    drawn = [known[int(at)] for at in generator.permutation(len(known))]
    shared = [text for segments, text in drawn if len(own & set(segments)) == 1]
    apart = [text for segments, text in drawn if not own & set(segments)]
    yield from ((text, "one position") for text in shared)
    yield from ((text, "other positions") for text in apart)
