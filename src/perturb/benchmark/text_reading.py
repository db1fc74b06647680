"""A benchmark out of rows whose audio lies in files of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.benchmark.item import Benchmark, Clip, ItemAudio
from perturb.benchmark.layout import Layout
from perturb.benchmark.protocols import RowStore
from perturb.benchmark.readers.assembly import collect
from perturb.benchmark.readers.audio_root import clip_of, find_audio_root
from perturb.benchmark.tabular import make_items
from perturb.errors import BenchmarkError

__all__ = ["read_text_rows"]


def read_text_rows(
    reader: str,
    form: str,
    path: Path,
    rows: RowStore,
    layout: Layout,
    base: Path,
    audio_root: Path | None,
) -> Benchmark:
    """Return the benchmark of rows that name audio files.

    Parameters
    ----------
    reader : str
        Name of the reader.
    form : str
        What it recognised, in a few words.
    path : Path
        What was given.
    rows : RowStore
        The source's rows.
    layout : Layout
        Which field holds what.
    base : Path
        Folder of the file with the rows.
    audio_root : Path or None
        What paths are relative to, where it was named.

    Raises
    ------
    BenchmarkError
        A path that is no text or leads out of the root; no root holds any of the files; options
        or answers that cannot be read.
    """
    names = dict.fromkeys(name for index in range(len(rows)) for name in rows.row(index))
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for index in range(len(rows)):
        row = rows.row(index)
        for name, values in columns.items():
            values.append(row.get(name))
    where = printable_path(path)
    sounds = {column: columns[column] for _, column in layout.audios}
    texts = [
        text for values in sounds.values() for text in values if text and isinstance(text, str)
    ]
    root = find_audio_root(base, tuple(dict.fromkeys(texts)), audio_root)
    clips: dict[str, Clip] = {}

    def place(index: int) -> tuple[ItemAudio, ...]:
        placed = []
        for role, column in layout.audios:
            text = sounds[column][index]
            if text:
                clip = clip_of(_check_path(text), root, base)
                clips.setdefault(clip.key, clip)
                placed.append(ItemAudio(role=role, clip=clip.key, source=text))
        return tuple(placed)

    audios = collect(path, len(rows), place)
    layout, items, notes = make_items(layout, columns, audios, where)
    return Benchmark(
        reader=reader,
        reason=f"{form} with {layout.describe()}",
        path=path,
        audio_root=root,
        items=items,
        clips=clips,
        rows=rows,
        fields=layout.to_fields(),
        notes=notes,
    )


def _check_path(value: object) -> str:
    if not isinstance(value, str):
        raise BenchmarkError(f"audio is {value!r:.80}; accepted: one path")
    return value
