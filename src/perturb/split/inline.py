"""Options that stand in the question's own text: "(a) dog (b) cat" after the question.

Found by their letters and their texts together, in order, so that nothing else is mistaken for
them; taken out, or written anew in the same style.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["InlineOptions", "find_inline", "names_every_option", "tells_to_choose"]

_STYLES = tuple(
    (opening, first, closing)
    for closing in (")", ".", ":")
    for first in "Aa1"
    for opening in (("(", "") if closing == ")" else ("",))
)
_BETWEEN = " \t\r\n,;.|/"
_CONJUNCTIONS = ("or", "and")
_LEAD_IN = re.compile(
    r"(?:^|(?<=\s))(?:(?:the\s+)?(?:answer\s+)?(?:options|choices)(?:\s+are)?"
    r"|(?:please\s+)?(?:choose|select|pick)\b[^.?!:\n]*)\s*:\s*\Z",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\b(?:answer|reply|respond|choose|select|pick|output|give|write)\b[^.?!\n]*"
    r"\b(?:options?|choices?|letters?)\b[^.?!\n]*",
    re.IGNORECASE,
)


class InlineOptions(NamedTuple):
    """Where options stand in a text, and how they are written.

    Parameters
    ----------
    text : str
        The whole.
    start, stop : int
        The block of all options in it.
    style : tuple of str
        What stands before the letter, the first letter, what stands after it.
    gap : str
        Between the letter and the option.
    separators : tuple of str
        Between the first two options, and between the last two.
    """

    text: str
    start: int
    stop: int
    style: tuple[str, str, str]
    gap: str
    separators: tuple[str, str]

    def render(self, choices: Sequence[str]) -> str:
        """Return options as a block of the same style, lettered from the first letter on."""
        first, last = self.separators
        parts = [
            _marker(self.style, place) + self.gap + choice.strip()
            for place, choice in enumerate(choices)
        ]
        return first.join(parts[:-1]) + (last if len(parts) > 1 else "") + parts[-1]

    def with_options(self, choices: Sequence[str]) -> str:
        """Return the text with other options in the same place and style."""
        return self.text[: self.start] + self.render(choices) + self.text[self.stop :]

    def without_options(self) -> str:
        """Return the text without the block and the words that announce it ("Options:")."""
        head = _LEAD_IN.sub("", self.text[: self.start].rstrip()).rstrip()
        rest = self.text[self.stop :]
        tail = rest.lstrip(_BETWEEN)
        if not head or not tail:
            return head or tail
        return head + ("\n" if "\n" in rest[: len(rest) - len(tail)] else " ") + tail


def find_inline(text: str, choices: Sequence[str]) -> InlineOptions | None:
    """Return where the options stand in a question's text, or None where they do not.

    Parameters
    ----------
    text : str
        The question as its source asks it.
    choices : sequence of str
        Texts of the options, in order.

    Examples
    --------
    >>> found = find_inline("What barks? (a) dog (b) cat (c) owl", ["dog", "cat", "owl"])
    >>> found.without_options()
    'What barks?'
    >>> found.with_options(["dog", "owl"])
    'What barks? (a) dog (b) owl'
    """
    texts = [choice.strip() for choice in choices]
    if len(texts) < 2 or len(texts) > 26 or not all(texts) or texts[0] not in text:
        return None
    for style in _STYLES:
        at = text.find(_marker(style, 0))
        while at >= 0:
            found = _read_block(text, texts, style, at)
            if found is not None:
                return found
            at = text.find(_marker(style, 0), at + 1)
    return None


def _marker(style: tuple[str, str, str], place: int) -> str:
    opening, first, closing = style
    label = str(place + 1) if first == "1" else chr(ord(first) + place)
    return opening + label + closing


def _read_block(
    text: str, texts: list[str], style: tuple[str, str, str], start: int
) -> InlineOptions | None:
    """Return the block of options that starts at a place, or None where none does."""
    if start > 0 and text[start - 1].isalnum():
        return None
    at = start
    gaps: list[str] = []
    separators: list[str] = []
    for place, option in enumerate(texts):
        if place > 0:
            separator = _separator_at(text, at)
            separators.append(separator)
            at += len(separator)
        marker = _marker(style, place)
        if not text.startswith(marker, at):
            return None
        at += len(marker)
        gap = text[at : _skip(text, at, " \t\r\n")]
        gaps.append(gap)
        at += len(gap)
        if not text.startswith(option, at):
            return None
        at += len(option)
    return InlineOptions(text, start, at, style, gaps[0], (separators[0], separators[-1]))


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _separator_at(text: str, start: int) -> str:
    """Return what stands between two options: spaces, a mark, possibly "or"."""
    at = _skip(text, start, _BETWEEN)
    for word in _CONJUNCTIONS:
        after = at + len(word)
        if text.startswith(word, at) and text[after : after + 1].isspace():
            at = _skip(text, after, _BETWEEN)
    return text[start:at]


def names_every_option(text: str, choices: Sequence[str]) -> bool:
    """Whether a text names all of several options in its own words ("Is it a dog or a cat?").

    Examples
    --------
    >>> names_every_option("Is it a dog or a cat?", ["Dog", "Cat"])
    True
    >>> names_every_option("Is it a category or a dogma?", ["Dog", "Cat"])
    False
    """
    lowered = text.casefold()
    return len(choices) > 1 and all(_is_named(lowered, choice) for choice in choices)


def _is_named(lowered: str, choice: str) -> bool:
    word = choice.strip().casefold()
    at = lowered.find(word) if word else -1
    while at >= 0:
        stop = at + len(word)
        edges = lowered[max(at - 1, 0) : at] + lowered[stop : stop + 1]
        if not any(character.isalnum() for character in edges):
            return True
        at = lowered.find(word, at + 1)
    return False


def tells_to_choose(text: str) -> str | None:
    """Return the words of a text that tell to answer by an option, or None.

    Examples
    --------
    >>> tells_to_choose("What barks? Answer with the letter only.")
    'Answer with the letter only'
    """
    found = _INSTRUCTION.search(text)
    return None if found is None else found.group()
