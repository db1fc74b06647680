"""What the rows of a benchmark say is heard in its clips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perturb.benchmark.item import Benchmark, Item

__all__ = ["labels_by_clip", "labels_of"]

_LABELS = ("labels", "label_names", "tags", "events", "sound_events", "sounds")
"""Fields of a source that say what is heard in a clip besides speech."""


def labels_of(benchmark: Benchmark, item: Item) -> tuple[str, ...] | None:
    """Return what an item's row says is heard in its clip; None where it says nothing of it."""
    row = benchmark.rows.row(item.row)
    value: Any = next((row[name] for name in _LABELS if row.get(name) is not None), None)
    if isinstance(value, str):
        value = [part.strip() for part in value.replace(";", ",").split(",") if part.strip()]
    if not isinstance(value, list | tuple):
        return None
    return tuple(_name(entry) for entry in value)


def labels_by_clip(benchmark: Benchmark) -> dict[str, tuple[str, ...]]:
    """Return the labels that any item of a clip has, in alphabetical order, by the clip's key.

    All items count, whichever are presented: a clip's labels depend on the benchmark alone.
    """
    found: dict[str, set[str]] = {}
    for item in benchmark.items:
        labels = labels_of(benchmark, item)
        audio = item.audio()
        if labels is not None and audio is not None:
            found.setdefault(audio.clip, set()).update(labels)
    return {clip: tuple(sorted(labels)) for clip, labels in found.items()}


def _name(entry: Any) -> str:
    """Return the name of an event that comes with more, such as its times."""
    if isinstance(entry, Mapping):
        return str(next((entry[key] for key in ("label", "name", "event") if key in entry), entry))
    return str(entry)
