"""Closed-set recognition of words in the project's clips: what of a sentence is still heard."""

from __future__ import annotations

import re
from pathlib import Path

from perturb.testing import sphinx
from perturb.testing.recogniser import (
    Recogniser,
    Words,
    chance_share,
    share_heard,
    share_of_words,
    which_sentence,
)

__all__ = [
    "ClosedSetSphinx",
    "Recogniser",
    "chance_share",
    "read_transcripts",
    "share_heard",
    "share_of_words",
    "which_sentence",
]

PRONUNCIATIONS = {"unmute": "AH N M Y UW T"}
"""Words of the project's clips that the model's dictionary lacks."""


class ClosedSetSphinx(sphinx.ClosedSetSphinx):
    """Pocketsphinx with a vocabulary of the project's clips."""

    def __init__(self, vocabulary: Words) -> None:
        super().__init__(vocabulary, PRONUNCIATIONS)


def read_transcripts(readme: Path) -> dict[str, tuple[str, ...]]:
    """Read the tables ``| file | words |`` of `readme`: stem of each file to its words."""
    rows = re.findall(r"^\| (\S+) \| (.+?) \|$", readme.read_text("utf-8"), re.MULTILINE)
    return {stem: tuple(words.split()) for stem, words in rows if stem != "file"}
