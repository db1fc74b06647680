"""The headers of the WAVE family: RIFF, RIFX, RF64 and Wave64.

libsndfile cuts a declared length down to the bytes that are there and says nothing, so chunks are
walked here: the declared size of the audio is compared with the bytes present, and the fields of
the format chunk with each other.

Sources: Microsoft and IBM, *Multimedia Programming Interface* (1991); Microsoft, *Multiple Channel
Audio Data and WAVE Files* (2007); EBU Tech 3306 (RF64); Sony, *Wave64* (2001).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import BinaryIO

from perturb.audio_io.header import Header, SplicedFile, read_at, with_patches
from perturb.audio_io.mpeg import read_mpeg_header
from perturb.errors import AudioError

__all__ = ["W64_MAGIC", "read_w64_header", "read_wave_header"]

W64_MAGIC = bytes.fromhex("726966662e91cf11a5d628db04c10000")
_W64_TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")

_UNKNOWN_32 = 0xFFFFFFFF
_SOX_UNKNOWN = 0x7FFFF000  # what SoX writes into a pipe, rounded down to whole frames
_ARECORD_UNKNOWN = 0x80000000

_PCM, _FLOAT, _ALAW, _ULAW, _MPEG_LAYER_3, _EXTENSIBLE = 1, 3, 6, 7, 0x55, 0xFFFE
_FIXED_WIDTH_BITS = {_PCM: range(8, 33), _FLOAT: (32, 64), _ALAW: (8,), _ULAW: (8,)}


@dataclass(frozen=True)
class _Format:
    """A format chunk: `tag` is the sub-format where the chunk is extensible."""

    tag: int
    block_align_bytes: int
    channel_mask: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Data:
    """The data chunk: where it starts, what it declares (and in which field), what is there."""

    start: int
    declared_bytes: int
    present_bytes: int
    length_offset: int
    length_layout: str


def read_wave_header(file: BinaryIO, size_bytes: int) -> Header:
    """Check a RIFF, RIFX or RF64 file.

    Raises
    ------
    AudioError
        The header contradicts itself or the content, or the audio is empty or truncated.
    """
    head = read_at(file, 0, 12)
    magic, form = head[:4], head[8:12]
    order = ">" if magic == b"RIFX" else "<"
    if form != b"WAVE":
        raise AudioError(f"a {_text(magic)} file of the form {_text(form)}, not WAVE")
    riff_bytes = _unpack(order + "I", head, 4)
    notes = ["big-endian (RIFX)"] if magic == b"RIFX" else []
    long_length_offset: int | None = None
    found: _Format | None = None
    data: _Data | None = None
    position = 12
    while position + 8 <= size_bytes:
        name, length = struct.unpack(order + "4sI", read_at(file, position, 8))
        start = position + 8
        if data is not None and not _is_chunk_name(name):
            rest_bytes = size_bytes - position
            if rest_bytes > _UNKNOWN_32:
                raise AudioError(
                    f"contradictory header: {data.declared_bytes} bytes of audio declared, "
                    f"{data.present_bytes} there; the size field wrapped at 4 GB. Use RF64"
                )
            notes.append(f"{rest_bytes} bytes after the audio are no chunk; ignored")
            break
        if name == b"ds64" and magic == b"RF64":
            long_length_offset = start + 8
        elif name == b"fmt ":
            if found is not None:
                raise AudioError("contradictory header: two format chunks")
            found = _read_format(read_at(file, start, min(length, 40)), order)
        elif name == b"data":
            if data is not None:
                raise AudioError("contradictory header: two data chunks; which one is the audio?")
            field = (position + 4, order + "I")
            if length == _UNKNOWN_32 and long_length_offset is not None:
                field = (long_length_offset, "<Q")
                length = _unpack("<Q", read_at(file, long_length_offset, 8))
            data = _Data(start, length, size_bytes - start, *field)
            if _has_no_length(data, found) and not _is_empty(file, data, order):
                break
        elif data is not None and start + length > size_bytes:
            notes.append(f"chunk {_text(name)} after the audio is cut")
        if data is None and start + length > size_bytes:
            raise AudioError(
                f"truncated: chunk {_text(name)} at byte {position} declares {length} bytes, "
                f"{size_bytes - start} are there, and no audio follows"
            )
        position = start + length + length % 2
    if found is None or data is None:
        missing = "format" if found is None else "data"
        raise AudioError(f"no {missing} chunk: truncated or not a WAVE file")
    header = _check_data(file, found, data, order, size_bytes)
    if header.parts is None and size_bytes < 8 + riff_bytes < 8 + _SOX_UNKNOWN:
        notes.append(
            f"the RIFF header declares {8 + riff_bytes} bytes, the file has {size_bytes}; "
            "the audio is complete"
        )
    return replace(header, notes=(*notes, *found.notes, *header.notes))


def read_w64_header(file: BinaryIO, size_bytes: int) -> Header:
    """Check a Wave64 file: the same chunks under 16-byte names and 64-bit sizes."""
    found: _Format | None = None
    position = 40
    while position + 24 <= size_bytes:
        name, length = struct.unpack("<16sQ", read_at(file, position, 24))
        start = position + 24
        if length < 24:
            raise AudioError(f"contradictory header: chunk at byte {position} of {length} bytes")
        if name == b"fmt " + _W64_TAIL:
            found = _read_format(read_at(file, start, min(length - 24, 40)), "<")
        elif name == b"data" + _W64_TAIL and found is not None:
            data = _Data(start, length - 24, size_bytes - start, position + 16, "<Q")
            header = _check_data(file, found, data, "<", size_bytes)
            return replace(header, notes=(*found.notes, *header.notes))
        position += (length + 7) // 8 * 8
    missing = "format" if found is None else "data"
    raise AudioError(f"no {missing} chunk: truncated or not a Wave64 file")


def _check_data(file: BinaryIO, found: _Format, data: _Data, order: str, size_bytes: int) -> Header:
    """Compare what the data chunk declares with what is there."""
    notes: list[str] = []
    parts = None
    audio_bytes = data.declared_bytes
    if _is_empty(file, data, order):
        raise AudioError("the audio is empty: 0 frames")
    if _has_no_length(data, found):
        audio_bytes = data.present_bytes
        notes.append(
            f"header declared {data.declared_bytes:#x} bytes of audio; "
            f"all {audio_bytes} bytes that follow are read"
        )
        is_long = data.length_layout == "<Q"
        if data.declared_bytes == 0 or is_long:
            # libsndfile would take the field at its word and read nothing.
            actual = audio_bytes if is_long else min(audio_bytes, _UNKNOWN_32)
            parts = with_patches(
                size_bytes, {data.length_offset: struct.pack(data.length_layout, actual)}
            )
    elif data.declared_bytes > data.present_bytes:
        raise AudioError(
            f"truncated: the header declares {data.declared_bytes} bytes of audio, "
            f"{data.present_bytes} are there"
        )
    if found.tag == _MPEG_LAYER_3:
        payload = (range(data.start, data.start + audio_bytes),)
        inner = read_mpeg_header(SplicedFile(file, payload), audio_bytes, data.start)
        return replace(
            inner, container="WAV", notes=(*notes, *inner.notes), channel_mask=found.channel_mask
        )
    frames = None
    if found.tag in _FIXED_WIDTH_BITS:
        frames, rest_bytes = divmod(audio_bytes, found.block_align_bytes)
        if rest_bytes:
            notes.append(f"the last {rest_bytes} bytes of the audio are no whole frame; ignored")
    return Header(
        declared_frames=frames,
        is_binding=frames is not None,
        parts=parts,
        channel_mask=found.channel_mask,
        notes=tuple(notes),
    )


def _read_format(chunk: bytes, order: str) -> _Format:
    if len(chunk) < 16:
        raise AudioError(f"contradictory header: a format chunk of {len(chunk)} bytes, at least 16")
    tag, channels, rate_hz, byte_rate, block_align, bits = struct.unpack_from(
        order + "HHIIHH", chunk
    )
    mask = None
    if tag == _EXTENSIBLE and len(chunk) >= 40:
        mask = _unpack(order + "I", chunk, 20)
        tag = _unpack(order + "H", chunk, 24)
    problems = []
    if channels == 0:
        problems.append("0 channels")
    if rate_hz == 0:
        problems.append("a rate of 0 Hz")
    notes: tuple[str, ...] = ()
    if tag in _FIXED_WIDTH_BITS:
        if bits not in _FIXED_WIDTH_BITS[tag]:
            problems.append(f"{bits} bits per sample")
        elif block_align != channels * ((bits + 7) // 8):
            problems.append(f"{channels} channels of {bits} bits in frames of {block_align} bytes")
        elif byte_rate == 0:
            notes = ("header declared 0 bytes per second",)
        elif byte_rate != rate_hz * block_align:
            problems.append(
                f"{rate_hz} Hz with frames of {block_align} bytes make "
                f"{rate_hz * block_align} bytes per second, not {byte_rate}"
            )
    if problems:
        raise AudioError(f"contradictory header: {'; '.join(problems)}. Write the file anew")
    return _Format(tag, block_align, mask, notes)


def _has_no_length(data: _Data, found: _Format | None) -> bool:
    """Whether the size field is one of those that programs write when they cannot know."""
    if data.declared_bytes == 0:
        return True
    if data.declared_bytes <= data.present_bytes:
        return False
    align = max(1, found.block_align_bytes) if found is not None else 1
    unknown = (_UNKNOWN_32, _ARECORD_UNKNOWN, _SOX_UNKNOWN, _SOX_UNKNOWN // align * align)
    return data.declared_bytes in unknown or data.declared_bytes == 2**64 - 1


def _is_empty(file: BinaryIO, data: _Data, order: str) -> bool:
    """Whether a data chunk of 0 bytes means it: a clean list of chunks follows, or nothing."""
    if data.declared_bytes in (_UNKNOWN_32, 2**64 - 1):
        return data.present_bytes == 0
    if data.declared_bytes != 0:
        return False
    position, stop = data.start, data.start + data.present_bytes
    while position + 8 <= stop:
        name, length = struct.unpack(order + "4sI", read_at(file, position, 8))
        if not _is_chunk_name(name):
            return False
        position += 8 + length + length % 2
    return position in (stop, stop + 1)  # the last pad byte is often forgotten


def _is_chunk_name(name: bytes) -> bool:
    return all(0x20 <= byte < 0x7F for byte in name)


def _unpack(layout: str, data: bytes, offset: int = 0) -> int:
    try:
        return int(struct.unpack_from(layout, data, offset)[0])
    except struct.error:
        raise AudioError("truncated in the header") from None


def _text(name: bytes) -> str:
    return repr(name.decode("latin-1"))
