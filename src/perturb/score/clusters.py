"""Which items the bootstrap draws as one: those of a recording, a clip, a pair or a chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from perturb.split.records.manifest import ItemRow

__all__ = ["find_clusters", "join_clusters"]


def find_clusters(items: tuple[ItemRow, ...]) -> NDArray[np.int64]:
    """Return a number for each item, equal for items that come from one recording."""
    numbers: dict[tuple[str, str], int] = {}
    clusters = np.empty(len(items), np.int64)
    for place, item in enumerate(items):
        if item.recording is not None:
            key = ("recording", item.recording)
        elif item.audios:
            key = ("clip", item.audios[0][1])
        else:
            key = ("item", item.pair_id)
        clusters[place] = numbers.setdefault(key, len(numbers))
    return clusters


def join_clusters(
    clusters: NDArray[np.int64], groups: Iterable[Sequence[int]]
) -> NDArray[np.int64]:
    """Return clusters so that items of one group share one, and so do all others of theirs.

    Parameters
    ----------
    clusters : ndarray of int64
        A number for each item.
    groups : iterable of sequence of int
        Items that belong together.
    """
    parents: dict[int, int] = {}

    def root(label: int) -> int:
        while label in parents:
            label = parents[label]
        return label

    for group in groups:
        roots = sorted({root(int(clusters[place])) for place in group})
        parents.update(dict.fromkeys(roots[1:], roots[0]))
    if not parents:
        return clusters
    return np.array([root(label) for label in clusters.tolist()], np.int64)
