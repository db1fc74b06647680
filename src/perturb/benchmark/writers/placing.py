"""Where a clip's audio lies below a folder that stands in for the source's audio root.

The path is the clip's own, so that a harness swaps its root and nothing else. It is another one
only where it must be: an mp3 became a WAV, a path leads out of the folder, or two items of one clip
got different audio. A name depends on the benchmark and the clip, never on which rows are written.
"""

from __future__ import annotations

import hashlib
import posixpath
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from perturb.audio_io import AUDIO_SUFFIXES
from perturb.benchmark.item import Benchmark
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["AudioPlaces", "express_path", "short_hash"]


def short_hash(text: str) -> str:
    """Return 8 hexadecimal digits that stand for a text in a name."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


class AudioPlaces:
    """The paths of one condition's audio, relative to its folder, with forward slashes.

    Parameters
    ----------
    benchmark : Benchmark
        All of its clips keep their paths reserved, whichever are written.
    rows : iterable of VariantRow
        The condition's rows.

    Raises
    ------
    BenchmarkError
        Two files would lie under one path.
    """

    def __init__(self, benchmark: Benchmark, rows: Iterable[VariantRow]) -> None:
        self._own = {key: _safe_path(key) for key in benchmark.clips}
        self._stems = Counter(_stem_key(path) for path in self._own.values())
        files: dict[str, dict[Path, None]] = {}
        for row in rows:
            for audio in row.audios or ():
                if audio.file is not None:
                    files.setdefault(audio.clip, {})[audio.file] = None
        self._places = {
            (clip, file): self._place(clip, file, len(found) > 1)
            for clip, found in files.items()
            for file in found
        }
        _refuse_shared(self._places)

    @property
    def files(self) -> dict[str, Path]:
        """The canonical file of each path."""
        return {place: file for (_, file), place in self._places.items()}

    def of(self, clip: str, file: Path) -> str:
        """Return where a canonical file of a clip lies."""
        return self._places[clip, file]

    def own(self, clip: str) -> str:
        """Return where the clip itself would lie."""
        return self._own[clip]

    def _place(self, clip: str, file: Path, is_one_of_several: bool) -> str:
        own = PurePosixPath(self._own[clip])
        has_suffix = own.suffix.lower() in AUDIO_SUFFIXES
        if own.suffix.lower() == file.suffix.lower() and not is_one_of_several:
            suffix, name = own.suffix, own.stem
        else:
            suffix, name = file.suffix, own.stem if has_suffix else own.name
        if is_one_of_several:
            name += f"-{short_hash(f'{file.parent.name}/{file.name}')}"
        place = str(own.with_name(name + suffix))
        if place != clip and self._stems[_stem_key(str(own))] > 1:
            place = str(own.with_name(f"{name}-{short_hash(clip)}{suffix}"))
        return place


def express_path(source: str, clip: str, place: str) -> str:
    """Return what the source's field says of audio that lies at `place`.

    The field stays as it stands where the audio kept its path. Where a field names only the end of
    the path, since a harness puts folders in front of it, so does the new one; a leading ``./`` is
    kept.

    Parameters
    ----------
    source : str
        The field as it stands.
    clip : str
        Key of the clip that it leads to.
    place : str
        Where the audio lies below the folder that stands in for the audio root.

    Examples
    --------
    >>> express_path("./clips/a.mp3", "clips/a.mp3", "clips/a.wav")
    './clips/a.wav'
    >>> express_path("a.mp3", "clips/a.mp3", "clips/a.wav")
    'a.wav'
    >>> express_path("/data/clips/a.wav", "clips/a.wav", "clips/a.wav")
    'clips/a.wav'
    """
    named = posixpath.normpath(source)
    folders = clip.removesuffix(named)
    is_end = clip.endswith(named) and (not folders or folders.endswith("/"))
    if not is_end or ".." in source.split("/") or not place.startswith(folders):
        return place
    if place == clip:
        return source
    return ("./" if source.startswith("./") else "") + place.removeprefix(folders)


def _safe_path(key: str) -> str:
    """Return a clip's key as a path that stays inside the folder."""
    parts = [part for part in key.split("/") if part not in ("", ".", "..")]
    return "/".join(parts) or "audio"


def _stem_key(path: str) -> str:
    """Return the path without an audio suffix, as a file system may compare it."""
    pure = PurePosixPath(path)
    text = path[: -len(pure.suffix)] if pure.suffix.lower() in AUDIO_SUFFIXES else path
    return unicodedata.normalize("NFC", text).casefold()


def _refuse_shared(places: dict[tuple[str, Path], str]) -> None:
    taken: dict[str, tuple[str, Path]] = {}
    for owner, place in places.items():
        first = taken.setdefault(place, owner)
        if first != owner:
            raise BenchmarkError(
                f"the audio of {first[0]!r} and of {owner[0]!r} would both be written to {place}; "
                "rename one of the two files"
            )
