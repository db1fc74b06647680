"""From the first bytes of a file to the facts of its header."""

from __future__ import annotations

import re
import struct
from typing import BinaryIO

from perturb.audio_io.header import Header, read_at, with_patches
from perturb.audio_io.mpeg import is_mpeg, read_mpeg_header, skip_id3
from perturb.audio_io.ogg import read_ogg_header
from perturb.audio_io.wave_header import W64_MAGIC, read_w64_header, read_wave_header
from perturb.errors import AudioError

__all__ = ["inspect_header"]

_UNKNOWN_32 = 0xFFFFFFFF


def inspect_header(file: BinaryIO, size_bytes: int) -> Header:
    """Return what the header of an audio file says, checked against the bytes present.

    Containers without a check of their own come back with a note: their length is what the
    decoder finds.

    Raises
    ------
    AudioError
        Contradictory, empty, truncated or damaged, with the position.
    """
    head = read_at(file, 0, 16)
    if head[:4] in (b"RIFF", b"RIFX", b"RF64"):
        return read_wave_header(file, size_bytes)
    if head == W64_MAGIC:
        return read_w64_header(file, size_bytes)
    if head[:4] == b"OggS":
        return read_ogg_header(file, size_bytes)
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return _read_aiff_header(file, size_bytes)
    if head[:4] in (b".snd", b"dns."):
        return _read_au_header(file, size_bytes)
    if head[:7] == b"NIST_1A":
        return _read_nist_header(file)
    if head[:4] == b"caff":
        return _read_caf_header(file, size_bytes)
    offset = skip_id3(file)
    head = read_at(file, offset, 16)
    if head[:4] == b"fLaC":
        return _read_flac_header(file, size_bytes, offset)
    if is_mpeg(head):
        return read_mpeg_header(file, size_bytes)
    return Header(notes=("this container's length cannot be checked against its content",))


def _read_flac_header(file: BinaryIO, size_bytes: int, offset: int) -> Header:
    """FLAC (RFC 9639): the 36-bit sample count of STREAMINFO, 0 for unknown."""
    info = read_at(file, offset + 4, 38)
    if len(info) < 38 or info[0] & 0x7F != 0:
        raise AudioError("truncated: FLAC without its stream information")
    low = info[17:22]  # the count fills the last 36 of these 40 bits
    frames = int.from_bytes(low, "big") & (1 << 36) - 1
    # The decoder stops at the declared count; told that it is unknown, it reads to the end.
    parts = with_patches(size_bytes, {offset + 21: bytes([low[0] & 0xF0, 0, 0, 0, 0])})
    if frames == 0:
        return Header(parts=parts, notes=("the FLAC header declares no length",))
    return Header(declared_frames=frames, is_binding=True, parts=parts)


def _read_aiff_header(file: BinaryIO, size_bytes: int) -> Header:
    """AIFF and AIFF-C: the frame count of the common chunk."""
    position = 12
    while position + 8 <= size_bytes:
        chunk = read_at(file, position, 8 + 18)
        length = int.from_bytes(chunk[4:8], "big")
        if chunk[:4] == b"COMM" and len(chunk) == 26:
            channels, frames = (
                int.from_bytes(chunk[8:10], "big"),
                int.from_bytes(chunk[10:14], "big"),
            )
            if channels == 0:
                raise AudioError("contradictory header: 0 channels")
            if frames == 0:
                raise AudioError("the audio is empty: 0 frames")
            compression = read_at(file, position + 26, 4) if length >= 22 else b"NONE"
            # Compressed kinds count packets, so the number is a lower bound for them.
            return Header(declared_frames=frames, is_binding=compression.lower() != b"ima4")
        position += 8 + length + length % 2
    raise AudioError("no common chunk: truncated or not an AIFF file")


def _read_au_header(file: BinaryIO, size_bytes: int) -> Header:
    """AU, in either byte order: data offset and size in bytes, all ones for unknown."""
    head = read_at(file, 0, 24).ljust(24, b"\0")
    start, declared = struct.unpack_from(">II" if head[:4] == b".snd" else "<II", head, 4)
    present = max(0, size_bytes - start)
    if declared in (0, _UNKNOWN_32) and present > 0:
        note = f"header declared no length; all {present} bytes that follow are read"
        return Header(parts=with_patches(size_bytes, {8: b"\xff" * 4}), notes=(note,))
    _refuse_truncated(declared, present)
    surplus = present - declared
    return Header(notes=(f"{surplus} bytes after the audio are ignored",) if surplus else ())


def _read_caf_header(file: BinaryIO, size_bytes: int) -> Header:
    """CAF: a 64-bit size in front of each chunk."""
    position = 8
    while position + 12 <= size_bytes:
        chunk = read_at(file, position, 12)
        length = int.from_bytes(chunk[4:], "big", signed=True)
        if chunk[:4] == b"data":
            surplus = size_bytes - position - 12 - length
            if length == -1:  # up to the end of the file
                return Header()
            _refuse_truncated(length, length + surplus)
            following = read_at(file, position + 12 + length, 4)
            if surplus < 12 or (following.isascii() and following.isalpha()):
                return Header()  # another chunk, or some padding
            return Header(notes=(f"{surplus} bytes after the audio are ignored",))
        position += 12 + max(0, length)
    raise AudioError("no data chunk: truncated or not a CAF file")


def _read_nist_header(file: BinaryIO) -> Header:
    """NIST SPHERE: ``sample_count -i N`` in a header of text, per channel."""
    match = re.search(rb"^sample_count -i (\d+)", read_at(file, 0, 1024), re.MULTILINE)
    return Header(declared_frames=int(match[1]), is_binding=True) if match else Header()


def _refuse_truncated(declared_bytes: int, present_bytes: int) -> None:
    if declared_bytes > present_bytes:
        raise AudioError(
            f"truncated: the header declares {declared_bytes} bytes of audio, "
            f"{present_bytes} are there"
        )
