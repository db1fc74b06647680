"""Labels against categories: which categories the words of a label speak of."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from perturb.events.registry import all_categories

__all__ = ["labelled_categories", "stem"]

# Words of a whole family: a label "animals" may mean any of them.
_FAMILY_WORDS = {
    "animal_calls": "animal wildlife creature beast zoo pet fauna",
    "alarms": "alarm alert signal bell beep siren",
    "impacts": "impact bang crash knock hit blow collision clatter percussion",
    "nature": "nature natural weather environment environmental outdoor outdoors ambience ambient",
    "machines": "machine machinery vehicle engine motor traffic transport tool industrial",
    "household": "household domestic home kitchen indoor appliance",
    "human": "human person people vocal nonspeech",
}
_WORD = re.compile(r"[a-z]+")
_ENDINGS = ("ings", "ing", "ed", "es", "s")
_SHORTEST_STEM = 3


def labelled_categories(labels: Iterable[str]) -> dict[str, str]:
    """Return the generated categories that labels may speak of, with the label that does.

    Word by word, endings aside, in English: a category is meant where one of its words, of its
    name or of its family's occurs. It errs towards yes: "car" means engine, horn and tyres.

    Parameters
    ----------
    labels : iterable of str
        Labels, tags or names of events, in any case, of one word or several.

    Examples
    --------
    >>> sorted(labelled_categories(["Dogs barking"]))
    ['dog_bark', 'wolf_howl']
    """
    found: dict[str, str] = {}
    for label in labels:
        stems = {stem(word) for word in _WORD.findall(label.lower())}
        for name, words in _words_of_categories().items():
            if name not in found and stems & words:
                found[name] = label
    return found


@functools.cache
def _words_of_categories() -> dict[str, frozenset[str]]:
    return {
        name: frozenset(
            stem(word)
            for word in (*category.words, *name.split("_"), *_FAMILY_WORDS[category.family].split())
        )
        for name, category in all_categories().items()
    }


def stem(word: str) -> str:
    """Return a word without its ending, so that forms of one word agree.

    Examples
    --------
    >>> [stem(word) for word in ("barks", "barking", "clapped", "snore", "snoring")]
    ['bark', 'bark', 'clap', 'snor', 'snor']
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word.removesuffix(ending)
            break
    if len(word) > _SHORTEST_STEM:
        word = word.removesuffix("e")
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word
