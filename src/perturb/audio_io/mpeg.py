"""The frames of an MPEG audio stream (mp3): counted, because its headers are seldom right.

An mp3 has no length field of its own. libsndfile believes the count of a Xing tag, or else guesses
from the first frame's bit rate, and stops there: a variable-bit-rate file without a tag loses half
of its audio without a word. Counting the frames first and mending the view of the file gives what
is really there.

Source: ISO/IEC 11172-3 and 13818-3, the header of a frame.
"""

from __future__ import annotations

from typing import BinaryIO

from perturb.audio_io.header import Header, Hole, SplicedFile, read_at, with_patches
from perturb.errors import AudioError

__all__ = ["is_mpeg", "read_mpeg_header", "skip_id3"]

# Kilobits per second by (is MPEG-1, layer), for the header's index 1 to 14.
_V1_L1 = tuple(range(32, 449, 32))
_V1_L2 = (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384)
_V1_L3 = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_V2_L1 = (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256)
_V2_L23 = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_BIT_RATES_KBPS = {
    (True, 1): _V1_L1,
    (True, 2): _V1_L2,
    (True, 3): _V1_L3,
    (False, 1): _V2_L1,
    (False, 2): _V2_L23,
    (False, 3): _V2_L23,
}
_RATES_HZ = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_TRAILERS = (b"TAG", b"APETAGEX", b"LYRICSBEGIN", b"ID3", b"3DI")


def is_mpeg(head: bytes) -> bool:
    """Whether these bytes start an MPEG audio frame."""
    return _frame_bytes(head, 0) is not None


def skip_id3(file: BinaryIO | SplicedFile) -> int:
    """Return the offset behind any ID3v2 tags at the start of a file."""
    offset = 0
    while True:
        head = read_at(file, offset, 10)
        if len(head) < 10 or head[:3] != b"ID3":
            return offset
        footer_bytes = 10 if head[5] & 0x10 else 0
        size_bytes = sum(
            (byte & 0x7F) << shift for byte, shift in zip(head[6:], (21, 14, 7, 0), strict=True)
        )
        offset += 10 + size_bytes + footer_bytes


def read_mpeg_header(file: BinaryIO | SplicedFile, size_bytes: int, base: int = 0) -> Header:
    """Count the frames of an MPEG stream and mend the count that the decoder will believe.

    Parameters
    ----------
    file : binary file
        The stream, with or without tags around it.
    size_bytes : int
        Its size.
    base : int
        Where the stream starts in the file on disk.

    Returns
    -------
    Header
        With `parts` that make the decoder read every frame.
    """
    start = skip_id3(file)
    data = read_at(file, 0, size_bytes)
    if _frame_bytes(data, start) is None:
        raise AudioError(f"no MPEG audio frame at byte {base + start}")
    tag_offset, tagged_frames = _find_frame_count(data, start)
    frames, notes = _count_frames(data, start, base)
    if tag_offset is None:
        # Without a count the decoder guesses from the size: claim far more than there is. The
        # zeros at the end stand where it looks for a trailing tag.
        claimed: tuple[bytes | range | Hole, ...] = (
            range(base, base + size_bytes),
            Hole(63 * size_bytes + 4096),
            bytes(128),
        )
        return Header(parts=claimed, notes=tuple(notes))
    frames -= 1  # the frame that carries the tag is silent and not counted
    if frames < 1:
        raise AudioError("truncated: no whole MPEG frame of audio")
    if frames == tagged_frames:
        parts = (range(base, base + size_bytes),) if base else None
        return Header(parts=parts, notes=tuple(notes))
    notes.insert(0, f"the tag declares {tagged_frames} MPEG frames, {frames} are there and read")
    patched = with_patches(size_bytes, {tag_offset: frames.to_bytes(4, "big")})
    shifted = tuple(
        range(part.start + base, part.stop + base) if isinstance(part, range) else part
        for part in patched
    )
    return Header(parts=shifted, notes=tuple(notes))


def _count_frames(data: bytes, start: int, base: int) -> tuple[int, list[str]]:
    position, frames, notes = start, 0, []
    while position + 4 <= len(data):
        length = _frame_bytes(data, position)
        if length is not None:
            if position + length > len(data):
                notes.append("the last MPEG frame is cut")
                break
            position += length
            frames += 1
            continue
        if data.startswith(_TRAILERS, position) or not any(data[position:]):
            break
        resumed = _find_frame(data, position)
        if resumed is None:
            notes.append(f"{len(data) - position} bytes after the audio are no frame; ignored")
            break
        notes.append(
            f"{resumed - position} bytes at byte {base + position} are no MPEG frame; skipped"
        )
        position = resumed
    return frames, notes


def _frame_bytes(data: bytes, offset: int) -> int | None:
    """Return the length of the frame that starts at `offset`, or None if none does."""
    if len(data) < offset + 4 or data[offset] != 0xFF or data[offset + 1] < 0xE0:
        return None
    second, third = data[offset + 1], data[offset + 2]
    version, layer = second >> 3 & 3, 4 - (second >> 1 & 3)
    bit_rate_index, rate_index = third >> 4, third >> 2 & 3
    # Free format (index 0) has no length in its header; nothing in use writes it.
    if version == 1 or layer == 4 or bit_rate_index in (0, 15) or rate_index == 3:
        return None
    bits_per_s = 1000 * _BIT_RATES_KBPS[version == 3, layer][bit_rate_index - 1]
    rate_hz, padding = _RATES_HZ[version][rate_index], third >> 1 & 1
    if layer == 1:
        return (12 * bits_per_s // rate_hz + padding) * 4
    slots = 72 if layer == 3 and version != 3 else 144
    return slots * bits_per_s // rate_hz + padding


def _find_frame(data: bytes, position: int) -> int | None:
    """Return the offset of the next frame that another one follows."""
    while (position := data.find(b"\xff", position + 1)) >= 0:
        length = _frame_bytes(data, position)
        if length is not None and (
            position + length == len(data) or _frame_bytes(data, position + length) is not None
        ):
            return position
    return None


def _find_frame_count(data: bytes, start: int) -> tuple[int | None, int]:
    """Return where the first frame's tag holds its frame count, and that count."""
    is_mpeg_1, is_mono = data[start + 1] >> 3 & 3 == 3, data[start + 3] >> 6 == 3
    side_bytes = (17 if is_mono else 32) if is_mpeg_1 else (9 if is_mono else 17)
    for crc_bytes in (0, 2):
        offset = start + 4 + crc_bytes + side_bytes
        tag = data[offset : offset + 12]
        if len(tag) == 12 and tag[:4] in (b"Xing", b"Info") and tag[7] & 1:
            return offset + 8, int.from_bytes(tag[8:], "big")
    offset = start + 36
    tag = data[offset : offset + 18]
    if len(tag) == 18 and tag[:4] == b"VBRI":
        return offset + 14, int.from_bytes(tag[14:], "big")
    return None, 0
