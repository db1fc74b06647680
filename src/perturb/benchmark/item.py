"""The model of a benchmark: items that ask, clips that are heard.

Many items may share a clip; an item may carry several audios, each in a role. Items are made by
readers from rows that they checked, a hundred thousand at a time, so they are plain structs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from perturb.benchmark.protocols import RowStore

__all__ = ["MAIN_ROLE", "Benchmark", "Clip", "EmbeddedAudio", "Item", "ItemAudio"]

MAIN_ROLE = "main"
"""Role of the audio that a question is about; edits go there unless a condition names others."""


class EmbeddedAudio(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Audio whose bytes lie inside a table rather than in a file of their own.

    Parameters
    ----------
    file : Path
        The parquet or arrow file.
    row : int
        Row in that file, from 0.
    column : str
        Its audio column, a struct of bytes and path.
    suffix : str
        Of the audio, with its dot and in lower case, by the name it carries or by its content.
    """

    file: Path
    row: int
    column: str
    suffix: str


class Clip(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One recording of the benchmark.

    Parameters
    ----------
    key : str
        Its name in the benchmark, the same on every machine: the path below the audio root with
        forward slashes and no ``./``, or for embedded audio what its row calls it.
    path : Path or None
        The file; None where the audio is embedded.
    embedded : EmbeddedAudio or None
        Where the bytes are; None where there is a file.
    """

    key: str
    path: Path | None = None
    embedded: EmbeddedAudio | None = None


class ItemAudio(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One audio of an item.

    Parameters
    ----------
    role : str
        `main`, `reference`, `option_a`, …; once in an item.
    clip : str
        Key of its clip in `Benchmark.clips`.
    source : str
        What the source's own field says, as it stands there.
    """

    role: str
    clip: str
    source: str


class Item(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One question about audio.

    Parameters
    ----------
    row : int
        Place in the source, from 0.
    item_id : str
        The source's id as text; the row's number where it has none.
    pair_id : str
        Ties the item's rows across conditions together, unique in a benchmark: the item's id, with
        ``#2``, ``#3``, … where an id occurs again (the reader notes that it does).
    audios : tuple of ItemAudio
        In the source's order; empty for a question without audio.
    question : str
        As it stands in the source, but for options written inside it, which are `choices`.
    choices : tuple of str
        Texts of the options without their letters, in order; empty for an open-ended question.
    answer : str or None
        The gold answer as text: the option's, where there are options. None where it is unknown.
    answer_index : int or None
        Place of the gold among `choices`, from 0; None where there is none, or where two equal
        options make it ambiguous and the source names the text alone.
    task, language, speaker, recording : str or None
        Where the source tells: kind of question, language of the audio, who speaks, and which
        longer recording or dialogue the clip was taken from.
    transcript : str or None
        What is said, where the source tells.
    chain : str or None
        Name of the chain of questions that the item is a link of: those of one chain build on each
        other.
    chain_level : str or None
        Which link it is, a number from 1.
    """

    row: int
    item_id: str
    pair_id: str
    audios: tuple[ItemAudio, ...]
    question: str
    choices: tuple[str, ...] = ()
    answer: str | None = None
    answer_index: int | None = None
    task: str | None = None
    language: str | None = None
    speaker: str | None = None
    recording: str | None = None
    transcript: str | None = None
    chain: str | None = None
    chain_level: str | None = None

    def audio(self, role: str = MAIN_ROLE) -> ItemAudio | None:
        """Return the audio in a role, or None."""
        return next((audio for audio in self.audios if audio.role == role), None)


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark as it was read.

    Parameters
    ----------
    reader : str
        Name of the reader.
    reason : str
        What it recognised, in one line for people.
    path : Path
        The file or folder.
    audio_root : Path
        Folder that the audio paths are relative to.
    items : tuple of Item
        In row order.
    clips : dict of str to Clip
        By key, in the order of first use. A clip whose file is missing is listed all the same:
        its rows become rows with a reason.
    rows : RowStore
        The source's own rows.
    fields : dict of str to object
        Which of the source's fields hold what, as its reader needs it to write variants back.
    notes : tuple of str
        What is odd but harmless: repeated ids, equal options, answers that match none.
    """

    reader: str
    reason: str
    path: Path
    audio_root: Path
    items: tuple[Item, ...]
    clips: dict[str, Clip]
    rows: RowStore
    fields: dict[str, object] = {}
    notes: tuple[str, ...] = ()
