"""Every matching rule by its name, as ``--matcher`` takes it."""

from __future__ import annotations

import difflib
from pathlib import Path

from perturb.errors import ParameterError
from perturb.score.matching.exact import ExactMatcher
from perturb.score.matching.judge_file import JudgeFile, read_judge_file
from perturb.score.matching.letter import LetterMatcher
from perturb.score.matching.mmar import MmarMatcher
from perturb.score.matching.mmau import MmauMatcher
from perturb.score.matching.protocol import Matcher
from perturb.score.matching.regex import RegexMatcher
from perturb.score.matching.rubric_file import read_rubric_file
from perturb.score.matching.stated import StatedMatcher

__all__ = ["MATCHER_NAMES", "find_matcher", "matcher_file"]

_PLAIN = {
    kind.name: kind
    for kind in (StatedMatcher, ExactMatcher, LetterMatcher, MmauMatcher, MmarMatcher)
}
_FILES = {"judge-file": read_judge_file, "rubric-file": read_rubric_file}
MATCHER_NAMES = (*_PLAIN, "regex:PATTERN", "judge-file:PATH", "rubric-file:PATH")
"""What ``--matcher`` accepts."""


def matcher_file(text: str) -> Path | None:
    """Return the file that a rule reads, None where it reads none.

    Examples
    --------
    >>> matcher_file("judge-file:grades.csv").name
    'grades.csv'
    """
    name, _, rest = text.partition(":")
    return Path(rest) if name in _FILES and rest else None


def find_matcher(text: str) -> tuple[Matcher, JudgeFile | None]:
    """Return the rule of that name, and the judge's grades where it has some.

    Rows that a judge's file does not grade are read by the stated rule.

    Parameters
    ----------
    text : str
        `stated`, `exact`, `letter`, `mmau`, `mmar`, ``regex:PATTERN``, ``judge-file:PATH`` or
        ``rubric-file:PATH``.

    Raises
    ------
    ParameterError
        No such rule; the nearest name is offered.
    ScoreError
        The judge's file cannot be read.
    """
    name, _, rest = text.partition(":")
    if name in _PLAIN and not rest:
        return _PLAIN[name](), None
    if name == "regex":
        return RegexMatcher(rest), None
    if name in _FILES:
        if not rest:
            raise ParameterError(f"matcher {name} takes a file: --matcher {name}:grades.csv")
        return StatedMatcher(), _FILES[name](Path(rest))
    near = difflib.get_close_matches(name, [*_PLAIN, "regex", *_FILES], n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ParameterError(f"matcher is {text!r}; {hint}accepted: {', '.join(MATCHER_NAMES)}")
