"""The writer `source`: the source's rows, the same but for their audio."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perturb.benchmark.protocols import SplitSource
from perturb.benchmark.readers.messages import InspectReader
from perturb.benchmark.variant import PERTURB_COLUMNS, Question
from perturb.benchmark.writers.source import SourceWriter
from perturb.errors import AudioError, BenchmarkError
from tests.fixtures.tiny import make_source, make_variants

WRITER = SourceWriter()


def _row(audio, **fields):
    row = {"id": "q", "audio": audio, "question": "Who?", "choices": ["a", "b"], "answer": "b"}
    return row | fields


def _canonical(root: Path, condition: str, name: str, content: bytes | None = None) -> Path:
    path = root / "audio" / condition / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content or f"{condition} {name}".encode())
    return path


def _write(tmp_path, source, **conditions):
    WRITER.check(source, dict.fromkeys(conditions, True))
    WRITER.write(tmp_path / "split" / "source", source, conditions)
    return tmp_path / "split" / "source"


def _rows(folder, condition, name="bench.jsonl"):
    return [json.loads(line) for line in (folder / condition / name).read_text().splitlines()]


def _tree(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("field", "canonical", "written", "place"),
    [
        ("clips/a.wav", "s-1.wav", "clips/a.wav", "clips/a.wav"),
        ("./clips/a.wav", "s-1.wav", "./clips/a.wav", "clips/a.wav"),
        ("./clips//a.wav", "s-1.wav", "./clips//a.wav", "clips/a.wav"),
        ("clips/two words.WAV", "s-1.wav", "clips/two words.WAV", "clips/two words.WAV"),
        ("日本/речь 🎧.wav", "s-1.wav", "日本/речь 🎧.wav", "日本/речь 🎧.wav"),
        ("./a.mp3", "s-1.wav", "./a.wav", "a.wav"),
        ("a.b/v1.2.Ogg", "s-1.wav", "a.b/v1.2.wav", "a.b/v1.2.wav"),
        ("a.flac", "s-1.flac", "a.flac", "a.flac"),
        ("clip.v2", "s-1.wav", "clip.v2.wav", "clip.v2.wav"),
        ("../up/a.wav", "s-1.wav", "up/a.wav", "up/a.wav"),
        ("b/../../a.wav", "s-1.wav", "a.wav", "a.wav"),
    ],
)
def test_audio_lies_where_the_row_says_and_the_path_stays_where_it_can(
    tmp_path, field, canonical, written, place
):
    source = make_source(tmp_path / "bench.jsonl", [_row(field)])
    (clip,) = source.benchmark.clips
    file = _canonical(tmp_path / "split", "silence", canonical)
    folder = _write(tmp_path, source, silence=make_variants(source, "silence", {clip: file}))
    (row,) = _rows(folder, "silence")
    assert row["audio"] == written
    assert (folder / "silence" / place).samefile(file)


def test_an_absolute_path_becomes_one_below_the_new_root(tmp_path):
    field = str(tmp_path / "clips" / "a.wav")
    source = make_source(tmp_path / "bench.jsonl", [_row(field)])
    file = _canonical(tmp_path / "split", "silence", "a-1.wav")
    folder = _write(
        tmp_path, source, silence=make_variants(source, "silence", {"clips/a.wav": file})
    )
    assert _rows(folder, "silence")[0]["audio"] == "clips/a.wav"
    assert (folder / "silence" / "clips" / "a.wav").samefile(file)


def test_rows_differ_in_audio_and_added_columns_alone(tmp_path):
    rows = [
        _row("a.wav", id=1, weight=1.5, deep={"x": [None, "é"]}, note=None),
        _row("b.wav", id=2, choices=["Man", "Man, or none", "Man"], answer=" Man"),
    ]
    source = make_source(tmp_path / "bench.jsonl", rows)
    files = {clip: _canonical(tmp_path / "split", "noise", clip) for clip in source.benchmark.clips}
    folder = _write(
        tmp_path, source, noise=make_variants(source, "noise", files, sham_of="silence")
    )
    written = _rows(folder, "noise")
    assert [list(row) for row in written] == [[*row, *PERTURB_COLUMNS] for row in rows]
    assert [{key: row[key] for key in old} for row, old in zip(written, rows, strict=True)] == rows
    assert written[0]["perturb_condition"] == "noise"
    assert written[0]["perturb_sham_of"] == "silence"


def test_a_changed_suffix_never_takes_the_path_of_another_clip(tmp_path):
    rows = [_row("x.mp3"), _row("x.wav"), _row("X.ogg"), _row("sub/x.mp3")]
    source = make_source(tmp_path / "bench.jsonl", rows)
    files = {
        clip: _canonical(tmp_path / "split", "noise", f"{number}.wav")
        for number, clip in enumerate(source.benchmark.clips)
    }
    folder = _write(tmp_path, source, noise=make_variants(source, "noise", files))
    written = [row["audio"] for row in _rows(folder, "noise")]
    assert written[1] == "x.wav"
    assert written[3] == "sub/x.wav"
    assert len({name.casefold() for name in written}) == 4
    for name, file in zip(written, files.values(), strict=True):
        assert (folder / "noise" / name).samefile(file)


def test_paths_do_not_depend_on_which_rows_are_written(tmp_path):
    rows = [_row("x.mp3"), _row("x.wav"), _row("y.mp3")]
    source = make_source(tmp_path / "bench.jsonl", rows)
    files = {
        clip: _canonical(tmp_path / "split", "noise", f"{number}.wav")
        for number, clip in enumerate(source.benchmark.clips)
    }
    variants = make_variants(source, "noise", files)
    whole = _rows(_write(tmp_path, source, noise=variants), "noise")
    part = _rows(_write(tmp_path / "part", source, noise=variants[::2]), "noise")
    assert part == whole[::2]


def test_two_items_of_one_clip_share_a_file_or_get_names_of_their_own(tmp_path):
    rows = [_row("a.wav", id=1), _row("a.wav", id=2), _row("a.wav", id=3)]
    source = make_source(tmp_path / "bench.jsonl", rows)
    one = _canonical(tmp_path / "split", "mismatched", "one.wav")
    two = _canonical(tmp_path / "split", "mismatched", "two.wav")
    per_item = {(0, "main"): one, (1, "main"): two, (2, "main"): one}
    folder = _write(
        tmp_path,
        source,
        silence=make_variants(source, "silence", {"a.wav": one}),
        mismatched=make_variants(source, "mismatched", per_item),
    )
    assert {row["audio"] for row in _rows(folder, "silence")} == {"a.wav"}
    first, second, third = (row["audio"] for row in _rows(folder, "mismatched"))
    assert first == third != second
    assert "a.wav" not in (first, second)
    assert (folder / "mismatched" / first).samefile(one)
    assert (folder / "mismatched" / second).samefile(two)


def test_one_clip_in_two_roles_is_edited_in_one_of_them(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row(["a.wav", "a.wav", "b.wav"])])
    edited = _canonical(tmp_path / "split", "silence", "a-1.wav")
    plain = _canonical(tmp_path / "split", "original", "a-1.wav")
    other = _canonical(tmp_path / "split", "original", "b-1.wav")
    files = {(0, "main"): edited, (0, "reference"): plain, (0, "other"): other}
    folder = _write(tmp_path, source, silence=make_variants(source, "silence", files))
    main, reference, third = _rows(folder, "silence")[0]["audio"]
    assert third == "b.wav"
    assert (folder / "silence" / main).read_bytes() == edited.read_bytes()
    assert (folder / "silence" / reference).read_bytes() == plain.read_bytes()


def test_without_audio_the_field_is_null_and_no_file_is_written(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav"), _row(["a.wav", "b.wav"])])
    variants = make_variants(source, "question_only", {}, has_audio=False)
    folder = _write(tmp_path, source, question_only=variants)
    assert [row["audio"] for row in _rows(folder, "question_only")] == [None, [None, None]]
    assert list(_tree(folder)) == ["question_only/bench.jsonl"]


def test_what_could_not_be_read_keeps_its_field_and_its_broken_file(tmp_path):
    rows = [_row("./bad.MP3", id=1), _row("missing.wav", id=2), _row("good.wav", id=3)]
    source = make_source(tmp_path / "bench.jsonl", rows)
    (tmp_path / "bad.MP3").write_bytes(b"not audio")
    good = _canonical(tmp_path / "split", "silence", "good-1.wav")
    variants = make_variants(source, "silence", {"good.wav": good})
    folder = _write(tmp_path, source, silence=variants)
    written = _rows(folder, "silence")
    assert [row["audio"] for row in written] == ["./bad.MP3", "missing.wav", "good.wav"]
    assert [row["perturb_status"] for row in written] == ["failed", "failed", "ok"]
    assert (folder / "silence" / "bad.MP3").read_bytes() == b"not audio"
    assert not (folder / "silence" / "bad.MP3").samefile(tmp_path / "bad.MP3")
    assert not (folder / "silence" / "missing.wav").exists()
    assert WRITER.verify(folder, source, {"silence": variants}) == []


def test_a_changed_question_is_expressed_by_the_reader(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav")])
    file = _canonical(tmp_path / "split", "open_ended", "a-1.wav")

    def without_options(item):
        return Question(question=item.question, answer=item.answer)

    variants = make_variants(source, "open_ended", {"a.wav": file}, question=without_options)
    folder = _write(tmp_path, source, open_ended=variants)
    (row,) = _rows(folder, "open_ended")
    assert row["choices"] == []
    assert row["answer"] == "b"


def test_a_condition_of_a_split_is_refused_as_a_source(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav", perturb_condition="silence")])
    with pytest.raises(BenchmarkError, match=r"perturb_condition.*start from the benchmark"):
        WRITER.check(source, {"silence": True})


def test_the_same_rows_give_the_same_bytes_over_what_a_killed_run_left(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.mp3"), _row("b.wav")])
    files = {
        clip: _canonical(tmp_path / "split", "noise", f"{clip[0]}.wav")
        for clip in source.benchmark.clips
    }
    variants = make_variants(source, "noise", files)
    folder = _write(tmp_path, source, noise=variants)
    whole = _tree(folder)
    (folder / "noise" / "bench.jsonl").write_text('{"half')
    (folder / "noise" / "b.wav").unlink()
    (folder / "noise" / "b.wav").write_bytes(b"short")
    (folder / "noise" / ".perturb-1-ab.tmp").write_bytes(b"unfinished")
    assert _tree(_write(tmp_path, source, noise=variants)) == whole
    assert _tree(_write(tmp_path / "elsewhere", source, noise=variants)) == whole


def test_the_table_comes_last_so_that_a_table_has_its_audio(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav"), _row("b.wav")])
    file = _canonical(tmp_path / "split", "noise", "a.wav")
    gone = tmp_path / "split" / "audio" / "noise" / "gone.wav"
    variants = make_variants(source, "noise", {"a.wav": file, "b.wav": gone})
    with pytest.raises(AudioError, match=r"gone\.wav: No such file"):
        _write(tmp_path, source, noise=variants)
    assert not list(tmp_path.rglob("noise/bench.jsonl"))
    assert not list(tmp_path.rglob(".perturb-*"))


def test_verify_finds_nothing_in_what_was_written_and_each_thing_that_was_changed(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav"), _row("b.wav"), _row("c.wav")])
    files = {clip: _canonical(tmp_path / "split", "noise", clip) for clip in source.benchmark.clips}
    variants = make_variants(source, "noise", files)
    folder = _write(tmp_path, source, noise=variants)
    assert WRITER.verify(folder, source, {"noise": variants}) == []

    (folder / "noise" / "a.wav").unlink()
    (folder / "noise" / "b.wav").unlink()
    (folder / "noise" / "b.wav").write_bytes(b"other")
    (folder / "noise" / "c.wav").unlink()
    (folder / "noise" / "c.wav").write_bytes(files["c.wav"].read_bytes())  # a copy is as good
    table = folder / "noise" / "bench.jsonl"
    lines = table.read_text().splitlines(keepends=True)
    table.write_text(lines[0] + lines[1].replace('"ok"', '"failed"') + lines[2])
    assert WRITER.verify(folder, source, {"noise": variants}) == [
        "source/noise/a.wav: No such file or directory",
        "source/noise/b.wav: differs from noise/b.wav",
        "source/noise/bench.jsonl: line 2 is not what the records say",
    ]
    table.write_text("".join(lines[:2]))
    assert "source/noise/bench.jsonl: ends before line 3" in WRITER.verify(
        folder, source, {"noise": variants}
    )
    table.write_text("".join([*lines, lines[0]]))
    assert any(
        "goes on after line 3" in line
        for line in WRITER.verify(folder, source, {"noise": variants})
    )


def test_verify_sees_columns_that_other_records_would_give(tmp_path):
    source = make_source(tmp_path / "bench.jsonl", [_row("a.wav")])
    file = _canonical(tmp_path / "split", "noise", "a.wav")
    (variant,) = make_variants(source, "noise", {"a.wav": file})
    folder = _write(tmp_path, source, noise=[variant])
    columns = variant.columns | {"perturb_audio_sha256": "0" * 64}
    other = type(variant)(
        item=variant.item, question=variant.question, audios=variant.audios, columns=columns
    )
    assert len(WRITER.verify(folder, source, {"noise": [other]})) == 1


def test_the_format_beside_a_path_goes_with_its_new_suffix(tmp_path):
    content = [{"type": "audio", "audio": "a.mp3", "format": "mp3"}, {"type": "text", "text": "?"}]
    row = {"id": 1, "input": [{"role": "user", "content": content}], "target": "x"}
    (tmp_path / "bench.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "a.mp3").write_bytes(b"mp3")
    reader = InspectReader()
    source = SplitSource(benchmark=reader.read(tmp_path / "bench.jsonl"), reader=reader)
    file = _canonical(tmp_path / "split", "noise", "a.wav")
    folder = _write(tmp_path, source, noise=make_variants(source, "noise", {"a.mp3": file}))
    part = _rows(folder, "noise")[0]["input"][0]["content"][0]
    assert part == {"type": "audio", "audio": "a.wav", "format": "wav"}
