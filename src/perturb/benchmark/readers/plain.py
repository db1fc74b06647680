"""A plain CSV with a column of audio files, for people who have no benchmark yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from perturb.audio_io.paths import AUDIO_SUFFIXES, printable_path
from perturb.benchmark.item import Benchmark
from perturb.benchmark.layout import Layout, find_layout
from perturb.benchmark.rows.csv_rows import CSV_SUFFIXES
from perturb.benchmark.rows.opening import open_rows, peek
from perturb.benchmark.tabular import express_fields
from perturb.benchmark.text_reading import read_text_rows
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["PlainReader"]


class PlainReader:
    """Reads a CSV or TSV in which one column names audio files; all else is optional."""

    name = "plain"

    def recognise(self, path: Path) -> str | None:
        """Return what is seen at `path`; reads a few rows."""
        if path.suffix.lower() not in CSV_SUFFIXES:
            return None
        layout = _find_layout(peek(path))
        return None if layout is None else f"a plain CSV with {layout.describe()}"

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read all but the audio; see `Reader`."""
        rows = open_rows(path)
        first = [rows.row(index) for index in range(min(len(rows), 100))]
        layout = _find_layout(first)
        if layout is None:
            raise BenchmarkError(
                f"{printable_path(path)}: no column names audio files (columns: "
                f"{', '.join(first[0])}); accepted: paths in a column, e.g. audio"
            )
        form = "a plain CSV"
        return read_text_rows(self.name, form, path, rows, layout, path.parent, audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the columns that differ; see `Reader`."""
        row = benchmark.rows.row(variant.item.row)
        return express_fields(Layout.of(benchmark.fields), row, variant, audio_fields)


def _find_layout(rows: Sequence[Mapping[str, Any]]) -> Layout | None:
    """Return which column holds what: the audio's are those whose every value ends like audio."""
    if not rows:
        return None
    sounds = [
        name
        for name in rows[0]
        if all(_is_audio(row.get(name)) for row in rows) and any(row.get(name) for row in rows)
    ]
    return find_layout(list(rows[0]), sounds)


def _is_audio(value: object) -> bool:
    return not value or PurePosixPath(str(value)).suffix.lower() in AUDIO_SUFFIXES
