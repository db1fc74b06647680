"""The writer `inspect`: samples that Inspect loads, with audio it can send."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturb.audio_io import output_format_for, read_audio, write_audio
from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.messages import InspectReader
from perturb.benchmark.variant import PERTURB_COLUMNS, Question
from perturb.benchmark.writers import inspect as module
from perturb.benchmark.writers import unpacking
from perturb.benchmark.writers.inspect import InspectWriter
from perturb.errors import AudioError, BenchmarkError
from perturb.signal import Signal
from tests.fixtures import benchmarks
from tests.fixtures.tiny import make_source, make_variants

WRITER = InspectWriter()


def _row(audio, **fields):
    row = {"id": "q", "audio": audio, "question": "Who?", "choices": ["a", "b"], "answer": "b"}
    return row | fields


def _canonical(root, condition, name, *, subtype="PCM_16", channels=1, seed=0):
    path = root / "audio" / condition / name
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).uniform(-0.9, 0.9, (channels, 1600))
    signal = Signal(noise.astype(np.float32), 16_000)
    form = output_format_for(None, path.suffix, channel_count=channels)
    write_audio(path, signal, type(form)(container=form.container, subtype=subtype))
    return path


def _write(tmp_path, source, **conditions):
    WRITER.check(source, dict.fromkeys(conditions, True))
    WRITER.write(tmp_path / "split" / "inspect", source, conditions)
    return tmp_path / "split" / "inspect"


def _samples(folder, condition):
    return [json.loads(line) for line in (folder / f"{condition}.jsonl").read_text().splitlines()]


def _tree(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _load(folder, condition):
    from inspect_ai.dataset import json_dataset

    return list(json_dataset(str(folder / f"{condition}.jsonl")))


def test_inspect_loads_each_condition_with_audio_choices_target_and_metadata(tmp_path):
    rows = [
        _row("日 本.WAV", id=7, task="mood", weight=1.5),
        _row("b.wav", id="b", choices=["x", "y, z", " w"], answer=" w"),
        _row("b.wav", id="c", choices=[], answer="he, too"),
        _row(["b.wav", "日 本.WAV"], id="d"),
    ]
    source = make_source(tmp_path / "bench.jsonl", rows)
    folder = tmp_path / "split"
    files = {
        "日 本.WAV": _canonical(folder, "silence", "---1.wav"),
        "b.wav": _canonical(folder, "silence", "b-2.wav", seed=1),
    }
    variants = make_variants(source, "silence", files, sham_of="noise")
    samples = _load(_write(tmp_path, source, silence=variants), "silence")
    assert [sample.id for sample in samples] == ["7", "b", "c", "d"]
    assert [sample.target for sample in samples] == ["B", "C", "he, too", "B"]
    assert [sample.choices for sample in samples] == [
        ["a", "b"],
        ["x", "y, z", " w"],
        None,
        ["a", "b"],
    ]
    heard = [
        [part.audio for part in sample.input[0].content if part.type == "audio"]
        for sample in samples
    ]
    one, two = files["日 本.WAV"], files["b.wav"]
    for paths, canonical in zip(heard, [[one], [two], [two], [two, one]], strict=True):
        assert all(Path(path).samefile(f) for path, f in zip(paths, canonical, strict=True))
    assert {part.format for part in samples[3].input[0].content[:2]} == {"wav"}
    assert samples[0].input[0].content[-1].text == "Who?"
    metadata = samples[0].metadata
    assert metadata["task"] == "mood"
    assert metadata["weight"] == 1.5
    assert {key: metadata[key] for key in PERTURB_COLUMNS} == variants[0].columns


def test_an_evaluation_of_inspect_hears_the_canonical_files(tmp_path):
    rows = [
        _row("a.wav", id="1", question="First?"),
        _row("b.wav", id="2", question="Second?", answer="a"),
    ]
    source = make_source(tmp_path / "bench.jsonl", rows)
    files = {
        name: _canonical(tmp_path / "split", "silence", name, seed=seed)
        for seed, name in enumerate(["a.wav", "b.wav"])
    }
    folder = _write(tmp_path, source, silence=make_variants(source, "silence", files))
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    table = folder / "silence.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "tests.fixtures.inspect_eval", table, tmp_path / "logs"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | home,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["status"] == "success", result["error"]
    assert result["scores"] == {"1": {"choice": "C"}, "2": {"choice": "I"}}
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files.values()]
    heard = [result["heard"][sample] for sample in ("1", "2")]
    for ((kind, sha256),), expected in zip(heard, hashes, strict=True):
        assert kind in ("audio/wav", "audio/x-wav")
        assert sha256 == expected


def test_the_index_names_each_condition_and_its_rows(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav"), _row("a.wav", id=2)])
    file = _canonical(tmp_path / "split", "original", "a.wav")
    folder = _write(
        tmp_path,
        source,
        original=make_variants(source, "original", {"a.wav": file}),
        half_sham=make_variants(source, "half_sham", {"a.wav": file}, sham_of="half"),
    )
    assert json.loads((folder / "index.json").read_text()) == [
        {"condition": "original", "sham_of": None, "file": "original.jsonl", "rows": 2},
        {"condition": "half_sham", "sham_of": "half", "file": "half_sham.jsonl", "rows": 2},
    ]


def test_without_audio_a_sample_holds_the_question_alone(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav")])
    variants = make_variants(source, "question_only", {}, has_audio=False)
    folder = _write(tmp_path, source, question_only=variants)
    (sample,) = _load(folder, "question_only")
    assert [part.type for part in sample.input[0].content] == ["text"]
    assert not (folder / "audio").exists()


@pytest.mark.parametrize(("subtype", "channels"), [("PCM_16", 1), ("PCM_24", 2), ("PCM_24", 4)])
def test_canonical_flac_becomes_wav_of_the_same_bits(tmp_path, subtype, channels):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.flac")])
    file = _canonical(tmp_path / "split", "noise", "a-1.flac", subtype=subtype, channels=channels)
    variants = make_variants(source, "noise", {"a.flac": file})
    folder = _write(tmp_path, source, noise=variants)
    (sample,) = _load(folder, "noise")
    audio = sample.input[0].content[0]
    assert audio.format == "wav"
    unpacked, packed = read_audio(audio.audio), read_audio(file)
    assert unpacked.subtype == subtype
    assert unpacked.container.startswith("WAV")
    np.testing.assert_array_equal(unpacked.signal.samples, packed.signal.samples)
    assert WRITER.verify(folder, source, {"noise": variants}) == []
    _canonical(tmp_path / "split", "noise", "a-1.flac", subtype=subtype, channels=channels, seed=1)
    assert WRITER.verify(folder, source, {"noise": variants}) == [
        "inspect/audio/noise/a-1.wav: the samples differ from those of noise/a-1.flac"
    ]


def test_a_wav_that_reads_back_otherwise_gets_no_name(tmp_path, monkeypatch):
    file = _canonical(tmp_path, "noise", "a.flac")
    monkeypatch.setattr(unpacking, "_are_equal", lambda first, second: False)
    with pytest.raises(AudioError, match="the samples differ"):
        unpacking.unpack_flac(file, tmp_path / "out" / "a.wav")
    assert list((tmp_path / "out").iterdir()) == []


def test_what_could_not_be_read_points_to_the_broken_file_or_keeps_its_field(tmp_path):
    rows = [_row("x/bad.WAV", id=1), _row("y/bad.ogg", id=2), _row("gone.mp3", id=3)]
    source = make_source(tmp_path / "bench.jsonl", rows)
    for name in ("x/bad.WAV", "y/bad.ogg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"not audio")
    variants = make_variants(source, "silence", {})
    folder = _write(tmp_path, source, silence=variants)
    samples = _samples(folder, "silence")
    contents = [sample["input"][0]["content"][0] for sample in samples]
    assert (folder / contents[0]["audio"]).read_bytes() == b"not audio"
    assert [part["audio"] for part in contents[1:]] == ["y/bad.ogg", "gone.mp3"]
    assert [part["format"] for part in contents] == ["wav", "wav", "mp3"]
    assert {sample["metadata"]["perturb_status"] for sample in samples} == {"failed"}
    assert WRITER.verify(folder, source, {"silence": variants}) == []


@pytest.mark.parametrize(
    ("question", "target"),
    [
        (Question(question="?", choices=("a", "b", "a"), answer="a"), "A"),
        (Question(question="?", choices=("a", "b"), answer="c"), ""),
        (Question(question="?", choices=("a", "b")), ""),
        (Question(question="?"), ""),
        (Question(question="?", choices=tuple("ab" * 14), answer="b", answer_index=27), "2"),
    ],
)
def test_a_gold_that_is_ambiguous_unknown_or_far_down_has_a_target_all_the_same(question, target):
    assert module._target(question) == target


@given(st.integers(0, 60))
def test_targets_are_counted_as_inspect_counts(index):
    from inspect_ai._util.answer import answer_character

    choices = tuple(map(str, range(61)))
    question = Question(question="?", choices=choices, answer=str(index), answer_index=index)
    assert module._target(question) == answer_character(index)


def test_blank_options_are_refused_since_inspect_drops_them(tmp_path):
    source = make_source(
        tmp_path / "bench.jsonl", [_row("a.wav"), _row("a.wav", choices=["", "b"])]
    )
    with pytest.raises(BenchmarkError, match=r"blank options in 1 rows \(from 0: 1\)"):
        WRITER.check(source, {"silence": True})


def test_samples_of_inspect_keep_their_other_messages_and_metadata(tmp_path):
    reader = InspectReader()
    path = benchmarks.write_inspect(tmp_path / "bench")
    source = SplitSource(benchmark=reader.read(path), reader=reader)
    files = {
        clip: _canonical(tmp_path / "split", "noise", f"{number}.wav", seed=number)
        for number, clip in enumerate(source.benchmark.clips)
    }
    variants = make_variants(source, "noise", files)
    folder = _write(tmp_path, source, noise=variants)
    before = [json.loads(line) for line in path.read_text().splitlines()]
    for old, new, variant in zip(before, _samples(folder, "noise"), variants, strict=True):
        heard = [part["audio"] for part in _parts(new)]
        assert all((folder / name).is_file() for name in heard)
        for part, was in zip(_parts(new), _parts(old), strict=True):
            part["audio"] = was["audio"]
        metadata = new.pop("metadata")
        assert metadata == (old.pop("metadata", None) or {}) | variant.columns
        assert new == old | {"id": str(old["id"])}
    assert _load(folder, "noise")[0].input[0].text == "Listen."


def _parts(sample):
    content = sample["input"][-1]["content"]
    return [part for part in content if part["type"] == "audio"]


def test_the_same_rows_give_the_same_bytes_over_what_a_killed_run_left(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.flac"), _row("b.wav")])
    files = {
        "a.flac": _canonical(tmp_path / "split", "noise", "a.flac"),
        "b.wav": _canonical(tmp_path / "split", "noise", "b.wav"),
    }
    variants = make_variants(source, "noise", files)
    folder = _write(tmp_path, source, noise=variants)
    whole = _tree(folder)
    (folder / "noise.jsonl").write_text('{"half')
    (folder / "audio" / "noise" / "a.wav").write_bytes(b"RIFF")
    (folder / "audio" / ".perturb-1-ab.tmp").write_bytes(b"unfinished")
    assert _tree(_write(tmp_path, source, noise=variants)) == whole
    assert _tree(_write(tmp_path / "elsewhere", source, noise=variants)) == whole


def test_verify_names_each_thing_that_was_changed(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav"), _row("b.wav")])
    files = {name: _canonical(tmp_path / "split", "noise", name) for name in ("a.wav", "b.wav")}
    variants = make_variants(source, "noise", files)
    folder = _write(tmp_path, source, noise=variants)
    assert WRITER.verify(folder, source, {"noise": variants}) == []
    (folder / "audio" / "noise" / "a.wav").unlink()
    table = folder / "noise.jsonl"
    table.write_text(table.read_text().replace('"target":"B"', '"target":"A"'))
    (folder / "index.json").unlink()
    assert sorted(WRITER.verify(folder, source, {"noise": variants})) == [
        "inspect/audio/noise/a.wav: No such file or directory",
        "inspect/index.json: No such file or directory",
        "inspect/noise.jsonl: line 1 is not what the records say",
    ]
