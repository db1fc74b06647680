"""Which column of a table holds what, found by the names that benchmarks really use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from perturb.benchmark.item import MAIN_ROLE

__all__ = ["AnswerForm", "Layout", "find_layout"]

AnswerForm = Literal["text", "option", "letter", "index"]
"""How a table names the gold: the option's text, the option as it stands in the field with its
letter, the letter, or the place from 0."""

_NAMES = {
    "item_id": (
        "id",
        "item_id",
        "uniq_id",
        "question_id",
        "sample_id",
        "uid",
        "uuid",
        "index",
        "idx",
    ),
    "question": ("question", "instruction", "prompt", "query"),
    "choices": ("choices", "options", "candidates", "multiple_choice"),
    "answer": ("answer", "answer_gt", "target", "ground_truth", "gold", "correct_answer", "label"),
    "task": ("task", "task_name", "category", "subset"),
    "language": ("language", "lang", "locale"),
    "speaker": ("speaker", "speaker_id"),
    "recording": ("recording", "recording_id", "dialogue_id", "source_id"),
    "transcript": ("transcript", "transcription", "sentence", "text"),
    "chain": ("chain", "chain_id"),
    "chain_level": ("chain_level",),
}
_AUDIO_NAMES = ("audio", "context", "audio_path", "audio_id", "file_name", "wav", "path", "file")
_OPTION_COLUMN = re.compile(r"(?:choice|option)_([a-z])", re.IGNORECASE)


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Which column holds what; None where none does.

    Parameters
    ----------
    audios : tuple of tuple of str and str
        Role and column of each audio; the first is `main`.
    item_id, question, choices, answer, task, language, speaker, recording, transcript, chain, \
chain_level : str or None
        Column names.
    options : tuple of str
        Columns of one option each (``choice_a``, …), where there is no column of choices.
    answer_form : str
        How the answers of the whole table name the gold; see `AnswerForm`.
    """

    audios: tuple[tuple[str, str], ...]
    item_id: str | None = None
    question: str | None = None
    choices: str | None = None
    options: tuple[str, ...] = ()
    answer: str | None = None
    answer_form: AnswerForm = "text"
    task: str | None = None
    language: str | None = None
    speaker: str | None = None
    recording: str | None = None
    transcript: str | None = None
    chain: str | None = None
    chain_level: str | None = None

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Layout:
        """Return the layout that a reader kept in `Benchmark.fields`."""
        return msgspec.convert(fields, cls)

    def to_fields(self) -> dict[str, object]:
        """Return what a reader keeps in `Benchmark.fields`."""
        fields: dict[str, object] = msgspec.to_builtins(self)
        return fields

    def describe(self) -> str:
        """Return in one line which column was taken for what."""
        pairs = [("audio" if role == MAIN_ROLE else role, name) for role, name in self.audios]
        choices = self.choices or "/".join(self.options) or None
        pairs += [("id", self.item_id or ""), ("question", self.question or "")]
        pairs += [("choices", choices or ""), ("answer", self.answer or "")]
        parts = [meant if meant == name else f"{name} as {meant}" for meant, name in pairs if name]
        if self.answer is not None and self.answer_form != "text":
            parts[-1] += f" ({self.answer_form})"
        return ", ".join(parts)


def find_layout(names: Sequence[str], sound_columns: Iterable[str] = ()) -> Layout | None:
    """Return which column holds what, or None where no column can be the audio.

    Parameters
    ----------
    names : sequence of str
        Columns of the table, in order.
    sound_columns : iterable of str
        Columns that hold audio bytes by their type. Without them, columns of paths go by name.
    """
    by_lower = {name.lower(): name for name in reversed(names)}
    sounds = list(sound_columns)
    if not sounds:
        sounds = [by_lower[name] for name in _AUDIO_NAMES if name in by_lower][:1]
    if not sounds:
        return None
    main = next((name for name in sounds if name.lower() in _AUDIO_NAMES[:2]), sounds[0])
    others = [name for name in sounds if name != main]
    found: dict[str, Any] = {}
    for meaning, candidates in _NAMES.items():
        free = [by_lower[name] for name in candidates if name in by_lower]
        found[meaning] = next((name for name in free if name not in sounds), None)
    options = [name for name in names if _OPTION_COLUMN.fullmatch(name)]
    if found["choices"] is None and len(options) >= 2:
        found["options"] = tuple(sorted(options, key=str.lower))
    return Layout(audios=((MAIN_ROLE, main), *((_role(name), name) for name in others)), **found)


def _role(column: str) -> str:
    """Return the role of a further audio column: ``audio_reference`` is the reference."""
    return column.lower().removeprefix("audio_").removesuffix("_audio") or column
