"""The pages of an Ogg stream: each is checked, so that none is lost without a word.

A page carries a checksum, a serial number and a position. libsndfile drops a damaged page, and
ends where the last page says, whatever lies before it.

Source: RFC 3533.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

from perturb.audio_io.header import Header, read_at, with_patches
from perturb.errors import AudioError

__all__ = ["read_ogg_header"]

_CONTINUED, _FIRST, _LAST = 1, 2, 4
_NO_POSITION = 2**64 - 1
_FAR_POSITION = 2**40
_BIT_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def read_ogg_header(file: BinaryIO, size_bytes: int) -> Header:
    """Walk the pages of an Ogg file.

    Raises
    ------
    AudioError
        A damaged, missing or cut page, or a second stream after the first.
    """
    data = read_at(file, 0, size_bytes)
    notes: list[str] = []
    patches: dict[int, bytes] = {}
    position, is_past_heads, flags, farthest = 0, False, 0, 0
    next_numbers: dict[bytes, int] = {}
    while position < size_bytes:
        if data[position : position + 4] != b"OggS":
            if flags & _LAST:
                notes.append(f"{size_bytes - position} bytes after the audio are no page; ignored")
                break
            raise AudioError(f"damaged: no Ogg page at byte {position}")
        lacing = data[position + 27 : position + 27 + data[min(position + 26, size_bytes - 1)]]
        stop = position + 27 + len(lacing) + sum(lacing)
        if size_bytes < position + 27 or stop > size_bytes:
            raise AudioError(
                f"truncated: the Ogg page at byte {position} ends {stop - size_bytes} bytes "
                "beyond the file"
            )
        page = data[position:stop]
        if page[22:26] != _checksum(page):
            raise AudioError(f"damaged: the Ogg page at byte {position} fails its checksum")
        flags, serial = page[5], page[14:18]
        number = int.from_bytes(page[18:22], "little")
        if flags & _FIRST:
            if is_past_heads:
                raise AudioError(
                    f"a second stream starts at byte {position} and would not be read; "
                    "encode the file anew as one stream"
                )
        else:
            is_past_heads = True
            expected = next_numbers.get(serial, number)
            if number != expected:
                raise AudioError(
                    f"damaged: at byte {position} the Ogg page {number} follows where page "
                    f"{expected} belongs"
                )
        next_numbers[serial] = number + 1
        granule = int.from_bytes(page[6:14], "little")
        if granule != _NO_POSITION:
            if granule < farthest and len(next_numbers) == 1:
                # The decoder would stop at the number of the last page, so move it out of the way.
                notes.append(
                    f"the Ogg page at byte {position} declares sample {granule}, after {farthest}"
                )
                patches[position] = _with_position(page, _FAR_POSITION)[:26]
            farthest = max(farthest, granule)
        position = stop
    if not flags & _LAST:
        notes.append("the Ogg stream has no last page; it may have been cut")
    return Header(parts=with_patches(size_bytes, patches) if patches else None, notes=tuple(notes))


def _with_position(page: bytes, granule: int) -> bytes:
    moved = page[:6] + granule.to_bytes(8, "little") + page[14:]
    return moved[:22] + _checksum(moved) + moved[26:]


def _checksum(page: bytes) -> bytes:
    # Ogg's CRC-32 runs over unreflected bits from zero; zlib's over reflected bits, inverted at
    # both ends. Reversing the bits of bytes and result turns one into the other, at C speed.
    blanked = (page[:22] + bytes(4) + page[26:]).translate(_BIT_REVERSED)
    reflected = zlib.crc32(blanked, 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{reflected:032b}"[::-1], 2).to_bytes(4, "little")
