"""What a writer is given: an item as one condition presents it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from perturb.benchmark.item import Item

__all__ = ["PERTURB_COLUMNS", "Question", "VariantAudio", "VariantRow"]

PERTURB_COLUMNS = (
    "perturb_condition",
    "perturb_sham_of",
    "perturb_pair_id",
    "perturb_clip_id",
    "perturb_status",
    "perturb_reason",
    "perturb_expectation",
    "perturb_expected_answer",
    "perturb_audio_sha256",
)
"""Columns that writers add to a row, in this order; each holds text or nothing."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The question side of an item in one condition.

    Parameters
    ----------
    question : str
        What is asked, with a transcript in front where the condition adds one.
    choices : tuple of str
        Options without letters; empty where the question is open-ended.
    answer : str or None
        The gold answer's text.
    answer_index : int or None
        Its place among `choices`.
    """

    question: str
    choices: tuple[str, ...] = ()
    answer: str | None = None
    answer_index: int | None = None

    @classmethod
    def of(cls, item: Item) -> Question:
        """Return the question as the source asks it."""
        return cls(
            question=item.question,
            choices=item.choices,
            answer=item.answer,
            answer_index=item.answer_index,
        )


class VariantAudio(msgspec.Struct, frozen=True, kw_only=True):
    """One audio of a row.

    Parameters
    ----------
    role : str
        As in the item.
    file : Path or None
        The canonical file below the split's folder ``audio/``; None where the source's audio could
        not be read, so that the row keeps the source's own audio field.
    source : str
        The source's own field.
    clip : str
        Key of the source clip.
    """

    role: str
    file: Path | None
    source: str
    clip: str


class VariantRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of one condition.

    Parameters
    ----------
    item : Item
        As it was read.
    question : Question
        As this condition asks it.
    audios : tuple of VariantAudio or None
        None where the condition has no audio at all; else one for each of the item's audios.
    columns : dict of str to str or None
        Every one of `PERTURB_COLUMNS`.
    """

    item: Item
    question: Question
    audios: tuple[VariantAudio, ...] | None
    columns: dict[str, str | None]

    @property
    def is_question_changed(self) -> bool:
        """Whether question, options or gold differ from the source's."""
        return self.question != Question.of(self.item)
