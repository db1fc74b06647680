"""SAKURA: CSV with two questions a row about one clip, the options of each inside it.

Each row makes two items, ``0_single`` and ``0_multi``. The source has one row for both, so its two
items are written into one; a condition that gives them different audio needs one of the readers
`sakura_single` and `sakura_multi`, which read one question a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.benchmark.item import Benchmark
from perturb.benchmark.layout import Layout
from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.readers.assembly import Draft, Source, assemble, collect
from perturb.benchmark.readers.inline import InlineReader
from perturb.benchmark.rows.csv_rows import CSV_SUFFIXES, CsvRows
from perturb.benchmark.rows.opening import PEEKED_ROWS, open_rows
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["SakuraHopReader", "SakuraReader"]

_HOPS = ("single", "multi")
_LOOKED_FOR = (
    "CSV with the columns file, single_instruction, single_answer, multi_instruction, multi_answer"
)


class SakuraHopReader(InlineReader):
    """Reads one of the two questions of each row.

    Parameters
    ----------
    hop : {'single', 'multi'}
        Which.
    """

    looked_for = _LOOKED_FOR
    suffixes = CSV_SUFFIXES

    def __init__(self, hop: str) -> None:
        self.name = f"sakura_{hop}"
        self.prescribed = {"question": f"{hop}_instruction", "answer": f"{hop}_answer"}  # type: ignore[misc]

    def paths(self, row: Mapping[str, Any], text: str) -> tuple[str, ...]:
        """Return the path in the folder ``audio`` beside the file, and as it stands."""
        return f"audio/{text}", text


class SakuraReader:
    """Reads both questions of each row; see `perturb.benchmark.protocols.Reader`."""

    name = "sakura"
    hops: ClassVar = tuple(SakuraHopReader(hop) for hop in _HOPS)

    def recognise(self, path: Path) -> str | None:
        """Return in one line what of this format is seen at `path`, or None."""
        seen = [reader.recognise(path) for reader in self.hops]
        return None if None in seen else f"two questions a row: {seen[0]}"

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read everything but the audio; see `Reader`."""
        rows = open_rows(path)
        first = [rows.row(index) for index in range(min(len(rows), PEEKED_ROWS))]
        layouts = [layout for hop in self.hops if (layout := hop.find_layout(first)) is not None]
        if len(layouts) != len(_HOPS) or not isinstance(rows, CsvRows):
            raise BenchmarkError(
                f"{printable_path(path)}: nothing for the reader {self.name}, which looks for "
                f"{_LOOKED_FOR}"
            )

        def draft(index: int) -> Draft:
            row, hop = divmod(index, len(_HOPS))
            name = f"{row}_{_HOPS[hop]}"
            return self.hops[hop].draft(rows.row(row), name, layouts[hop])

        source = Source(
            reader=self.name,
            path=path,
            rows=SakuraRows(rows),
            reason=f"CSV of {len(rows)} rows of two questions with {layouts[0].describe()}",
            layout=layouts[0],
            otherwise=SakuraHopReader.otherwise,
        )
        return assemble(source, collect(path, len(source.rows), draft), audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the fields of the source that differ in this variant; see `Reader`."""
        hop = self.hops[variant.item.row % len(_HOPS)]
        layout = msgspec.structs.replace(Layout.of(benchmark.fields), **hop.prescribed)
        alone = msgspec.structs.replace(benchmark, fields=layout.to_fields())
        return hop.express(alone, variant, audio_fields)


class SakuraRows:
    """Rows by item, two for each of the source's, which writes them back as one.

    Parameters
    ----------
    rows : CsvRows
        The source's rows.
    """

    def __init__(self, rows: CsvRows) -> None:
        self._rows = rows

    @property
    def file_name(self) -> str:
        """The source's own name."""
        return self._rows.file_name

    def __len__(self) -> int:
        return len(_HOPS) * len(self._rows)

    def row(self, index: int) -> Mapping[str, str]:
        """Return the row that an item stands in."""
        return self._rows.row(index // len(_HOPS))

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write the rows that the items stand in; see `RowStore`.

        An added field holds what its two items say, with a bar between where they differ.

        Raises
        ------
        BenchmarkError
            The two items of a row got different audio.
        """
        by_row = groupby(edits, key=lambda edit: edit.row // len(_HOPS))
        self._rows.write(target, [self._joined(row, list(both)) for row, both in by_row])

    def _joined(self, row: int, edits: Sequence[RowEdit]) -> RowEdit:
        changed: dict[str, Any] = {}
        for name, value in (pair for edit in edits for pair in edit.changed.items()):
            if changed.setdefault(name, value) != value:
                raise BenchmarkError(
                    f"row {row}: its two questions differ in {name} ({changed[name]} and {value}), "
                    "and the source has one field for both; name the reader sakura_single or "
                    "sakura_multi"
                )
        added = {name: _one_text([edit.added[name] for edit in edits]) for name in edits[0].added}
        return RowEdit(row=row, changed=changed, added=added)


def _one_text(values: Sequence[str | None]) -> str | None:
    texts = list(dict.fromkeys(value or "" for value in values))
    return " | ".join(texts) if any(texts) else None
