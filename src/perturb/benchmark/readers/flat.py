"""`FlatReader`: the common part of readers whose rows have a field for each part of an item.

A format names itself, tells its fields, takes the options out of a row and puts them back; reading
rows and writing changes is the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.benchmark.answers import express_answer
from perturb.benchmark.choices import ChoiceStyle
from perturb.benchmark.item import MAIN_ROLE, Benchmark
from perturb.benchmark.layout import AnswerForm, Layout, find_layout
from perturb.benchmark.readers.assembly import Draft, DraftAudio, Source, assemble, collect
from perturb.benchmark.readers.audio_field import express_audio, find_audio_field, name_audios
from perturb.benchmark.rows.csv_rows import CsvRows
from perturb.benchmark.rows.json_rows import JSON_SUFFIXES
from perturb.benchmark.rows.opening import PEEKED_ROWS, open_rows, peek
from perturb.benchmark.variant import Question, VariantRow
from perturb.errors import BenchmarkError

__all__ = ["FlatReader", "layout_with_audio", "text_of"]

_DETAILS = ("task", "language", "speaker", "recording", "transcript", "chain", "chain_level")


class FlatReader(ABC):
    """Reads rows of fields; see `perturb.benchmark.protocols.Reader`."""

    name: str
    looked_for: ClassVar[str]
    """What a file of this format has, for messages."""
    form: AnswerForm | None = None
    """What answers are, where that is given; else the rows tell."""
    otherwise: AnswerForm | None = None
    """What answers are where no row tells; None to refuse."""

    suffixes = JSON_SUFFIXES
    """Of files that may hold this format."""

    @abstractmethod
    def find_layout(self, rows: Sequence[Mapping[str, Any]]) -> Layout | None:
        """Return which field holds what, or None where rows are of another format."""

    @abstractmethod
    def ask(
        self, row: Mapping[str, Any], layout: Layout
    ) -> tuple[str, tuple[str, ...], ChoiceStyle | None]:
        """Return a row's question without options, its options without letters, their style."""

    @abstractmethod
    def express_question(
        self, row: Mapping[str, Any], layout: Layout, question: Question
    ) -> dict[str, Any]:
        """Return the fields of question and options, as the row writes its own."""

    def paths(self, row: Mapping[str, Any], text: str) -> tuple[str, ...]:
        """Return where the file of an audio field may be, below the audio root."""
        return (text,)

    def details(self, row: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
        """Return the further fields of an item."""
        names = ((part, getattr(layout, part)) for part in _DETAILS)
        return {part: row.get(name) for part, name in names if name is not None}

    def recognise(self, path: Path) -> str | None:
        """Return in one line what of this format is seen at `path`, or None."""
        rows = peek(path) if path.suffix.lower() in self.suffixes else ()
        layout = self.find_layout(rows) if rows else None
        return None if layout is None else layout.describe()

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read everything but the audio; see `Reader`."""
        rows = open_rows(path)
        layout = self.find_layout([rows.row(index) for index in range(min(len(rows), PEEKED_ROWS))])
        if layout is None:
            raise BenchmarkError(
                f"{printable_path(path)}: nothing for the reader {self.name}, which looks for "
                f"{self.looked_for}"
            )
        source = Source(
            reader=self.name,
            path=path,
            rows=rows,
            reason=f"{rows.form} of {len(rows)} rows with {layout.describe()}",
            layout=layout,
            form=self.form,
            otherwise=self.otherwise,
        )

        def draft(index: int) -> Draft:
            key = None if isinstance(rows, CsvRows) else rows.key(index)
            return self.draft(rows.row(index), key, layout)

        return assemble(source, collect(path, len(rows), draft), audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the fields of the source that differ in this variant; see `Reader`."""
        layout = Layout.of(benchmark.fields)
        row = benchmark.rows.row(variant.item.row)
        ((_, audio),) = layout.audios
        new: dict[str, Any] = {}
        if variant.item.audios:
            named = [(audio.role, audio.source) for audio in variant.item.audios]
            new[audio] = express_audio(row.get(audio), named, audio_fields)
        if variant.is_question_changed:
            new.update(self.express_question(row, layout, variant.question))
            if layout.answer is not None:
                asked = (row.get(layout.answer), *self.ask(row, layout)[1:])
                new[layout.answer] = express_answer(asked, layout.answer_form, variant.question)
        return {name: value for name, value in new.items() if value != row.get(name)}

    def draft(self, row: Mapping[str, Any], key: str | None, layout: Layout) -> Draft:
        """Return what a row says; `key` is its id where it has none of its own."""
        question, choices, _ = self.ask(row, layout)
        ((_, audio),) = layout.audios
        item_id = row.get(layout.item_id) if layout.item_id is not None else None
        return Draft(
            item_id=key if item_id is None else item_id,
            audios=tuple(
                DraftAudio(role, text, self.paths(row, text))
                for role, text in name_audios(row.get(audio), audio)
            ),
            question=question,
            choices=choices,
            answer=row.get(layout.answer) if layout.answer is not None else None,
            details=self.details(row, layout),
        )


def layout_with_audio(rows: Sequence[Mapping[str, Any]], **given: str) -> Layout | None:
    """Return which field holds what, or None where no field names audio or asks anything.

    Parameters
    ----------
    rows : sequence of mapping
        First rows of a source.
    **given
        Fields that the format prescribes.
    """
    audio = find_audio_field(rows)
    if audio is None:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    layout = find_layout(names, [audio])
    if layout is None:
        return None
    layout = msgspec.structs.replace(layout, audios=((MAIN_ROLE, audio),), **given)
    return layout if layout.question is not None else None


def text_of(row: Mapping[str, Any], name: str | None) -> str:
    """Return the text of a field, empty where it is missing or null.

    Raises
    ------
    BenchmarkError
        It holds something else.
    """
    value = None if name is None else row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BenchmarkError(f"{name} is {repr(value)[:80]}; accepted: text")
    return value
