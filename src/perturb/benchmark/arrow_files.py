"""Parquet and arrow files: their schema, and batches of chosen columns, never a whole file.

pyarrow is an optional package and slow to import; it is met in here and in what calls here alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from perturb.audio_io.paths import printable_path
from perturb.errors import BenchmarkError

__all__ = ["TableFile", "audio_kind", "import_pyarrow", "is_missing", "open_table"]

ROWS_AT_ONCE = 4096
"""Rows of a batch without audio bytes."""

AUDIO_ROWS_AT_ONCE = 4
"""Rows of a batch with audio bytes: 4 of 23 minutes each are 0.2 GB."""


def import_pyarrow() -> Any:
    """Return the module pyarrow.

    Raises
    ------
    BenchmarkError
        It is not installed; the way out is named.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise BenchmarkError(
            f"parquet and arrow files need pyarrow, which cannot be imported ({error}): "
            "pip install 'perturb-audio[parquet]'"
        ) from error
    return pyarrow


def is_missing(column: Any) -> list[bool]:
    """Return for each value of an arrow array whether it is null."""
    return list(column.is_null().to_pylist())


def audio_kind(field: Any) -> str | None:
    """Return how a column can hold audio: 'struct', 'bytes' or 'path'; None if it cannot.

    Text is a candidate for 'path' only by the column's name, which is the caller's business.
    """
    types = import_pyarrow().types
    kind = field.type
    if types.is_struct(kind):
        names = {kind.field(index).name for index in range(kind.num_fields)}
        return "struct" if names and names <= {"bytes", "path"} else None
    if types.is_binary(kind) or types.is_large_binary(kind):
        return "bytes"
    return "path" if types.is_string(kind) or types.is_large_string(kind) else None


class TableFile(Protocol):
    """One file of rows."""

    path: Path
    schema: Any
    """Its pyarrow schema."""
    rows: int

    def batches(
        self, columns: Sequence[str], wanted: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Any]]:
        """Yield the first row's number and a record batch, for the whole file or what is wanted.

        Parameters
        ----------
        columns : sequence of str
            What to read; ``audio.path`` reads one field of a struct.
        wanted : sequence of int, optional
            Rows that matter, ascending: what holds none of them may be left out. Given where
            audio bytes are read, so that batches are small.
        """
        ...

    def lacks_bytes(self, column: str, missing: Sequence[bool]) -> list[bool]:
        """Return for each row whether a struct column holds no bytes; `missing` are its nulls."""
        ...


def open_table(path: Path) -> TableFile:
    """Open a parquet or arrow file, by its content.

    Raises
    ------
    BenchmarkError
        pyarrow is missing, or the file is damaged or neither of the two.
    """
    import_pyarrow()
    with _errors_named(path):
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
        return _ParquetTable(path) if is_parquet else _ArrowTable(path)


class _ParquetTable:
    """A parquet file; each call opens it anew, so that no handle stays open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as file:
            self.schema = file.schema_arrow
            self.rows = int(file.metadata.num_rows)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        from pyarrow import parquet

        with _errors_named(self.path):
            file = parquet.ParquetFile(self.path, buffer_size=1 << 20, pre_buffer=False)
            with file:
                yield file

    def batches(
        self, columns: Sequence[str], wanted: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Any]]:
        size = ROWS_AT_ONCE if wanted is None else AUDIO_ROWS_AT_ONCE
        rows = None if wanted is None else iter(wanted)
        row = None if rows is None else next(rows, None)
        with self._open() as file:
            start = 0
            for group in range(file.num_row_groups):
                stop = start + file.metadata.row_group(group).num_rows
                if rows is None or (row is not None and row < stop):
                    for batch in file.iter_batches(
                        batch_size=size, row_groups=[group], columns=list(columns)
                    ):
                        yield start, batch
                        start += batch.num_rows
                while rows is not None and row is not None and row < stop:
                    row = next(rows, None)
                start = stop

    def lacks_bytes(self, column: str, missing: Sequence[bool]) -> list[bool]:
        found: list[bool] = []
        leaf = f"{column}.bytes"
        with self._open() as file:
            for group in range(file.num_row_groups):
                facts = file.metadata.row_group(group)
                nulls = list(missing[len(found) : len(found) + facts.num_rows])
                empty = _null_count(facts, leaf)
                if empty == facts.num_rows:
                    found += [True] * facts.num_rows
                elif empty == sum(nulls):
                    found += nulls
                else:
                    for batch in file.iter_batches(
                        batch_size=AUDIO_ROWS_AT_ONCE, row_groups=[group], columns=[leaf]
                    ):
                        found += is_missing(batch.column(0).field("bytes"))
        return [lacking or null for lacking, null in zip(found, missing, strict=True)]


class _ArrowTable:
    """An arrow file of the stream or the file kind, mapped into memory rather than read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0
        for _, batch in self._mapped():
            self.rows += batch.num_rows
        with self._open() as reader:
            self.schema = reader.schema

    @contextmanager
    def _open(self) -> Iterator[Any]:
        pyarrow = import_pyarrow()
        with _errors_named(self.path), pyarrow.memory_map(str(self.path)) as memory:
            try:
                reader = pyarrow.ipc.open_stream(memory)
            except pyarrow.ArrowInvalid:
                memory.seek(0)
                reader = pyarrow.ipc.open_file(memory)
            yield reader

    def _mapped(self) -> Iterator[tuple[int, Any]]:
        start = 0
        with self._open() as reader:
            count = getattr(reader, "num_record_batches", None)
            batches = reader if count is None else map(reader.get_batch, range(count))
            for batch in batches:
                yield start, batch
                start += batch.num_rows

    def batches(
        self, columns: Sequence[str], wanted: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Any]]:
        pyarrow = import_pyarrow()
        for start, batch in self._mapped():
            parts = {}
            for name in columns:
                column, _, field = (
                    name.partition(".") if name not in batch.schema.names else (name, "", "")
                )
                values = batch.column(batch.schema.get_field_index(column))
                parts[column] = _one_field(values, field) if field else values
            yield start, pyarrow.RecordBatch.from_arrays(list(parts.values()), list(parts))

    def lacks_bytes(self, column: str, missing: Sequence[bool]) -> list[bool]:
        found: list[bool] = []
        for _, batch in self._mapped():
            found += is_missing(batch.column(column).field("bytes"))
        return [lacking or null for lacking, null in zip(found, missing, strict=True)]


def _one_field(values: Any, field: str) -> Any:
    """Return a struct array with one of its fields, nulls of the struct kept."""
    pyarrow = import_pyarrow()
    return pyarrow.StructArray.from_arrays([values.field(field)], [field], mask=values.is_null())


def _null_count(facts: Any, leaf: str) -> int | None:
    """Return how many values of a leaf are null in a row group, where its statistics tell."""
    for index in range(facts.num_columns):
        column = facts.column(index)
        if column.path_in_schema == leaf:
            statistics = column.statistics
            has_count = statistics is not None and statistics.has_null_count
            return int(statistics.null_count) if has_count else None
    return None


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """Turn what pyarrow and the system raise into a `BenchmarkError` that names the file."""
    pyarrow = import_pyarrow()
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BenchmarkError(f"{printable_path(path)}: cannot be read: {line}") from error
