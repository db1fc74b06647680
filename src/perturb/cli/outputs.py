"""Outputs that would replace what a command reads, or a record of a split: refused beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.cli.score_csv import CSV_HEADER
from perturb.errors import ParameterError

__all__ = ["check_outputs"]

_RESULTS = frozenset({"score.json", "score.csv", "report.html"})
"""What may be replaced in a split's folder whatever it holds."""
_STARTS = {
    ".csv": CSV_HEADER.encode(),
    ".html": b'<!doctype html>\n<html lang="en">',
    ".htm": b'<!doctype html>\n<html lang="en">',
    ".svg": b'<?xml version="1.0" encoding="UTF-8"?>\n<svg',
}
"""How a table, a page and a figure of this package begin."""


class _Score(msgspec.Struct):
    """What every score in JSON has, however it was edited."""

    matcher: str
    baselines: msgspec.Raw
    models: msgspec.Raw


def check_outputs(
    outputs: Iterable[Path], inputs: Iterable[Path], splits: Iterable[Path] = ()
) -> None:
    """Refuse outputs that are inputs, or files of a split, before anything is written.

    An earlier result may be replaced, also in a split's folder. Paths are compared through links.

    Parameters
    ----------
    outputs : iterable of Path
        The files to write.
    inputs : iterable of Path
        The files that are read.
    splits : iterable of Path
        Folders of splits, beside those that an output lies in.

    Raises
    ------
    ParameterError
        An output is one of them.
    """
    from perturb.render.files import is_same_file
    from perturb.score.labels.reading import LABEL_FILES
    from perturb.split.records.recording import SEALED_FILES, SPLIT_FILE

    read = list(inputs)
    known = {folder.resolve() for folder in splits}
    reserved = {SPLIT_FILE, *SEALED_FILES, *LABEL_FILES}
    for output in outputs:
        name = printable_path(output)
        if output.is_dir():
            raise ParameterError(f"output {name} is a folder; name a file")
        if any(is_same_file(output, path) for path in read) and not _is_result(output):
            raise ParameterError(f"output {name} is the input itself; name another")
        for place in {output.resolve(), output.parent.resolve() / output.name}:
            folder = next(
                (each for each in place.parents if each in known or _is_split(each)), None
            )
            if folder is None:
                continue
            inside = place.relative_to(folder).as_posix()
            if inside.casefold() in reserved or (
                place.exists() and inside not in _RESULTS and not _is_result(place)
            ):
                raise ParameterError(
                    f"output {name} is {inside} of the split {printable_path(folder)}; name another"
                )


def _is_split(folder: Path) -> bool:
    from perturb.split.folder import request_path
    from perturb.split.records.recording import SPLIT_FILE

    return (folder / SPLIT_FILE).is_file() or request_path(folder).is_file()


def _is_result(path: Path) -> bool:
    """Whether a file is what `perturb score` or `perturb report` wrote."""
    try:
        if path.suffix.lower() == ".json":
            msgspec.json.decode(path.read_bytes(), type=_Score)
            return True
        start = _STARTS.get(path.suffix.lower())
        with path.open("rb") as file:
            return start is not None and file.read(len(start)) == start
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return False
