"""Options that stand in the question's own text, beside the list of them.

Readers part a question from options that stand nowhere else. Where a source has both, the block in
the text is known by its letters and its texts, taken out with what tells to choose from it, or
written anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from perturb.benchmark.readers.inline_options import InlineOptions

__all__ = ["find_inline", "names_every_option", "tells_to_choose", "without_inline"]

_INSTRUCTION = re.compile(
    r"\b(?:answer|reply|respond|choose|select|pick|output|give|write)\b[^.?!\n]*"
    r"\b(?:options?|choices?|letters?)\b[^.?!\n]*",
    re.IGNORECASE,
)


def find_inline(text: str, choices: Sequence[str]) -> InlineOptions | None:
    """Return the block of these options in a question's text, or None where there is none.

    Parameters
    ----------
    text : str
        The question as its source asks it.
    choices : sequence of str
        Texts of the options, in order.

    Examples
    --------
    >>> found = find_inline("What barks? (a) dog (b) cat (c) owl", ["dog", "cat", "owl"])
    >>> found.compose(found.question, ["dog", "owl"])
    'What barks? (a) dog (b) owl'
    """
    if len(choices) < 2 or not choices[0].strip() or choices[0].strip() not in text:
        return None
    found = InlineOptions.find(text)
    if found is None:
        return None
    is_same = [option.strip() for option in found.options] == [each.strip() for each in choices]
    return found if is_same else None


def without_inline(inline: InlineOptions) -> str:
    r"""Return a text without its block of options, and without an instruction that follows it.

    Examples
    --------
    >>> text = "What barks?\nA. dog\nB. cat\nAnswer with the letter."
    >>> without_inline(find_inline(text, ["dog", "cat"]))
    'What barks?'
    """
    tail = inline.tail.strip()
    if tells_to_choose(tail) is not None:
        tail = ""
    return "\n".join(part for part in (inline.question.strip(), tail) if part)


def tells_to_choose(text: str) -> str | None:
    """Return the words of a text that tell to answer by an option, or None.

    Examples
    --------
    >>> tells_to_choose("What barks? Answer with the letter only.")
    'Answer with the letter only'
    """
    found = _INSTRUCTION.search(text)
    return None if found is None else found.group()


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
