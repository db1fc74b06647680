"""The edits of a condition in plain words, where they are told rather than played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from perturb.benchmark.item import MAIN_ROLE, Item
from perturb.plan.trace import Trace
from perturb.split.presentation import Presentation
from perturb.split.questions.edits import describe_edits
from perturb.split.work.tasks import ClipResult

__all__ = ["told_edits"]


def told_edits(
    folder: Path,
    names: set[str],
    items: tuple[Item, ...],
    presentation: Presentation,
    clips: Mapping[str, ClipResult],
) -> dict[tuple[str, str], str]:
    """Return what was done to the audio of each item, from the recorded traces alone.

    Parameters
    ----------
    folder : Path
        The split.
    names : set of str
        Conditions whose edits are told.
    items : tuple of Item
        Those that are presented.
    presentation : Presentation
        How they appear.
    clips : mapping of str to ClipResult
        What became of each clip.

    Returns
    -------
    dict of (str, str) to str
        By condition and pair id; without those that have no edit.
    """
    pointers = {
        (key, variant.condition, variant.extra): variant.trace
        for key, result in clips.items()
        for variant in result.variants
        if variant.condition in names and variant.path is not None
    }
    texts = _texts(folder, {pointer for pointer in pointers.values() if pointer is not None})
    told: dict[tuple[str, str], str] = {}
    for item in items:
        for name in names:
            for audio, (condition, extra) in presentation.row(item, name).audios or ():
                pointer = pointers.get((audio.clip, condition, extra))
                if audio.role == MAIN_ROLE and pointer is not None:
                    told[name, item.pair_id] = texts[pointer]
    return told


def _texts(folder: Path, pointers: set[str]) -> dict[str, str]:
    by_file: dict[str, set[int]] = {}
    for pointer in pointers:
        name, _, place = pointer.partition("#")
        by_file.setdefault(name, set()).add(int(place))
    texts = {}
    for name, numbers in by_file.items():
        with (folder / name).open("rb") as file:
            for number, line in enumerate(file, 1):
                if number in numbers:
                    texts[f"{name}#{number}"] = describe_edits(Trace.from_json(line))
    return texts
