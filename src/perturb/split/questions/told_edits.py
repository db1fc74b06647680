"""The edits of a condition in plain words, where they are told rather than played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from perturb.benchmark.item import MAIN_ROLE, Item
from perturb.split.presentation import Presentation
from perturb.split.questions.edits import describe_edits
from perturb.split.records.traces import read_traces
from perturb.split.work.tasks import ClipResult

__all__ = ["told_edits"]


def told_edits(
    folder: Path,
    names: set[str],
    items: tuple[Item, ...],
    presentation: Presentation,
    clips: Mapping[str, ClipResult],
    called: Mapping[str, str] | None = None,
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
    called : mapping of str to str, optional
        How outside sounds are called, by reference.

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
    wanted = {pointer for pointer in pointers.values() if pointer is not None}
    texts = {
        pointer: describe_edits(trace, called) for pointer, trace in read_traces(folder, wanted)
    }
    told: dict[tuple[str, str], str] = {}
    for item in items:
        for name in names:
            for audio, (condition, extra) in presentation.row(item, name).audios or ():
                pointer = pointers.get((audio.clip, condition, extra))
                if audio.role == MAIN_ROLE and pointer is not None:
                    told[name, item.pair_id] = texts[pointer]
    return told
