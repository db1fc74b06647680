"""Which reader a benchmark needs, and why."""

from __future__ import annotations

import difflib
import functools
import importlib
import json
from pathlib import Path
from typing import cast

from perturb.audio_io.paths import is_litter, printable_path
from perturb.benchmark.protocols import Reader
from perturb.benchmark.rows.csv_rows import CSV_SUFFIXES
from perturb.benchmark.rows.json_rows import JSON_SUFFIXES
from perturb.benchmark.rows.json_text import decode
from perturb.errors import BenchmarkError

__all__ = ["READER_NAMES", "find_reader", "reader_named"]

_SPECIFIC = {
    "mmau": "mmau:MmauReader",
    "lettered": "lettered:LetteredReader",
    "inspect": "messages:InspectReader",
    "hear": "hear:HearReader",
    "kimi": "kimi:KimiReader",
    "sakura": "sakura:SakuraReader",
    "parquet": "parquet:ParquetReader",
    "saved_dataset": "saved_dataset:SavedDatasetReader",
    "audiofolder": "audiofolder:AudioFolderReader",
}
"""Readers that know their format by its own marks: module and class."""

_GENERAL = {"plain": "plain:PlainReader", "folder": "folder:FolderReader"}
"""Readers that take what no other knows, the first that does."""

_ON_REQUEST = {
    "lettered_text": ("lettered:LetteredReader", "text"),
    "lettered_letter": ("lettered:LetteredReader", "letter"),
    "sakura_single": ("sakura:SakuraHopReader", "single"),
    "sakura_multi": ("sakura:SakuraHopReader", "multi"),
}
"""Readers that are only named: they settle what a file leaves open."""

READER_NAMES = (*_SPECIFIC, *_GENERAL, *_ON_REQUEST)
"""All readers, as in ``--reader NAME``."""


def find_reader(path: Path, name: str = "auto") -> tuple[Reader, str]:
    """Return the reader of a benchmark, and what it recognised in one line.

    Parameters
    ----------
    path : Path
        File or folder.
    name : str
        A reader's name; 'auto' to recognise the format.

    Raises
    ------
    BenchmarkError
        Nothing is there, no reader or more than one recognises it, or there is no such reader.
    """
    where = printable_path(path)
    if not path.exists():
        raise BenchmarkError(f"{where}: there is no such file or folder")
    if name != "auto":
        reader = reader_named(name)
        return reader, reader.recognise(path) or "named with --reader"
    seen = _recognise(path, _SPECIFIC)
    if len(seen) > 1:
        readings = "; ".join(f"{reader} ({reason})" for reader, reason in seen.items())
        raise BenchmarkError(f"{where}: can be read by {readings}; name one with --reader")
    if not seen and path.is_dir():
        _refuse_hidden(path)
    if not seen:
        seen = _recognise(path, _GENERAL)
    for found, reason in seen.items():
        return reader_named(found), reason
    fault = _json_fault(path) if path.suffix.lower() in JSON_SUFFIXES and path.is_file() else None
    raise BenchmarkError(
        f"{where}: {'' if fault is None else f'no valid JSON, {fault}; '}"
        "no reader recognises it; looked for audio files named in JSON, JSONL, CSV or "
        "TSV rows with a question, for messages with audio, for tables with an audio column, and "
        f"for a folder of audio; name a reader with --reader to hear what it misses: "
        f"{', '.join(READER_NAMES)}"
    )


@functools.cache
def reader_named(name: str) -> Reader:
    """Return the reader of a name.

    Raises
    ------
    BenchmarkError
        There is none; the nearest name is offered.
    """
    if name in _ON_REQUEST:
        place, argument = _ON_REQUEST[name]
        return cast("Reader", _load(place)(argument))
    known = _SPECIFIC | _GENERAL
    if name in known:
        return cast("Reader", _load(known[name])())
    near = difflib.get_close_matches(name, READER_NAMES, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise BenchmarkError(
        f"no reader is called {name!r}; {hint}accepted: auto, {', '.join(READER_NAMES)}"
    )


def _load(place: str) -> type:
    module, _, name = place.partition(":")
    loaded: type = getattr(importlib.import_module(f"perturb.benchmark.readers.{module}"), name)
    return loaded


def _recognise(path: Path, names: dict[str, str]) -> dict[str, str]:
    seen = {}
    for name in names:
        reason = reader_named(name).recognise(path)
        if reason is not None:
            seen[name] = reason
    return seen


def _json_fault(path: Path) -> str | None:
    """Return where a file stops being JSON, and one object a line, in words; None for JSON."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        return str(error.strerror)
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    whole = _fault_of(text, 1)
    if whole is None:
        return None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    faults = (_fault_of(line, number) for number, line in lines)
    first = next((fault for fault in faults if fault is not None), None)
    if not lines:
        return whole
    has_lines = path.suffix.lower() != ".json" or _fault_of(lines[0][1], 1) is None
    return first if has_lines else whole


def _fault_of(text: str, first_line: int) -> str | None:
    try:
        decode(text.encode())
    except json.JSONDecodeError as error:
        return f"line {first_line + error.lineno - 1}, column {error.colno}: {error.msg}"
    except ValueError as error:
        return f"line {first_line}: {error}"
    return None


def _refuse_hidden(folder: Path) -> None:
    """Refuse a folder that holds a benchmark's file: its audio alone would ask nothing."""
    for file in sorted(folder.iterdir()):
        is_text = file.suffix.lower() in JSON_SUFFIXES | CSV_SUFFIXES and not is_litter(file)
        if is_text and _recognise(file, _SPECIFIC):
            raise BenchmarkError(
                f"{printable_path(folder)}: is a folder with the benchmark {file.name}; give that "
                "file, or name the reader folder with --reader for the audio alone"
            )
