"""Audio inside tables: found without loading it, taken out as it is."""

from __future__ import annotations

import pytest

from perturb.audio_io import read_audio
from perturb.benchmark.embedded import extract, extract_all, sniff_suffix, walk
from perturb.benchmark.item import Clip, EmbeddedAudio
from perturb.benchmark.readers.parquet import ParquetReader
from perturb.errors import BenchmarkError
from tests.fixtures.tables import sound, write_parquet


def _read(path, audios, **columns):
    file = write_parquet(path / "test.parquet", {"audio": audios} | columns, row_group_size=2)
    return ParquetReader().read(file)


def test_the_content_is_taken_out_byte_for_byte_under_a_stable_name(tmp_path):
    audios = [{"bytes": sound(i), "path": f"日本 {i}/clip.WAV"} for i in range(5)]
    first = _read(tmp_path / "a", audios)
    files = extract_all(first.clips.values(), tmp_path)
    assert [files[key].read_bytes() for key in first.clips] == [sound(i) for i in range(5)]
    assert {file.suffix for file in files.values()} == {".wav"}
    read_audio(next(iter(files.values())))
    backwards = _read(tmp_path / "b", audios[::-1])
    assert {
        key: file.name for key, file in extract_all(backwards.clips.values(), tmp_path).items()
    } == {key: file.name for key, file in files.items()}


def test_a_file_that_is_there_is_left_alone_and_the_table_not_opened(tmp_path):
    benchmark = _read(tmp_path, [{"bytes": sound(1), "path": "a.wav"}])
    (clip,) = benchmark.clips.values()
    file = extract(clip, tmp_path)
    before = file.stat().st_mtime_ns
    clip.embedded.file.unlink()
    assert extract(clip, tmp_path) == file
    assert file.stat().st_mtime_ns == before


def test_one_walk_gives_every_clip_with_its_bytes(tmp_path):
    audios = [{"bytes": sound(i), "path": f"{i}.wav"} for i in range(7)]
    benchmark = _read(tmp_path, audios)
    clips = list(benchmark.clips.values())
    assert {clip.key: data for clip, data in walk(reversed(clips))} == {
        f"{i}.wav": sound(i) for i in range(7)
    }
    assert [data for _, data in walk(clips[3:4])] == [sound(3)]


def test_rows_of_one_name_and_content_share_a_clip(tmp_path):
    same, other = sound(1), sound(2)
    audios = [{"bytes": data, "path": "audio.wav"} for data in (same, other, same)]
    benchmark = _read(tmp_path, audios)
    keys = [item.audios[0].clip for item in benchmark.items]
    assert keys[0] == keys[2] != keys[1]
    assert len(benchmark.clips) == 2
    files = extract_all(benchmark.clips.values(), tmp_path)
    assert [files[key].read_bytes() for key in keys] == [same, other, same]


@pytest.mark.parametrize(
    ("form", "suffix"),
    [("WAV", ".wav"), ("FLAC", ".flac"), ("OGG", ".ogg"), ("MP3", ".mp3"), ("AIFF", ".aiff")],
)
def test_audio_without_a_name_is_told_by_its_content(tmp_path, form, suffix):
    data = sound(3, form, 0.3)
    assert sniff_suffix(data) == suffix
    benchmark = _read(tmp_path, [{"bytes": data, "path": None}], id=["q7"])
    assert list(benchmark.clips) == [f"q7{suffix}"]


def test_a_table_that_changed_is_told_not_trusted(tmp_path):
    file = write_parquet(tmp_path / "t.parquet", {"audio": [{"bytes": None, "path": "a.wav"}]})
    for row, expected in ((0, "holds no audio"), (5, "row 5 was asked for; it has 1 rows")):
        place = EmbeddedAudio(file=file, row=row, column="audio", suffix=".wav")
        with pytest.raises(BenchmarkError, match=expected):
            extract(Clip(key="a.wav", embedded=place), tmp_path)
    place = EmbeddedAudio(file=file, row=0, column="sound", suffix=".wav")
    with pytest.raises(BenchmarkError, match="no column 'sound'"):
        extract(Clip(key="a.wav", embedded=place), tmp_path)
    with pytest.raises(BenchmarkError, match="nothing to take out"):
        extract(Clip(key="a.wav", path=file), tmp_path)


def test_a_truncated_file_is_one_line_with_its_name(tmp_path):
    file = write_parquet(tmp_path / "t.parquet", {"audio": [{"bytes": sound(1), "path": "a.wav"}]})
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(BenchmarkError, match=r"t\.parquet: cannot be read") as caught:
        ParquetReader().read(file)
    assert "\n" not in str(caught.value)
