"""Audio whose bytes lie inside tables: taken out as it is, one walk through each file."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from perturb.audio_io import write_bytes_atomic
from perturb.audio_io.paths import printable_path
from perturb.benchmark.arrow_files import open_table
from perturb.benchmark.item import Clip
from perturb.errors import BenchmarkError

__all__ = ["extract", "extract_all", "extracted_path", "read_rows", "sniff_suffix", "walk"]

_MAGIC = (
    (re.compile(rb"(RIFF|RIFX).{4}WAVE", re.DOTALL), ".wav"),
    (re.compile(rb"RF64"), ".rf64"),
    (re.compile(rb"fLaC"), ".flac"),
    (re.compile(rb"OggS.{24,60}OpusHead", re.DOTALL), ".opus"),
    (re.compile(rb"OggS"), ".ogg"),
    (re.compile(rb"FORM.{4}AIF[FC]", re.DOTALL), ".aiff"),
    (re.compile(rb"\.snd"), ".au"),
    (re.compile(rb"caff"), ".caf"),
    (re.compile(rb"NIST_1A"), ".sph"),
    (re.compile(rb"ID3|\xff[\xe2-\xff]"), ".mp3"),
)
_SLUG_LENGTH = 60


def sniff_suffix(head: bytes) -> str:
    """Return the suffix that goes with the first bytes of audio; ``.audio`` where none does.

    Examples
    --------
    >>> sniff_suffix(b"fLaC..."), sniff_suffix(b"not audio")
    ('.flac', '.audio')
    """
    return next((suffix for magic, suffix in _MAGIC if magic.match(head)), ".audio")


def read_rows(file: Path, column: str, rows: Sequence[int]) -> Iterator[tuple[int, bytes | None]]:
    """Yield the bytes of chosen rows of an audio column, in one walk with bounded memory.

    Parameters
    ----------
    file : Path
        A parquet or arrow file.
    column : str
        A struct with a field ``bytes``, or plain bytes.
    rows : sequence of int
        Ascending row numbers of that file, from 0.

    Yields
    ------
    tuple of int and bytes or None
        The row and its bytes; None where there are none.

    Raises
    ------
    BenchmarkError
        The file cannot be read, or has no such column.
    """
    if not rows:
        return
    table = open_table(file)
    if column not in table.schema.names:
        raise BenchmarkError(f"{printable_path(file)}: there is no column {column!r}")
    if rows[-1] >= table.rows:
        raise BenchmarkError(
            f"{printable_path(file)}: row {rows[-1]} was asked for; it has {table.rows} rows"
        )
    position = 0
    for start, batch in table.batches([column], wanted=rows):
        stop = start + batch.num_rows
        values = batch.column(0)
        while position < len(rows) and rows[position] < stop:
            yield rows[position], _bytes_of(values[rows[position] - start].as_py())
            position += 1
        if position == len(rows):
            return


def walk(clips: Iterable[Clip]) -> Iterator[tuple[Clip, bytes]]:
    """Yield each clip with embedded audio and its bytes, file by file, each file walked once.

    Clips without embedded audio are passed over. Nothing is written, so a dry run may use it.

    Raises
    ------
    BenchmarkError
        A file cannot be read, or a row holds no bytes.
    """
    places: dict[tuple[Path, str], dict[int, list[Clip]]] = defaultdict(lambda: defaultdict(list))
    for clip in clips:
        if clip.embedded is not None:
            places[clip.embedded.file, clip.embedded.column][clip.embedded.row].append(clip)
    for (file, column), by_row in places.items():
        for row, data in read_rows(file, column, sorted(by_row)):
            if data is None:
                raise BenchmarkError(
                    f"{printable_path(file)}, row {row}: {column!r} holds no audio"
                )
            for clip in by_row[row]:
                yield clip, data


def extracted_path(clip: Clip, folder: Path) -> Path:
    """Return where `extract` puts the audio of a clip: named after its key, and nothing else."""
    if clip.embedded is None:
        raise BenchmarkError(f"clip {clip.key!r} is a file; there is nothing to take out")
    stem = PurePosixPath(clip.key).with_suffix("").as_posix()
    slug = re.sub(r"[^\w]+", "-", stem, flags=re.ASCII).strip("-")[-_SLUG_LENGTH:].strip("-")
    digest = hashlib.sha256(clip.key.encode()).hexdigest()[:8]
    return folder / f"{slug or 'clip'}-{digest}{clip.embedded.suffix}"


def extract(clip: Clip, folder: Path) -> Path:
    """Write the embedded audio of one clip as a file of its own, and return its path.

    The content is the embedded bytes, untouched. The file appears whole or not at all, so one that
    is there is complete and is left alone.

    Raises
    ------
    BenchmarkError
        The clip has no embedded audio, or its file cannot be read.
    AudioError
        The folder is missing or the disk is full.
    """
    target = extracted_path(clip, folder)
    extract_all([clip], folder)
    return target


def extract_all(clips: Iterable[Clip], folder: Path) -> dict[str, Path]:
    """Write the embedded audio of many clips, walking each file once; see `extract`.

    Returns
    -------
    dict of str to Path
        By the clips' keys; clips without embedded audio are passed over.
    """
    targets = {}
    waiting = []
    for clip in clips:
        if clip.embedded is not None:
            targets[clip.key] = extracted_path(clip, folder)
            if not targets[clip.key].exists():
                waiting.append(clip)
    for clip, data in walk(waiting):
        write_bytes_atomic(targets[clip.key], data)
    return targets


def _bytes_of(value: Any) -> bytes | None:
    data = value.get("bytes") if isinstance(value, dict) else value
    return data if isinstance(data, bytes) else None
