"""Second names of files: linked or copied, whole or not at all."""

from __future__ import annotations

import errno
import os

import pytest

from perturb.benchmark.writers import linking
from perturb.benchmark.writers.linking import link_or_copy
from perturb.errors import AudioError


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "audio" / "silence" / "日 本-1234.wav"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"RIFF" + bytes(3_000_000))
    return path


def _refuse_links(monkeypatch, code):
    def link(*_args, **_options):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(linking.os, "link", link)


def _names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_new_name_is_the_same_file_below_folders_that_are_made(source, tmp_path):
    target = tmp_path / "source" / "silence" / "clips a" / "x.WAV"
    link_or_copy(source, target)
    assert target.samefile(source)


@pytest.mark.parametrize(
    "code", [errno.EXDEV, errno.EMLINK, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS]
)
@pytest.mark.parametrize("exists", [False, True])
def test_where_links_cannot_be_had_the_bytes_are_copied(
    source, tmp_path, monkeypatch, code, exists
):
    target = tmp_path / "deep" / "er" / "x.wav"
    if exists:
        target.parent.mkdir(parents=True)
        target.write_bytes(b"old")
    _refuse_links(monkeypatch, code)
    link_or_copy(source, target)
    assert target.read_bytes() == source.read_bytes()
    assert not target.samefile(source)
    assert _names(target.parent) == ["x.wav"]


def test_an_existing_file_is_replaced_and_whoever_shares_it_is_not_touched(source, tmp_path):
    target, other = tmp_path / "x.wav", tmp_path / "other name of the old file"
    other.write_bytes(b"old")
    os.link(other, target)
    link_or_copy(source, target)
    assert target.samefile(source)
    assert other.read_bytes() == b"old"


def test_linking_twice_leaves_no_temporary_name(source, tmp_path):
    target = tmp_path / "out" / "x.wav"
    link_or_copy(source, target)
    link_or_copy(source, target)
    assert _names(target.parent) == ["x.wav"]
    assert source.stat().st_nlink == 2


def test_a_symbolic_link_is_followed_at_the_source_and_replaced_at_the_target(source, tmp_path):
    alias, target = tmp_path / "alias.wav", tmp_path / "x.wav"
    alias.symlink_to(source)
    kept = tmp_path / "kept"
    kept.write_bytes(b"kept")
    target.symlink_to(kept)
    link_or_copy(alias, target)
    assert target.samefile(source)
    assert not target.is_symlink()
    assert kept.read_bytes() == b"kept"


def test_a_copy_that_breaks_off_leaves_the_old_file_and_nothing_else(source, tmp_path, monkeypatch):
    target = tmp_path / "out" / "x.wav"
    target.parent.mkdir()
    target.write_bytes(b"old")
    _refuse_links(monkeypatch, errno.EXDEV)

    def break_off(_path):
        yield b"half"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(linking, "_blocks", break_off)
    with pytest.raises(AudioError, match=r"x\.wav: No space left on device"):
        link_or_copy(source, target)
    assert target.read_bytes() == b"old"
    assert _names(target.parent) == ["x.wav"]


def test_what_is_missing_or_no_file_is_named(source, tmp_path):
    with pytest.raises(AudioError, match=r"gone\.wav: No such file"):
        link_or_copy(tmp_path / "gone.wav", tmp_path / "x.wav")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AudioError, match=r"folder: a folder of this name exists"):
        link_or_copy(source, tmp_path / "folder")
