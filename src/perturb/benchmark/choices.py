"""Lists of options, as tables write them: read to plain texts, and written back the same way."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, Literal

import msgspec

__all__ = ["ChoiceStyle", "Lettering", "letter_index", "parse_choices", "split_letter"]

_MARK = r"(?P<letter>[A-Za-z])(?P<after>\)|\.|:|\)\.|\s*-)(?P<gap>\s+)"
_LETTERED = re.compile(r"(?P<before>\s*\(?)" + _MARK)
_LETTERED_INSIDE = re.compile(r"(?P<before>\(?)" + _MARK)
_ONE_LETTER = re.compile(r"\s*\(?([A-Za-z])\)?[.:]?\s*")


class Lettering(msgspec.Struct, frozen=True, kw_only=True):
    """How an option carries its letter.

    Parameters
    ----------
    before, after, gap : str
        What stands before the letter, after it, and between that and the text.
    is_upper : bool
        Whether letters are capitals.
    """

    before: str
    after: str
    gap: str
    is_upper: bool

    def letter(self, index: int) -> str:
        """Return the letter of an option, from 0."""
        letter = ascii_uppercase[index]
        return letter if self.is_upper else letter.lower()

    def apply(self, index: int, text: str) -> str:
        """Return an option with its letter in front."""
        return f"{self.before}{self.letter(index)}{self.after}{self.gap}{text}"


class ChoiceStyle(msgspec.Struct, frozen=True, kw_only=True):
    """How one field writes its options.

    Parameters
    ----------
    form : {'list', 'json', 'python', 'joined'}
        A list; text that is JSON or a Python list; text with one option after the other.
    lettering : Lettering or None
        How options carry letters.
    separator : str
        What stands between joined options, or after the commas of a list as text.
    is_ascii : bool
        Whether JSON escapes what is not ASCII.
    """

    form: Literal["list", "json", "python", "joined"]
    lettering: Lettering | None = None
    separator: str = ""
    is_ascii: bool = False

    def format(self, choices: Sequence[str]) -> Any:
        """Return the field's value for these options."""
        texts = list(choices)
        if self.lettering is not None:
            texts = [self.lettering.apply(index, text) for index, text in enumerate(texts)]
        if self.form == "list":
            return texts
        if self.form == "json":
            return json.dumps(
                texts, ensure_ascii=self.is_ascii, separators=(f",{self.separator}", ": ")
            )
        if self.form == "python":
            return "[" + f",{self.separator}".join(repr(text) for text in texts) + "]"
        return self.separator.join(texts)


def parse_choices(value: Any) -> tuple[tuple[str, ...], ChoiceStyle] | None:
    """Return the options of a field without their letters, and how to write them again.

    Parameters
    ----------
    value : object
        A list of texts or numbers, text with such a list in JSON or Python, or text with lettered
        options one after the other. None and empty text stand for no options.

    Returns
    -------
    tuple of tuple of str and ChoiceStyle, or None
        None where the value is nothing of that kind.

    Examples
    --------
    >>> parse_choices(["(A) Man", "(B) Woman"])[0]
    ('Man', 'Woman')
    """
    if value is None:
        return (), ChoiceStyle(form="list")
    if isinstance(value, str):
        return _parse_text(value)
    if not isinstance(value, list | tuple) or not all(
        isinstance(option, str | int | float) for option in value
    ):
        return None
    return _strip_letters([str(option) for option in value], ChoiceStyle(form="list"))


def letter_index(text: str, count: int) -> int | None:
    """Return the place that a lone letter names, from 0, or None.

    Examples
    --------
    >>> letter_index("(b)", 4), letter_index("F", 4)
    (1, None)
    """
    match = _ONE_LETTER.fullmatch(text)
    if match is None:
        return None
    index = ord(match[1].upper()) - ord("A")
    return index if index < count else None


def split_letter(text: str) -> tuple[str, int, str] | None:
    """Return an option's mark, the place that its letter names, and its text; or None.

    Examples
    --------
    >>> split_letter("(b) calm"), split_letter("calm")
    (('(b) ', 1, 'calm'), None)
    """
    match = _LETTERED.match(text)
    if match is None:
        return None
    return match[0], ord(match["letter"].upper()) - ord("A"), text[match.end() :]


def _parse_text(value: str) -> tuple[tuple[str, ...], ChoiceStyle] | None:
    text = value.strip()
    if not text:
        return (), ChoiceStyle(form="joined", separator="\n")
    if text.startswith("["):
        return _parse_list_text(text)
    places = _lettered_places(text)
    if len(places) < 2:
        return None
    options = []
    for match, following in zip(places, [*places[1:], None], strict=True):
        options.append(text[match.start() : following.start() if following else len(text)])
    first = options[0]
    separator = first[len(first.rstrip(" \t\r\n,;|/")) :]
    stripped = [option.removesuffix(separator) for option in options[:-1]] + [options[-1]]
    parsed = _strip_letters(stripped, ChoiceStyle(form="joined", separator=separator))
    return parsed if parsed[1].lettering is not None else None


def _parse_list_text(text: str) -> tuple[tuple[str, ...], ChoiceStyle] | None:
    form: Literal["json", "python"] = "json"
    try:
        options = json.loads(text)
    except ValueError:
        form = "python"
        try:
            options = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if not isinstance(options, list) or not all(
        isinstance(option, str | int | float) for option in options
    ):
        return None
    gap = re.search(r"[\"'],(\s*)[\"']", text)
    style = ChoiceStyle(form=form, separator=gap[1] if gap else " ", is_ascii=text.isascii())
    return _strip_letters([str(option) for option in options], style)


def _lettered_places(text: str) -> list[re.Match[str]]:
    """Return where A, B, C, … start, each at the first place after the one before."""
    found: list[re.Match[str]] = []
    for match in _LETTERED_INSIDE.finditer(text):
        start = match.start()
        is_free = start == 0 or not text[start - 1].isalnum()
        expected = ascii_uppercase[len(found)] if len(found) < len(ascii_uppercase) else ""
        if is_free and match["letter"].upper() == expected and _is_alike(match, found):
            found.append(match)
    return found


def _is_alike(match: re.Match[str], before: list[re.Match[str]]) -> bool:
    return not before or (
        match["after"] == before[0]["after"]
        and match["before"] == before[0]["before"]
        and match["letter"].isupper() == before[0]["letter"].isupper()
    )


def _strip_letters(options: list[str], style: ChoiceStyle) -> tuple[tuple[str, ...], ChoiceStyle]:
    """Take letters off, if all options carry theirs in the same way."""
    matches = [_LETTERED.match(option) for option in options]
    first = matches[0] if matches else None
    if first is None or len(options) < 2:
        return tuple(options), style
    lettering = Lettering(
        before=first["before"],
        after=first["after"],
        gap=first["gap"],
        is_upper=first["letter"].isupper(),
    )
    texts = [option[match.end() :] for option, match in zip(options, matches, strict=True) if match]
    lettered = msgspec.structs.replace(style, lettering=lettering)
    is_regular = len(texts) == len(options) and len(options) <= len(ascii_uppercase)
    if is_regular and [lettering.apply(i, text) for i, text in enumerate(texts)] == options:
        return tuple(texts), lettered
    return tuple(options), style
