"""``regex:PATTERN``: what a pattern finds in an answer, read by our stated rule."""

from __future__ import annotations

import re

from perturb.errors import ParameterError
from perturb.score.matching.protocol import UNPARSED, AnswerReader, Asked, Match
from perturb.score.matching.stated import StatedMatcher

__all__ = ["RegexMatcher"]


class RegexMatcher:
    """Reads the group ``answer``, else the first group, else all of the last match.

    Parameters
    ----------
    pattern : str
        A regular expression of Python's; case does not matter.

    Raises
    ------
    ParameterError
        No pattern, or none that compiles.
    """

    name = "regex"

    def __init__(self, pattern: str) -> None:
        if not pattern:
            raise ParameterError("matcher regex takes a pattern: --matcher 'regex:answer is (\\w)'")
        try:
            self._pattern = re.compile(pattern, re.IGNORECASE)
        except re.error as error:
            raise ParameterError(f"matcher regex: {pattern!r} does not compile: {error}") from None
        self.rule = f"the last match of {pattern!r}, then the stated rule"

    def reader(self, asked: Asked) -> AnswerReader:
        """Return what reads the answers to a question."""
        read_found = StatedMatcher().reader(asked)
        group: str | int = "answer" if "answer" in self._pattern.groupindex else 0
        if group == 0 and self._pattern.groups:
            group = 1

        def read(text: str) -> Match:
            found = None
            for match in self._pattern.finditer(text):
                found = match[group]
            if not found or not found.strip():
                return Match(-1, UNPARSED, 0.0)
            return read_found(found)

        return read
