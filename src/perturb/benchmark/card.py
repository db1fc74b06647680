"""The dataset card: what a README says of a data set's files to the library `datasets`.

The card's head is YAML. Only its ``configs`` are read, and only in the form that the hub writes:
mappings, lists and plain or quoted texts, one a line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from perturb.audio_io import write_text_atomic

__all__ = ["read_splits", "write_card"]

_ENTRY = re.compile(r"(?P<indent>\s*(?:-\s+)*)(?:(?P<key>[\w-]+):)?\s*(?P<value>.*?)\s*")


def read_splits(readme: Path) -> dict[str, list[str]]:
    """Return the file patterns of each split that a card declares, over all its configs.

    A config of another name than ``default`` goes in front of its splits: ``CONFIG/SPLIT``.
    Without a card, or without configs in it, there is nothing.
    """
    if not readme.is_file():
        return {}
    lines = readme.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    if not lines or lines[0].strip() != "---":
        return {}
    splits: dict[str, list[str]] = {}
    config, split, is_inside, is_path = "default", "train", False, False
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if line[:1] not in ("", " ", "-", "#"):
            is_inside = line.startswith("configs:")
            continue
        match = _ENTRY.fullmatch(line)
        if not is_inside or match is None:
            continue
        key, value = match["key"], match["value"].strip("\"'")
        if key is None and not is_path:
            continue
        if key == "config_name":
            config, split = value, "train"
        elif key == "split":
            split = value
        elif key in ("path", "data_files", None) and value:
            name = split if config == "default" else f"{config}/{split}"
            splits.setdefault(name, []).append(value)
        is_path = key in ("path", "data_files") or (key is None and is_path)
    return splits


def write_card(
    readme: Path, title: str, text: str, splits: Mapping[str, str], options: Sequence[str] = ()
) -> None:
    """Write a card with one config, ``default``.

    Parameters
    ----------
    readme : Path
        The README.md.
    title, text : str
        Its heading, and what follows.
    splits : mapping of str to str
        The file pattern of each split.
    options : sequence of str
        Further lines of the config.
    """
    lines = ["---", "configs:", "- config_name: default"]
    lines += [f"  {option}" for option in options]
    lines.append("  data_files:")
    for split, pattern in splits.items():
        lines += [f"  - split: {split}", f'    path: "{pattern}"']
    lines += ["---", "", f"# {title}", "", text.strip(), ""]
    write_text_atomic(readme, "\n".join(lines))
