"""From what a format's rows say to a benchmark: the audio root, clips, items, what is odd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.benchmark.answers import FORM_NAMES
from perturb.benchmark.item import Benchmark, Clip, ItemAudio
from perturb.benchmark.layout import AnswerForm, Layout
from perturb.benchmark.protocols import RowStore
from perturb.benchmark.readers.audio_root import clip_of, find_audio_root
from perturb.benchmark.tabular import make_items
from perturb.errors import BenchmarkError

__all__ = ["Draft", "DraftAudio", "Source", "assemble", "collect"]

_SHOWN_PROBLEMS = 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DraftAudio:
    """One audio of a row.

    Parameters
    ----------
    role, source : str
        As in `ItemAudio`.
    paths : tuple of str
        Where its file may be, below the audio root; the first reading that finds files is taken,
        for all rows alike.
    """

    role: str
    source: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What one item of a source says, before letters are told from texts and files are found.

    Parameters
    ----------
    item_id : object
        As it is written; None where there is none.
    audios : tuple of DraftAudio
        In the row's order.
    question : str
        Without options.
    choices : tuple of str
        Without letters.
    answer : object
        As it is written.
    details : mapping of str to object
        Further fields of `Item`: task, language, speaker, recording, transcript, chain.
    """

    item_id: Any
    audios: tuple[DraftAudio, ...]
    question: str
    choices: tuple[str, ...]
    answer: Any
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """What is known of a source before its items are.

    Parameters
    ----------
    reader : str
        Name of the reader.
    path : Path
        The file.
    rows : RowStore
        Its rows, one for each item.
    reason : str
        What was recognised.
    layout : Layout
        Which field holds what.
    form, otherwise : {'text', 'option', 'letter', 'index'} or None
        What answers are, where that is given; and where no row tells, None to refuse.
    """

    reader: str
    path: Path
    rows: RowStore
    reason: str
    layout: Layout
    form: AnswerForm | None = None
    otherwise: AnswerForm | None = None


def collect(path: Path, count: int, make: Callable[[int], T]) -> list[T]:
    """Return what `make` makes of each row.

    Raises
    ------
    BenchmarkError
        Every row that cannot be used (the first 20 in words), with its number.
    """
    made, problems = [], []
    for index in range(count):
        try:
            made.append(make(index))
        except BenchmarkError as error:
            problems.append(f"row {index}: {error}")
    if problems:
        more = len(problems) - _SHOWN_PROBLEMS
        shown = problems[:_SHOWN_PROBLEMS] + ([f"and {more} rows more"] if more > 0 else [])
        raise BenchmarkError(f"{printable_path(path)}: " + "; ".join(shown))
    return made


def assemble(source: Source, drafts: Sequence[Draft], audio_root: Path | None) -> Benchmark:
    """Return the benchmark that drafts, one for each item, make.

    Raises
    ------
    BenchmarkError
        No audio is found, a path leads out of the audio root, or nothing tells whether answers are
        letters or texts.
    """
    root, reading = _find_root(source.path, drafts, audio_root)
    base = source.path.parent
    clips: dict[str, Clip] = {}

    def place(index: int) -> tuple[ItemAudio, ...]:
        placed = []
        for audio in drafts[index].audios:
            clip = clip_of(_path(audio, reading), root, base)
            clips.setdefault(clip.key, clip)
            placed.append(ItemAudio(role=audio.role, clip=clip.key, source=audio.source))
        return tuple(placed)

    layout, items, notes = make_items(
        *_as_columns(drafts, source.layout),
        collect(source.path, len(drafts), place),
        printable_path(source.path),
        form=source.form,
        otherwise=source.otherwise,
    )
    has_gold = any(item.choices and item.answer is not None for item in items)
    answers = (
        f"answers are {FORM_NAMES[layout.answer_form]}" if has_gold else "no gold among options"
    )
    layout = msgspec.structs.replace(source.layout, answer_form=layout.answer_form)
    return Benchmark(
        reader=source.reader,
        reason=f"{source.reason}; {answers}",
        path=source.path,
        audio_root=root,
        items=items,
        clips=clips,
        rows=source.rows,
        fields=layout.to_fields(),
        notes=notes,
    )


def _as_columns(drafts: Sequence[Draft], layout: Layout) -> tuple[Layout, dict[str, Sequence[Any]]]:
    """Return drafts as columns under the names of what they hold; the answer under its own."""
    columns: dict[str, Sequence[Any]] = {
        "item_id": [draft.item_id for draft in drafts],
        "question": [draft.question for draft in drafts],
        "choices": [draft.choices for draft in drafts],
    }
    names = dict.fromkeys(name for draft in drafts for name in draft.details)
    columns |= {name: [draft.details.get(name) for draft in drafts] for name in names}
    kept: dict[str, Any] = {name: name for name in columns}
    if layout.answer is not None:
        kept["answer"] = layout.answer
        columns[layout.answer] = [draft.answer for draft in drafts]
    return Layout(audios=layout.audios, **kept), columns


def _find_root(path: Path, drafts: Sequence[Draft], audio_root: Path | None) -> tuple[Path, int]:
    """Return the audio root, and which of the paths of each audio is meant."""
    audios = [audio for draft in drafts for audio in draft.audios]
    last = max((len(audio.paths) for audio in audios), default=1) - 1
    for reading in range(last):
        with suppress(BenchmarkError):
            return find_audio_root(path, _texts(audios, reading), audio_root), reading
    return find_audio_root(path, _texts(audios, last), audio_root), last


def _texts(audios: Sequence[DraftAudio], reading: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_path(audio, reading) for audio in audios))


def _path(audio: DraftAudio, reading: int) -> str:
    return audio.paths[min(reading, len(audio.paths) - 1)]
