"""What a header says about its file, and the file as the decoder is to see it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import BinaryIO

__all__ = ["Header", "Hole", "Part", "SplicedFile", "read_at", "whole_file", "with_patches"]


@dataclass(frozen=True)
class Hole:
    """A stretch that claims to be there but reads as the end of the file."""

    length: int


Part = bytes | range | Hole
"""A piece of a spliced file: literal bytes, a byte range of the file beneath, or a hole."""


@dataclass(frozen=True)
class Header:
    """The facts of one header, checked against the bytes that are there.

    Parameters
    ----------
    declared_frames : int or None
        Frames (samples per channel) that the header promises; None where it does not say.
    is_binding : bool
        Whether another decoded length is a fault; otherwise it is noted, and the decoded
        length counts.
    parts : tuple of Part, optional
        The file as the decoder is to see it; None for the file as it is.
    container : str, optional
        Name of the container where the decoder would not know it.
    channel_mask : int, optional
        Speaker positions of a WAVE_EXTENSIBLE header; None for any other header.
    notes : tuple of str
        What is odd but harmless.
    """

    declared_frames: int | None = None
    is_binding: bool = False
    parts: tuple[Part, ...] | None = None
    container: str | None = None
    channel_mask: int | None = None
    notes: tuple[str, ...] = ()


def read_at(file: BinaryIO | SplicedFile, offset: int, count: int) -> bytes:
    """Return up to `count` bytes from `offset`; fewer only at the end of the file."""
    file.seek(offset)
    return file.read(count)


def whole_file(size_bytes: int) -> tuple[Part, ...]:
    """Return the parts of an unchanged file."""
    return (range(size_bytes),)


def with_patches(size_bytes: int, patches: dict[int, bytes]) -> tuple[Part, ...]:
    """Return the parts of a file in which the bytes at some offsets are replaced."""
    parts: list[Part] = []
    position = 0
    for offset, data in sorted(patches.items()):
        parts += [range(position, offset), data]
        position = offset + len(data)
    return (*parts, range(position, size_bytes))


class SplicedFile:
    """A read-only file made of parts of another, for a decoder that takes file objects.

    The decoder trusts some header fields further than it should; mending them in this view leaves
    the file itself alone and copies nothing.

    Parameters
    ----------
    file : binary file
        The file beneath.
    parts : tuple of Part
        What it consists of, in order.
    """

    def __init__(self, file: BinaryIO | SplicedFile, parts: tuple[Part, ...]) -> None:
        self.name = "audio"
        self._file = file
        self._parts = parts
        lengths = (part.length if isinstance(part, Hole) else len(part) for part in parts)
        self._edges = list(accumulate(lengths, initial=0))
        self._position = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to `offset` from the start (0), the position (1) or the end (2)."""
        self._position = (0, self._position, self._edges[-1])[whence] + offset
        return self._position

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def read(self, count: int = -1) -> bytes:
        """Return `count` bytes, or all that follow; fewer at the end or before a hole."""
        left = self._edges[-1] - self._position
        count = left if count < 0 else min(count, left)
        pieces = []
        while count > 0:
            index = bisect_right(self._edges, self._position) - 1
            part, start = self._parts[index], self._position - self._edges[index]
            take = min(count, self._edges[index + 1] - self._position)
            if isinstance(part, Hole):
                break
            if isinstance(part, range):
                piece = read_at(self._file, part.start + start, take)
            else:
                piece = part[start : start + take]
            pieces.append(piece)
            self._position += len(piece)
            count -= len(piece)
            if len(piece) < take:
                break
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
