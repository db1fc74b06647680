"""Parquet as the Hugging Face hub has it: one file, or a folder with ``data/SPLIT-….parquet``."""

from __future__ import annotations

import fnmatch
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import is_litter, printable_path
from perturb.benchmark.arrow_files import open_table
from perturb.benchmark.card import read_splits, write_card
from perturb.benchmark.item import Benchmark
from perturb.benchmark.layout import Layout
from perturb.benchmark.rows.arrow_rows import TableCopy
from perturb.benchmark.table_reading import find_table_layout, read_tables
from perturb.benchmark.tabular import express_fields
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["ParquetReader"]

_SHARD = re.compile(r"(?P<split>.+?)-\d{5}-of-(?P<count>\d{5})(?:-[0-9a-f]+)?\.parquet")


class ParquetReader:
    """Reads parquet files whose audio is a struct of bytes and path, plain bytes, or a path.

    A file that is one shard of several stands for all of them. A folder with several splits is
    refused: one of its shards names the split that is meant.
    """

    name = "parquet"

    def recognise(self, path: Path) -> str | None:
        """Return what is seen at `path`; reads the schema of one file."""
        files = _find_files(path)
        if not files:
            return None
        table = open_table(next(iter(files.values()))[0])
        layout = find_table_layout(table.schema)
        return None if layout is None else f"parquet with {layout.describe()}"

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read all but the audio; see `Reader`."""
        splits = _find_files(path)
        if not splits:
            raise BenchmarkError(f"{printable_path(path)}: there are no parquet files")
        if len(splits) > 1:
            names = "; ".join(
                f"{name}: {printable_path(files[0])}" for name, files in splits.items()
            )
            raise BenchmarkError(
                f"{printable_path(path)} holds {len(splits)} splits; give a file of the one "
                f"that is meant, it stands for all shards of its split ({names})"
            )
        (split, files), *_ = splits.items()
        name = files[0].name
        if len(files) > 1:
            name = f"{split.rpartition('/')[2]}-00000-of-00001.parquet"
        if files[0].parent.name == "data":
            name = f"data/{name}"
        tables = [open_table(file) for file in files]
        copy = TableCopy(name, "parquet", _write_card)
        return read_tables(self.name, path, tables, copy, audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the columns that differ; see `Reader`."""
        row = benchmark.rows.row(variant.item.row)
        return express_fields(Layout.of(benchmark.fields), row, variant, audio_fields)


def _write_card(root: Path, file: Path, schema: Any) -> None:
    """Write the card that leads `datasets` to the table rather than to audio files beside it."""
    match = _SHARD.fullmatch(file.name)
    split = re.sub(r"\W+", "_", match["split"] if match else file.stem)
    name = file.relative_to(root).as_posix()
    write_card(root / "README.md", split, "One condition of a split.", {split: name})


def _find_files(path: Path) -> dict[str, list[Path]]:
    """Return the parquet files of each split, in order."""
    if path.is_file():
        if path.suffix.lower() != ".parquet":
            return {}
        match = _SHARD.fullmatch(path.name)
        if match is None or int(match["count"]) == 1:
            return {path.stem: [path]}
        same = [file for file in path.parent.iterdir() if _is_shard_of(file, match)]
        if len(same) != int(match["count"]):
            raise BenchmarkError(
                f"{printable_path(path)} is one of {int(match['count'])} shards; {len(same)} of "
                "them are there"
            )
        return {match["split"]: sorted(same)}
    if not path.is_dir():
        return {}
    files = sorted(file for file in path.rglob("*.parquet") if not is_litter(file))
    files = [file for file in files if not file.name.startswith(".")]
    declared = read_splits(path / "README.md")
    if declared:
        found = {split: _matching(files, path, patterns) for split, patterns in declared.items()}
        found = {split: matching for split, matching in found.items() if matching}
        if found:
            return found
    splits: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        match = _SHARD.fullmatch(file.name)
        splits[match["split"] if match else file.stem].append(file)
    return dict(splits)


def _is_shard_of(file: Path, match: re.Match[str]) -> bool:
    other = _SHARD.fullmatch(file.name)
    return other is not None and other.group("split", "count") == match.group("split", "count")


def _matching(files: Sequence[Path], folder: Path, patterns: Sequence[str]) -> list[Path]:
    return [
        file
        for file in files
        if any(fnmatch.fnmatch(file.relative_to(folder).as_posix(), text) for text in patterns)
    ]
