"""A benchmark out of parquet or arrow tables: columns found, audio located, items made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.benchmark.arrow_files import TableFile, audio_kind
from perturb.benchmark.item import MAIN_ROLE, Benchmark, Clip, ItemAudio
from perturb.benchmark.layout import Layout, find_layout
from perturb.benchmark.readers.audio_root import clip_of, find_audio_root
from perturb.benchmark.rows.arrow_rows import ArrowRows, TableCopy
from perturb.benchmark.table_audio import AudioCell, find_clips, scan_column
from perturb.benchmark.tabular import item_ids, make_items, pair_ids
from perturb.errors import BenchmarkError

__all__ = ["find_table_layout", "read_tables"]


def find_table_layout(schema: Any) -> Layout | None:
    """Return which column of a schema holds what; None where no column can be audio."""
    sounds = [field.name for field in schema if audio_kind(field) in ("struct", "bytes")]
    return find_layout(schema.names, sounds)


def read_tables(
    reader: str,
    path: Path,
    tables: Sequence[TableFile],
    copy: TableCopy,
    audio_root: Path | None,
) -> Benchmark:
    """Return the benchmark that the shards of one table hold.

    Parameters
    ----------
    reader : str
        Name of the reader.
    path : Path
        What was given.
    tables : sequence of TableFile
        Its shards, in order.
    copy : TableCopy
        How rows are written back.
    audio_root : Path or None
        What paths of audio outside the tables are relative to; by default the folder.

    Raises
    ------
    BenchmarkError
        No audio column, options or answers that cannot be read.
    """
    layout = find_table_layout(tables[0].schema)
    where = printable_path(path)
    if layout is None:
        raise BenchmarkError(
            f"{where}: no column holds audio (columns: {', '.join(tables[0].schema.names)}); "
            "accepted: a struct of bytes and path, bytes, or paths in a column named audio"
        )
    rows = ArrowRows(tables, [column for _, column in layout.audios], copy)
    columns = {
        name: rows.column(name)
        for name in rows.schema.names
        if name not in (column for _, column in layout.audios)
    }
    pairs = pair_ids(item_ids(layout, columns, len(rows)))
    cells_of = {
        column: [cell for table in tables for cell in scan_column(table, column)]
        for _, column in layout.audios
    }
    base = path if path.is_dir() else path.parent
    root = _find_root(base, cells_of.values(), audio_root)
    clips: dict[str, Clip] = {}
    audios: list[list[ItemAudio]] = [[] for _ in range(len(rows))]
    for role, column in layout.audios:
        cells = cells_of[column]
        fallbacks = pairs if role == MAIN_ROLE else [f"{pair}-{role}" for pair in pairs]
        found, texts = find_clips(cells, fallbacks, column, lambda text: clip_of(text, root, base))
        rows.keep_audio(column, cells, texts)
        for row, (clip, text) in enumerate(zip(found, texts, strict=True)):
            if clip is not None:
                clip = _apart(clip, clips)
                clips.setdefault(clip.key, clip)
                audios[row].append(ItemAudio(role=role, clip=clip.key, source=text or clip.key))
    layout, items, notes = make_items(layout, columns, [tuple(own) for own in audios], where)
    shards = "" if len(tables) == 1 else f" in {len(tables)} shards"
    return Benchmark(
        reader=reader,
        reason=f"{copy.kind}{shards} with {layout.describe()}",
        path=path,
        audio_root=root,
        items=items,
        clips=clips,
        rows=rows,
        fields=layout.to_fields(),
        notes=notes,
    )


def _find_root(
    base: Path, columns: Iterable[Sequence[AudioCell | None]], audio_root: Path | None
) -> Path:
    """Return the folder of audio in files of its own; the table's where there is none."""
    outside = [
        cell.name
        for cells in columns
        for cell in cells
        if cell is not None and not cell.is_embedded and cell.name is not None
    ]
    if not outside:
        return audio_root or base
    return find_audio_root(base, tuple(dict.fromkeys(outside)), audio_root)


def _apart(clip: Clip, clips: Mapping[str, Clip]) -> Clip:
    """Return the clip under a key of its own, where another column's audio has the same name."""
    other = clips.get(clip.key)
    if other is None or other.embedded is None or clip.embedded is None:
        return clip
    if other.embedded.column == clip.embedded.column:
        return clip
    return msgspec.structs.replace(clip, key=f"{clip.embedded.column}/{clip.key}")
