"""What the tests of readers share: read a fixture, ask otherwise, write it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from perturb.benchmark.item import Benchmark, Item
from perturb.benchmark.protocols import Reader, RowEdit
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.variant import Question, VariantAudio, VariantRow

__all__ = ["NO_AUDIO", "ask", "changes", "read", "rewrite", "variant_of"]

NO_AUDIO: dict[str, str | None] = {"main": None, "audio_2": None}


def read(path: Path, name: str = "auto") -> tuple[Reader, Benchmark]:
    """Read a benchmark with the reader that it is found to need."""
    reader, _ = find_reader(path, name)
    return reader, reader.read(path)


def variant_of(item: Item, question: Question | None = None) -> VariantRow:
    """Return an item as a condition has it that changes nothing but perhaps the question."""
    audios = tuple(
        VariantAudio(role=audio.role, file=None, source=audio.source, clip=audio.clip)
        for audio in item.audios
    )
    return VariantRow(item=item, question=question or Question.of(item), audios=audios, columns={})


def ask(item: Item, **changed: Any) -> VariantRow:
    """Return an item whose question differs in the fields given."""
    return variant_of(item, msgspec.structs.replace(Question.of(item), **changed))


def keep_options(item: Item, places: list[int]) -> VariantRow:
    """Return an item with some of its options, the gold among them."""
    choices = tuple(item.choices[place] for place in places)
    return ask(item, choices=choices, answer_index=places.index(item.answer_index))


def changes(path: Path, variant: VariantRow, name: str = "auto", **audio: str | None) -> Any:
    """Return what the reader of a file says of a variant."""
    reader, benchmark = read(path, name)
    sources = {audio.role: audio.source for audio in variant.item.audios}
    return reader.express(benchmark, variant, sources | audio)


def rewrite(
    reader: Reader, benchmark: Benchmark, variants: list[VariantRow], target: Path, **audio: Any
) -> bytes:
    """Write variants back as the source has it, and return the bytes."""
    edits = []
    for variant in variants:
        sources = {audio.role: audio.source for audio in variant.item.audios}
        changed = reader.express(benchmark, variant, sources | audio)
        edits.append(RowEdit(variant.item.row, changed, {}))
    benchmark.rows.write(target, edits)
    return target.read_bytes()
