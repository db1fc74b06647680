"""The writers' forms against the manifest, as far as the benchmark they were made from is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from perturb.benchmark.item import Benchmark
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.variant import Question, VariantRow
from perturb.benchmark.writers.registry import find_writer
from perturb.errors import PerturbError, PlanError
from perturb.recipes.suite import Condition
from perturb.render.findings import Finding
from perturb.split.records.manifest import ItemRow, ManifestRow, QuestionRow, SplitRecord
from perturb.split.records.recording import (
    ITEMS_FILE,
    MANIFEST_FILE,
    QUESTIONS_FILE,
    item_row,
    items_sha256,
    read_lines,
)
from perturb.split.rows import variant_row

__all__ = ["RecordedRows", "check_forms", "read_questions", "read_source"]


def read_questions(folder: Path) -> dict[tuple[str, str], Question]:
    """Return the questions that a split asks otherwise than its source, by pair and condition."""
    if not (folder / QUESTIONS_FILE).exists():
        return {}
    return {
        (row.pair_id, row.condition): Question(
            question=row.question,
            choices=row.choices,
            answer=row.answer,
            answer_index=row.answer_index,
        )
        for row in read_lines(folder / QUESTIONS_FILE, QuestionRow)
    }


def read_source(folder: Path, record: SplitRecord) -> SplitSource:
    """Read the benchmark of a split again.

    Raises
    ------
    PerturbError
        It is not where the split was made from.
    """
    path = folder / record.source["path"]
    reader, _ = find_reader(path, record.source["reader"])
    return SplitSource(reader.read(path, folder / record.source["audio_root"]), reader)


class RecordedRows(Mapping[str, Sequence[VariantRow]]):
    """The rows of every condition as the records of a split have them.

    Parameters
    ----------
    folder : Path
        The split.
    record : SplitRecord
        Its conditions.
    benchmark : Benchmark
        What it was made from.
    """

    def __init__(self, folder: Path, record: SplitRecord, benchmark: Benchmark) -> None:
        self._folder = folder
        self._items = {item.pair_id: item for item in benchmark.items}
        self._clips = benchmark.clips
        self._conditions = {
            entry["condition"]["name"]: msgspec.convert(entry["condition"], Condition)
            for entry in record.conditions
        }
        self._questions = read_questions(folder)

    def __getitem__(self, name: str) -> Sequence[VariantRow]:
        condition = self._conditions[name]
        return [
            self._row(row, condition)
            for row in read_lines(self._folder / MANIFEST_FILE, ManifestRow)
            if row.condition == name
        ]

    def _row(self, row: ManifestRow, condition: Condition) -> VariantRow:
        item = self._items.get(row.pair_id)
        if item is None or {audio.role for audio in row.audios} - {a.role for a in item.audios}:
            raise PlanError(f"{MANIFEST_FILE} has a row of {row.pair_id!r} that fits no item")
        for audio in row.audios:
            if audio.clip_id not in self._clips:
                raise PlanError(
                    f"{MANIFEST_FILE} has a row of {row.pair_id!r} with the clip "
                    f"{audio.clip_id!r}, which the benchmark has not"
                )
        question = self._questions.get((row.pair_id, row.condition), Question.of(item))
        return variant_row(row, item, question, condition, self._folder)

    def __iter__(self) -> Iterator[str]:
        return iter(self._conditions)

    def __len__(self) -> int:
        return len(self._conditions)


def check_forms(
    folder: Path, record: SplitRecord, items: Sequence[ItemRow] = ()
) -> Iterator[Finding]:
    """Yield what disagrees between the benchmark, the records and what writers made of them.

    Parameters
    ----------
    folder : Path
        The split.
    record : SplitRecord
        Its ``split.json``.
    items : sequence of ItemRow
        Its items.

    Raises
    ------
    PerturbError
        The benchmark cannot be read.
    """
    source = read_source(folder, record)
    if items_sha256(source.benchmark) != record.source["items_sha256"]:
        message = "the benchmark holds other items than the split was made from"
        yield Finding(kind="input", path=record.source["path"], message=message)
        return
    yield from _check_items(source, items)
    rows = RecordedRows(folder, record, source.benchmark)
    for name in record.writers:
        try:
            problems = find_writer(name).verify(folder / name, source, rows)
        except (PerturbError, OSError) as error:  # of a canonical file or record that is no good
            problems = [f"{name}: cannot be compared: {error}"]
        for problem in problems:
            path, _, message = problem.partition(": ")
            yield Finding(kind="output", path=path, message=message)


def _check_items(source: SplitSource, items: Sequence[ItemRow]) -> Iterator[Finding]:
    """Yield items that are recorded otherwise than the benchmark has them."""
    asked = {item.pair_id: item for item in source.benchmark.items}
    for row in items:
        item = asked.get(row.pair_id)
        if item is None or item_row(item, row.abstention) != row:
            message = f"item {row.pair_id!r} is not what the benchmark says"
            yield Finding(kind="trace", path=ITEMS_FILE, message=message)
