"""AudioFolder, as `datasets` has it: ``metadata.jsonl`` or ``.csv`` beside the audio it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.benchmark.card import write_card
from perturb.benchmark.item import MAIN_ROLE, Benchmark
from perturb.benchmark.layout import Layout, find_layout
from perturb.benchmark.protocols import RowEdit, RowStore
from perturb.benchmark.rows.opening import open_rows, peek
from perturb.benchmark.tabular import express_fields
from perturb.benchmark.text_reading import read_text_rows
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["AudioFolderReader"]

_METADATA_NAMES = ("metadata.jsonl", "metadata.csv")
_FILE_NAME = "file_name"


class AudioFolderReader:
    """Reads the metadata file of an AudioFolder; of several, the one that is given."""

    name = "audiofolder"

    def recognise(self, path: Path) -> str | None:
        """Return what is seen at `path`; reads a few rows."""
        files = _metadata_files(path)
        rows = peek(files[0]) if files else []
        layout = _find_layout(rows[0]) if rows else None
        if layout is None:
            return None
        return f"an AudioFolder ({files[0].name}) with {layout.describe()}"

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read all but the audio; see `Reader`."""
        files = _metadata_files(path)
        if len(files) != 1:
            names = ", ".join(printable_path(file) for file in files)
            way_out = f"; give the one that is meant: {names}" if files else ""
            raise BenchmarkError(
                f"{printable_path(path)} holds {len(files)} files {' or '.join(_METADATA_NAMES)}"
                + way_out
            )
        (file,) = files
        rows = open_rows(file)
        layout = _find_layout(rows.row(0))
        if layout is None:
            raise BenchmarkError(f"{printable_path(file)}: there is no column {_FILE_NAME}")
        form = f"an AudioFolder ({file.name})"
        store = _FolderRows(rows)
        return read_text_rows(self.name, form, path, store, layout, file.parent, audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the fields that differ; see `Reader`."""
        row = benchmark.rows.row(variant.item.row)
        return express_fields(Layout.of(benchmark.fields), row, variant, audio_fields)


class _FolderRows:
    """Rows of a metadata file; a copy gets a card, so that no name of a file divides its rows."""

    def __init__(self, rows: RowStore) -> None:
        self._rows = rows
        self.file_name = rows.file_name

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Mapping[str, Any]:
        """Return one row, decoded."""
        return self._rows.row(index)

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write rows and the card beside them; see `RowStore`."""
        self._rows.write(target, edits)
        card = target.with_name("README.md")
        write_card(card, "test", "One condition of a split.", {"test": "**"}, ["drop_labels: true"])


def _metadata_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.name in _METADATA_NAMES else []
    return sorted(file for name in _METADATA_NAMES for file in path.rglob(name))


def _find_layout(row: Mapping[str, Any]) -> Layout | None:
    """Return which field holds what: ``file_name`` is the main audio, ``X_file_name`` that of X."""
    if _FILE_NAME not in row:
        return None
    further = [name for name in row if name.endswith(f"_{_FILE_NAME}")]
    layout = find_layout(list(row), [_FILE_NAME, *further])
    if layout is None:
        return None
    roles = [(name.removesuffix(f"_{_FILE_NAME}"), name) for name in further]
    return msgspec.structs.replace(layout, audios=((MAIN_ROLE, _FILE_NAME), *roles))
