"""A folder of audio: every file an item that asks nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io import find_audio, write_text_atomic
from perturb.audio_io.paths import printable_path
from perturb.benchmark.item import MAIN_ROLE, Benchmark
from perturb.benchmark.layout import Layout
from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.tabular import express_fields
from perturb.benchmark.text_reading import read_text_rows
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["FolderReader"]

_COLUMN = "file_name"
_LAYOUT = Layout(audios=((MAIN_ROLE, _COLUMN),), item_id=_COLUMN)


class FolderReader:
    """Reads the names of the audio files in a folder and below, in the order of their paths."""

    name = "folder"

    def recognise(self, path: Path) -> str | None:
        """Return how many audio files are there."""
        count = len(find_audio(path)) if path.is_dir() else 0
        return f"a folder of {count} audio files" if count else None

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read the names; see `Reader`. The folder is its own root."""
        files = find_audio(path)
        if not files:
            raise BenchmarkError(f"{printable_path(path)}: there are no audio files")
        if audio_root is not None and audio_root.resolve() != path.resolve():
            raise BenchmarkError(
                f"{printable_path(path)} is a folder of audio; leave out --audio-root"
            )
        rows = FolderRows([file.relative_to(path).as_posix() for file in files])
        form = f"a folder of {len(files)} audio files"
        return read_text_rows(self.name, form, path, rows, _LAYOUT, path, path)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the fields that differ; see `Reader`.

        A folder has no field for a question: a condition that asks gets one, ``question``.
        """
        row = benchmark.rows.row(variant.item.row)
        changed = express_fields(_LAYOUT, row, variant, audio_fields)
        if variant.question.question:
            changed["question"] = variant.question.question
        return changed


class FolderRows:
    """Names of files as rows; written back as ``metadata.csv`` with a column ``file_name``.

    Parameters
    ----------
    names : sequence of str
        Paths relative to the folder.
    """

    file_name = "metadata.csv"

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def __len__(self) -> int:
        return len(self._names)

    def row(self, index: int) -> Mapping[str, Any]:
        """Return one row."""
        return {_COLUMN: self._names[index]}

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write rows as CSV; nothing is an empty field. See `RowStore`."""
        changed = dict.fromkeys(name for edit in edits for name in edit.changed)
        added = dict.fromkeys(name for edit in edits for name in edit.added)
        text = io.StringIO()
        columns = list({_COLUMN: None, **changed, **added})
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        for edit in edits:
            writer.writerow({**self.row(edit.row), **edit.changed, **edit.added})
        write_text_atomic(target, text.getvalue())
