"""`Category`: what is known of one kind of sound event, and how it is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from perturb.events.sounds.draw import Draw, Samples

__all__ = ["FAMILIES", "Category", "Family", "Maker"]

FAMILIES = {
    "animal_calls": "animal calls",
    "alarms": "alarms and signals",
    "impacts": "mechanical impacts",
    "nature": "ambient nature",
    "machines": "machines and vehicles",
    "household": "household",
    "human": "human non-speech",
}
"""The paper's four families and three more: name, and what people call it."""

Maker = Callable[[Draw], Samples]


@dataclass(frozen=True)
class Category:
    """One kind of sound event.

    Parameters
    ----------
    name : str
        Lower case, words joined by underscores.
    family : str
        One of `FAMILIES`.
    description : str
        How it sounds, for questions: a noun phrase with its article that names no source.
    duration_s : tuple of float
        Shortest and longest rendering, in seconds.
    words : tuple of str
        What labels call it, or call sounds that it could be taken for.
    make : callable
        Makes one rendering from draws.
    recognised_by : tuple of str
        Who or what vouched that it is heard as what its name says; empty: nobody yet.
    """

    name: str
    family: str
    description: str
    duration_s: tuple[float, float]
    words: tuple[str, ...]
    make: Maker
    recognised_by: tuple[str, ...] = ()


class Family:
    """The categories of a family, in the order of their declaration.

    Examples
    --------
    >>> import numpy as np
    >>> clicks = Family("impacts")
    >>> @clicks.category("a click", (0.01, 0.01), "click")
    ... def click(draw):
    ...     return np.ones(480)
    >>> clicks.categories[0].name
    'click'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.categories: list[Category] = []

    def category(
        self, description: str, duration_s: tuple[float, float], words: str
    ) -> Callable[[Maker], Maker]:
        """Declare a category under the name of the function that makes it.

        Parameters
        ----------
        description, duration_s
            As in `Category`.
        words : str
            Words of labels, apart by spaces.
        """

        def declare(make: Maker) -> Maker:
            name = make.__name__
            self.categories.append(
                Category(name, self.name, description, duration_s, tuple(words.split()), make)
            )
            return make

        return declare
