"""Some of the traces of a split, by where they lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from perturb.plan.trace import Trace

__all__ = ["read_traces"]


def read_traces(folder: Path, pointers: Iterable[str]) -> Iterator[tuple[str, Trace]]:
    """Yield traces with their pointers, file by file; each file is read once.

    Parameters
    ----------
    folder : Path
        The split.
    pointers : iterable of str
        ``FILE#LINE``, as the manifest has them.
    """
    by_file: dict[str, set[int]] = {}
    for pointer in pointers:
        name, _, place = pointer.partition("#")
        by_file.setdefault(name, set()).add(int(place))
    for name, numbers in sorted(by_file.items()):
        with (folder / name).open("rb") as file:
            for number, line in enumerate(file, 1):
                if number in numbers:
                    yield f"{name}#{number}", Trace.from_json(line)
