"""The records of a split on disk: manifest, items, clips, donors, last of all ``split.json``."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from perturb.audio_io import file_sha256
from perturb.audio_io.pending import PendingFile
from perturb.benchmark.item import Benchmark, Item
from perturb.errors import PlanError
from perturb.split.records.manifest import ItemRow, ManifestRow

__all__ = [
    "ANCHORS_FILE",
    "CHAINS_FILE",
    "CLIPS_FILE",
    "DONORS_FILE",
    "ITEMS_FILE",
    "MANIFEST_FILE",
    "QUESTIONS_FILE",
    "SEALED_FILES",
    "SPLIT_FILE",
    "StatusCounter",
    "item_row",
    "items_sha256",
    "read_lines",
    "record_hashes",
    "write_json",
    "write_lines",
]

MANIFEST_FILE = "manifest.jsonl"
ITEMS_FILE = "items.jsonl"
QUESTIONS_FILE = "questions.jsonl"
CLIPS_FILE = "clips.jsonl"
DONORS_FILE = "donors.json"
CHAINS_FILE = "chains.jsonl"
ANCHORS_FILE = "anchors.jsonl"
SPLIT_FILE = "split.json"
SEALED_FILES = (
    MANIFEST_FILE,
    ITEMS_FILE,
    QUESTIONS_FILE,
    CLIPS_FILE,
    DONORS_FILE,
    CHAINS_FILE,
    ANCHORS_FILE,
)
"""Records whose hashes ``split.json`` holds, as far as a split has them."""

_BLOCK_LINES = 4096

Row = TypeVar("Row", bound=msgspec.Struct)


def write_lines(path: Path, rows: Iterable[msgspec.Struct]) -> None:
    """Write rows as JSON, one a line; the file appears whole or not at all."""
    PendingFile(path, _blocks(rows)).commit()


def _blocks(rows: Iterable[msgspec.Struct]) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder()
    block: list[bytes] = []
    for row in rows:
        block.append(encoder.encode(row))
        if len(block) == _BLOCK_LINES:
            yield b"\n".join(block) + b"\n"
            block.clear()
    if block:
        yield b"\n".join(block) + b"\n"


def write_json(path: Path, value: Any) -> None:
    """Write one object as indented JSON; the file appears whole or not at all."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    PendingFile(path, iter((text,))).commit()


def read_lines(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a file that `write_lines` wrote.

    Raises
    ------
    PlanError
        The file is missing, or a line is not such a row; file and line are named.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise PlanError(f"{path}, line {number}: {error}") from None
    except OSError as error:
        raise PlanError(f"{path}: cannot be read: {error.strerror}") from None


def record_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each record of a split but ``split.json``, which holds them."""
    return {name: file_sha256(folder / name) for name in SEALED_FILES if (folder / name).exists()}


def items_sha256(benchmark: Benchmark) -> str:
    """Return a hash of all items as they were read: another one, another benchmark."""
    return hashlib.sha256(msgspec.json.encode(benchmark.items)).hexdigest()


def item_row(item: Item, abstention: tuple[int, ...]) -> ItemRow:
    """Return what the score needs to know of an item."""
    return ItemRow(
        row=item.row,
        item_id=item.item_id,
        pair_id=item.pair_id,
        audios=tuple((audio.role, audio.clip) for audio in item.audios),
        question=item.question,
        choices=item.choices,
        answer=item.answer,
        answer_index=item.answer_index,
        abstention=abstention,
        task=item.task,
        language=item.language,
        speaker=item.speaker,
        recording=item.recording,
        chain=item.chain,
        chain_level=item.chain_level,
    )


class StatusCounter:
    """Counts rows by condition and status as they pass, and the places of their gold."""

    def __init__(self, conditions: Iterable[str]) -> None:
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in conditions}
        self.reasons: dict[str, Counter[str]] = {name: Counter() for name in self.counts}
        self.golds: dict[str, Counter[int]] = {name: Counter() for name in self.counts}

    def watch(self, rows: Iterable[ManifestRow]) -> Iterator[ManifestRow]:
        """Yield the rows and count them."""
        for row in rows:
            self.counts[row.condition][row.status] += 1
            if row.reason is not None:
                self.reasons[row.condition][row.reason] += 1
            if row.gold_index is not None and row.status in ("ok", "off_target"):
                self.golds[row.condition][row.gold_index] += 1
            yield row

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return the counts, every condition and every status that occurs."""
        return {name: dict(sorted(counts.items())) for name, counts in self.counts.items()}

    def gold_positions(self) -> dict[str, list[int]]:
        """Return for each condition how many of its rows that count have the gold at each place."""
        return {
            name: [golds[place] for place in range(max(golds, default=-1) + 1)]
            for name, golds in self.golds.items()
        }
