"""Members of a zip that may be packed by zstandard, which `zipfile` knows from Python 3.14 on."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import Any

from perturb.errors import ScoreError

__all__ = ["read_member"]

_ZSTANDARD = 93
_LOCAL_HEADER = 30


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a member.

    Raises
    ------
    ScoreError
        It is packed by zstandard and nothing that unpacks it is installed.
    KeyError, OSError, zipfile.BadZipFile
        As `zipfile.ZipFile.read`.
    """
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("the archive is closed")
    file.seek(info.header_offset)
    head = file.read(_LOCAL_HEADER)
    if head[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile(f"{name}: no local header where the directory says")
    name_length, extra_length = struct.unpack("<HH", head[26:30])
    file.seek(name_length + extra_length, 1)
    packed = file.read(info.compress_size)
    with _zstandard().ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
        text: bytes = stream.read()
    if len(text) != info.file_size or zlib.crc32(text) != info.CRC:
        raise zipfile.BadZipFile(f"{name}: what is unpacked is not what was packed")
    return text


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise ScoreError(
            "logs of late versions of Inspect are packed by zstandard: pip install zstandard "
            "(it comes with inspect-ai)"
        ) from None
    return zstandard
