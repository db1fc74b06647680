"""Where the audio of a benchmark lies: the folder that paths are relative to, and a key per clip.

A key is the path below the audio root with forward slashes, the same on every machine. A path that
leads out of the root (absolute, or with ``..``) is taken from the benchmark's own folder and must
then lie inside the root; else it is refused, so that nothing outside is read or named.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from perturb.audio_io.paths import printable_path
from perturb.benchmark.item import Clip
from perturb.errors import BenchmarkError

__all__ = ["TRIED_PATHS", "clip_of", "find_audio_root"]

TRIED_PATHS = 50
"""Audio paths, the first different ones of a benchmark, that tell its audio root."""


def clip_of(text: str, root: Path, base: Path) -> Clip:
    """Return the clip of a path as the benchmark writes it.

    Parameters
    ----------
    text : str
        The path, with forward slashes.
    root : Path
        The audio root.
    base : Path
        The benchmark's own folder.

    Raises
    ------
    BenchmarkError
        It is an address, or lies outside the root.
    """
    if "://" in text or text.startswith("data:"):
        raise BenchmarkError(
            f"{text[:80]!r} is no file; download it or write it out, and name the file instead"
        )
    key = posixpath.normpath(text)
    if key.startswith(("/", "../")) or key in ("..", "."):
        inside = os.path.relpath(base.absolute() / text, root.absolute())
        key = Path(os.path.normpath(inside)).as_posix()
        if key.startswith("../") or key in ("..", "."):
            raise BenchmarkError(
                f"{text!r} lies outside the audio root {printable_path(root)}; name a folder above "
                "all audio with --audio-root"
            )
    return Clip(key=key, path=root / key)


def find_audio_root(path: Path, texts: Sequence[str], audio_root: Path | None) -> Path:
    """Return the audio root.

    Parameters
    ----------
    path : Path
        The benchmark, a file or a folder.
    texts : sequence of str
        Its audio paths, each once.
    audio_root : Path or None
        Where it was named. Else these are tried, and the first with most of the files is taken:
        the benchmark's folder, the folders in it, the folder above, the folders in that; where all
        paths are absolute, the folder above all of them.

    Raises
    ------
    BenchmarkError
        The folder named is none, or holds none of the files.
    """
    base = path if path.is_dir() else path.parent
    tried = texts[:TRIED_PATHS]
    if not tried:
        raise BenchmarkError(f"{printable_path(path)}: no row names any audio")
    if audio_root is not None and not audio_root.is_dir():
        raise BenchmarkError(f"--audio-root {printable_path(audio_root)}: is no folder")
    candidates = [audio_root] if audio_root is not None else list(_candidates(base, texts))
    hits = [_count_files(tried, candidate, base) for candidate in candidates]
    best = max(range(len(candidates)), key=hits.__getitem__)
    if not hits[best]:
        where = "" if len(candidates) == 1 else " nor in the folders in and around it"
        raise BenchmarkError(
            f"{printable_path(path)}: none of the first {len(tried)} audio files is in "
            f"{printable_path(candidates[0])}{where}; looked for "
            f"{printable_path(candidates[0] / tried[0])}, for example; name the folder that audio "
            "paths are relative to with --audio-root"
        )
    return candidates[best]


def _candidates(base: Path, texts: Sequence[str]) -> Iterator[Path]:
    yield base
    if all(text.startswith("/") for text in texts):
        yield Path(os.path.commonpath([posixpath.dirname(text) for text in texts]))
        return
    yield from _folders_in(base)
    above = base.absolute().parent
    yield above
    yield from (folder for folder in _folders_in(above) if folder != base.absolute())


def _folders_in(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(
            entry for entry in folder.iterdir() if entry.is_dir() and entry.name[0] not in "._"
        )
    return []


def _count_files(texts: Sequence[str], root: Path, base: Path) -> int:
    count = 0
    for text in texts:
        with suppress(BenchmarkError, OSError, ValueError):
            clip = clip_of(text, root, base)
            count += clip.path is not None and clip.path.is_file()
    return count
