"""Every text format there is, through the writers `source` and `inspect` and back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.audio_field import AUDIO_FIELDS
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.rows.opening import open_rows
from perturb.benchmark.writers.registry import find_writer
from tests.fixtures import benchmarks
from tests.fixtures.tiny import make_variants

FORMATS = [name for name in benchmarks.__all__ if name.startswith("write_")]
MISSING = "audio/missing.wav"
"""The clip of one fixture that is not there."""


@pytest.fixture(params=FORMATS)
def source(request, tmp_path):
    path = getattr(benchmarks, request.param)(tmp_path / "bench")
    reader = find_reader(path)[0]
    return SplitSource(benchmark=reader.read(path), reader=reader)


def _canonical(folder, source):
    """Return a file for each clip that is there; it holds the clip's key."""
    files = {}
    for number, key in enumerate(key for key in source.benchmark.clips if key != MISSING):
        files[key] = folder / "audio" / "noise" / f"{number}.wav"
        files[key].parent.mkdir(parents=True, exist_ok=True)
        files[key].write_bytes(key.encode())
    return files


def _written(tmp_path, source, variants):
    writer = find_writer("source")
    writer.check(source, {"noise": True})
    folder = tmp_path / "split" / "source"
    writer.write(folder, source, {"noise": variants})
    assert writer.verify(folder, source, {"noise": variants}) == []
    return folder / "noise"


def test_a_source_comes_back_byte_for_byte_where_nothing_is_added(tmp_path, source):
    variants = make_variants(source, "noise", _canonical(tmp_path, source))
    for variant in variants:
        variant.columns.clear()
    folder = _written(tmp_path, source, variants)
    table = folder / source.benchmark.rows.file_name
    assert table.read_bytes() == source.benchmark.path.read_bytes()


def test_the_same_reader_reads_the_same_items_over_other_audio(tmp_path, source):
    benchmark = source.benchmark
    variants = make_variants(source, "noise", _canonical(tmp_path, source))
    folder = _written(tmp_path, source, variants)
    reader, _ = find_reader(folder / benchmark.rows.file_name)
    assert reader.name == benchmark.reader
    again = reader.read(folder / benchmark.rows.file_name, folder)
    assert [msgspec.structs.asdict(item) for item in again.items] == [
        msgspec.structs.asdict(item) for item in benchmark.items
    ]
    for key, clip in again.clips.items():
        if key != MISSING:
            assert clip.path.read_bytes() == key.encode()
    for variant in variants:
        row = again.rows.row(variant.item.row)
        told = [f"{row[name]}" for name in variant.columns if row[name] not in (None, "")]
        wanted = [text for text in variant.columns.values() if text is not None]
        assert all(text in found for text, found in zip(wanted, told, strict=True))


def test_without_audio_every_other_field_stays(tmp_path, source):
    variants = make_variants(source, "noise", {}, has_audio=False)
    for variant in variants:
        variant.columns.clear()
    folder = _written(tmp_path, source, variants)
    name = source.benchmark.rows.file_name
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [name]
    written = open_rows(folder / name)
    before = open_rows(source.benchmark.path)
    assert len(written) == len(before)
    for number in range(len(before)):
        assert written.row(number) == _without_audio(before.row(number))


def _without_audio(row):
    """Return a row with nothing in the field that names audio; of messages, without that part."""
    if "input" in row:
        return {**row, "input": [_without_audio_parts(message) for message in row["input"]]}
    field = next(name for name in AUDIO_FIELDS if name in row)
    return {**row, field: "" if "single_instruction" in row else None}


def _without_audio_parts(message):
    if isinstance(message["content"], str):
        return message
    return {**message, "content": [part for part in message["content"] if part["type"] != "audio"]}


def test_inspect_loads_the_items_with_the_gold_as_target(tmp_path, source):
    from inspect_ai.dataset import json_dataset

    writer = find_writer("inspect")
    folder = tmp_path / "split" / "inspect"
    files = _canonical(tmp_path, source)
    writer.check(source, {"noise": True})
    variants = make_variants(source, "noise", files)
    writer.write(folder, source, {"noise": variants})
    assert writer.verify(folder, source, {"noise": variants}) == []
    samples = list(json_dataset(str(folder / "noise.jsonl")))
    for sample, item in zip(samples, source.benchmark.items, strict=True):
        assert sample.id == item.pair_id
        assert sample.choices == (list(item.choices) or None)
        if item.choices and item.answer in item.choices:
            assert item.choices["ABCDEFGHIJ".index(sample.target)] == item.answer
        elif not item.choices:
            assert sample.target == (item.answer or "")
        parts = [part for part in sample.input[-1].content if part.type == "audio"]
        assert [part.format for part in parts] == ["wav"] * len(item.audios)
        for part, audio in zip(parts, item.audios, strict=True):
            if audio.clip != MISSING:
                assert Path(part.audio).read_bytes() == audio.clip.encode()
