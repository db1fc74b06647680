"""Kimi-Audio-Evalkit and its kind: a question, which may hold its options, and an answer."""

from __future__ import annotations

from typing import ClassVar

from perturb.benchmark.readers.inline import InlineReader

__all__ = ["KimiReader"]


class KimiReader(InlineReader):
    """Reads rows with `audio_path`, `question` and `answer`, and mostly a whole number `index`."""

    name = "kimi"
    looked_for = (
        "JSON rows with a question, an answer and audio in audio_path, without a field of choices"
    )
    prescribed: ClassVar = {"question": "question", "answer": "answer"}
