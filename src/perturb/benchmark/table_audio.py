"""The audio columns of tables: which rows carry what, found without loading it.

Rows that carry the same name share a clip if their bytes are equal; where a name stands for
different bytes (``audio.wav`` in every row), each content is a clip of its own. Bytes are read only
for names that occur more than once, and for rows that name nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from perturb.audio_io.paths import AUDIO_SUFFIXES
from perturb.benchmark.arrow_files import TableFile, audio_kind, is_missing
from perturb.benchmark.embedded import read_rows, sniff_suffix
from perturb.benchmark.item import Clip, EmbeddedAudio

__all__ = ["AudioCell", "Content", "find_clips", "scan_column"]


class AudioCell(NamedTuple):
    """One row of an audio column: where it is, what it is called, whether it holds bytes."""

    file: Path
    row: int
    name: str | None
    is_embedded: bool


class Content(NamedTuple):
    """Embedded bytes, as far as names of clips need them."""

    digest: str
    suffix: str


def scan_column(table: TableFile, column: str) -> list[AudioCell | None]:
    """Return each row's audio; None where a row has none. Bytes are not loaded."""
    field = table.schema.field(column)
    kind = audio_kind(field)
    if kind == "bytes":
        missing = _column_nulls(table, column)
        return [
            None if gone else AudioCell(table.path, row, None, True)
            for row, gone in enumerate(missing)
        ]
    if kind == "path":
        return _cells(table.path, _texts(table, column), None)
    fields = {field.type.field(index).name for index in range(field.type.num_fields)}
    if "path" in fields:
        names, missing = _names(table, column)
    else:
        missing = _column_nulls(table, column)
        names = [None] * len(missing)
    lacking = table.lacks_bytes(column, missing) if "bytes" in fields else [True] * len(missing)
    return _cells(table.path, names, lacking)


def find_clips(
    cells: Sequence[AudioCell | None],
    fallbacks: Sequence[str],
    column: str,
    outside: Callable[[str], Clip],
) -> tuple[list[Clip | None], list[str | None]]:
    """Return the clip of each row, and what its audio field says.

    Parameters
    ----------
    cells : sequence of AudioCell or None
        The column, over all files of the table.
    fallbacks : sequence of str
        For each row the name of a clip that names nothing, without a suffix; no two are equal.
    column : str
        Name of the column.
    outside : callable
        Finds the clip of a path, for audio in a file of its own.
    """
    contents = _read_contents(cells, column)
    digests_of = defaultdict(set)
    for index, known_content in contents.items():
        digests_of[_key_of_name(cells[index])].add(known_content.digest)
    clips: list[Clip | None] = []
    texts: list[str | None] = []
    first_of: dict[str, str] = {}
    for index, cell in enumerate(cells):
        if cell is None:
            clips.append(None)
            texts.append(None)
            continue
        if not cell.is_embedded:
            clips.append(outside(cell.name or ""))
            texts.append(cell.name)
            continue
        content = contents.get(index)
        name = _key_of_name(cell)
        suffix = content.suffix if content else PurePosixPath(name).suffix.lower()
        key = name
        if content is not None and not name:
            key = first_of.setdefault(content.digest, f"{fallbacks[index]}{suffix}")
        elif content is not None and len(digests_of[name]) > 1:
            pure = PurePosixPath(name)
            key = str(pure.with_name(f"{pure.stem}-{content.digest[:8]}{pure.suffix}"))
        place = EmbeddedAudio(file=cell.file, row=cell.row, column=column, suffix=suffix)
        clips.append(Clip(key=key, embedded=place))
        texts.append(cell.name or key)
    return clips, texts


def _read_contents(cells: Sequence[AudioCell | None], column: str) -> dict[int, Content]:
    """Return the content of rows whose name does not tell enough."""
    counts = Counter(_key_of_name(cell) for cell in cells if cell and cell.is_embedded)
    wanted: dict[Path, dict[int, int]] = defaultdict(dict)
    for index, cell in enumerate(cells):
        if cell is not None and cell.is_embedded:
            name = _key_of_name(cell)
            has_suffix = PurePosixPath(name).suffix.lower() in AUDIO_SUFFIXES
            if counts[name] > 1 or not has_suffix:
                wanted[cell.file][cell.row] = index
    found = {}
    for file, index_of in wanted.items():
        for row, data in read_rows(file, column, sorted(index_of)):
            cell = cells[index_of[row]]
            own = PurePosixPath(_key_of_name(cell)).suffix.lower()
            suffix = own if own in AUDIO_SUFFIXES else sniff_suffix(data or b"")
            digest = hashlib.sha256(data or b"").hexdigest()
            found[index_of[row]] = Content(digest, suffix)
    return found


def _key_of_name(cell: AudioCell | None) -> str:
    return _plain(cell.name or "") if cell is not None else ""


def _plain(name: str) -> str:
    """Return a path with forward slashes, without what leads nowhere or upwards."""
    parts = name.replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".", ".."))


def _cells(
    file: Path, names: Sequence[str | None], lacking: Sequence[bool] | None
) -> list[AudioCell | None]:
    """Return cells; a row with neither bytes nor a name has no audio."""
    cells: list[AudioCell | None] = []
    for row, name in enumerate(names):
        is_embedded = lacking is not None and not lacking[row]
        has_audio = is_embedded or bool(name)
        cells.append(AudioCell(file, row, name or None, is_embedded) if has_audio else None)
    return cells


def _names(table: TableFile, column: str) -> tuple[list[str | None], list[bool]]:
    names: list[str | None] = []
    missing: list[bool] = []
    for _, batch in table.batches([f"{column}.path"]):
        structs = batch.column(0)
        missing += is_missing(structs)
        names += structs.field("path").to_pylist()
    return names, missing


def _texts(table: TableFile, column: str) -> list[str | None]:
    return [text for _, batch in table.batches([column]) for text in batch.column(0).to_pylist()]


def _column_nulls(table: TableFile, column: str) -> list[bool]:
    return [gone for batch in _audio_batches(table, column) for gone in is_missing(batch.column(0))]


def _audio_batches(table: TableFile, column: str) -> Iterator[Any]:
    for _, batch in table.batches([column], wanted=range(table.rows)):
        yield batch
