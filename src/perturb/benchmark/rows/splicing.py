"""A file as rows and what lies between them: head, separators and tail stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["Place", "spliced"]


class Place(NamedTuple):
    """Where a row stands in the bytes of its file: half-open."""

    start: int
    stop: int


def spliced(
    head: bytes,
    text: bytes,
    places: list[Place],
    rows: Iterable[tuple[int, bytes]],
    separator: bytes,
) -> Iterator[bytes]:
    """Yield, in order, the rows of a file with what stood between them.

    Parameters
    ----------
    head : bytes
        What comes before the first row.
    text : bytes
        The file.
    places : list of Place
        Its rows, at least one.
    rows : iterable of (int, bytes)
        Number of each row to write, and its new text. A row is led by the separator that led it;
        the file's first row, where it does not come first, by the second row's.
    separator : bytes
        For a file of one row.
    """
    yield head
    for count, (number, row) in enumerate(rows):
        if count:
            before = max(number, 1)
            has_gap = before < len(places)
            yield text[places[before - 1].stop : places[before].start] if has_gap else separator
        yield row
    yield text[places[-1].stop :]
