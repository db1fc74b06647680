"""What can be opened at all, under which names, and what a folder of audio contains."""

import os

import numpy as np
import pytest
import soundfile

from perturb.audio_io import find_audio, is_litter, read_audio
from perturb.audio_io.paths import printable_path
from perturb.errors import AudioError


def put_tone(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.full(100, 0.25), 16_000, format="WAV", subtype="PCM_16")
    return path


@pytest.mark.parametrize(
    "name",
    ["a b.wav", "录音 テスト.wav", "🎧🗣️.WAV", 'it\'s "x".Wav', "x", "x.raw", "-o.wav", "%s{}.wav"],
)
def test_any_name_will_do(tmp_path, name):
    file = read_audio(str(put_tone(tmp_path / "a folder 😀" / name)))
    assert file.signal.sample_count == 100
    assert file.container == "WAV"


def test_a_name_that_lies_is_noted(tmp_path):
    file = read_audio(put_tone(tmp_path / "x.MP3"))
    assert file.notes == ("the name ends in .MP3, the content is WAV",)


def test_path_of_undecodable_bytes(tmp_path):
    raw = os.path.join(os.fsencode(tmp_path), b"\xff.wav")  # noqa: PTH118 - bytes, not a Path
    with open(put_tone(tmp_path / "x.wav"), "rb") as source, open(raw, "wb") as target:  # noqa: PTH123
        target.write(source.read())
    path = os.fsdecode(raw)
    assert read_audio(path).signal.sample_count == 100
    assert printable_path(path).endswith(r"\udcff.wav'")
    assert find_audio(tmp_path)[0].name == "x.wav"


def test_messages_stay_on_one_line(tmp_path):
    with pytest.raises(AudioError) as caught:
        read_audio(tmp_path / "a\nb.wav")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("b.wav': no such file")


def test_what_is_not_a_file_is_named(tmp_path):
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "empty.wav").touch()
    (tmp_path / "broken.wav").symlink_to(tmp_path / "gone.wav")
    os.mkfifo(tmp_path / "pipe.wav")
    for name, message in {
        "missing.wav": "no such file",
        "folder.wav": "a folder, not a file",
        "empty.wav": "the file is empty: 0 bytes",
        "broken.wav": r"a link to .*gone\.wav, which does not exist",
        "pipe.wav": "not a regular file",
        "a\0b.wav": "not a path: embedded null byte",
        "empty.wav/x.wav": "Not a directory",
    }.items():
        with pytest.raises(AudioError, match=rf"\.wav'?: {message}$"):
            read_audio(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello, this is no audio at all\n" * 100, "not readable as audio: Format not recognised"),
        (bytes(10_000), "not readable as audio"),
        (b"\x00", "not readable as audio"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a Git LFS pointer, not audio"),
        (b"OggS", "truncated: the Ogg page at byte 0"),
        (b"fLaC", "truncated: FLAC without its stream information"),
        (b"RIFF", "a 'RIFF' file of the form '', not WAVE"),
        (b".snd", "not readable as audio"),
        (b"FORM\0\0\0\0AIFF", "no common chunk"),
        (b"ID3\x04\0\0\0\0\0\x05hello", "not readable as audio"),
        (np.random.default_rng(1).bytes(50_000), "not readable as audio"),
    ],
)
def test_what_is_not_audio_is_refused(tmp_path, content, message):
    path = tmp_path / "x.wav"
    path.write_bytes(content)
    with pytest.raises(AudioError, match=rf"x\.wav: {message}"):
        read_audio(path)


def test_unreadable_file_is_named(tmp_path, monkeypatch):
    path = put_tone(tmp_path / "x.wav")

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(AudioError, match=r"x\.wav: Permission denied$"):
        read_audio(path)


def test_apple_double_says_that_it_is_litter(tmp_path):
    path = tmp_path / "._x.wav"
    path.write_bytes(b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        " + bytes(60))
    with pytest.raises(AudioError, match="litter of another system, not audio"):
        read_audio(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("._x.wav", True),
        ("a/._x.wav", True),
        ("__MACOSX/x.wav", True),
        ("a/.DS_Store", True),
        ("Thumbs.db", True),
        (".perturb-12-ab.tmp", True),
        ("x.wav", False),
        (".x.wav", False),
        ("_x.wav", False),
        ("__MACOSX", False),
    ],
)
def test_litter(name, expected):
    assert is_litter(name) is expected


def test_find_audio(tmp_path):
    wanted = ["b/x.wav", "a/x.WAV", "a/ü 录.Flac", "a/b/c/x.mp3", "x.ogg", "z.opus", "a.b.Aiff"]
    ignored = [
        "._x.wav",
        ".hidden/x.wav",
        "a/.x.wav",
        "__MACOSX/x.wav",
        "x.txt",
        "wav",
        "x.wav.bak",
    ]
    for name in wanted + ignored:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "folder.wav").mkdir()
    elsewhere = tmp_path.with_name(tmp_path.name + "-elsewhere")
    put_tone(elsewhere / "real.wav")
    (tmp_path / "link.wav").symlink_to(elsewhere / "real.wav")
    (tmp_path / "broken.wav").symlink_to("gone.wav")
    found = find_audio(tmp_path)
    names = [path.relative_to(tmp_path).as_posix() for path in found]
    assert set(names) == {*wanted, "link.wav", "broken.wav"}
    assert found == sorted(found)
    root = tmp_path.with_name(tmp_path.name + "-link")
    root.symlink_to(tmp_path)
    assert len(find_audio(root)) == len(found)


def test_find_audio_names_a_folder_that_it_cannot_list(tmp_path):
    with pytest.raises(AudioError, match="gone: cannot list this folder: No such file"):
        find_audio(tmp_path / "gone")
    with pytest.raises(AudioError, match=r"x\.wav: cannot list this folder: Not a directory"):
        find_audio(put_tone(tmp_path / "x.wav"))
