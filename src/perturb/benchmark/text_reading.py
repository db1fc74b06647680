"""A benchmark out of rows whose audio lies in files of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.benchmark.item import Benchmark, Clip, ItemAudio
from perturb.benchmark.layout import Layout
from perturb.benchmark.protocols import RowStore
from perturb.benchmark.table_audio import file_clip
from perturb.benchmark.tabular import check_root, make_items
from perturb.errors import BenchmarkError

__all__ = ["read_text_rows"]


def read_text_rows(
    reader: str, form: str, path: Path, rows: RowStore, layout: Layout, root: Path
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
    root : Path
        Folder that paths are relative to.

    Raises
    ------
    BenchmarkError
        A path that is no text; not one file is below `root`; options or answers that cannot be
        read.
    """
    names = dict.fromkeys(name for index in range(len(rows)) for name in rows.row(index))
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for index in range(len(rows)):
        row = rows.row(index)
        for name, values in columns.items():
            values.append(row.get(name))
    where = printable_path(path)
    clips: dict[str, Clip] = {}
    audios: list[list[ItemAudio]] = [[] for _ in range(len(rows))]
    for role, column in layout.audios:
        for index, value in enumerate(columns[column]):
            if value is None or value == "":
                continue
            if not isinstance(value, str):
                raise BenchmarkError(
                    f"{where}, row {index}: {column} is {value!r:.80}; accepted: one path"
                )
            clip = file_clip(value, root)
            clips.setdefault(clip.key, clip)
            audios[index].append(ItemAudio(role=role, clip=clip.key, source=value))
    check_root(clips.values(), root, where)
    layout, items, notes = make_items(layout, columns, _frozen(audios), where)
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


def _frozen(audios: Sequence[list[ItemAudio]]) -> list[tuple[ItemAudio, ...]]:
    return [tuple(own) for own in audios]
