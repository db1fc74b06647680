"""Data sets as the library `datasets` saves them: ``Dataset.save_to_disk``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perturb.audio_io import file_sha256, write_text_atomic
from perturb.audio_io.paths import printable_path
from perturb.benchmark.arrow_files import open_table
from perturb.benchmark.item import Benchmark
from perturb.benchmark.layout import Layout
from perturb.benchmark.rows.arrow_rows import TableCopy
from perturb.benchmark.table_reading import find_table_layout, read_tables
from perturb.benchmark.tabular import express_fields
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["SavedDatasetReader"]

_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"


class SavedDatasetReader:
    """Reads a folder of arrow files with ``state.json``; of several splits, the one named."""

    name = "saved_dataset"

    def recognise(self, path: Path) -> str | None:
        """Return what is seen at `path`; reads the schema of one file."""
        if (path / _SPLITS).is_file():
            folders = _split_folders(path)
            path = folders[0] if folders else path
        files = _data_files(path)
        if not files:
            return None
        layout = find_table_layout(open_table(files[0]).schema)
        return None if layout is None else f"a saved data set with {layout.describe()}"

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read all but the audio; see `Reader`."""
        folder = path
        if (path / _SPLITS).is_file():
            folders = _split_folders(path)
            if len(folders) != 1:
                names = ", ".join(printable_path(split) for split in folders) or "none"
                raise BenchmarkError(
                    f"{printable_path(path)} holds {len(folders)} splits; give the one that is "
                    f"meant: {names}"
                )
            folder = folders[0]
        files = _data_files(folder)
        if not files:
            raise BenchmarkError(f"{printable_path(folder)}: {_STATE} names no files of rows")

        def finish(root: Path, file: Path, schema: Any) -> None:
            _write_companions(_load(folder / _STATE), root, file, schema)

        tables = [open_table(file) for file in files]
        copy = TableCopy("data-00000-of-00001.arrow", "arrow", finish)
        return read_tables(self.name, path, tables, copy, audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the columns that differ; see `Reader`."""
        row = benchmark.rows.row(variant.item.row)
        return express_fields(Layout.of(benchmark.fields), row, variant, audio_fields)


def _split_folders(path: Path) -> list[Path]:
    return [path / str(name) for name in _load(path / _SPLITS).get("splits", [])]


def _data_files(folder: Path) -> list[Path]:
    if not (folder / _STATE).is_file():
        return []
    entries = _load(folder / _STATE).get("_data_files") or []
    return [folder / str(entry["filename"]) for entry in entries]


def _load(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"{printable_path(path)}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise BenchmarkError(f"{printable_path(path)}: expected an object")
    return found


def _write_companions(state: Mapping[str, Any], root: Path, file: Path, schema: Any) -> None:
    """Write the two files that make an arrow file a saved data set."""
    metadata = (schema.metadata or {}).get(b"huggingface", b"{}")
    features = json.loads(metadata).get("info", {}).get("features")
    information = {"citation": "", "description": "", "features": features, "homepage": ""}
    own = {
        **state,
        "_data_files": [{"filename": file.name}],
        "_fingerprint": file_sha256(file)[:16],
    }
    for name, content in ((_INFO, information), (_STATE, own)):
        write_text_atomic(root / name, json.dumps(content, indent=2, sort_keys=True) + "\n")
