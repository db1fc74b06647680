"""Options that are written into the question: taken out on reading, put back in on writing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from perturb.benchmark.choices import Lettering

__all__ = ["InlineOptions"]

# (a) anywhere; A. or A) or A: at the beginning of a line.
_MARKS = (
    re.compile(r"(?P<before>\()(?P<letter>[A-Za-z])(?P<after>\))(?P<gap>[ \t]*)"),
    re.compile(
        r"^(?P<before>[ \t]*)(?P<letter>[A-Za-z])(?P<after>[.):])(?P<gap>[ \t]+)", re.MULTILINE
    ),
)
_LEAD = re.compile(r"\s*(?:\b(?:options|choices|answer choices|答案选项|选项)\s*[:：])?\s*$", re.I)


class InlineOptions(NamedTuple):
    """A question parted from the options inside it: question + lead + options + tail.

    Parameters
    ----------
    question : str
        What stands before the options, without the word that announces them.
    lead : str
        That word and the space around it.
    options : tuple of str
        Texts without letters.
    lettering : Lettering
        How they are lettered.
    gap : str
        What parts them.
    tail : str
        What follows the last one: an instruction on how to answer.
    """

    question: str
    lead: str
    options: tuple[str, ...]
    lettering: Lettering
    gap: str
    tail: str

    @classmethod
    def find(cls, text: str) -> InlineOptions | None:
        """Return the options in a question, or None: two or more, lettered from A on."""
        for pattern in _MARKS:
            marks = _run(list(pattern.finditer(text)))
            if len(marks) >= 2:
                return cls._cut(text, marks)
        return None

    @classmethod
    def _cut(cls, text: str, marks: Sequence[re.Match[str]]) -> InlineOptions:
        stops = [mark.start() for mark in marks[1:]]
        pieces = [text[mark.end() : stop] for mark, stop in zip(marks, stops, strict=False)]
        gap = _common_gap(pieces)
        last = text[marks[-1].end() :]
        if "\n" in gap:
            last = last.partition("\n")[0]
        last = last.rstrip()
        tail = text[marks[-1].end() + len(last) :]
        stem = text[: marks[0].start()]
        lead = _LEAD.search(stem)
        question = stem[: lead.start()] if lead else stem
        return cls(
            question=question,
            lead=stem[len(question) :],
            options=(*(piece.rstrip().removesuffix(gap.strip()) for piece in pieces), last),
            lettering=Lettering(
                before=marks[0]["before"],
                after=marks[0]["after"],
                gap=marks[0]["gap"],
                is_upper=marks[0]["letter"].isupper(),
            ),
            gap=gap,
            tail=tail,
        )

    def compose(self, question: str, options: Sequence[str]) -> str:
        """Return a question with options inside it, written as these are; alone without options."""
        if not options:
            return question
        lettered = (self.lettering.apply(place, text) for place, text in enumerate(options))
        return question + self.lead + self.gap.join(lettered) + self.tail


def _run(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the last run of marks that goes A, B, C … in one case."""
    best: list[re.Match[str]] = []
    for start, mark in enumerate(marks):
        if mark["letter"] not in "aA":
            continue
        run = [mark]
        for other in marks[start + 1 :]:
            if ord(other["letter"]) != ord(run[-1]["letter"]) + 1:
                break
            run.append(other)
        if len(run) >= 2:
            best = run
    return best


def _common_gap(pieces: Sequence[str]) -> str:
    """Return what parts all options: white space, with a comma or semicolon where all have it."""
    text = pieces[0].rstrip()
    space = pieces[0][len(text) :]
    for sign in ",;":
        if all(piece.rstrip().endswith(sign) for piece in pieces):
            return sign + space
    return space
