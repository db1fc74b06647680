"""``inspect``: one JSON Lines file for each condition, which Inspect loads as samples.

``inspect_ai.dataset.json_dataset("DIR/inspect/silence.jsonl")`` gives samples whose input is a user
message with the audio and the question, with the options as choices and the gold's letter as
target. Inspect takes wav and mp3 alone, so canonical FLAC is decoded to WAV of the same bits.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io import PendingFile, write_bytes_atomic
from perturb.benchmark.item import Benchmark
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.variant import Question, VariantAudio, VariantRow
from perturb.benchmark.writers.checking import audio_problems, folder_problems
from perturb.benchmark.writers.linking import (
    can_be_read,
    copy_file,
    link_or_copy,
    sweep_unfinished,
)
from perturb.benchmark.writers.placing import short_hash
from perturb.benchmark.writers.unpacking import unpack_flac, unpacked_problem
from perturb.errors import BenchmarkError

__all__ = ["InspectWriter"]

INDEX_NAME = "index.json"
_OWN_READER = "inspect"
_FORMATS = {".wav": "wav", ".mp3": "mp3"}
_UNREAD_FOLDER = "_unread"
"""Holds files that did not decode, as they are; no condition is called so."""


class InspectWriter:
    """Writes ``<condition>.jsonl``, ``index.json`` and ``audio/``.

    A sample's id is the pair id, unique as Inspect asks. Its target is the gold's letter, or the
    answer's text where there are no options, or empty where no gold is known. Where the source
    gives the text alone and two options are equal to it, the first of them is the target. The
    metadata holds the source's row and the ``perturb_`` columns. A benchmark of Inspect's own keeps
    its samples: other messages, fields and metadata stay as they are.
    """

    name = "inspect"

    def check(self, source: SplitSource, conditions: Mapping[str, bool]) -> None:
        """Refuse blank options: Inspect drops them, and the letters after them would shift.

        Raises
        ------
        BenchmarkError
            With the rows and the way out.
        """
        blank = [
            item.row
            for item in source.benchmark.items
            if any(not choice.strip() for choice in item.choices)
        ]
        if blank:
            listed = ", ".join(map(str, blank[:5])) + (", …" if len(blank) > 5 else "")
            raise BenchmarkError(
                f"{source.benchmark.path}: blank options in {len(blank)} rows (from 0: {listed}); "
                "Inspect drops them, and the target's letter would name another option. Leave out "
                "the writer inspect, or those rows"
            )

    def write(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> None:
        """Write all audio, then each condition's file, then the index."""
        sweep_unfinished(folder)
        for place, file in _canonical_files(rows).items():
            if file.suffix.lower() == ".flac":
                unpack_flac(file, folder / place)
            else:
                link_or_copy(file, folder / place)
        for place, file in _unread_files(source.benchmark, rows).items():
            copy_file(file, folder / place)
        _write_tables(folder, source, rows)

    def verify(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> list[str]:
        """Compare audio with the canonical files, and each table with one written afresh."""
        canonical = _canonical_files(rows)
        packed = {place: file for place, file in canonical.items() if _is_packed(file)}
        equal = {place: file for place, file in canonical.items() if place not in packed}
        equal |= _unread_files(source.benchmark, rows)
        problems = audio_problems(folder, equal)
        for place, file in packed.items():
            problem = unpacked_problem(folder / place, file)
            problems += [f"{place}: {problem}"] if problem else []
        with tempfile.TemporaryDirectory() as scratch:
            _write_tables(Path(scratch), source, rows)
            problems += folder_problems(folder, Path(scratch))
        return [f"{self.name}/{problem}" for problem in problems]


def _write_tables(
    folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    encoder = msgspec.json.Encoder(enc_hook=str)
    index = []
    for condition, variants in rows.items():
        lines = (encoder.encode(_sample(source, variant)) + b"\n" for variant in variants)
        PendingFile(folder / f"{condition}.jsonl", lines).commit()
        sham_of = variants[0].columns["perturb_sham_of"] if variants else None
        index.append(
            {
                "condition": condition,
                "sham_of": sham_of,
                "file": f"{condition}.jsonl",
                "rows": len(variants),
            }
        )
    write_bytes_atomic(folder / INDEX_NAME, msgspec.json.format(encoder.encode(index)) + b"\n")


def _sample(source: SplitSource, variant: VariantRow) -> dict[str, Any]:
    row = dict(source.benchmark.rows.row(variant.item.row))
    if source.reader.name == _OWN_READER:
        return _own_sample(source, variant, row)
    content = [
        {"type": "audio", "audio": path, "format": _format(path)}
        for path in _paths(source.benchmark, variant).values()
    ]
    content.append({"type": "text", "text": variant.question.question})
    sample: dict[str, Any] = {
        "id": variant.item.pair_id,
        "input": [{"role": "user", "content": content}],
    }
    if variant.question.choices:
        sample["choices"] = list(variant.question.choices)
    sample["target"] = _target(variant.question)
    sample["metadata"] = row | variant.columns
    return sample


def _own_sample(source: SplitSource, variant: VariantRow, row: dict[str, Any]) -> dict[str, Any]:
    """Return a sample that was one before: its other messages and fields stay."""
    paths: dict[str, str | None] = {audio.role: None for audio in variant.item.audios}
    paths |= _paths(source.benchmark, variant)
    sample = row | source.reader.express(source.benchmark, variant, paths)
    metadata = (row.get("metadata") or {}) | variant.columns
    return sample | {"id": variant.item.pair_id, "metadata": metadata}


def _paths(benchmark: Benchmark, variant: VariantRow) -> dict[str, str]:
    """Return the path of each role's audio from the folder of the file."""
    return {
        audio.role: _unread_place(benchmark, audio) or audio.source
        if audio.file is None
        else _place(audio.file)
        for audio in variant.audios or ()
    }


def _format(path: str) -> str:
    return _FORMATS.get(Path(path).suffix.lower(), "wav")


def _target(question: Question) -> str:
    """Return the gold's letter as Inspect counts them: A to Z, then 1, 2, …."""
    index = question.answer_index
    if index is None and question.answer in question.choices:
        index = question.choices.index(question.answer)
    if index is not None:
        return chr(ord("A") + index) if index < 26 else str(index - 25)
    return "" if question.choices else question.answer or ""


def _place(file: Path) -> str:
    """Return where a canonical file lies; those of a condition stay together."""
    name = f"{file.stem}.wav" if _is_packed(file) else file.name
    return f"audio/{file.parent.name}/{name}"


def _is_packed(file: Path) -> bool:
    return file.suffix.lower() == ".flac"


def _audios(rows: Mapping[str, Sequence[VariantRow]]) -> Iterable[VariantAudio]:
    for variants in rows.values():
        for variant in variants:
            yield from variant.audios or ()


def _canonical_files(rows: Mapping[str, Sequence[VariantRow]]) -> dict[str, Path]:
    """Return every canonical file once, by its place."""
    found: dict[str, Path] = {}
    for audio in _audios(rows):
        if (
            audio.file is not None
            and found.setdefault(_place(audio.file), audio.file) != audio.file
        ):
            raise BenchmarkError(f"two canonical files would both be {_place(audio.file)}")
    return found


def _unread_files(
    benchmark: Benchmark, rows: Mapping[str, Sequence[VariantRow]]
) -> dict[str, Path]:
    """Return the source's files that did not decode and that Inspect may take, by their place."""
    found = {}
    for audio in _audios(rows):
        place = _unread_place(benchmark, audio) if audio.file is None else None
        file = benchmark.clips[audio.clip].path
        if place is not None and file is not None:
            found[place] = file
    return found


def _unread_place(benchmark: Benchmark, audio: VariantAudio) -> str | None:
    """Return where a copy of a file that did not decode lies; None where there is none."""
    file = benchmark.clips[audio.clip].path
    if file is None or file.suffix.lower() not in _FORMATS or not can_be_read(file):
        return None
    return f"audio/{_UNREAD_FOLDER}/{file.stem}-{short_hash(audio.clip)}{file.suffix.lower()}"
