"""``parquet``: audio inside, one split per condition, loaded by `datasets` without code."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.benchmark.arrow_files import import_pyarrow
from perturb.benchmark.arrow_writing import huggingface_schema, open_writer, row_blocks
from perturb.benchmark.card import write_card
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.variant import VariantRow
from perturb.benchmark.variant_table import (
    Column,
    VariantTable,
    audio_column,
    audio_roles,
    plan_table,
)
from perturb.benchmark.writers.checking import have_equal_rows, text_problems

__all__ = ["ParquetWriter"]

_CARD = "README.md"
_SHARD_BYTES = 400 << 20
"""Audio of one file; a row that is longer has a file to itself."""


class ParquetWriter:
    """Writes ``data/<condition>-00000-of-0000N.parquet`` and the card that names the splits.

    The column ``audio`` is a struct of bytes and path, declared as audio; further roles have
    columns ``audio_ROLE``. It is null in conditions without audio, and in rows whose audio could
    not be read.
    """

    name = "parquet"

    def check(self, source: SplitSource, conditions: Mapping[str, bool]) -> None:
        """Refuse to go without pyarrow; every condition can be held."""
        import_pyarrow()

    def write(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> None:
        """Write every condition; see `Writer`."""
        data = folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        wanted = set()
        table = _plan(source, rows)
        for condition, variants in rows.items():
            for name, part in _shards(condition, variants):
                _write_shard(data / name, table, part)
                wanted.add(name)
        for stale in data.iterdir():
            if stale.name not in wanted:
                stale.unlink()
        _write_card(folder / _CARD, source, table, rows)

    def verify(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> list[str]:
        """Return a line for each file that is not what the rows and canonical files say."""
        table = _plan(source, rows)
        problems, wanted = [], set()
        for condition, variants in rows.items():
            for name, part in _shards(condition, variants):
                problem = _shard_problem(folder / "data" / name, table, part)
                if problem is not None:
                    problems.append(f"{self.name}/data/{name}: {problem}")
                wanted.add(name)
        surplus = sorted({path.name for path in (folder / "data").glob("*.parquet")} - wanted)
        problems += [f"{self.name}/data/{name}: is no shard of a condition" for name in surplus]
        with tempfile.TemporaryDirectory() as scratch:
            expected = Path(scratch) / _CARD
            _write_card(expected, source, table, rows)
            problems += text_problems(folder / _CARD, expected, f"{self.name}/{_CARD}")
        return problems


def _plan(source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]) -> VariantTable:
    return plan_table(source, rows, [audio_column(role) for role in audio_roles(source)])


def _shards(
    condition: str, variants: Sequence[VariantRow]
) -> Iterator[tuple[str, Sequence[VariantRow]]]:
    """Yield the name of each file of a condition, and its rows."""
    starts, total = [0], 0
    for index, variant in enumerate(variants):
        size = _audio_bytes(variant)
        if total and total + size > _SHARD_BYTES:
            starts.append(index)
            total = 0
        total += size
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else len(variants)
        name = f"{condition}-{number:05d}-of-{len(starts):05d}.parquet"
        yield name, variants[start:stop]


def _audio_bytes(variant: VariantRow) -> int:
    files = [audio.file for audio in variant.audios or () if audio.file is not None]
    return sum(file.stat().st_size for file in files)


def _write_shard(target: Path, table: VariantTable, variants: Sequence[VariantRow]) -> None:
    schema = _schema(table)
    with open_writer(target, schema, "parquet") as writer:
        for start, stop in row_blocks(map(_audio_bytes, variants)):
            writer.write(_block(schema, table, variants[start:stop]))


def _block(schema: Any, table: VariantTable, variants: Sequence[VariantRow]) -> Any:
    pyarrow = import_pyarrow()
    rows = [_audio_values(table, variant) | table.row(variant) for variant in variants]
    arrays = [pyarrow.array([row[field.name] for row in rows], type=field.type) for field in schema]
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _audio_values(table: VariantTable, variant: VariantRow) -> dict[str, Any]:
    values: dict[str, Any] = {audio_column(role): None for role in table.roles}
    for audio in variant.audios or ():
        if audio.file is not None:
            values[audio_column(audio.role)] = {
                "bytes": audio.file.read_bytes(),
                "path": audio.file.name,
            }
    return values


def _schema(table: VariantTable) -> Any:
    pyarrow = import_pyarrow()
    audio = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
    sounds = [audio_column(role) for role in table.roles]
    fields = [pyarrow.field(name, audio) for name in sounds]
    fields += [pyarrow.field(column.name, _arrow_type(column)) for column in table.columns]
    names = ["id", *sounds, *(column.name for column in table.columns if column.name != "id")]
    by_name = {field.name: field for field in fields}
    return huggingface_schema(pyarrow.schema([by_name[name] for name in names]), (), sounds)


def _arrow_type(column: Column) -> Any:
    pyarrow = import_pyarrow()
    types = {
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.field("element", pyarrow.string())),
    }
    return types.get(column.kind, pyarrow.string())


def _shard_problem(path: Path, table: VariantTable, variants: Sequence[VariantRow]) -> str | None:
    """Return the first thing in which a file differs from one written afresh; None if nothing."""
    from pyarrow import ArrowException, parquet

    schema = _schema(table)
    try:
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            if not file.schema_arrow.equals(schema, check_metadata=True):
                return "has other columns than the records say"
            blocks = list(row_blocks(map(_audio_bytes, variants)))
            if file.num_row_groups != len(blocks):
                return "has not the rows that the records say"
            for group, (start, stop) in enumerate(blocks):
                expected = _block(schema, table, variants[start:stop])
                if not have_equal_rows(file.read_row_group(group), expected):
                    return f"rows {start} to {stop - 1} are not what the records say"
    except (ArrowException, OSError) as error:
        return str(error).splitlines()[0]
    return None


def _write_card(
    path: Path,
    source: SplitSource,
    table: VariantTable,
    rows: Mapping[str, Sequence[VariantRow]],
) -> None:
    columns = [f"- `{column.name}`: {column.kind}" for column in table.columns]
    text = (
        "Every item of the benchmark in every condition, one split each, rows in the same order. "
        "Rows of every status are here; `perturb_status` and `perturb_reason` tell what became of "
        "each. `audio` is null in conditions without audio and where the source's audio could not "
        "be read.\n\n" + "\n".join(columns)
    )
    title = f"{source.benchmark.path.stem}: counterfactual splits"
    write_card(path, title, text, {condition: f"data/{condition}-*" for condition in rows})
