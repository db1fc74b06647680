"""What the headers of all clips say before any is decoded: how long, how large, which equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from perturb.audio_io import AudioInfo, file_sha256, read_info
from perturb.errors import AudioError

__all__ = ["ClipScan", "scan_clips"]

_UNCOUNTED_BYTES_PER_S = 2000.0
"""For headers without a count of samples: 16 kbit/s, the least that codecs of speech use, so that
the longest possible duration is planned for."""


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
        For each clip whose file has the bytes of another: the first of them, by key.
    """

    infos: Mapping[str, AudioInfo]
    durations_s: Mapping[str, float]
    unreadable: Mapping[str, str]
    equal_audio: Mapping[str, str]


def scan_clips(files: Mapping[str, Path], advance: Callable[[], None] = lambda: None) -> ClipScan:
    """Read the header of every clip.

    Parameters
    ----------
    files : mapping of str to Path
        File of each clip, by key.
    advance : callable
        Called once for each clip, for progress.
    """
    infos: dict[str, AudioInfo] = {}
    unreadable: dict[str, str] = {}
    for key, path in files.items():
        try:
            infos[key] = read_info(path)
        except AudioError as error:
            unreadable[key] = str(error)
        advance()
    durations = {key: _duration_s(info) for key, info in infos.items()}
    return ClipScan(infos, durations, unreadable, _equal_files(infos))


def _duration_s(info: AudioInfo) -> float:
    if info.declared_frames is not None:
        return info.declared_frames / info.sample_rate_hz
    return info.file_size_bytes / _UNCOUNTED_BYTES_PER_S


def _equal_files(infos: Mapping[str, AudioInfo]) -> dict[str, str]:
    """Return the first of equal files for each that has one; only files of one size are read."""
    by_size: dict[int, list[str]] = defaultdict(list)
    for key in sorted(infos):
        by_size[infos[key].file_size_bytes].append(key)
    equal: dict[str, str] = {}
    for keys in by_size.values():
        if len(keys) > 1:
            equal.update(_equal_among(keys, infos))
    return equal


def _equal_among(keys: Iterable[str], infos: Mapping[str, AudioInfo]) -> dict[str, str]:
    first: dict[str, str] = {}
    equal: dict[str, str] = {}
    for key in keys:
        try:
            digest = file_sha256(infos[key].path)
        except AudioError:
            continue
        if digest in first:
            equal[key] = first[digest]
            equal[first[digest]] = first[digest]
        else:
            first[digest] = key
    return equal
