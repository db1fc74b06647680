"""Which sound is laid over a clip: of a category that is not heard there already."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.events.category import Category
from perturb.events.exclusion import excluded_categories
from perturb.events.folder_bank import FolderBank
from perturb.events.label_words import labelled_categories, stem
from perturb.events.registry import all_categories, find_category, unknown_category
from perturb.signal import Signal

__all__ = ["Sound", "SoundBank"]

_SEEDS = 2**31
_VOWELS = "aeiou"


@dataclass(frozen=True)
class Sound:
    """A sound for one clip.

    Parameters
    ----------
    reference : str
        As an event names it.
    category : str
        Its category.
    words : str
        How questions call it: by name where somebody vouched for it, else by how it sounds.
    excluded : int
        Categories that were left out, since the clip may hold them.
    """

    reference: str
    category: str
    words: str
    excluded: int


@dataclass(frozen=True)
class SoundBank:
    """Where sounds come from; travels to workers.

    Parameters
    ----------
    folder : Path or None
        A bank of files; None for the generated one.
    names : tuple of str
        The categories to draw from; empty for all.
    """

    folder: Path | None = None
    names: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse a bank that is empty, and categories that it does not have.

        Raises
        ------
        ParameterError
            With the closest names.
        """
        known = self._known()
        for name in self.names:
            if name not in known:
                raise unknown_category(name, known)

    def choose(
        self, clip: Signal, labels: Iterable[str] | None, generator: np.random.Generator
    ) -> Sound:
        """Draw a sound whose category the clip does not hold.

        Parameters
        ----------
        clip : Signal
            Listened to where there are no labels.
        labels : iterable of str or None
            What the item says is heard in the clip.
        generator : numpy.random.Generator
            At the start of the stream of sounds.

        Raises
        ------
        InapplicableError
            Every category may be in the clip, or no file of the drawn one can be used.
        """
        names = self.names or self._known()
        excluded = self._excluded(names, clip, labels)
        left = [name for name in names if name not in excluded]
        if not left:
            name, reason = next(iter(excluded.items()))
            raise InapplicableError(
                f"none of {len(names)} categories of sound is absent from the clip: {name}, "
                f"for one: {reason}"
            )
        category = left[int(generator.integers(len(left)))]
        seed = int(generator.integers(_SEEDS))
        if self.folder is None:
            kind = find_category(category)
            return Sound(f"bank:{category}#{seed}", category, _words(kind), len(excluded))
        try:
            path = _opened(self.folder).clip(category, seed).path
        except ParameterError as error:
            raise InapplicableError(str(error)) from None
        return Sound(f"file:{path}", category, _named(category), len(excluded))

    def _known(self) -> tuple[str, ...]:
        if self.folder is None:
            return tuple(all_categories())
        return _opened(self.folder).categories()

    def _excluded(
        self, names: tuple[str, ...], clip: Signal, labels: Iterable[str] | None
    ) -> dict[str, str]:
        """Return the categories to leave out: generated ones by label or ear, others by label."""
        said = None if labels is None else tuple(labels)
        if self.folder is None:
            found = excluded_categories(clip, said)
            return {name: found[name] for name in names if name in found}
        stems = {stem(word): label for label in said or () for word in label.lower().split()}
        by_words = {
            name: f"the item is labelled {stems[stem(word)]!r}"
            for name in names
            for word in name.lower().replace("_", " ").split()
            if stem(word) in stems
        }
        generated = labelled_categories(said or ())
        return by_words | {
            name: f"the item is labelled {generated[name]!r}" for name in names if name in generated
        }


@functools.cache
def _opened(folder: Path) -> FolderBank:
    return FolderBank(folder)


def _words(category: Category) -> str:
    return _named(category.name) if category.recognised_by else category.description


def _named(name: str) -> str:
    """Return the name of a category with its article."""
    plain = name.replace("_", " ").replace("-", " ").lower()
    return f"{'an' if plain[:1] in _VOWELS else 'a'} {plain}"
