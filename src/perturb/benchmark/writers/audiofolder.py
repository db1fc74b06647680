"""``audiofolder``: audio files and ``metadata.jsonl``, one folder and split per condition.

The loader tells a column's type from the first rows of each file and refuses splits that differ,
and JSON Lines can say neither null text nor an empty list of texts. So nothing is the empty text
here, and a column that is not text but has gaps is written as JSON text.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io import write_bytes_atomic
from perturb.benchmark.card import write_card
from perturb.benchmark.item import MAIN_ROLE
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.variant import VariantRow
from perturb.benchmark.variant_table import (
    Column,
    VariantTable,
    audio_column,
    audio_roles,
    plan_table,
)
from perturb.benchmark.writers.checking import audio_problems, text_problems
from perturb.benchmark.writers.linking import link_or_copy
from perturb.errors import BenchmarkError

__all__ = ["AudioFolderWriter"]

_METADATA = "metadata.jsonl"
_CARD = "README.md"
_NO_AUDIO = "no_audio.wav"
_FILE_NAME_ENDING = re.compile(r"file_names?$")


class AudioFolderWriter:
    """Writes ``<condition>/metadata.jsonl`` beside the audio, and the card with its ``configs``.

    Without the card the folders would merge into one split, and rows whose file name holds "train"
    or "test" would be lost. Only the main audio becomes the loader's column ``audio``; audio in
    further roles lies beside it, named in ``audio_ROLE``. The loader wants a file for every row
    (up to datasets 3 a null ``file_name`` ends the whole load), so a row without audio that could
    be read names ``no_audio.wav``, an empty file that no decoder takes for audio.
    """

    name = "audiofolder"

    def check(self, source: SplitSource, conditions: Mapping[str, bool]) -> None:
        """Refuse conditions without audio.

        Raises
        ------
        BenchmarkError
            With the way out.
        """
        silent = [name for name, has_audio in conditions.items() if not has_audio]
        if silent:
            raise BenchmarkError(
                f"audiofolder holds audio files and cannot hold {', '.join(silent)}, without "
                "audio; choose --writer parquet, source or inspect, or leave these conditions out"
            )

    def write(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> None:
        """Write every condition; see `Writer`."""
        table = _plan(source, rows)
        for condition, variants in rows.items():
            target = folder / condition
            target.mkdir(parents=True, exist_ok=True)
            names = _file_names(variants)
            for stale in target.iterdir():
                if stale.name not in names.values():
                    stale.unlink()
            if _lacks_audio(variants):
                write_bytes_atomic(target / _NO_AUDIO, b"")
            for file, name in names.items():
                link_or_copy(file, target / name)
            write_bytes_atomic(target / _METADATA, _metadata(table, variants, names))
        _write_card(folder / _CARD, source, table, rows)

    def verify(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> list[str]:
        """Compare audio with the canonical files, and text with what would be written."""
        table = _plan(source, rows)
        problems = []
        with tempfile.TemporaryDirectory() as scratch:
            expected = Path(scratch) / _METADATA
            for condition, variants in rows.items():
                place = f"{self.name}/{condition}"
                names = _file_names(variants)
                empty = folder / condition / _NO_AUDIO
                if _lacks_audio(variants) and not (empty.is_file() and not empty.stat().st_size):
                    problems.append(f"{place}/{_NO_AUDIO}: is missing, or not empty")
                files = {name: file for file, name in names.items()}
                problems += [
                    f"{place}/{line}" for line in audio_problems(folder / condition, files)
                ]
                expected.write_bytes(_metadata(table, variants, names))
                found = folder / condition / _METADATA
                problems += text_problems(found, expected, f"{place}/{_METADATA}")
            _write_card(expected, source, table, rows)
            problems += text_problems(folder / _CARD, expected, f"{self.name}/{_CARD}")
        return problems


def _plan(source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]) -> VariantTable:
    reserved = ["file_name", *(audio_column(role) for role in audio_roles(source))]
    return plan_table(source, rows, reserved, lambda name: _FILE_NAME_ENDING.sub("file", name))


def _lacks_audio(variants: Sequence[VariantRow]) -> bool:
    return any(_main_file(variant) is None for variant in variants)


def _main_file(variant: VariantRow) -> Path | None:
    files = [audio.file for audio in variant.audios or () if audio.role == MAIN_ROLE]
    return files[0] if files else None


def _file_names(variants: Sequence[VariantRow]) -> dict[Path, str]:
    """Return the name of each canonical file inside the condition's folder."""
    names: dict[Path, str] = {}
    taken = {_METADATA, _NO_AUDIO}
    files = [audio.file for variant in variants for audio in variant.audios or ()]
    for file in dict.fromkeys(file for file in files if file is not None):
        name = file.name
        if name in taken:
            name = f"{file.stem}-{file.parent.name}{file.suffix}"
        taken.add(name)
        names[file] = name
    return names


def _metadata(
    table: VariantTable, variants: Sequence[VariantRow], names: Mapping[Path, str]
) -> bytes:
    encoder = msgspec.json.Encoder()
    lines = [encoder.encode(_row(table, variant, names)) for variant in variants]
    return b"".join(line + b"\n" for line in lines)


def _row(table: VariantTable, variant: VariantRow, names: Mapping[Path, str]) -> dict[str, Any]:
    files = {audio.role: audio.file for audio in variant.audios or ()}
    placed = {role: names[file] for role, file in files.items() if file is not None}
    row: dict[str, Any] = {"file_name": placed.get(MAIN_ROLE, _NO_AUDIO)}
    for role in table.roles:
        if role != MAIN_ROLE:
            row[audio_column(role)] = placed.get(role, "")
    values = table.row(variant)
    return row | {column.name: _json_value(column, values[column.name]) for column in table.columns}


def _json_value(column: Column, value: Any) -> Any:
    """Return a value whose type is the same in every row and condition."""
    if column.kind in ("text", "json"):
        return "" if value is None else value
    if not column.has_gaps:
        return value
    is_nothing = value is None or value != value
    return "" if is_nothing else msgspec.json.encode(value).decode()


def _write_card(
    path: Path,
    source: SplitSource,
    table: VariantTable,
    rows: Mapping[str, Sequence[VariantRow]],
) -> None:
    as_text = [
        f"`{column.name}`"
        for column in table.columns
        if column.kind == "json" or (column.has_gaps and column.kind != "text")
    ]
    text = (
        "Every item of the benchmark in every condition, one split each, rows in the same order. "
        "Rows of every status are here; `perturb_status` and `perturb_reason` tell what became of "
        f"each. Where the source's audio could not be read, the audio is `{_NO_AUDIO}`, an empty "
        "file. Empty text stands for nothing."
    )
    if as_text:
        text += f" Written as JSON text: {', '.join(as_text)}."
    write_card(
        path,
        f"{source.benchmark.path.stem}: counterfactual splits",
        text,
        {condition: f"{condition}/**" for condition in rows},
        ["drop_labels: true"],
    )
