"""How edits, times and passages are worded in questions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

__all__ = ["EditWords", "clock", "count_words", "excerpt", "joined"]

_COUNTS = {1: "once", 2: "twice", 3: "three times", 4: "four times"}
_MOST_WORDS = 12


@dataclass(frozen=True)
class EditWords:
    """How one edit is called in questions.

    Parameters
    ----------
    happens : str
        What is heard, as a clause: "this recording becomes louder all at once, for a short time".
    hides_words : bool
        Whether what is said at the place can no longer be heard.
    """

    happens: str
    hides_words: bool = False

    @property
    def opening(self) -> str:
        """The sentence that every link of the chain begins with."""
        return f"At one or more places, {self.happens}."


def clock(time_s: float) -> str:
    """Return a time as a player shows it.

    Examples
    --------
    >>> clock(7.4), clock(93.0), clock(3723.6)
    ('0:07', '1:33', '1:02:03')
    """
    minutes, seconds = divmod(int(time_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def count_words(count: int) -> str:
    """Return how often something happens, in words.

    Examples
    --------
    >>> count_words(2), count_words(7)
    ('twice', '7 times')
    """
    return _COUNTS.get(count, f"{count} times")


def joined(parts: list[str]) -> str:
    """Return a list in words.

    Examples
    --------
    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def excerpt(
    words: str, share: tuple[float, float] = (0.0, 1.0), *, hides_words: bool = False
) -> str:
    """Return the part of a segment's words that a question quotes, with dots for what is left out.

    Parameters
    ----------
    words : str
        What the segment says.
    share : pair of float
        From where to where the edit lies in its segment, 0 to 1. Words are taken to follow each
        other evenly.
    hides_words : bool
        Whether words under the edit cannot be heard: those around it are quoted then, dots in
        their place; all where none are left.

    Examples
    --------
    >>> excerpt("one two three")
    'one two three'
    >>> excerpt("one two three four five six", (0.4, 0.6), hides_words=True)
    'one two … five six'
    """
    found = re.split(r"\s+", words.strip())
    count = len(found)
    first, last = _covered(share, count)
    if hides_words and last - first < count:
        before, after = found[:first], found[last:]
        each = _MOST_WORDS // 2
        kept = [" ".join(before[-each:]), " ".join(after[:each])]
        parts = [*(["…"] if len(before) > each else []), kept[0], "…", kept[1]]
        parts += ["…"] if len(after) > each else []
        return " ".join(part for part in parts if part)
    if count <= _MOST_WORDS:
        return " ".join(found)
    middle = (first + last) // 2
    start = min(max(0, middle - _MOST_WORDS // 2), count - _MOST_WORDS)
    stop = start + _MOST_WORDS
    lead, tail = "… " if start else "", " …" if stop < count else ""
    return f"{lead}{' '.join(found[start:stop])}{tail}"


def _covered(share: tuple[float, float], count: int) -> tuple[int, int]:
    """Return which of `count` words an edit touches: first, and last (excluded)."""
    first = min(math.floor(share[0] * count + 1e-9), count - 1)
    last = min(count, max(first + 1, math.ceil(share[1] * count - 1e-9)))
    return first, last
