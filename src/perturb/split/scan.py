"""What the headers of all clips say before any is decoded: how long, how large, which equal."""

from __future__ import annotations

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from perturb.audio_io import AudioInfo, file_sha256, read_audio, read_info
from perturb.audio_io.paths import errors_named
from perturb.benchmark.embedded import extracted_path, walk
from perturb.benchmark.item import Clip
from perturb.errors import AudioError

__all__ = ["ClipScan", "scan_clips"]

_UNCOUNTED_BYTES_PER_S = 2000.0
"""For headers without a count of samples: 16 kbit/s, the least that codecs of speech use, so that
the longest possible duration is planned for."""

_SIZED = frozenset({"WAV", "WAVEX", "RF64", "W64"})
_PLAIN = frozenset({"PCM_U8", "PCM_16", "PCM_24", "PCM_32", "ALAW", "ULAW"})
"""Where the size of a file settles whether it decodes: any byte is a sample. Compressed data may be
damaged, and floats may be no numbers."""
_LOOK_BYTES = 4096


@dataclass(frozen=True)
class ClipScan:
    """What is known of the clips of a benchmark without decoding them.

    Parameters
    ----------
    infos : dict of str to AudioInfo
        By key; without those that cannot be read.
    durations_s : dict of str to float
        What each header declares, in seconds; estimated from the size where it does not say.
    unreadable : dict of str to str
        By key, why a clip cannot be read.
    equal_audio : dict of str to str
        For each clip whose file has the bytes of another: the first of them, in order of keys.
    silent : frozenset of str
        Clips of digital silence, where clips are made from others.
    """

    infos: Mapping[str, AudioInfo]
    durations_s: Mapping[str, float]
    unreadable: Mapping[str, str]
    equal_audio: Mapping[str, str]
    silent: frozenset[str] = frozenset()


def scan_clips(
    clips: Iterable[Clip], advance: Callable[[], None] = lambda: None, *, is_decoded: bool = False
) -> ClipScan:
    """Read the header of every clip.

    Parameters
    ----------
    clips : iterable of Clip
        Files, or audio embedded in tables, which are walked once.
    advance : callable
        Called once for each clip, for progress.
    is_decoded : bool
        Whether clips are decoded whose header cannot vouch for what follows, or that seem silent:
        where clips are made from others, one that is no good would take others with it.
    """
    infos: dict[str, AudioInfo] = {}
    unreadable: dict[str, str] = {}
    digests: dict[str, str] = {}
    silent: set[str] = set()
    for key, path, digest in _with_files(clips):
        try:
            info = read_info(path)
            if is_decoded and not (_surely_sounds(info) or read_audio(path).signal.samples.any()):
                silent.add(key)
            infos[key] = info
        except AudioError as error:
            unreadable[key] = str(error)
        if digest is not None:
            digests[key] = digest
        advance()
    durations = {key: _duration_s(info) for key, info in infos.items()}
    return ClipScan(infos, durations, unreadable, _equal_files(infos, digests), frozenset(silent))


def _with_files(clips: Iterable[Clip]) -> Iterator[tuple[str, Path, str | None]]:
    """Yield each clip's key and a file that holds it.

    What is embedded has a file for the moment alone, and comes with the hash of its bytes.
    """
    embedded = []
    for clip in clips:
        if clip.path is None:
            embedded.append(clip)
        else:
            yield clip.key, clip.path, None
    if not embedded:
        return
    with tempfile.TemporaryDirectory() as folder:
        for clip, data in walk(embedded):
            path = extracted_path(clip, Path(folder))
            path.write_bytes(data)
            yield clip.key, path, hashlib.sha256(data).hexdigest()
            path.unlink()


def _surely_sounds(info: AudioInfo) -> bool:
    """Whether a file decodes and is not silent, as far as a look into its middle tells."""
    if info.container not in _SIZED or info.subtype not in _PLAIN:
        return False
    with errors_named(info.path, AudioError), info.path.open("rb") as file:
        file.seek(info.file_size_bytes // 2)
        seen = file.read(_LOOK_BYTES)
    return seen.count(seen[:1]) < len(seen)


def _duration_s(info: AudioInfo) -> float:
    if info.declared_frames is not None:
        return info.declared_frames / info.sample_rate_hz
    return info.file_size_bytes / _UNCOUNTED_BYTES_PER_S


def _equal_files(infos: Mapping[str, AudioInfo], digests: Mapping[str, str]) -> dict[str, str]:
    """Return the first of equal files for each that has one; only files of one size are read."""
    by_size: dict[int, list[str]] = defaultdict(list)
    for key in sorted(infos):
        by_size[infos[key].file_size_bytes].append(key)
    equal: dict[str, str] = {}
    for keys in by_size.values():
        first: dict[str, str] = {}
        for key in keys if len(keys) > 1 else ():
            digest = digests.get(key) or _digest(infos[key].path)
            if digest in first:
                equal[key] = equal[first[digest]] = first[digest]
            else:
                first[digest] = key
    return equal


def _digest(path: Path) -> str:
    try:
        return file_sha256(path)
    except AudioError:  # vanished since its header was read; rendering says so
        return f"unreadable {path}"
