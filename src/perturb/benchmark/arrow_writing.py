"""Parquet and arrow files that appear whole, with bounded memory and the same bytes every time."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from perturb.audio_io.paths import errors_named
from perturb.benchmark.arrow_files import import_pyarrow

__all__ = ["TableKind", "huggingface_schema", "open_writer", "row_blocks"]

TableKind = Literal["parquet", "arrow"]

_BLOCK_ROWS = 1000
_BLOCK_BYTES = 32 << 20


def row_blocks(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges of rows to hold in memory at once: 1,000 rows or 32 MiB.

    Examples
    --------
    >>> list(row_blocks([20 << 20, 20 << 20, 1]))
    [(0, 1), (1, 3)]
    """
    start = stop = total = 0
    for size in sizes:
        if stop > start and (total + size > _BLOCK_BYTES or stop - start == _BLOCK_ROWS):
            yield start, stop
            start, total = stop, 0
        total += size
        stop += 1
    if stop > start:
        yield start, stop


def huggingface_schema(schema: Any, added: Sequence[str], audio_columns: Sequence[str] = ()) -> Any:
    """Return a schema with text columns added, known to the library `datasets`.

    Parameters
    ----------
    schema : pyarrow.Schema
        The columns; features that its metadata names stay.
    added : sequence of str
        Names of text columns to add.
    audio_columns : sequence of str
        Columns to declare as audio.
    """
    pyarrow = import_pyarrow()
    metadata = dict(schema.metadata or {})
    fields = [*schema, *(pyarrow.field(name, pyarrow.string()) for name in added)]
    known = json.loads(metadata[b"huggingface"]) if b"huggingface" in metadata else {}
    features = dict(known.get("info", {}).get("features") or {})
    features.update({name: {"_type": "Audio"} for name in audio_columns})
    if features:
        features.update({name: {"dtype": "string", "_type": "Value"} for name in added})
        metadata[b"huggingface"] = json.dumps({"info": {"features": features}}).encode()
    return pyarrow.schema(fields, metadata=metadata)


@contextmanager
def open_writer(target: Path, schema: Any, kind: TableKind) -> Iterator[Any]:
    """Open a file for tables; it gets its name when the block ends without an error.

    Each table that is written becomes a row group (parquet) or record batch (arrow). Audio is
    stored as it is, neither compressed nor put into a dictionary.

    Raises
    ------
    AudioError
        The file cannot be written.
    """
    with errors_named(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".perturb-{os.getpid()}-{secrets.token_hex(8)}.tmp")
        try:
            with temporary.open("xb") as file:
                with _format_writer(file, schema, kind) as writer:
                    yield writer
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise


def _format_writer(file: Any, schema: Any, kind: TableKind) -> Any:
    pyarrow = import_pyarrow()
    if kind == "arrow":
        return pyarrow.ipc.new_stream(file, schema)
    from pyarrow import parquet

    leaves = _leaves(schema)
    sounds = {leaf for leaf, kind_of_leaf in leaves.items() if _is_bytes(kind_of_leaf)}
    return parquet.ParquetWriter(
        file,
        schema,
        use_dictionary=[leaf for leaf in leaves if leaf not in sounds],
        compression={leaf: "NONE" if leaf in sounds else "SNAPPY" for leaf in leaves},
    )


def _is_bytes(kind: Any) -> bool:
    types = import_pyarrow().types
    return bool(types.is_binary(kind) or types.is_large_binary(kind))


def _leaves(schema: Any) -> dict[str, Any]:
    """Return the type of each leaf column by its path in a parquet file."""
    types = import_pyarrow().types
    found = {}

    def visit(path: str, kind: Any) -> None:
        if types.is_struct(kind):
            for index in range(kind.num_fields):
                visit(f"{path}.{kind.field(index).name}", kind.field(index).type)
        elif types.is_list(kind) or types.is_large_list(kind):
            visit(f"{path}.list.element", kind.value_type)
        else:
            found[path] = kind

    for field in schema:
        visit(field.name, field.type)
    return found
