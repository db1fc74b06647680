"""Rows of parquet and arrow files: columns in memory, audio where it is.

A table is written back as one file of its own kind. Columns that no row changes are copied as
they are, types and all; a changed audio is embedded from the file that its field names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from perturb.benchmark.arrow_files import TableFile, audio_kind, import_pyarrow
from perturb.benchmark.arrow_writing import (
    TableKind,
    huggingface_schema,
    open_writer,
    row_blocks,
)
from perturb.benchmark.embedded import read_rows
from perturb.benchmark.protocols import RowEdit
from perturb.benchmark.table_audio import AudioCell
from perturb.errors import BenchmarkError

__all__ = ["ArrowRows", "TableCopy"]


class TableCopy(NamedTuple):
    """How the rows of a table are written back.

    Parameters
    ----------
    file_name : str
        Name of the copy, with folders in front where the source has them.
    kind : {'parquet', 'arrow'}
        Its kind.
    finish : callable
        Writes what goes with it, given the folder, the file and its schema.
    """

    file_name: str
    kind: TableKind
    finish: Callable[[Path, Path, Any], None]


class ArrowRows:
    """The rows of one table, in one file or in shards.

    Parameters
    ----------
    tables : sequence of TableFile
        The shards, in order, of one schema.
    audio_columns : sequence of str
        Columns whose bytes stay on disk.
    copy : TableCopy
        How rows are written back.

    Raises
    ------
    BenchmarkError
        A shard has other columns than the first.
    """

    def __init__(
        self,
        tables: Sequence[TableFile],
        audio_columns: Sequence[str],
        copy: TableCopy,
    ) -> None:
        pyarrow = import_pyarrow()
        self.file_name = copy.file_name
        self.schema = tables[0].schema
        self._copy = copy
        self._audio_columns = tuple(audio_columns)
        names = [name for name in self.schema.names if name not in audio_columns]
        schema = pyarrow.schema([self.schema.field(name) for name in names])
        parts = []
        for table in tables:
            if table.schema.names != self.schema.names:
                raise BenchmarkError(
                    f"{table.path} has the columns {', '.join(table.schema.names)}; "
                    f"{tables[0].path} has {', '.join(self.schema.names)}"
                )
            for _, batch in table.batches(names):
                parts.append(pyarrow.Table.from_batches([batch]).cast(schema))
        self._table = pyarrow.concat_tables(parts) if parts else schema.empty_table()
        self._length = sum(table.rows for table in tables)
        self._columns: dict[str, list[Any]] = {}
        self._cells: dict[str, Sequence[AudioCell | None]] = {}

    def keep_audio(
        self, column: str, cells: Sequence[AudioCell | None], texts: Sequence[str | None]
    ) -> None:
        """Say where the audio of a column is, and what its field is to say."""
        self._cells[column] = cells
        self._columns[column] = list(texts)

    def __len__(self) -> int:
        return self._length

    def column(self, name: str) -> list[Any]:
        """Return the values of a column, decoded; of an audio column its names."""
        if name not in self._columns:
            self._columns[name] = self._table.column(name).to_pylist()
        return self._columns[name]

    def row(self, index: int) -> Mapping[str, Any]:
        """Return one row, decoded; of audio its name alone."""
        return {name: self.column(name)[index] for name in self.schema.names}

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write rows in the order given as one file; see `RowStore`.

        A changed audio field is a path, relative to the folder that `file_name` starts in. Its
        bytes are embedded where the column holds bytes. None is no audio.
        """
        root = target.parents[len(Path(self.file_name).parts) - 1]
        added = list(dict.fromkeys(name for edit in edits for name in edit.added))
        schema = huggingface_schema(self.schema, added)
        sizes = (sum(self._audio_sizes(edit, root)) for edit in edits)
        with open_writer(target, schema, self._copy.kind) as writer:
            for start, stop in row_blocks(sizes):
                writer.write(self._block(edits[start:stop], schema, added, root))
        self._copy.finish(root, target, schema)

    def _block(
        self, edits: Sequence[RowEdit], schema: Any, added: Sequence[str], root: Path
    ) -> Any:
        pyarrow = import_pyarrow()
        kept = self._table.take([edit.row for edit in edits])
        arrays = []
        for name in self.schema.names:
            kind = schema.field(name).type
            if name in self._audio_columns:
                values: list[Any] = list(self._audio_values(name, edits, root))
            elif any(name in edit.changed for edit in edits):
                values = [
                    edit.changed[name] if name in edit.changed else self.column(name)[edit.row]
                    for edit in edits
                ]
            else:
                arrays.append(kept.column(name).combine_chunks())
                continue
            arrays.append(_array(values, kind, name))
        for name in added:
            values = [edit.added.get(name) for edit in edits]
            arrays.append(pyarrow.array(values, type=pyarrow.string()))
        return pyarrow.Table.from_arrays(arrays, schema=schema)

    def _audio_sizes(self, edit: RowEdit, root: Path) -> Iterator[int]:
        for name in self._audio_columns:
            if self._is_replaced(name, edit, root) and edit.changed[name] is not None:
                yield (root / edit.changed[name]).stat().st_size

    def _is_replaced(self, name: str, edit: RowEdit, root: Path) -> bool:
        """Whether other bytes take the place of the source's.

        A field that says what it said, and no such file: this audio could not be read.
        """
        if name not in edit.changed or audio_kind(self.schema.field(name)) == "path":
            return False
        text = edit.changed[name]
        return text != self._columns[name][edit.row] or text is None or (root / text).exists()

    def _audio_values(self, name: str, edits: Sequence[RowEdit], root: Path) -> Iterator[Any]:
        kind = audio_kind(self.schema.field(name))
        kept = self._kept_bytes(
            name, [edit for edit in edits if not self._is_replaced(name, edit, root)]
        )
        for edit in edits:
            cell = self._cells[name][edit.row]
            if kind == "path":
                yield edit.changed.get(name, cell.name if cell else None)
            elif not self._is_replaced(name, edit, root):
                name_of_cell = cell.name if cell else None
                yield _value(kind, kept.get(edit.row), name_of_cell, is_none=cell is None)
            elif edit.changed[name] is None:
                yield None
            else:
                text = edit.changed[name]
                is_named = cell is None or cell.name is not None
                data = (root / text).read_bytes()
                yield _value(kind, data, text if is_named else None, is_none=False)

    def _kept_bytes(self, name: str, edits: Sequence[RowEdit]) -> dict[int, bytes | None]:
        """Return the source's bytes of rows whose audio stays."""
        wanted: dict[Path, dict[int, int]] = {}
        for row in sorted({edit.row for edit in edits}):
            cell = self._cells[name][row]
            if cell is not None and cell.is_embedded:
                wanted.setdefault(cell.file, {})[cell.row] = row
        return {
            row_of[place]: data
            for file, row_of in wanted.items()
            for place, data in read_rows(file, name, sorted(row_of))
        }


def _value(kind: str | None, data: bytes | None, name: str | None, *, is_none: bool) -> Any:
    """Return a value of a column of audio bytes."""
    if is_none:
        return None
    return {"bytes": data, "path": name} if kind == "struct" else data


def _array(values: list[Any], kind: Any, name: str) -> Any:
    pyarrow = import_pyarrow()
    try:
        return pyarrow.array(values, type=kind)
    except (pyarrow.ArrowException, TypeError) as error:
        line = str(error).splitlines()[0]
        raise BenchmarkError(
            f"column {name!r} is {kind}; a variant does not fit it: {line}"
        ) from error
