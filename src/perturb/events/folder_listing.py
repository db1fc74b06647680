"""Which clips a bank of files has: a folder for each category, or a table of names."""

from __future__ import annotations

import csv
from pathlib import Path

from perturb.audio_io import find_audio
from perturb.audio_io.paths import printable_path
from perturb.errors import ParameterError

__all__ = ["list_clips"]

_NEEDED_COLUMNS = ("filename", "category")


def list_clips(path: Path) -> dict[str, tuple[Path, ...]]:
    """Return the files of each category, both sorted by name.

    Parameters
    ----------
    path : Path
        A folder whose folders are the categories, or a CSV table with the columns ``filename`` and
        ``category`` (others are passed over), as that of ESC-50. The files lie beside the table,
        or in a folder ``audio`` beside it or beside its folder.

    Raises
    ------
    ParameterError
        Neither, no clip at all, a row without its fields, or a category that cannot be named.
    """
    found = _of_table(path) if path.is_file() else _of_folder(path)
    if not found:
        raise ParameterError(
            f"bank {printable_path(path)} is empty; accepted: a folder for each category with "
            "audio in it, or a CSV table with the columns filename and category"
        )
    for category in found:
        if "#" in category or category != category.strip():
            raise ParameterError(
                f"bank {printable_path(path)}: category {category!r} cannot be named in "
                "bank:CATEGORY#SEED; rename it without '#' and outer spaces"
            )
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def _of_folder(path: Path) -> dict[str, list[Path]]:
    if not path.is_dir():
        raise ParameterError(f"bank {printable_path(path)}: nothing there")
    found: dict[str, list[Path]] = {}
    for file in find_audio(path):
        parts = file.relative_to(path).parts
        if len(parts) > 1:
            found.setdefault(parts[0], []).append(file)
    return found


def _of_table(path: Path) -> dict[str, list[Path]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(
            f"bank {printable_path(path)} is no table of text; accepted: CSV in UTF-8, or a folder"
        ) from None
    rows = csv.DictReader(text.splitlines())
    missing = [name for name in _NEEDED_COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ParameterError(
            f"bank {printable_path(path)} has no column {', '.join(missing)}; its columns: "
            f"{', '.join(rows.fieldnames or ()) or 'none'}"
        )
    folder = _audio_folder(path)
    found: dict[str, list[Path]] = {}
    for number, row in enumerate(rows, start=2):
        name, category = row["filename"], row["category"]
        if not name or not category:
            raise ParameterError(f"bank {printable_path(path)}, line {number}: an empty field")
        found.setdefault(category, []).append(folder / name)
    return found


def _audio_folder(path: Path) -> Path:
    for folder in (path.parent / "audio", path.parent.parent / "audio"):
        if folder.is_dir():
            return folder
    return path.parent
