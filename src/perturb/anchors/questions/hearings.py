"""Right and wrong hearings of one edit: its count true or off by one, its places true or far off.

The four options of every link are what four listeners would answer: one who heard all, one who
missed a place or heard one too many, one who heard as many elsewhere, and one who did both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perturb.anchors.questions.facts import ChainFacts, Error, Place
from perturb.errors import InapplicableError

__all__ = ["Hearing", "hearings_of", "needed_decoys", "useful_decoys"]


@dataclass(frozen=True)
class Hearing:
    """What a listener took for the edit.

    Parameters
    ----------
    places : tuple of Place
        In order of time.
    error : {'none', 'count', 'position', 'count and position'}
        What is wrong about it.
    """

    places: tuple[Place, ...]
    error: Error


def needed_decoys(count: int) -> int:
    """Return how many places are needed for wrong options beside so many of an edit, at least."""
    return 2 if count == 1 else count


def useful_decoys(count: int) -> int:
    """Return how many such places can be used, at most."""
    return count + 1


def hearings_of(facts: ChainFacts, generator: np.random.Generator) -> tuple[Hearing, ...]:
    """Return the four hearings of an edit, the right one first.

    One place is missed or added, as a coin falls: so the longer options are right as often as the
    shorter ones. Of a single place none is missed, and where there are too few decoys none is
    added.

    Parameters
    ----------
    facts : ChainFacts
        Where the edit was made, and places that it was not.
    generator : numpy.random.Generator
        At the start of the chain's stream.

    Raises
    ------
    InapplicableError
        Too few decoys.
    """
    count = len(facts.places)
    if len(facts.decoys) < needed_decoys(count):
        raise InapplicableError(
            f"{len(facts.decoys)} places lie far enough from the edits to be offered as wrong "
            f"answers; {needed_decoys(count)} are needed for {count} edited"
        )
    coin, missed = generator.random() < 0.5, int(generator.integers(count))
    is_more = count == 1 or (len(facts.decoys) > count and coin)
    order = generator.permutation(len(facts.decoys))
    drawn = [facts.decoys[index] for index in order]
    if is_more:
        # The place that is heard besides is far from the others in both wrong counts.
        extra, far = drawn[0], drawn[1 : count + 1]
        near_off, far_off = (*facts.places, extra), (*far, extra)
    else:
        far = drawn[:count]
        near_off = tuple(place for at, place in enumerate(facts.places) if at != missed)
        by_time = _in_order(far)
        far_off = tuple(place for at, place in enumerate(by_time) if at != missed)
    return (
        Hearing(_in_order(facts.places), "none"),
        Hearing(_in_order(near_off), "count"),
        Hearing(_in_order(far), "position"),
        Hearing(_in_order(far_off), "count and position"),
    )


def _in_order(places: tuple[Place, ...] | list[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda place: place.at_s))
