"""Options in their order: the gold where the balance puts it, the others as drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.anchors.questions.facts import ChainQuestion, Error, Level
from perturb.errors import InapplicableError

__all__ = ["lay_out"]


def lay_out(
    level: Level,
    question: str,
    options: Sequence[tuple[str, tuple[Error, ...]]],
    gold: int,
    generator: np.random.Generator,
) -> ChainQuestion:
    """Return a question with its gold at a given place.

    Parameters
    ----------
    level : {'perception', 'understanding', 'reasoning'}
        Which link.
    question : str
        As it is asked.
    options : sequence of (str, tuple of str)
        Text and the errors that lead to it; the gold first.
    gold : int
        Where the gold goes, from 0.
    generator : numpy.random.Generator
        Draws the order of the others.

    Raises
    ------
    InapplicableError
        Two options read alike.
    """
    texts = [_plain(text) for text, _ in options]
    alike = next((text for at, text in enumerate(texts) if text in texts[:at]), None)
    if alike is not None:
        raise InapplicableError(f"two options would read alike: {alike!r}")
    others = [1 + int(at) for at in generator.permutation(len(options) - 1)]
    order = [*others[:gold], 0, *others[gold:]]
    return ChainQuestion(
        level=level,
        question=question,
        choices=tuple(options[at][0] for at in order),
        gold=gold,
        errors=tuple(options[at][1] for at in order),
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
